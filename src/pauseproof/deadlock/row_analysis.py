"""The answers of the walk over rows, for hashed tables with one class."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pauseproof.deadlock.answers import Buffer, Loop, Waiting
from pauseproof.deadlock.components import cyclic_components
from pauseproof.deadlock.loops import shortest_loop
from pauseproof.deadlock.stuck_rows import PeeledRows, core, peel_rows
from pauseproof.deadlock.witness import Hop, Packet, packets
from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.outcomes import Outcomes
from pauseproof.dependency.plan import I64
from pauseproof.dependency.row_counts import Counts, count
from pauseproof.dependency.row_outcomes import row_outcomes
from pauseproof.dependency.rows import RowWalk, unpacked, walk_rows
from pauseproof.dependency.states import explore
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import Destinations
from pauseproof.routing.traffic import Traffic


@dataclass(frozen=True)
class RowAnalysis:
    """See :class:`pauseproof.deadlock.answers.Analysis`. ``lane`` is the one that all packets ride."""

    network: Network
    traffic: Traffic
    lane: int
    walk: RowWalk
    peeled: PeeledRows

    adaptive = False
    meets_unknown = False

    @property
    def unknown_destinations(self) -> list[int]:
        """Rows of bits know no unknown."""
        return []

    @cached_property
    def counts(self) -> Counts:
        """Buffers and dependencies."""
        return count(self.walk)

    @property
    def n_buffers(self) -> int:
        """Reachable buffers."""
        return self.counts.buffers

    @property
    def n_dependencies(self) -> int:
        """Dependencies between them."""
        return self.counts.dependencies

    @property
    def stuck(self) -> bool:
        """Whether a stuck set exists."""
        return len(self.peeled.stuck) > 0

    @cached_property
    def core(self) -> Dependencies:
        """The part of the dependency graph that holds every cycle."""
        return core(self.walk, self.peeled.stuck, self.lane, self.network.lanes.n_lanes)

    @cached_property
    def components(self) -> tuple[I64, ...]:
        """The cyclic components, as indices into the core's buffers."""
        return cyclic_components(self.core, np.arange(self.core.n_buffers)) if self.stuck else ()

    @property
    def component_sizes(self) -> tuple[int, ...]:
        """Buffers in each cyclic component, largest first."""
        return tuple(map(len, self.components))

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """One shortest loop of each component."""
        core = self.core
        return tuple(Loop(tuple(map(core.link_lane, shortest_loop(core, c))), len(c)) for c in self.components)

    @property
    def stuck_set(self) -> tuple[Waiting, ...]:
        """With singletons only, a loop is a stuck set closed under its own choice."""
        return tuple(sorted(self.loops[0].waits)) if self.loops else ()

    def ranks(self) -> list[tuple[Buffer, int]]:
        """The rank of every reachable buffer outside the greatest stuck set: hosts receive last, and send first."""
        walk, fabric = self.walk, self.walk.fabric
        depth = self.peeled.depth.copy()
        last = int(depth.max(initial=1)) + 1
        depth[fabric.host_down[self.counts.down]] = 1
        depth[fabric.host_up[walk.senders]] = 0 if self.stuck else last
        return [((l, self.lane), last + 1 - int(depth[l])) for l in np.flatnonzero(depth).tolist()]

    @cached_property
    def outcomes(self) -> Outcomes:
        """What becomes of the pairs."""
        return row_outcomes(self.walk, may_loop=self.stuck)

    def packets(self, hops: Sequence[Hop]) -> list[Packet | None]:
        """A packet that carries each hop: walk the few columns that show the hops by states."""
        links = np.array([[hop.link, hop.next_link] for hop in hops], np.int64).reshape(-1, 2)
        both = self.walk.carried(links[:, 0]) & self.walk.table.rows[links[:, 1]]
        first = [int(np.flatnonzero(bits)[0]) for bits in unpacked(both, self.walk.table.n_destinations)]
        chosen = np.array(sorted(set(first)), np.int32)
        network, traffic = _only(self.network, self.traffic, chosen)
        found = packets(explore(network, traffic), hops)
        return [packet and replace(packet, column=int(chosen[packet.column])) for packet in found]


def _only(network: Network, traffic: Traffic, columns: np.ndarray[tuple[int], np.dtype[np.int32]]) -> tuple[Network, Traffic]:
    """The network with a few of its columns, as choices."""
    all_of = network.destinations
    members = [all_of.members(d) for d in columns.tolist()]
    ptr = np.cumsum([0, *map(len, members)], dtype=np.int64)
    some = Destinations(
        [all_of.names[d] for d in columns.tolist()],
        all_of.kind[columns],
        all_of.owner[columns],
        ptr,
        np.array([h for group in members for h in group], np.int32),
    )
    table = choice_table_from_rows(network.routes, columns=columns, own=some)  # type: ignore[arg-type]
    return replace(network, destinations=some, routes=table), replace(traffic, destination_on=traffic.destination_on[columns])


def analyse_rows(network: Network, traffic: Traffic, lane: int) -> RowAnalysis:
    """Walk and peel; everything else when asked for."""
    walk = walk_rows(network, traffic)
    return RowAnalysis(network, traffic, lane, walk, peel_rows(walk))
