"""What can fill a loop: links that admissible rates overload, and receivers whose pause backs up into all of it.

Neither is needed for a freeze, nor does either prove one: a burst or one slow receiver is enough, and arbitration decides.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pauseproof.deadlock.analysis import whole_graph, whole_walk
from pauseproof.deadlock.answers import Analysis, Buffer
from pauseproof.deadlock.oversubscribe import Overload, overloads
from pauseproof.deadlock.storms import triggers
from pauseproof.fabric.naming import host_title
from pauseproof.findings.report import Conditions, Evidence, Finding, LinkLoad
from pauseproof.readers.flow_file import FlowLine
from pauseproof.replay.placed import placed
from pauseproof.replay.settings import Settings
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import walk_pair


def with_conditions(
    asked: Asked, analysis: Analysis, found: Sequence[Finding], flows: Sequence[FlowLine] | None = None, *, seconds: float = 5.0
) -> list[Finding]:
    """The findings of ``analysis.loops``, in their order, each with what can fill its loop; z3 may take ``seconds`` a link.

    ``flows`` are declared ones. Raises BadInput where they name hosts that are not there, or more than their links carry.
    """
    buffers = [loop.buffers for loop in analysis.loops] or [tuple(w.buffer for w in analysis.stuck_set)]
    if not found:
        return []
    declared = None if flows is None else DeclaredLoad.of(asked.network, asked.traffic, flows)
    told = _conditions(asked, buffers, declared, seconds)
    return [replace(finding, conditions=conditions) for finding, conditions in zip(found, told, strict=True)]


@dataclass(frozen=True)
class DeclaredLoad:
    """What declared flows bring to each buffer: those that always come by, and those that may, where hashes decide."""

    always: Mapping[Buffer, float]
    maybe: Mapping[Buffer, float]

    @classmethod
    def of(cls, network: Network, traffic: Traffic, lines: Sequence[FlowLine]) -> "DeclaredLoad":
        """By walking the packets of each flow."""
        always, maybe = defaultdict[Buffer, float](float), defaultdict[Buffer, float](float)
        speed = network.fabric.speed
        for line, flow in zip(lines, placed(network, traffic, lines, Settings()), strict=True):
            way = flow.itinerary
            known = math.nan if speed is None else float(speed[way.first[0]])
            gbps = flow.rate * (1.0 if speed is None or np.isnan(speed).any() else known)
            labels = (
                replace(traffic, label=network.lanes.label_names.index(line.label.text), labels=None) if line.label else traffic
            )
            walk = walk_pair(network, labels, way.source, way.column, way.member)
            ways = [len(choice) for sets in walk.choices.values() for choice in sets]
            pinned = all(n == 1 for n in ways) and all(len(sets) < 2 for sets in walk.choices.values())
            for buffer in {(link, lane) for link, lane, _ in walk.states}:
                maybe[buffer] += gbps
                always[buffer] += gbps if pinned else 0.0
        return cls(always, maybe)

    def on(self, buffer: Buffer) -> tuple[float, float]:
        """The least and the most."""
        return self.always.get(buffer, 0.0), self.maybe.get(buffer, 0.0)


def _conditions(
    asked: Asked, loops: Sequence[Sequence[Buffer]], declared: DeclaredLoad | None, seconds: float
) -> list[Conditions]:
    network, traffic = asked.network, asked.traffic
    walk, graph = whole_walk(network, traffic), whole_graph(network, traffic)
    index = {graph.link_lane(b): b for b in range(graph.n_buffers)}
    fabric = network.fabric
    hosts = [h for h in range(fabric.n_hosts) if traffic.host_receives[h]]
    out = []
    for buffers in loops:
        inner = [b for b in buffers if max(fabric.link(b[0]).src, fabric.link(b[0]).dst) < fabric.n_switches]
        links = tuple(_link_load(network, load, declared) for load in overloads(walk, inner, seconds=seconds))
        pausing = triggers(graph, fabric, [index[b] for b in buffers], hosts)
        nearest = sorted((buffers_between, host_title(network.fabric, h)) for h, buffers_between in pausing.items())
        out.append(Conditions(links, tuple((host, n) for n, host in nearest)))
    return out


def _link_load(network: Network, load: Overload, declared: DeclaredLoad | None) -> LinkLoad:
    fabric = network.fabric
    link = fabric.link(load.buffer[0])
    sends = tuple((host_title(network.fabric, s), host_title(network.fabric, g), rate) for s, g, rate in load.rates)
    return LinkLoad(
        fabric.node_name[link.src],
        fabric.port_name(link.src, link.src_port),
        fabric.node_name[link.dst],
        fabric.port_name(link.dst, link.dst_port),
        network.lanes.lane_names[load.buffer[1]],
        load.rate,
        load.most,
        load.relative,
        sends,
        load.fewest,
        declared.on(load.buffer) if declared else None,
    )


def condition_evidence(found: Sequence[Finding]) -> tuple[Evidence, ...]:
    """What the conditions of all loops add to a verdict."""
    told = [finding.conditions for finding in found if finding.conditions]
    over = [any(link.sends for link in conditions.links) for conditions in told]
    backed = [bool(conditions.triggers) for conditions in told]
    flooded = [any(link.declared and link.declared[1] > link.rate for link in conditions.links) for conditions in told]
    out = []
    if any(flooded):
        out.append(Evidence("oversubscribable", f"{_share(flooded)} a link that declared flows can overload"))
    if any(over):
        statement = (
            f"{_share(over)} a link that hosts can overload without sending or receiving more than their own links carry"
        )
        out.append(Evidence("oversubscribable", statement))
    if any(backed):
        out.append(Evidence("triggers", f"{_share(backed)} receivers whose pause, long enough, backs up into all of it"))
    return tuple(out)


def _share(which: Sequence[bool]) -> str:
    if len(which) == 1:
        return "the loop has"
    return f"{sum(which)} of {len(which)} loops {'has' if sum(which) == 1 else 'have'}"
