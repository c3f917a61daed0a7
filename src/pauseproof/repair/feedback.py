"""The fewest dependencies to leave out of a graph so that no loop is left (a minimum feedback arc set), by implicit hitting
sets.

Loops that share no dependency are a lower bound: each must lose one. Then the fewest dependencies that meet all loops found
so far are proposed; what is left shows new loops, or none. Finding the fewest is NP-hard, so there is a budget; the bound is
proved
from the loops alone (:mod:`pauseproof.repair.program`). Ref: A. Baharev et al., ACM J. Experimental Algorithmics 26, 2021.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pauseproof.repair.alternative import Budget
from pauseproof.repair.program import Program
from pauseproof.repair.short_loops import Pair, on_loops, short_loops

PROOF = 0.5  # seconds that a proof may always take


class Feedback(NamedTuple):
    """At least ``bound`` dependencies have to go; without those of ``few`` there is no loop, None where the budget ended
    first."""

    bound: int
    few: frozenset[Pair] | None


def fewest_feedback(pairs: Sequence[Pair], budget: Budget) -> Feedback:
    """The fewest of the dependencies ``pairs`` without which there is no loop.

    >>> fewest_feedback([(0, 1), (1, 0), (1, 2), (2, 0)], Budget(10))
    Feedback(bound=1, few=frozenset({(0, 1)}))
    """
    loops = disjoint_loops(pairs)
    bound, program, goes = len(loops), Program(), dict[Pair, int]()
    chosen, left = frozenset[Pair](), loops
    while left:
        for loop in left:
            for pair in (pair for pair in loop if pair not in goes):
                goes[pair] = program.variable(1)
            program.some(goes[pair] for pair in loop)
        proposed = program.propose(budget.left) if budget.left else None
        if proposed is None:
            return Feedback(max(bound, program.bound(budget.left + PROOF)), None)
        chosen = frozenset(pair for pair, variable in goes.items() if variable in proposed)
        left = disjoint_loops([pair for pair in pairs if pair not in chosen])
    bound = max(bound, program.bound(budget.left + PROOF))
    if bound < len(chosen):
        cheapest = program.cheapest(budget.left + PROOF)
        bound = bound if isinstance(cheapest, str) else max(bound, cheapest)
    return Feedback(bound, chosen)


def disjoint_loops(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Loops that share no dependency, as many as are found by taking shortest ones away."""
    left, found = list(pairs), list[list[Pair]]()
    while left:
        source, target = np.array(left, np.int64).T
        cyclic = on_loops(source, target)
        loops = short_loops(source[cyclic], target[cyclic])
        if not loops:
            break
        found += loops
        used = {pair for loop in loops for pair in loop}
        left = [pair for pair, kept in zip(left, cyclic.tolist(), strict=True) if kept and pair not in used]
    return found
