"""Flows of a file on the network: names become hosts, the tables give the ways."""

from collections.abc import Sequence
from dataclasses import replace

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.naming import hosts_called
from pauseproof.fabric.places import Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.flow_file import FlowLine
from pauseproof.readers.native_lines import Word
from pauseproof.readers.suggest import expected_one_of
from pauseproof.replay.flows import SATURATING, Flow
from pauseproof.replay.itinerary import Itinerary, itinerary
from pauseproof.replay.settings import Settings
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Source
from pauseproof.routing.traffic import Traffic


def placed(network: Network, traffic: Traffic, lines: Sequence[FlowLine], settings: Settings) -> tuple[Flow, ...]:
    """A flow for each line. Raises BadInput where a name is not known, or no packet can be sent."""
    placing = _Placing(network, traffic, settings)
    flows = [placing.flow(line) for line in lines]
    refuse_if(placing.problems)
    return tuple(flow for flow in flows if flow is not None)


def host_named(fabric: Fabric, name: str) -> int | None:
    """The host that is called so: a node's name for its first cabled port, or ``node:port``."""
    return next(iter(hosts_called(fabric, name)), None)


class _Placing:
    def __init__(self, network: Network, traffic: Traffic, settings: Settings) -> None:
        self.network, self.traffic, self.settings = network, traffic, settings
        self.problems: list[Problem] = []

    def flow(self, line: FlowLine) -> Flow | None:
        src, dst = self._host(line.src), self._host(line.dst)
        if src is None or dst is None:
            return None
        traffic = self._labelled(line.label)
        column, hosts = self.network.destinations.first_column(dst), self.network.fabric.every_host
        way = None if column < 0 else itinerary(self.network, traffic, Source("host", src), column, dst)
        if way is None or hosts[src].node == hosts[dst].node:
            self._wrong(line.place, f"no packet of {line.src.text!r} for {line.dst.text!r} leaves its host")
            return None
        return Flow(way, self._rate(line, way), line.start, line.stop, line.arrivals)

    def _host(self, word: Word) -> int | None:
        host = host_named(self.network.fabric, word.text)
        if host is None:
            names = {h.name for h in self.network.fabric.every_host}
            self._wrong(word.place, f"no host is called {word.text!r}; {expected_one_of(word.text, names)}")
        return host

    def _labelled(self, label: Word | None) -> Traffic:
        names = self.network.lanes.label_names
        if label is None:
            return self.traffic
        if label.text not in names:
            self._wrong(label.place, f"no packet has the label {label.text!r}; {expected_one_of(label.text, names)}")
            return self.traffic
        return replace(self.traffic, label=names.index(label.text), labels=None)

    def _rate(self, line: FlowLine, way: Itinerary) -> float:
        if line.gbps is None:
            return line.share
        speed = self.network.fabric.speed
        known = float("nan") if speed is None else float(speed[way.first[0]])
        line_rate = known if known > 0 else self.settings.speed
        if line.gbps > line_rate:
            self._wrong(line.place, f"a rate of {line.gbps:g} Gb/s is above the {line_rate:g} Gb/s of the sender's link")
        return min(SATURATING, line.gbps / line_rate)

    def _wrong(self, place: Place, message: str) -> None:
        self.problems.append(Problem(place, message))
