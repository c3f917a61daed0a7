"""Effective bisection bandwidth: what a pair of hosts gets, on average, when all send to random partners at once.

Every host sends to one other: a random permutation. A flow gets the least, over its links, of the link's speed divided by the
number of flows on it. The effective bisection bandwidth is the mean of that over all flows of many permutations, each flow as
much as any other, as a part of what the sender's own link would give alone. A host that draws itself, or its own node, stays
silent and is no flow; a permutation in which all do is drawn again. After Hoefler, Schneider and Lumsdaine, "Multistage
switches are not crossbars: effects of static routing in high-performance networks" (2008), whose simulator ORCS adds up the
connections of all runs; with ``HALVES`` the pattern is theirs: the hosts are divided into two random halves, and each of the
first sends to one of the second.

Notation: ``R`` permutations, ``f`` a flow, ``l`` a link.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.next_hops import NextHops
from pauseproof.loads.walks import Walked, at_random, walk

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
PERMUTATION, HALVES = "permutation", "halves"
FLOWS = 1 << 18  # walked at once


@dataclass(frozen=True)
class Bisection:
    """By permutation: its ``flows``, the ``mean`` and ``least`` part of its own link that one gets, the ``crowd`` on a link.

    Flows leave their node: ``silent`` hosts, in all, drew themselves. ``failed`` flows did not arrive and get nothing.
    """

    pattern: str
    seed: int
    hosts: int
    silent: int
    failed: int
    flows: I64
    mean: F64
    least: F64
    crowd: F64

    @property
    def effective(self) -> float:
        """The effective bisection bandwidth, 1 where every flow gets all that its link can give."""
        return float(np.average(self.mean, weights=self.flows))


Progress = Callable[[int, int], None]


def bisection(
    hops: NextHops,
    hosts: Ids,
    speed: F64,
    *,
    permutations: int = 1000,
    pattern: str = PERMUTATION,
    seed: int = 0,
    progress: Progress = lambda done, of: None,
) -> Bisection:
    """Over ``permutations`` random ones of ``hosts``, drawn from ``seed``. ``speed`` [L] in any unit.

    Groups of several links are taken as a perfect hash would. Raises ValueError for fewer than two hosts.
    """
    if len(np.unique(hops.fabric.host_node[hosts])) < 2:
        raise ValueError("fewer than two hosts cannot send to each other")
    draw = np.random.default_rng(seed)
    each = len(hosts) if pattern == PERMUTATION else len(hosts) // 2
    step = max(1, FLOWS // each)
    node = hops.fabric.host_node
    parts: list[tuple[I64, F64, F64, F64]] = []
    failed = 0
    for first in range(0, permutations, step):
        rounds = min(step, permutations - first)
        src, dst = (np.concatenate(ends) for ends in zip(*_patterns(hosts, node, pattern, rounds, draw), strict=True))
        walked = walk(hops, src, dst, at_random(hops, draw))
        failed += int(np.count_nonzero(walked.arrived < 1 - 1e-9))
        parts.append(_shares(hops, src, walked, speed, rounds))
        progress(first + rounds, permutations)
    flows = np.concatenate([part[0] for part in parts])
    mean, least, crowd = (np.concatenate([part[k] for part in parts]) for k in (1, 2, 3))
    silent = permutations * each - int(flows.sum())
    return Bisection(pattern, seed, len(hosts), silent, failed, flows, mean, least, crowd)


def _patterns(hosts: Ids, node: Ids, pattern: str, rounds: int, draw: np.random.Generator) -> Iterator[tuple[Ids, Ids]]:
    """(senders, receivers) of one round after the other; in each some flow leaves its node."""
    half = len(hosts) // 2
    while rounds:
        order = draw.permutation(hosts)
        src, dst = (hosts, order) if pattern == PERMUTATION else (order[:half], order[half : 2 * half])
        if (node[src] != node[dst]).any():
            yield src, dst
            rounds -= 1


def _shares(hops: NextHops, src: Ids, walked: Walked, speed: F64, rounds: int) -> tuple[I64, F64, F64, F64]:
    """(flows, mean, least, crowd) of each round."""
    n, links = len(src), hops.fabric.n_links
    of_round = np.arange(n) // (n // rounds)
    at = of_round[walked.flow] * links + walked.link
    on_link = np.bincount(at, walked.part, rounds * links)
    gets = np.full(n, np.inf)
    np.minimum.at(gets, walked.flow, speed[walked.link] / on_link[at])
    gets /= speed[hops.fabric.host_up[src]]
    away = np.isfinite(gets)
    gets[walked.arrived < 1 - 1e-9] = 0.0
    flows = np.bincount(of_round[away], minlength=rounds)
    mean = np.bincount(of_round[away], gets[away], rounds) / flows
    least = np.full(rounds, np.inf)
    np.minimum.at(least, of_round[away], gets[away])
    return flows, mean, least, on_link.reshape(rounds, links).max(axis=1)
