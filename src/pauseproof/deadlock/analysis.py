"""From a network and a traffic class to everything the verdict rests on, by the engine that fits its tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pauseproof.deadlock.answers import Analysis, Buffer, Loop, Waiting
from pauseproof.deadlock.components import cyclic_components
from pauseproof.deadlock.loops import shortest_loop
from pauseproof.deadlock.stuck import Peeled, peel, stuck_witness
from pauseproof.deadlock.witness import Hop, Packet, packets
from pauseproof.dependency.graph import Dependencies, dependencies
from pauseproof.dependency.outcomes import Outcomes, outcomes
from pauseproof.dependency.plan import I64
from pauseproof.dependency.states import Explored, explore
from pauseproof.routing.network import Network
from pauseproof.routing.tables import RowTable
from pauseproof.routing.traffic import Traffic


@dataclass(frozen=True)
class StateAnalysis:
    """The answers of the state walk."""

    found: Explored
    graph: Dependencies
    peeled: Peeled

    @property
    def n_buffers(self) -> int:
        """Reachable buffers."""
        return self.graph.n_buffers

    @property
    def n_dependencies(self) -> int:
        """Dependencies between them."""
        return self.graph.n_dependencies

    @property
    def stuck(self) -> bool:
        """Whether a stuck set exists."""
        return len(self.peeled.stuck) > 0

    @property
    def adaptive(self) -> bool:
        """Whether some choice set has two and more members."""
        return len(self.graph.set_owner) > 0

    @property
    def meets_unknown(self) -> bool:
        """Whether some packet meets a row, map or label that was not read."""
        return bool(self.unknown_destinations)

    @property
    def unknown_destinations(self) -> list[int]:
        """Columns some packet of which meets something that was not read."""
        found: list[int] = np.flatnonzero(self.found.unknowns | self.found.unlabelled).tolist()
        return found

    @cached_property
    def components(self) -> tuple[I64, ...]:
        """The cyclic components as buffer indices."""
        suspects = np.arange(self.graph.n_buffers) if self.adaptive else self.peeled.stuck
        return cyclic_components(self.graph, suspects)

    @property
    def component_sizes(self) -> tuple[int, ...]:
        """Buffers in each cyclic component, largest first."""
        return tuple(map(len, self.components))

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """One shortest loop of each component of committed dependencies."""
        graph = self.graph.committed_only() if self.adaptive else self.graph
        components = cyclic_components(graph, self.peeled.stuck) if self.adaptive else self.components
        return tuple(Loop(tuple(map(graph.link_lane, shortest_loop(graph, c))), len(c)) for c in components)

    @cached_property
    def stuck_set(self) -> tuple[Waiting, ...]:
        """A stuck set closed under its own choice."""
        name = self.graph.link_lane
        part = stuck_witness(self.graph, self.peeled.stuck)
        return tuple(Waiting(name(b), tuple(map(name, choice))) for b, choice in sorted(part.items()))

    def ranks(self) -> list[tuple[Buffer, int]]:
        """The rank of every reachable buffer outside the greatest stuck set."""
        return [(self.graph.link_lane(b), r) for b, r in enumerate(self.peeled.rank.tolist()) if r]

    @cached_property
    def outcomes(self) -> Outcomes:
        """What becomes of the pairs."""
        return outcomes(self.found, may_loop=bool(self.components) or self.found.plan.lanes.lossy_lane is not None)

    def packets(self, hops: Sequence[Hop]) -> list[Packet | None]:
        """A packet that carries each hop."""
        return packets(self.found, hops)


def analyse(network: Network, traffic: Traffic, *, worst: bool = False) -> Analysis:
    """Walk and peel. With ``worst`` whatever was not read may be anything."""
    if isinstance(network.routes, RowTable):
        from pauseproof.deadlock.row_analysis import analyse_rows
        from pauseproof.dependency.rows import plain_lane

        lane = plain_lane(network, traffic)
        if lane is not None:
            return analyse_rows(network, traffic, lane)
    found = explore(_as_choices(network), traffic, worst=worst)
    graph = dependencies(found)
    return StateAnalysis(found, graph, peel(graph))


def whole_graph(network: Network, traffic: Traffic, *, worst: bool = False) -> Dependencies:
    """The dependency graph written out, whatever the size of the fabric."""
    return dependencies(whole_walk(network, traffic, worst=worst))


def whole_walk(network: Network, traffic: Traffic, *, worst: bool = False) -> Explored:
    """The walk over states, whatever the form of the tables."""
    return explore(_as_choices(network), traffic, worst=worst)


def _as_choices(network: Network) -> Network:
    if not isinstance(network.routes, RowTable):
        return network
    from pauseproof.routing.convert import choice_table_from_rows

    return replace(network, routes=choice_table_from_rows(network.routes))
