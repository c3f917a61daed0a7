"""What may come of hashed flows whose headers or hashes are not known: drawn many times, every flow whole.

A *sample* gives every flow of unknown header a source port (and a queue pair where a hash looks at it) by a seeded draw, and
lets it take a member at random, by the shares, where the hash of a group is not known. The *quantiles* over all samples tell
how far from the mean a real run may be. The *median sample* is the one whose slowdown at least half of the others do not exceed
(of two in the middle the slower): a run that can happen, while the mean loads together seldom are one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.hashing.source_port import FIRST_PORT, FREE_PORT_BITS
from pauseproof.loads.balance import link_tiers
from pauseproof.loads.flows import Flows, Traffic, blocks_of
from pauseproof.loads.hashed import NO_LAW, Hashing
from pauseproof.loads.times import Times, times
from pauseproof.loads.walks import Pick, Walked, at_random, walk

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
MOST, FEWEST = 64, 8  # samples
WALKS = 1 << 23  # flows followed, in all samples together
QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Chance:
    """``slowdown`` [K] of each sample; ``links`` [3, L] the QUANTILES of the bytes of each link in all phases together.

    ``phases`` [3, P] are those of the slowdown of each phase by itself. ``number`` is the median sample, ``bytes`` [P, L] its
    load and ``times`` its times.
    """

    seed: int
    slowdown: F64
    links: F64
    phases: F64
    number: int
    bytes: F64
    times: Times

    def quantile(self, q: float) -> float:
        """A slowdown that was drawn: the median is that of the median sample."""
        return float(np.quantile(self.slowdown, q, method="higher"))


def chance(hashing: Hashing, traffic: Sequence[Traffic], perfect: F64, rate: F64, seed: int) -> Chance | None:
    """Draw samples; None where there are too many flows to draw enough of them."""
    samples = min(MOST, WALKS // max(sum(map(len, traffic)), 1))
    if samples < FEWEST:
        return None
    fabric = hashing.network.fabric
    of_hosts = np.maximum(fabric.link_src, fabric.link_dst) >= fabric.n_switches
    low, high = link_tiers(fabric)
    slow, total = np.zeros(samples), np.zeros((samples, fabric.n_links))
    of_phase = np.zeros((samples, len(perfect)))
    for k in range(samples):
        load = _load(hashing, traffic, perfect.shape, seed, k)
        measured = times(load, perfect, rate, of_hosts, low - high)
        slow[k], of_phase[k] = measured.slowdown, measured.slowdowns
        total[k] = load.sum(axis=0)
    number = int(np.argsort(slow, kind="stable")[samples // 2])
    load = _load(hashing, traffic, perfect.shape, seed, number)
    measured = times(load, perfect, rate, of_hosts, low - high)
    phases = np.quantile(of_phase, QUANTILES, axis=0, method="higher")
    return Chance(seed, slow, np.quantile(total, QUANTILES, axis=0), phases, number, load, measured)


def sample(hashing: Hashing, traffic: Sequence[Traffic], seed: int, number: int) -> Iterator[tuple[Flows, Walked]]:
    """The flows of one sample, and where they went, in blocks; the same every time."""
    draw = np.random.default_rng([seed, number])
    for block in blocks_of(traffic):
        flows = _with_headers(block, draw)
        yield flows, walk(hashing.hops, flows.src, flows.dst, _pick(hashing, flows, draw))


def _load(hashing: Hashing, traffic: Sequence[Traffic], shape: tuple[int, ...], seed: int, number: int) -> F64:
    """The load [P, L] of one sample."""
    phases, links = shape
    load = np.zeros(phases * links)
    for flows, walked in sample(hashing, traffic, seed, number):
        at = flows.phase[walked.flow].astype(np.int64) * links + walked.link
        load += np.bincount(at, walked.part * flows.bytes[walked.flow], phases * links)
    return load.reshape(phases, links)


def _with_headers(flows: Flows, draw: np.random.Generator) -> Flows:
    n = len(flows)
    port = FIRST_PORT + draw.integers(0, 1 << FREE_PORT_BITS, n)
    qp = draw.integers(0, 1 << 24, n)
    sport, dqpn = (np.where(had < 0, new, had).astype(np.int32) for had, new in ((flows.sport, port), (flows.dqpn, qp)))
    return replace(flows, sport=sport, dqpn=dqpn)


def _pick(hashing: Hashing, flows: Flows, draw: np.random.Generator) -> Pick:
    """By the hash where it and the addresses are known, else at random."""
    anyhow, known = at_random(hashing.hops, draw), hashing.knows(flows)

    def pick(f: I64, x: NDArray[np.int32], came_by: Ids) -> Ids:
        hashed = (hashing.law[x] != NO_LAW) & known[f]
        out = anyhow(f, x, came_by)
        if hashed.any():
            out[hashed] = hashing.take(x[hashed], flows[f[hashed]], came_by[hashed])
        return out

    return pick
