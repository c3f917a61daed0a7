"""The fewest layers, against trying every way to share the sets out; rings need two."""

from itertools import product

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import on_few
from pauseproof.repair.acyclic import Edge, bits
from pauseproof.repair.layers import Layering, fewest_layers, largest


def acyclic(edges: list[Edge], m: int) -> bool:
    return bool(nx.is_directed_acyclic_graph(nx.DiGraph([edges[e] for e in bits(m)])))


def layers_hold(edges: list[Edge], sets: list[int], fixed: int, layer: tuple[int, ...]) -> bool:
    union = [0] * (max(layer, default=0) + 1)
    union[0] = fixed
    for m, v in zip(sets, layer, strict=True):
        union[v] |= m
    return all(acyclic(edges, m) for m in union)


def fewest(edges: list[Edge], sets: list[int], fixed: int, most: int) -> int | None:
    for k in range(1, most + 1):
        if any(layers_hold(edges, sets, fixed, layer) for layer in product(range(k), repeat=len(sets))):
            return k
    return None


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Edge], list[int], int]:
    edges = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=9, unique=True))
    some = st.integers(0, (1 << len(edges)) - 1)
    sparse = st.tuples(some, some).map(lambda pair: pair[0] & pair[1])
    return edges, draw(st.lists(sparse, max_size=5)), draw(st.one_of(st.just(0), sparse))


@on_few
@given(problems())
def test_no_fewer_layers_do(problem: tuple[list[Edge], list[int], int]) -> None:
    edges, sets, fixed = problem
    found, wanted = fewest_layers(edges, sets, fixed, 6, 10.0), fewest(edges, sets, fixed, 6)
    assert (found is None) == (wanted is None)
    if found is not None:
        assert layers_hold(edges, sets, fixed, found.layer)
        assert (found.layers if sets else 1) == found.bound == wanted


@pytest.mark.parametrize("n", range(4, 40, 5))
def test_a_ring_needs_two(n: int) -> None:
    """Paths of two links all around: one of n links is left out of the first layer."""
    edges = [(i, (i + 1) % n) for i in range(n)]
    found = fewest_layers(edges, [1 << i for i in range(n)], 0, 8, 10.0)
    assert isinstance(found, Layering) and (found.layers, found.bound) == (2, 2)


def test_what_greedy_orders_miss_z3_finds() -> None:
    """Three opposite pairs, so joined that first fit wants three layers in most orders."""
    edges = [(a, b) for a in range(4) for b in range(4) if a != b]
    sets = [sum(1 << edges.index(pair) for pair in path) for path in (((0, 1), (1, 2)), ((2, 0),), ((2, 3), (3, 0)), ((1, 0),))]
    found = fewest_layers(edges, sets, 0, 8, 10.0)
    assert found is not None and found.layers == found.bound == fewest(edges, sets, 0, 4)


def test_more_layers_than_there_are_is_no_answer() -> None:
    edges = [(0, 1), (1, 0)]
    assert fewest_layers(edges, [0b01, 0b10], 0, 1, 5.0) is None
    assert fewest_layers(edges, [0b11], 0, 8, 5.0) is None


def test_sets_inside_others_need_no_layer_of_their_own() -> None:
    assert largest([]) == ([], [])
    assert largest([0b1, 0b111, 0b110, 0b1000, 0]) == ([0b111, 0b1000], [0, 0, 0, 1, 0])
