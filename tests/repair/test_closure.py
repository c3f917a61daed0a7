"""Taken or refused, against networkx."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from examples import on_many
from pauseproof.repair.closure import Closure, bits

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25)


def acyclic(pairs: set[tuple[int, int]]) -> bool:
    return bool(nx.is_directed_acyclic_graph(nx.DiGraph(pairs)))


@on_many
@given(PAIRS)
def test_a_dependency_is_taken_where_it_closes_no_loop(pairs: list[tuple[int, int]]) -> None:
    graph, kept = Closure(7), set[tuple[int, int]]()
    for pair in pairs:
        fits = acyclic(kept | {pair})
        assert graph.takes(*pair) == fits
        assert graph.add(*pair) == fits
        kept |= {pair} if fits else set()
    assert graph.known == kept
    after = nx.transitive_closure(nx.DiGraph([*kept, *((i, 7) for i in range(7))])) if kept else nx.DiGraph()
    for a in range(7):
        assert set(bits(graph.after[a])) == (set(after[a]) - {7} if kept else set())


@on_many
@given(PAIRS, PAIRS)
def test_several_are_taken_together_or_not_at_all(first: list[tuple[int, int]], more: list[tuple[int, int]]) -> None:
    graph = Closure(7)
    for pair in first:
        graph.add(*pair)
    before, known = graph.copy(), set(graph.known)
    fits = acyclic(known | set(more))
    assert graph.add_all(more) == fits
    assert graph.known == (known | set(more) if fits else known)
    assert before.known == known
    if not fits:
        assert (graph.after, graph.before) == (before.after, before.before)
