"""Shortest loops, against networkx."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import on_many
from oracle import cyclic_components, shortest_loop_length
from pauseproof.repair.short_loops import on_loops, short_loops

PAIRS = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24).map(sorted)


@on_many
@given(PAIRS)
def test_they_are_loops_of_the_shortest_length_and_share_nothing(pairs: list[tuple[int, int]]) -> None:
    source, target = np.array(pairs, np.int64).reshape(-1, 2).T
    loops = short_loops(source, target)
    components = cyclic_components(pairs)
    assert bool(loops) == bool(components)
    used = [pair for loop in loops for pair in loop]
    assert len(set(used)) == len(used) and set(used) <= set(pairs)
    for loop in loops:
        assert all(a[1] == b[0] for a, b in zip(loop, (*loop[1:], loop[0]), strict=True))
        assert len({a for a, _ in loop}) == len(loop)
        assert len(loop) == min(shortest_loop_length(pairs, part) for part in components)


@on_many
@given(PAIRS)
def test_a_dependency_lies_on_a_loop_where_its_ends_reach_each_other(pairs: list[tuple[int, int]]) -> None:
    source, target = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = nx.DiGraph(pairs)
    assert on_loops(source, target).tolist() == [nx.has_path(graph, b, a) for a, b in pairs]
