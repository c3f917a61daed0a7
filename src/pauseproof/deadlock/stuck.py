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


def closed_stuck_set(graph: Dependencies, stuck: I64) -> list[int]:
    """A small part of the greatest stuck set ``stuck`` that is closed under a choice of its own.

    Each buffer takes its least choice set inside ``stuck``; following these, every walk ends in a part that it cannot leave.
    The smallest such part is returned, ascending; empty where ``stuck`` is.
    """
    import networkx as nx

    inside = set(stuck.tolist())
    taken = {b: _least_choice(graph, b, inside) for b in sorted(inside)}
    waits = nx.DiGraph((b, after) for b, choice in taken.items() for after in choice)
    parts = [part for part in nx.strongly_connected_components(waits) if all(part.issuperset(taken[b]) for b in part)]
    return min(map(sorted, parts), key=lambda part: (len(part), part), default=[])


def _least_choice(graph: Dependencies, b: int, inside: set[int]) -> list[int]:
    """The smallest, then least, choice set of ``b`` that lies inside."""
    lo, hi = int(graph.ptr[b]), int(graph.ptr[b + 1])
    alone = [[t] for t, c in zip(graph.target[lo:hi].tolist(), graph.committed[lo:hi].tolist(), strict=True) if c]
    first, last = np.searchsorted(graph.set_owner, b), np.searchsorted(graph.set_owner, b, side="right")
    sets = [graph.set_member[graph.set_ptr[i] : graph.set_ptr[i + 1]].tolist() for i in range(int(first), int(last))]
    return min((s for s in alone + sets if inside.issuperset(s)), key=lambda s: (len(s), s))


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
