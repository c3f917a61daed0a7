"""Ranks and stuck sets: by eye on a few letters, and against the oracle on random choice sets."""

import pytest
from hypothesis import given

import oracle
from examples import on_many
from graphs import Sets, choice_sets, letters, of_edges
from pauseproof.deadlock.stuck import peel, stuck_witness


@pytest.mark.parametrize(
    ("edges", "stuck", "rank"),
    [
        ("ab bc", "", [1, 2, 3]),
        ("ab ac bc", "", [1, 2, 3]),
        ("ab bc ca", "abc", [0, 0, 0]),
        ("aa", "a", [0]),
        ("ab bc cb", "abc", [0, 0, 0]),  # what waits for a loop is stuck with it
        ("ab ba bc", "ab", [0, 0, 1]),
        ("ab ba cd", "ab", [0, 0, 1, 2]),
        ("a(bc) ba", "", [2, 1, 3]),  # a may go to c, which drains
        ("a(bc) ba ca", "abc", [0, 0, 0]),
        ("a(bc) ab ba", "ab", [0, 0, 1]),  # some packet in a has no choice but b
    ],
)
def test_what_is_left_and_in_which_order_the_rest_went(edges: str, stuck: str, rank: list[int]) -> None:
    peeled = peel(of_edges(edges))
    assert letters(peeled.stuck.tolist()) == stuck
    assert peeled.rank.tolist() == rank


def test_without_buffers_nothing_is_stuck() -> None:
    peeled = peel(Sets(0, []).graph())
    assert len(peeled.rank) == len(peeled.stuck) == 0
    assert stuck_witness(Sets(0, []).graph(), peeled.stuck) == {}


@pytest.mark.parametrize(
    ("edges", "closed"),
    [
        ("ab bc cb", "bc"),  # not a, which only waits for it
        ("ab ba cd de ec", "ab"),  # the smaller of two
        ("bc cb ad da", "ad"),  # the least of two alike
        ("a(bc) ba ca", "abc"),
        ("a(bc) ab ba ca", "ab"),  # a commits to b: no need of c
        ("ab bc", ""),
    ],
)
def test_the_closed_set_is_small_and_least(edges: str, closed: str) -> None:
    graph = of_edges(edges)
    assert letters(sorted(stuck_witness(graph, peel(graph).stuck))) == closed


@on_many
@given(choice_sets())
def test_the_rest_is_the_greatest_stuck_set_and_ranks_rise_out_of_every_choice(drawn: Sets) -> None:
    peeled = peel(drawn.graph())
    assert set(peeled.stuck.tolist()) == oracle.greatest_stuck_set(drawn.choices())
    assert set(range(drawn.n)) - set(peeled.stuck.tolist()) == {b for b in range(drawn.n) if peeled.rank[b] > 0}
    for owner, members in drawn.sets:
        assert peeled.rank[owner] == 0 or max(peeled.rank[list(members)]) > peeled.rank[owner]


@on_many
@given(choice_sets())
def test_the_closed_stuck_set_is_a_stuck_set_and_has_no_smaller_one_of_its_choices(drawn: Sets) -> None:
    graph, choices = drawn.graph(), drawn.choices()
    closed = sorted(stuck_witness(graph, peel(graph).stuck))
    assert bool(closed) == bool(oracle.greatest_stuck_set(choices))
    assert closed == sorted(closed)
    inside = {b: [c for c in choices.get(b, ()) if c <= set(closed)] for b in closed}
    assert all(inside.values())
    assert oracle.greatest_stuck_set(inside) == set(closed)
