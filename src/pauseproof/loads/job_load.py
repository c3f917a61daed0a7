"""The load of a whole job: bytes by link and phase, times, slowdown, incast, and how exact all this is.

Where every table entry that the job's flows meet is one link, the load is *pinned*: exact. Where switches pick by load it is
*ideal*, an even division. Where flows are hashed it is *expected*: what a perfect hash gives on average.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.loads.balance import link_tiers
from pauseproof.loads.flows import Traffic
from pauseproof.loads.incast import Incast, incast
from pauseproof.loads.link_load import demand_of
from pauseproof.loads.next_hops import NextHops, next_hops
from pauseproof.loads.perfect import perfect_hops
from pauseproof.loads.speeds import Speeds, speeds
from pauseproof.loads.spread import Spread, spread
from pauseproof.loads.times import Times, times
from pauseproof.loads.walks import Pick, divided, nobody_asks
from pauseproof.routing.network import Network

F64 = NDArray[np.float64]
PINNED, EXPECTED, IDEAL = "pinned", "expected", "ideal"
METHODS = {
    PINNED: "exact: every table entry that the job's bytes meet is one link",
    IDEAL: "ideal: switches that pick by load are taken to divide evenly",
    EXPECTED: "expected: hashed flows are divided as a perfect hash would divide very many; real ones collide",
}
EVENLY = "which member of a group a flow takes is not known: every flow is divided as a perfect hash would divide many"
BY_LOAD = "switches that pick by load divide what they have evenly over the group"


@dataclass(frozen=True)
class JobLoad:
    """``load`` as the tables say, ``perfect`` [P, L] on the perfectly spread fabric; ``phases`` [P] are their names.

    ``beside`` are bytes that stay on their node.
    """

    network: Network
    phases: tuple[str, ...]
    load: Spread
    perfect: F64
    speeds: Speeds
    times: Times
    incast: Incast
    beside: float

    @property
    def fabric(self) -> Fabric:
        """The cabling."""
        return self.network.fabric

    @cached_property
    def walked_hops(self) -> NextHops:
        """The next hops for whoever follows single flows: a flow whose member is not known is divided."""
        return divided(next_hops(self.network))

    @property
    def pick(self) -> Pick:
        """Which member of a group a flow takes."""
        return nobody_asks

    @property
    def method(self) -> str:
        """PINNED, IDEAL or EXPECTED."""
        if self.load.hashed.any():
            return EXPECTED
        return IDEAL if self.load.by_load.any() else PINNED

    @property
    def method_words(self) -> str:
        """The method as a sentence."""
        return METHODS[self.method]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the figures rest on."""
        evenly = (EVENLY,) if self.method == EXPECTED else ()
        by_load = (BY_LOAD,) if self.load.by_load.any() else ()
        return (*self.speeds.assumptions, *evenly, *by_load)


def job_load(network: Network, phases: tuple[str, ...], traffic: Callable[[], Iterable[Traffic]]) -> JobLoad:
    """The load of what ``traffic()`` sends, in phases of these names; it is asked for more than once."""
    fabric = network.fabric
    hops, rate = next_hops(network), speeds(fabric)
    demand = demand_of(hops, traffic(), len(phases))
    load = spread(hops, demand)
    perfect = spread(perfect_hops(fabric, rate.rate), demand).bytes
    of_hosts = np.maximum(fabric.link_src, fabric.link_dst) >= fabric.n_switches
    low, high = link_tiers(fabric)
    measured = times(load.bytes, perfect, rate.rate, of_hosts, low - high)
    return JobLoad(
        network, phases, load, perfect, rate, measured, incast(fabric, len(phases), traffic()), float(demand.beside.sum())
    )
