"""Ranks, and the greatest stuck set.

A stuck set is a non-empty set of buffers each of which can hold a packet with a choice set inside it. Peel off, repeatedly, the
buffers all of whose choice sets have a member already peeled; what is left is the greatest stuck set, and the order of peeling
gives every peeled buffer a rank lower than that of some member of each of its choice sets (theorem 1 of proofs/soundness.md).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import I64
from pauseproof.dependency.reach import distinct, ranges


class Peeled(NamedTuple):
    """``rank`` [B], 1 and up for peeled buffers, 0 for those of the greatest stuck set; ``stuck`` lists the latter."""

    rank: I64
    stuck: I64


def peel(graph: Dependencies) -> Peeled:
    """Ranks of all buffers outside the greatest stuck set; a buffer that waits for nothing has the highest.

    Time is linear in the choice sets, plus a sort.
    """
    n = max(graph.n_buffers, 1)
    waits = np.bincount(graph.source[graph.committed], minlength=graph.n_buffers)
    waits += np.bincount(graph.set_owner, minlength=graph.n_buffers)
    by_target = np.sort(graph.target[graph.committed] * n + graph.source[graph.committed])
    back = np.searchsorted(by_target, np.arange(graph.n_buffers + 1) * n)
    sets = _SetsByMember(graph)
    depth = np.zeros(graph.n_buffers, np.int64)
    layer = np.flatnonzero(waits == 0)
    level = 0
    while len(layer):
        level += 1
        depth[layer] = level
        freed = by_target[ranges(back[layer], back[layer + 1])] % n
        freed = np.concatenate((freed, sets.satisfy(layer)))
        candidates, times = np.unique(freed, return_counts=True)
        waits[candidates] -= times
        layer = candidates[waits[candidates] == 0]
    rank = np.where(depth > 0, level + 1 - depth, 0)
    return Peeled(rank, np.flatnonzero(depth == 0))


def stuck_witness(graph: Dependencies, stuck: I64) -> dict[int, list[int]]:
    """A small part of the greatest stuck set ``stuck``, closed: each buffer with a choice set of its own inside the part.

    Each buffer takes its least choice set inside ``stuck``; following these, every walk ends in a part that it cannot leave.
    The smallest such part is taken, and then buffers are left out, greedily, as long as something stays stuck without them.
    Empty where ``stuck`` is.
    """
    part = _smallest_part(graph, set(stuck.tolist()))
    tried: set[int] = set()
    while len(part) <= _MOST_SHRUNK and (left := [b for b in sorted(part) if b not in tried]):
        tried.add(left[0])
        without = _greatest_within(graph, set(part) - {left[0]})
        part = _smallest_part(graph, without) if without else part
    return part


_MOST_SHRUNK = 512  # buffers; beyond that the part is reported as it is


def _smallest_part(graph: Dependencies, inside: set[int]) -> dict[int, list[int]]:
    import networkx as nx

    taken = {b: _least_choice(graph, b, inside) for b in sorted(inside)}
    waits = nx.DiGraph((b, after) for b, choice in taken.items() for after in choice)
    parts = [part for part in nx.strongly_connected_components(waits) if all(part.issuperset(taken[b]) for b in part)]
    return {b: taken[b] for b in min(map(sorted, parts), key=lambda part: (len(part), part), default=[])}


def _greatest_within(graph: Dependencies, inside: set[int]) -> set[int]:
    """The greatest stuck set within ``inside``."""
    while freed := {b for b in inside if not any(inside.issuperset(choice) for choice in choices_of(graph, b))}:
        inside = inside - freed
    return inside


def choices_of(graph: Dependencies, b: int) -> list[list[int]]:
    """The choice sets of buffer ``b``."""
    lo, hi = int(graph.ptr[b]), int(graph.ptr[b + 1])
    alone = [[t] for t, c in zip(graph.target[lo:hi].tolist(), graph.committed[lo:hi].tolist(), strict=True) if c]
    first, last = np.searchsorted(graph.set_owner, b), np.searchsorted(graph.set_owner, b, side="right")
    return alone + [graph.set_member[graph.set_ptr[i] : graph.set_ptr[i + 1]].tolist() for i in range(int(first), int(last))]


def _least_choice(graph: Dependencies, b: int, inside: set[int]) -> list[int]:
    """The smallest, then least, choice set of ``b`` that lies inside."""
    return min((s for s in choices_of(graph, b) if inside.issuperset(s)), key=lambda s: (len(s), s))


class _SetsByMember:
    """Choice sets of two and more, found by member; each is satisfied once."""

    def __init__(self, graph: Dependencies) -> None:
        count = np.diff(graph.set_ptr)
        order = np.argsort(graph.set_member, kind="stable")
        self.owner = graph.set_owner
        self.set_of = np.repeat(np.arange(len(count)), count)[order]
        self.ptr = np.searchsorted(graph.set_member[order], np.arange(graph.n_buffers + 1))
        self.open: NDArray[np.bool_] = np.ones(len(count), np.bool_)

    def satisfy(self, peeled: I64) -> I64:
        """The owners of the sets that get their first peeled member now, one entry a set."""
        met = distinct(self.set_of[ranges(self.ptr[peeled], self.ptr[peeled + 1])])
        met = met[self.open[met]]
        self.open[met] = False
        return self.owner[met]
