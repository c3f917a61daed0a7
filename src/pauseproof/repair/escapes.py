"""The smallest escape set of a fabric whose packets reselect: buffers in which every packet can always go on, and that drain.

An escape ``E`` (:mod:`pauseproof.deadlock.escape`) exists iff there is no stuck set: members only help, so all buffers together
are one if any set is. For a set that is none, peel as usual, but with choice sets cut down to ``E`` and the buffers that wait
for nothing; call what is left ``U``. Every escape has a buffer outside of ``E`` and ``U`` that lies in a choice set, all of
whose members in ``E`` are in ``U``, of a buffer of ``U``: the member that frees the buffer of ``U`` that it ranks highest. So
the smallest escape is found by hitting sets. Notation: ``b`` a buffer, ``C`` a choice set.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pauseproof.deadlock.stuck import choices_of
from pauseproof.dependency.graph import Dependencies
from pauseproof.repair.alternative import Budget
from pauseproof.repair.program import Program

Choices = dict[int, list[frozenset[int]]]  # by buffer
PROOF = 0.5  # seconds that a proof may always take


class Escape(NamedTuple):
    """Ascending buffer indices, those that wait for nothing left out; no escape has fewer than ``bound``."""

    buffers: tuple[int, ...]
    bound: int


def smallest_escape(graph: Dependencies, budget: Budget) -> Escape | None:
    """The smallest escape, None where there is none; one that may be larger where the budget ends first."""
    choices = {b: list(map(frozenset, choices_of(graph, b))) for b in range(graph.n_buffers)}
    waiting = {b: sets for b, sets in choices.items() if sets}
    if _missing(waiting, frozenset(waiting)) is not None:
        return None
    program, number = Program(), {b: i for i, b in enumerate(sorted(waiting))}
    for _ in number:
        program.variable(1)
    while budget.left:
        proposed = program.propose(budget.left)
        if proposed is None:
            break
        escape = frozenset(b for b, i in number.items() if i in proposed)
        missing = _disjoint_missing(waiting, escape)
        if not missing:
            bound = program.bound()
            if bound < len(escape):
                cheapest = program.cheapest(budget.left + PROOF)
                bound = bound if isinstance(cheapest, str) else max(bound, cheapest)
            return Escape(tuple(sorted(escape)), min(bound, len(escape)))
        for some in missing:
            program.some(number[b] for b in sorted(some))
    return Escape(_without_spares(waiting), program.bound())


def _disjoint_missing(waiting: Choices, escape: frozenset[int]) -> list[frozenset[int]]:
    """Sets of buffers one of each of which every escape has, no buffer in two of them; none where ``escape`` is one."""
    found = []
    while missing := _missing(waiting, escape):
        found.append(missing)
        escape |= missing
    return found


def _missing(waiting: Choices, escape: frozenset[int]) -> frozenset[int] | None:
    """None where ``escape`` is one; else buffers one of which every escape has."""
    stuck = set(waiting)
    while freed := {b for b in stuck if all(any(_drains(m, waiting, escape, stuck) for m in C) for C in waiting[b])}:
        stuck -= freed
    if not stuck:
        return None
    bad = (C for b in stuck for C in waiting[b] if not any(_drains(m, waiting, escape, stuck) for m in C))
    return frozenset(m for C in bad for m in C if m not in stuck and m not in escape and m in waiting)


def _drains(m: int, waiting: Choices, escape: frozenset[int], stuck: Iterable[int]) -> bool:
    return m not in waiting or (m in escape and m not in stuck)


def _without_spares(waiting: Choices) -> tuple[int, ...]:
    """An escape from which no buffer can be left out: all buffers, less one after the other."""
    escape = frozenset(waiting)
    for b in sorted(waiting):
        if _missing(waiting, escape - {b}) is None:
            escape -= {b}
    return tuple(sorted(escape))
