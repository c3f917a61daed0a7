"""Escape sets against the definition: the restricted system, peeled by the oracle."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from examples import on_many
from pauseproof.deadlock.escape import escape_fault
from pauseproof.deadlock.smallest import smallest_stuck_set
from pauseproof.deadlock.stuck import peel
from pauseproof.dependency.graph import Dependencies, assemble

Sets = list[tuple[int, frozenset[int]]]


@st.composite
def systems(draw: st.DrawFn) -> tuple[int, Sets]:
    n = draw(st.integers(1, 7))
    members = st.frozensets(st.integers(0, n - 1), min_size=1, max_size=3)
    return n, draw(st.lists(st.tuples(st.integers(0, n - 1), members), max_size=12))


def graph_of(n: int, sets: Sets) -> Dependencies:
    rows = [(b, after, i if len(choice) > 1 else -1) for i, (b, choice) in enumerate(sets) for after in sorted(choice)]
    source, target, key = np.array(rows, np.int64).reshape(-1, 3).T
    return assemble(1, np.arange(n), source, target, key)


def by_buffer(sets: Sets) -> dict[int, set[frozenset[int]]]:
    out: dict[int, set[frozenset[int]]] = {}
    for b, choice in sets:
        out.setdefault(b, set()).add(choice)
    return out


@on_many
@given(systems(), st.frozensets(st.integers(0, 6)))
def test_an_escape_is_what_the_definition_says(system: tuple[int, Sets], drawn: frozenset[int]) -> None:
    n, sets = system
    choices = by_buffer(sets)
    inside = {b for b in range(n) if b in drawn or b not in choices}
    kept = {b: {choice & inside for choice in of_b} for b, of_b in choices.items()}
    empty = {b for b, of_b in kept.items() if frozenset() in of_b}
    fault = escape_fault(graph_of(n, sets), np.array(sorted(b for b in drawn if b < n), np.int64))
    if fault is None:
        assert not empty and not oracle.greatest_stuck_set(kept) and not oracle.greatest_stuck_set(choices)
    elif fault.without_exit >= 0:
        assert fault.without_exit in empty
    else:
        assert not empty and set(fault.stuck) == oracle.greatest_stuck_set(kept)


@on_many
@given(systems())
def test_the_smallest_stuck_set_is_smallest_of_all_by_trying(system: tuple[int, Sets]) -> None:
    n, sets = system
    choices, graph = by_buffer(sets), graph_of(n, sets)
    stuck = peel(graph).stuck
    if not len(stuck):
        return
    found = smallest_stuck_set(graph, stuck, seconds=20)
    chosen = set(found.choices)
    assert found.optimal
    assert all(frozenset(c) in choices[b] and chosen.issuperset(c) for b, c in found.choices.items())
    smaller = (set(some) for size in range(1, len(chosen)) for some in combinations(sorted(choices), size))
    assert not any(all(any(c <= some for c in choices[b]) for b in some) for some in smaller)
