"""Graphs that grow as long as they stay acyclic, and the cycles of those that do not, against networkx."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from examples import on_some
from pauseproof.repair.acyclic import Closure, disjoint_cycles, on_cycles

EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=16)


@on_some
@given(st.lists(EDGES, max_size=6))
def test_edges_are_taken_all_or_none_as_long_as_there_is_no_cycle(groups: list[list[tuple[int, int]]]) -> None:
    closure, taken = Closure(7), nx.DiGraph()
    taken.add_nodes_from(range(7))
    for group in groups:
        with_group = nx.DiGraph(taken)
        with_group.add_edges_from(group)
        fits = nx.is_directed_acyclic_graph(with_group)
        assert closure.takes(group) == fits
        taken = with_group if fits else taken
        assert all(closure.after[a] >> b & 1 == (b in nx.descendants(taken, a)) for a in range(7) for b in range(7))


@on_some
@given(EDGES)
def test_cycles_share_no_edge_and_none_is_left_without_them(edges: list[tuple[int, int]]) -> None:
    cycles = disjoint_cycles(edges)
    used = [edge for cycle in cycles for edge in cycle]
    assert len(used) == len(set(used)) and set(used) <= set(edges)
    for cycle in cycles:
        assert [b for _, b in cycle] == [a for a, _ in cycle[1:] + cycle[:1]]
    assert nx.is_directed_acyclic_graph(nx.DiGraph(sorted(set(edges) - set(used))))


@on_some
@given(EDGES)
def test_what_is_on_cycles_is_between_nodes_of_cycles(edges: list[tuple[int, int]]) -> None:
    graph = nx.DiGraph(edges)
    cyclic = {n for c in nx.strongly_connected_components(graph) for n in c if len(c) > 1 or graph.has_edge(n, n)}
    reached = {n for c in cyclic for n in nx.descendants(graph, c) | {c}}
    reaching = {n for c in cyclic for n in nx.ancestors(graph, c) | {c}}
    after: dict[int, set[int]] = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    kept = {(a, b) for a, targets in on_cycles(after).items() for b in targets}
    assert kept == {(a, b) for a, b in edges if {a, b} <= reached & reaching}
