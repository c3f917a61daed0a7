"""The load of a whole job: bytes by link and phase, times, slowdown, incast, and how exact all this is.

*Pinned*: every table entry that the job's bytes meet is one link. *Hashed*: flows are hashed, and headers and hashes are known.
Both are exact, for the headers that the job says. *Ideal*: what switches divide by load or packet by packet is taken to be
even. *Expected*: for some bytes headers or hashes are not known; they are divided as a perfect hash would divide very many.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.loads.balance import link_tiers
from pauseproof.loads.committed import BLOCK, Committing
from pauseproof.loads.flows import Flows, Traffic, blocks_of
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.incast import Incast, incast
from pauseproof.loads.link_load import demand_of
from pauseproof.loads.perfect import perfect_hops
from pauseproof.loads.speeds import Speeds, speeds
from pauseproof.loads.spread import Spread, spread
from pauseproof.loads.times import Times, times
from pauseproof.routing.network import Network

F64 = NDArray[np.float64]
Progress = Callable[[int, int], None]
PINNED, HASHED, EXPECTED, IDEAL = "pinned", "hashed", "expected", "ideal"
METHODS = {
    PINNED: "exact: every table entry that the job's bytes meet is one link",
    HASHED: "exact for the headers that the job has, as far as the modelled hashes are those of the switches",
    IDEAL: "ideal: switches that pick by load or packet by packet are taken to divide evenly",
    EXPECTED: "expected: hashed flows are divided as a perfect hash would divide very many; real ones collide",
}
EVENLY = (
    "which member of a group a flow takes is not known everywhere: there every flow is divided by the shares of the members"
)
BY_LOAD = "switches that pick by load or packet by packet divide what they have evenly over the group"


@dataclass(frozen=True)
class JobLoad:
    """``load`` as the tables say, ``perfect`` [P, L] on the perfectly spread fabric; ``phases`` [P] are their names.

    ``committed`` [P] are bytes of flows that were followed hash by hash; ``beside`` are bytes that stay on their node.
    """

    hashing: Hashing
    phases: tuple[str, ...]
    load: Spread
    committed: F64
    perfect: F64
    speeds: Speeds
    times: Times
    incast: Incast
    beside: float

    @property
    def network(self) -> Network:
        """What the job runs on."""
        return self.hashing.network

    @property
    def fabric(self) -> Fabric:
        """The cabling."""
        return self.network.fabric

    @property
    def method(self) -> str:
        """PINNED, HASHED, IDEAL or EXPECTED."""
        if self.load.hashed.any():
            return EXPECTED
        if self.load.by_load.any():
            return IDEAL
        return HASHED if self.committed.any() else PINNED

    @property
    def method_words(self) -> str:
        """The method as a sentence."""
        return METHODS[self.method]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the figures rest on."""
        hashed = self.hashing.assumptions if self.committed.any() else ()
        evenly = (EVENLY, *self._not_known()) if self.load.hashed.any() else ()
        by_load = (BY_LOAD,) if self.load.by_load.any() else ()
        return (*self.speeds.assumptions, *hashed, *evenly, *by_load)

    def _not_known(self) -> tuple[str, ...]:
        """One decision that is not known, and how many there are."""
        unknown = [one for one in self.hashing.decisions.values() if not one.known and not one.by_packet_or_load]
        if not unknown:
            return ()
        name = self.fabric.node_name[unknown[0].switch]
        return (f"the hash of {len(unknown)} groups is not known, such as that of {name}: {unknown[0].unknown[0]}",)


def job_load(
    network: Network,
    phases: tuple[str, ...],
    traffic: Callable[[], Iterable[Traffic]],
    progress: Progress = lambda done, of: None,
) -> JobLoad:
    """The load of what ``traffic()`` sends, in phases of these names; it is asked for more than once."""
    fabric, rate, hashing = network.fabric, speeds(network.fabric), Hashing(network)
    committing = Committing(hashing, len(phases))
    parts = list(traffic())
    done, total = 0, sum(map(len, parts))
    for block in blocks_of([_as_seen(hashing, part) for part in parts], BLOCK):
        committing.add(block)
        done += len(block)
        progress(done, total)
    demand = committing.gathering.demand()
    load = spread(hashing.hops, demand)
    load.add(committing.load, 0)
    hops = perfect_hops(fabric, rate.rate)
    perfect = spread(hops, demand_of(hops, parts, len(phases))).bytes
    of_hosts = np.maximum(fabric.link_src, fabric.link_dst) >= fabric.n_switches
    low, high = link_tiers(fabric)
    measured = times(load.bytes, perfect, rate.rate, of_hosts, low - high)
    received = incast(fabric, len(phases), parts)
    beside = float(demand.beside.sum())
    return JobLoad(hashing, phases, load, committing.committed, perfect, rate, measured, received, beside)


def _as_seen(hashing: Hashing, part: Traffic) -> Traffic:
    """The QPs of a connection go the same ways where no known hash looks at them."""
    together = not isinstance(part, Flows) and not (hashing.any_known and part.source_port is not None)
    return part.with_one_qp() if together and not isinstance(part, Flows) else part
