"""Naive answers about dependency graphs, in plain sets and networkx: what ``deadlock/`` is held to on small graphs.

``choice_sets`` maps a buffer to its choice sets; a buffer that is in no key has none. Buffers are anything that compares.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import networkx as nx

Choices = Mapping[Any, Collection[frozenset[Any]]]


def greatest_stuck_set(choice_sets: Choices) -> set[Any]:
    """Delete, again and again, each buffer all of whose choice sets have a member that is deleted or has no choice sets."""
    left = set(choice_sets)
    while freed := {b for b in left if not any(choice <= left for choice in choice_sets[b])}:
        left -= freed
    return left


def dependencies(choice_sets: Choices) -> set[tuple[Any, Any]]:
    """Buffer to buffer: the members of its choice sets."""
    return {(b, b2) for b, sets in choice_sets.items() for choice in sets for b2 in choice}


def cyclic_components(edges: Iterable[tuple[Any, Any]]) -> list[set[Any]]:
    """The strongly connected components that hold a cycle (a self-dependency is one), in the order of their least buffers."""
    graph = nx.DiGraph(edges)
    found = nx.strongly_connected_components(graph)
    return sorted((c for c in found if len(c) > 1 or graph.has_edge(*[*c] * 2)), key=min)


def component_sizes(edges: Iterable[tuple[Any, Any]]) -> list[int]:
    """How many buffers each cyclic component has, in the order of their least buffers."""
    return [len(c) for c in cyclic_components(edges)]


def shortest_loop_length(edges: Iterable[tuple[Any, Any]], component: Collection[Any]) -> int:
    """The number of buffers on a shortest cycle inside a cyclic component."""
    graph = nx.DiGraph(edges).subgraph(component)
    distance: dict[Any, dict[Any, int]] = dict(nx.all_pairs_shortest_path_length(graph))
    return min(distance[b2][b] + 1 for b, b2 in graph.edges if b in distance[b2])


def least_shortest_loop(edges: Iterable[tuple[Any, Any]], component: Collection[Any]) -> tuple[Any, ...]:
    """The lexicographically least of the shortest cycles, each written from its least buffer on: by listing them all."""
    edges = list(edges)
    length = shortest_loop_length(edges, component)
    loops = nx.simple_cycles(nx.DiGraph(edges).subgraph(component), length_bound=length)
    return min(from_least(loop) for loop in loops)


def from_least(loop: list[Any]) -> tuple[Any, ...]:
    """The same cycle, rotated to start at its least buffer."""
    i = loop.index(min(loop))
    return (*loop[i:], *loop[:i])
