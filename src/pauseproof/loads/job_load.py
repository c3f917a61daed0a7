"""The load of a whole job: bytes by link and phase, times, slowdown, incast, and how exact all this is.

*Pinned*: every table entry that the job's bytes meet is one link. *Hashed*: flows are hashed, and headers and hashes are known.
Both are exact, for the headers that the job says. *Ideal*: what switches divide by load or packet by packet is taken to be
even. *Expected*: for some bytes headers or hashes are not known; they are divided as a perfect hash would divide very many.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.loads.balance import link_tiers
from pauseproof.loads.committed import BLOCK, Committing
from pauseproof.loads.demand import demand_of
from pauseproof.loads.flows import Flows, Traffic, blocks_of, joined
from pauseproof.loads.free_ports import FEWEST, TRIES, Tried, free, ports_to_try, with_ports, worst_load
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.incast import Incast, incast
from pauseproof.loads.perfect import perfect_hops
from pauseproof.loads.speeds import Speeds, speeds
from pauseproof.loads.spread import Spread, spread
from pauseproof.loads.times import Times, ratio, times
from pauseproof.loads.worst import Worst, bound
from pauseproof.loads.worst_by_solver import MOST_FLOWS, longest
from pauseproof.routing.network import Network

F64 = NDArray[np.float64]
Progress = Callable[[int, int], None]
NO_FLOWS = Flows.of([], [], 0.0)
SECONDS = 10.0  # for the solver
SOLVED_AMONG = 1 << 16  # flows in all
PINNED, HASHED, EXPECTED, IDEAL = "pinned", "hashed", "expected", "ideal"
METHODS = {
    PINNED: "exact: every table entry that the job's bytes meet is one link",
    HASHED: "exact for the headers that the job has, as far as the modelled hashes are those of the switches",
    IDEAL: "ideal: switches that pick by load or packet by packet are taken to divide evenly",
    EXPECTED: "expected: hashed flows are divided as a perfect hash would divide very many; real ones collide",
}
EVENLY = (
    "which member of a group a flow takes is not known everywhere: there mean loads divide every flow by the members' shares"
)
BY_LOAD = "switches that pick by load or packet by packet divide what they have evenly over the group"


@dataclass(frozen=True)
class JobLoad:
    """``load`` as the tables say, ``perfect`` [P, L] on the perfectly spread fabric; ``phases`` [P] are their names.

    ``committed`` [P] are bytes of flows that were followed hash by hash; ``beside`` are bytes that stay on their node.
    ``tried`` says how free ports were tried; ``worst`` is None where nothing is left to chance, or it would take too long.
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
    tried: Tried
    worst: Worst | None

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
        if self.load.hashed.any() or self.tried.ports:
            return EXPECTED
        if self.load.by_load.any():
            return IDEAL
        return HASHED if self.committed.any() else PINNED

    @property
    def method_words(self) -> str:
        """The method as a sentence."""
        if self.tried.ports and not self.load.hashed.any():
            ports = f"all {self.tried.ports:,}" if self.tried.whole else f"{self.tried.ports:,} drawn"
            return f"expected: the mean over {ports} source ports of the {self.tried.flows:,} flows whose port is not known"
        return METHODS[self.method]

    @property
    def worst_slowdown(self) -> float | None:
        """What the slowdown cannot exceed; for one phase, and where ``worst`` is exact, it can come to that."""
        if self.worst is None:
            return None
        bound_of_phases = (self.worst.bytes / self.speeds.rate).max(axis=1, initial=0.0)
        longest = bound_of_phases if self.worst.time is None else self.worst.time
        return float(ratio(longest.sum(keepdims=True), self.times.perfect.sum(keepdims=True))[0])

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
    seen = [_as_seen(hashing, part) for part in parts]
    free_flows = _of_free_port(hashing, seen)
    tried = ports_to_try(len(free_flows))
    done, total = 0, sum(map(len, seen))
    for block in blocks_of(seen, BLOCK):
        committing.add(block[~free(hashing, block)] if tried.ports else block)
        done += len(block)
        progress(done, total)
    known = committing.total()
    worst = _worst(hashing, committing, known, free_flows, tried)
    if worst is not None and not worst.exact and not tried.ports:
        worst = _solved(hashing, worst, committing.load.bytes, seen, rate.rate)
    for _, block in with_ports(free_flows, tried, np.random.default_rng(0)) if tried.ports else ():
        committing.add(block)
    load = committing.total() if tried.ports else known
    beside = float(committing.gathering.beside.sum())
    hops = perfect_hops(fabric, rate.rate)
    perfect = spread(hops, demand_of(hops, parts, len(phases))).bytes
    of_hosts = np.maximum(fabric.link_src, fabric.link_dst) >= fabric.n_switches
    low, high = link_tiers(fabric)
    measured = times(load.bytes, perfect, rate.rate, of_hosts, low - high)
    received = incast(fabric, len(phases), parts)
    return JobLoad(hashing, phases, load, committing.committed, perfect, rate, measured, received, beside, tried, worst)


def _of_free_port(hashing: Hashing, seen: Sequence[Traffic]) -> Flows:
    """The flows whose port alone is not known, up to a few more than can be tried."""
    found, left = [NO_FLOWS], TRIES // FEWEST + 1
    if not hashing.any_known:
        return NO_FLOWS
    for block in blocks_of(part for part in seen if isinstance(part, Flows) or part.source_port is None):
        some = block[free(hashing, block)]
        found.append(some)
        left -= len(some)
        if left <= 0:
            break
    return joined(found)


def _solved(hashing: Hashing, worst: Worst, certain: F64, seen: Sequence[Traffic], rate: F64) -> Worst:
    """With the proved longest time of each phase, where all hashes are known, and few flows have headers that are not."""
    if not hashing.all_known or sum(map(len, seen)) > SOLVED_AMONG:
        return worst
    flows = joined([NO_FLOWS, *blocks_of(seen)])
    away = hashing.network.fabric.host_node[flows.src] != hashing.network.fabric.host_node[flows.dst]
    unsaid = flows[away & ~hashing.knows(flows) & hashing.addressed(flows)]
    if not 0 < len(unsaid) <= MOST_FLOWS:
        return worst
    found = []
    for p in range(len(certain)):
        some = unsaid[unsaid.phase == p]
        found.append(longest(hashing, some, certain[p], worst.bytes[p], rate, SECONDS / len(certain)))
    proved = [time for time in found if time is not None]
    return replace(worst, time=np.array(proved)) if len(proved) == len(found) else worst


def _worst(hashing: Hashing, committing: Committing, known: Spread, free_flows: Flows, tried: Tried) -> Worst | None:
    """Of all phases; ``known`` is the load without the flows of free port."""
    chancy = bool(known.hashed.any())
    if not (chancy or tried.ports) or (tried.ports and not tried.whole):
        return None
    rest = bound(hashing.hops, committing.gathering.demand()) if chancy else None
    if chancy and rest is None:
        return None
    certain = known.bytes if rest is None else committing.load.bytes + rest
    most = worst_load(hashing, free_flows, len(known.lost)) if tried.ports else 0.0
    return Worst(certain + most, not chancy)


def _as_seen(hashing: Hashing, part: Traffic) -> Traffic:
    """The QPs of a connection go the same ways where no known hash looks at them."""
    together = not isinstance(part, Flows) and not (hashing.any_known and part.source_port is not None)
    return part.with_one_qp() if together and not isinstance(part, Flows) else part
