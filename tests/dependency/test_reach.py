import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import on_many
from pauseproof.dependency.reach import can_loop, can_reach, distinct, ranges

edges_of = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


def arrays(edges: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    source, target = np.array(edges, np.int64).reshape(-1, 2).T
    return source, target


@on_many
@given(edges_of, st.sets(st.integers(0, 6)))
def test_seeds_are_reached_by_their_ancestors_and_themselves(edges: list[tuple[int, int]], seeds: set[int]) -> None:
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(7))
    wanted = seeds.union(*(nx.ancestors(graph, s) for s in seeds))
    reached = can_reach(7, *arrays(edges), np.array(sorted(seeds), np.int64))
    assert set(np.flatnonzero(reached).tolist()) == wanted


@on_many
@given(edges_of)
def test_an_infinite_walk_starts_where_a_cycle_is_reached(edges: list[tuple[int, int]]) -> None:
    graph = nx.DiGraph(edges)
    on_cycle = {n for c in nx.simple_cycles(graph) for n in c}
    wanted = on_cycle.union(*(nx.ancestors(graph, n) for n in on_cycle))
    assert set(np.flatnonzero(can_loop(7, *arrays(edges))).tolist()) == wanted


@on_many
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5))))
def test_ranges_are_strung_together(spans: list[tuple[int, int]]) -> None:
    start, count = np.array(spans, np.int64).reshape(-1, 2).T
    assert ranges(start, start + count).tolist() == [i for a, n in spans for i in range(a, a + n)]


@pytest.mark.parametrize("keys", [[], [5], [2, 2, 2], [3, 1, 3, 0]])
def test_distinct_values_ascend(keys: list[int]) -> None:
    assert distinct(np.array(keys, np.int64)).tolist() == sorted(set(keys))
