"""What can fill a loop: links that admissible rates overload, and receivers whose pause backs up into all of it.

Neither is needed for a freeze, nor does either prove one: a burst or one slow receiver is enough, and arbitration decides.
"""

from collections.abc import Sequence
from dataclasses import replace

from pauseproof.deadlock.analysis import whole_graph, whole_walk
from pauseproof.deadlock.answers import Analysis, Buffer
from pauseproof.deadlock.oversubscribe import Overload, overloads
from pauseproof.deadlock.storms import triggers
from pauseproof.findings.loops import port_title
from pauseproof.findings.report import Conditions, Evidence, Finding, LinkLoad
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network


def with_conditions(asked: Asked, analysis: Analysis, found: Sequence[Finding], *, seconds: float = 5.0) -> list[Finding]:
    """The findings of ``analysis.loops``, in their order, each with what can fill its loop; z3 may take ``seconds`` a link."""
    buffers = [loop.buffers for loop in analysis.loops] or [tuple(w.buffer for w in analysis.stuck_set)]
    if not found:
        return []
    told = _conditions(asked, buffers, seconds)
    return [replace(finding, conditions=conditions) for finding, conditions in zip(found, told, strict=True)]


def _conditions(asked: Asked, loops: Sequence[Sequence[Buffer]], seconds: float) -> list[Conditions]:
    network, traffic = asked.network, asked.traffic
    walk, graph = whole_walk(network, traffic), whole_graph(network, traffic)
    index = {graph.link_lane(b): b for b in range(graph.n_buffers)}
    fabric = network.fabric
    hosts = [h for h in range(fabric.n_hosts) if traffic.host_receives[h]]
    out = []
    for buffers in loops:
        inner = [b for b in buffers if max(fabric.link(b[0]).src, fabric.link(b[0]).dst) < fabric.n_switches]
        links = tuple(_link_load(network, load) for load in overloads(walk, inner, seconds=seconds))
        pausing = triggers(graph, fabric, [index[b] for b in buffers], hosts)
        nearest = sorted((buffers_between, port_title(network, h)) for h, buffers_between in pausing.items())
        out.append(Conditions(links, tuple((host, n) for n, host in nearest)))
    return out


def _link_load(network: Network, load: Overload) -> LinkLoad:
    fabric = network.fabric
    link = fabric.link(load.buffer[0])
    sends = tuple((port_title(network, s), port_title(network, g), rate) for s, g, rate in load.rates)
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
    )


def condition_evidence(found: Sequence[Finding]) -> tuple[Evidence, ...]:
    """What the conditions of all loops add to a verdict."""
    told = [finding.conditions for finding in found if finding.conditions]
    over = [any(link.sends for link in conditions.links) for conditions in told]
    backed = [bool(conditions.triggers) for conditions in told]
    out = []
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
