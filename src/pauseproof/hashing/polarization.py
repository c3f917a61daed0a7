"""Polarization of a fabric: its chains of hashes with their counts, what helps, and the members that no packet reaches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pauseproof.hashing.chains import Chain, Chains, Met, chains_of
from pauseproof.hashing.combinations import Count, Pair, count
from pauseproof.hashing.prove_unreached import Proof, Prover
from pauseproof.hashing.remedies import Remedy, remedy
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.hashing.unreached import Space, TooMany, Unreached, arrivals, unreached
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

MOST_PAIRS = 8  # of hosts that are tried where a count depends on their addresses


@dataclass(frozen=True)
class Counted:
    """A chain with its count. ``alone`` is what its hashes could pick if none repeated another, ``remedy`` what helps.

    ``repeats`` are pairs of its hashes, by their places, of which the second repeats the first in whole or in part.
    """

    chain: Chain
    count: Count
    alone: int
    remedy: Remedy | None = None
    repeats: tuple[tuple[int, int], ...] = ()

    @property
    def factor(self) -> float:
        """How many times fewer combinations there are than the hashes could pick if none repeated another; 1 where none."""
        return self.alone / self.count.combinations if self.count.combinations else 1.0

    @property
    def polarized(self) -> bool:
        """Is half and more lost because hashes repeat each other?"""
        return self.factor >= 2


@dataclass(frozen=True)
class Polarization:
    """``chains``, the longest first; ``unreached`` members with ``proofs`` where they were asked for.

    ``cut`` where some chains were left out, ``uncounted`` says why members were not looked at, empty where they were.
    """

    hashes: FabricHashes
    chains: tuple[Counted, ...]
    unreached: tuple[Unreached, ...]
    proofs: tuple[Proof, ...]
    cut: bool
    uncounted: str


def polarization(
    network: Network, traffic: Traffic, *, seconds: float | None = None, done: Callable[[int, int], None] = lambda i, n: None
) -> Polarization:
    """Everything about a fabric's chains; ``seconds`` for z3 on each member that no packet reaches, None for no proofs.

    ``done`` hears how many of so many members were looked at.
    """
    hashes = hashes_of(network)
    found = chains_of(network, hashes, traffic)
    counted = counted_chains(found, traffic)
    try:
        dead, why = tuple(unreached(found, traffic)), ""
    except TooMany as error:
        dead, why = (), str(error)
    proofs: list[Proof] = []
    if seconds is not None and dead:
        prover, ways = Prover(Space(found, traffic), seconds), arrivals(found, traffic)
        for one in dead:
            done(len(proofs), len(dead))
            proofs.append(prover.prove(one, ways[one.decision]))
    return Polarization(hashes, counted, dead, tuple(proofs), found.cut, why)


def counted_chains(found: Chains, traffic: Traffic) -> tuple[Counted, ...]:
    """Every chain with its count, and what helps where it is polarized."""
    sport = found.network.hashes.sport
    every = [(chain, pairs) for chain in found.every(traffic) if (pairs := pairs_of(found, traffic, chain))]
    counted = []
    for chain, pairs in every:
        one = Counted(chain, count(chain.met, pairs, sport), _alone(chain.met, pairs, sport))
        if one.polarized:
            one = replace(one, remedy=remedy(chain, every, sport), repeats=_repeats(chain.met, pairs, sport))
        counted.append(one)
    return tuple(counted)


def _alone(met: Sequence[Met], pairs: Sequence[Pair], sport: int) -> int:
    """What the hashes could pick together if none repeated another: as much as free bits allow."""
    together = 1
    best = count(met, pairs, sport).best
    for one in met:
        together *= max(count((one,), pairs[:1], sport).combinations, 1)
    return min(together, best)


def _repeats(met: Sequence[Met], pairs: Sequence[Pair], sport: int) -> tuple[tuple[int, int], ...]:
    """The pairs of hashes that lose combinations to each other."""
    every = combinations(range(len(met)), 2)
    return tuple((i, j) for i, j in every if _lose((met[i], met[j]), pairs, sport))


def _lose(two: Sequence[Met], pairs: Sequence[Pair], sport: int) -> bool:
    return count(two, pairs[:1], sport).combinations < _alone(two, pairs, sport)


def pairs_of(found: Chains, traffic: Traffic, chain: Chain) -> list[Pair]:
    """Some pairs of hosts between which packets meet the chain."""
    space = Space(found, traffic)
    sources = space.at_first[chain.switches[0]]
    destinations = space.receivers(np.array([chain.column]))
    node = found.network.fabric.host_node[space.host]
    ends = [(int(a), int(b)) for a in sources[:MOST_PAIRS] for b in destinations[:MOST_PAIRS] if node[a] != node[b]]
    book = space.book
    some = ends[:: max(1, len(ends) // MOST_PAIRS)][:MOST_PAIRS]
    halves = [((int(book.high[h]), int(book.low[h])) for h in pair) for pair in some]
    return [Pair(space.family, *pair) for pair in halves]


__all__ = ["Counted", "Polarization", "counted_chains", "pairs_of", "polarization"]
