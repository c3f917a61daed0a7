"""Effective bisection bandwidth: what a pair of hosts gets, on average, when all send to random partners at once.

Every host sends to one other: a random permutation. A flow gets the least, over its links, of the link's speed divided by the
number of flows on it. The effective bisection bandwidth is the mean of that over the flows of many permutations, as a part of
what the sender's own link would give alone. After Hoefler, Schneider and Lumsdaine, "Multistage switches are not crossbars:
effects of static routing in high-performance networks" (2008), whose simulator is ORCS; with ``HALVES`` the pattern is theirs:
the hosts are divided into two random halves, and each of the first sends to one of the second.

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
PERMUTATION, HALVES = "permutation", "halves"
FLOWS = 1 << 18  # walked at once


@dataclass(frozen=True)
class Bisection:
    """By round: ``mean`` and ``least`` part of its own link that a flow gets, ``crowd`` the most flows on a link.

    ``flows`` left their node, ``failed`` of them did not arrive and get nothing. Rounds in which none did are left out.
    """

    pattern: str
    seed: int
    hosts: int
    flows: int
    failed: int
    mean: F64
    least: F64
    crowd: F64

    @property
    def effective(self) -> float:
        """The effective bisection bandwidth, 1 where every flow gets all that its link can give."""
        return float(self.mean.mean())


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
    parts: list[tuple[F64, F64, F64]] = []
    flows = failed = 0
    for first in range(0, permutations, step):
        rounds = min(step, permutations - first)
        src, dst = (np.concatenate(ends) for ends in zip(*_patterns(hosts, pattern, rounds, draw), strict=True))
        walked = walk(hops, src, dst, at_random(hops, draw))
        flows += int(np.count_nonzero(hops.fabric.host_node[src] != hops.fabric.host_node[dst]))
        failed += int(np.count_nonzero(walked.arrived < 1 - 1e-9))
        parts.append(_shares(hops, src, walked, speed, rounds))
        progress(first + rounds, permutations)
    mean, least, crowd = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Bisection(pattern, seed, len(hosts), flows, failed, mean, least, crowd)


def _patterns(hosts: Ids, pattern: str, rounds: int, draw: np.random.Generator) -> Iterator[tuple[Ids, Ids]]:
    """(senders, receivers) of one round after the other."""
    half = len(hosts) // 2
    for _ in range(rounds):
        order = draw.permutation(hosts)
        yield (hosts, order) if pattern == PERMUTATION else (order[:half], order[half : 2 * half])


def _shares(hops: NextHops, src: Ids, walked: Walked, speed: F64, rounds: int) -> tuple[F64, F64, F64]:
    """(mean, least, crowd) of each round in which some flow leaves its node; those that do not are not counted."""
    n, links = len(src), hops.fabric.n_links
    of_round = np.arange(n) // (n // rounds)
    at = of_round[walked.flow] * links + walked.link
    on_link = np.bincount(at, walked.part, rounds * links)
    gets = np.full(n, np.inf)
    np.minimum.at(gets, walked.flow, speed[walked.link] / on_link[at])
    gets /= speed[hops.fabric.host_up[src]]
    away = np.isfinite(gets)
    gets[walked.arrived < 1 - 1e-9] = 0.0
    counted = np.bincount(of_round[away], minlength=rounds)
    mean = np.bincount(of_round[away], gets[away], rounds)[counted > 0] / counted[counted > 0]
    least = np.full(rounds, np.inf)
    np.minimum.at(least, of_round[away], gets[away])
    return mean, least[counted > 0], on_link.reshape(rounds, links).max(axis=1)[counted > 0]
