"""Realize on a network: its hashes as draws, its addresses as endpoints, its families of addresses one after the other."""

from dataclasses import dataclass, replace

from pauseproof.deadlock.analysis import StateAnalysis
from pauseproof.deadlock.answers import Analysis, Buffer
from pauseproof.deadlock.realize import Clock, Decided, Realizer
from pauseproof.deadlock.realize_bits import Draw
from pauseproof.deadlock.realize_ends import endpoints_of, families_of, has_other_addresses
from pauseproof.deadlock.realize_loops import Realized, realize
from pauseproof.deadlock.realize_tables import Tables, tables_of_rows, tables_of_states
from pauseproof.deadlock.realize_ways import Dependency, Turn
from pauseproof.deadlock.row_analysis import RowAnalysis
from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import compact_classes, labels_sent
from pauseproof.hashing.decision import Stage
from pauseproof.hashing.settings import FabricHashes
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network


@dataclass(frozen=True)
class FabricDraws:
    """See :class:`pauseproof.deadlock.realize.Hashes`."""

    hashes: FabricHashes

    def draws(self, turn: Turn) -> tuple[Draw, ...] | None:
        """Those of the next hop, and of the cable where that is a bundle; packets that are spread otherwise may take any."""
        decision = self.hashes.decision(turn.switch, turn.group, turn.number)
        if decision.grouping.unclear:
            return None
        members = decision.grouping.members
        hops = tuple(m for m, member in enumerate(members) if turn.link in member.links)
        lag = decision.lags[hops[0]]
        if lag is not None and len(hops) > 1:
            return None  # a cable of several bundles
        made = [self._draw(turn, decision.ecmp, hops)]
        made.append(self._draw(turn, lag, (members[hops[0]].links.index(turn.link),)))
        return None if None in made else tuple(draw for some in made for draw in some or ())

    def by_port(self, switch: int) -> bool:
        """Whether the hashes of a switch look at the ingress port."""
        return "in-port" in (*self.hashes.ecmp(switch).fields, *self.hashes.lag(switch).fields)

    def _draw(self, turn: Turn, stage: Stage | None, wanted: tuple[int, ...]) -> tuple[Draw, ...] | None:
        if stage is None or stage.setting.kind != "hash":
            return ()
        function = stage.setting.on_every_way()
        port = int(self.hashes.network.fabric.link_dst_port[turn.in_link]) if turn.in_link >= 0 else 0
        return None if function is None else (Draw(function, port, stage.selection, wanted),)


OTHERS = "some packets are in tunnels, along trees, or of switches: what their headers are is not known"


@dataclass(frozen=True)
class ByFamily:
    """One realizer for each family of addresses: a dependency is routable if it is for one, unroutable if for none."""

    realizers: tuple[Realizer, ...]

    def decide(self, e: Dependency, through: tuple[Buffer, ...] = ()) -> Decided:
        """See :meth:`Realizer.decide`."""
        found = [realizer.decide(e, through) for realizer in self.realizers]
        for one in found:
            if one.routable:
                return one
        undecided = [one for one in found if one.routable is None]
        if not all(realizer.only_roce for realizer in self.realizers):
            undecided = undecided or [Decided(None, why=OTHERS)]
        if undecided:
            return undecided[0]
        return Decided(False, refutations=tuple(dict.fromkeys(r for one in found for r in one.refutations)))


def realizer_of(original: Network, asked: Asked, analysis: Analysis, clock: Clock) -> ByFamily:
    """What decides the dependencies of ``analysis``; ``original`` is the network before it was asked."""
    tables = _tables(original, asked, analysis)
    made = []
    for family, columns in families_of(original, tables.walked):
        some = replace(tables, walked=columns, _entries={})
        ends = endpoints_of(original, family, columns)
        hashes = FabricDraws(FabricHashes(original, family))
        made.append(Realizer(some, hashes, ends, clock, has_other_addresses(original, family)))
    return ByFamily(tuple(made))


def _tables(original: Network, asked: Asked, analysis: Analysis) -> Tables:
    if isinstance(analysis, RowAnalysis):
        classes = compact_classes(asked.network.lanes, labels_sent(asked.network, asked.traffic, False), False)
        return tables_of_rows(analysis.walk, asked.network, classes)
    assert isinstance(analysis, StateAnalysis)
    return tables_of_states(analysis.found, original)


def graph_of(analysis: Analysis) -> Dependencies:
    """The part of the dependency graph that has all its cycles."""
    if isinstance(analysis, RowAnalysis):
        return analysis.core
    assert isinstance(analysis, StateAnalysis)
    return analysis.graph


def realized(original: Network, asked: Asked, analysis: Analysis, seconds: float | None) -> Realized:
    """Decide the dependencies of the cyclic components of ``analysis``, within a budget."""
    return realize(graph_of(analysis), analysis.loops, realizer_of(original, asked, analysis, Clock(seconds)))
