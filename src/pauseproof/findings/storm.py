"""The blast radius of every receiver: how many hosts cannot send all they want when it pauses for good."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from pauseproof.deadlock.analysis import whole_graph
from pauseproof.deadlock.storms import hosts_blocked, storms
from pauseproof.fabric.naming import host_title
from pauseproof.fabric.places import BadInput, Place
from pauseproof.routing.ask import CONSUMING, Asked, Question, ask
from pauseproof.routing.network import Network


@dataclass(frozen=True, slots=True)
class Storm:
    """One host port that pauses for good: ``stopped`` of the other hosts are held up, and ``buffers`` buffers blocked.

    ``names`` are those hosts, where they were asked for.
    """

    host: str
    stopped: int
    buffers: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class StormReport:
    """All storms, worst first; of ``hosts`` that may send, and ``buffers`` that packets can be in."""

    name: str
    kind: str
    traffic: str
    hosts: int
    buffers: int
    storms: tuple[Storm, ...]
    assumptions: tuple[str, ...]


def storm_report(network: Network, question: Question, only: Sequence[str] = ()) -> StormReport:
    """The storm of each receiver, or of those that the globs ``only`` name. What was not read may be anything.

    Raises BadInput where the network cannot be asked this, and where a glob names no receiver.
    """
    asked = ask(network, question)
    graph = whole_graph(asked.network, asked.traffic, worst=True)
    fabric, sends = network.fabric, asked.traffic.host_sends
    found = []
    for block in storms(graph, fabric, _receivers(asked, only)):
        for h, blocked in zip(block.hosts.tolist(), block.blocked, strict=True):
            held = np.flatnonzero(hosts_blocked(graph, fabric, blocked) & sends & (fabric.host_node != fabric.host_node[h]))
            names = tuple(host_title(network.fabric, int(g)) for g in held) if only else ()
            found.append(Storm(host_title(network.fabric, h), len(held), int(blocked.sum()), names))
    worst_first = tuple(sorted(found, key=lambda storm: (-storm.stopped, -storm.buffers, storm.host)))
    hosts = int(sends.sum())
    assumed = tuple(text for text in asked.assumptions if text != CONSUMING)
    return StormReport(fabric.name, fabric.kind, asked.traffic.name, hosts, graph.n_buffers, worst_first, assumed)


def _receivers(asked: Asked, only: Sequence[str]) -> list[int]:
    fabric = asked.network.fabric
    receivers = np.flatnonzero(asked.traffic.host_receives).tolist()
    if not receivers:
        raise BadInput.at(Place(fabric.name), "nothing to check: no host that receives is cabled")
    names = {h: fabric.node_name[int(fabric.host_node[h])] for h in receivers}
    for glob in only:
        if not any(fnmatchcase(name, glob) for name in names.values()):
            raise BadInput.at(Place("--host"), f"no host that receives is called {glob!r}; expected a name, or a glob")
    return [h for h in receivers if not only or any(fnmatchcase(names[h], glob) for glob in only)]
