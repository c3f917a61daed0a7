"""What realize found, in words: of each loop which dependencies real packets carry, and loops that no packets close."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import numpy as np

from pauseproof.deadlock.answers import Analysis, Loop
from pauseproof.deadlock.certificate import buffer_name
from pauseproof.deadlock.realize import Decided, Flow
from pauseproof.deadlock.realize_loops import Realized, RealizedLoop, edges_of
from pauseproof.deadlock.witness import Packet
from pauseproof.findings.loops import because, loop_findings
from pauseproof.findings.report import Carries, DependencyFact, Evidence, Finding, FlowWords
from pauseproof.findings.rules import rule
from pauseproof.routing.network import Network

_SHOWN = {"qp": "dest_qp", "opcode": "bth_opcode", "vlan": "vlan", "flow_label": "flow_label"}


@dataclass(frozen=True)
class RealizedAnalysis:
    """The answers of ``base`` without the dependencies that no packet carries."""

    base: Any
    realized: Realized

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Of the graph that is left."""
        return tuple(one.loop for one in self.realized.loops)

    @property
    def stuck(self) -> bool:
        """Whether a stuck set is left."""
        return self.realized.stuck

    @property
    def component_sizes(self) -> tuple[int, ...]:
        """The cyclic components that are left."""
        return tuple(map(len, self.realized.components))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)


def with_carriers(network: Network, realized: Realized, found: Sequence[Finding]) -> list[Finding]:
    """The findings of the loops that are left, each with what is known of its dependencies."""
    return [replace(f, carries=_carries(network, one)) for f, one in zip(found, realized.loops, strict=True)]


def broken_findings(network: Network, realized: Realized, base: Analysis) -> list[Finding]:
    """The loops that are gone, with the dependency that no packet carries."""
    if not realized.broken:
        return []
    gone = {one.loop.buffers: one for one in realized.broken}
    known = rule("loop-not-realizable")
    out = []
    for loop, finding in zip(base.loops, loop_findings(network, base), strict=True):
        if (one := gone.get(loop.buffers)) is None:
            continue
        first = next(i for i, decided in enumerate(one.decided) if decided.routable is False)
        a, b = edges_of(loop.buffers)[first]
        names = " -> ".join(hop.device for hop in (*finding.loop, finding.loop[0]))
        message = f"no packet in {buffer_name(network, a)} waits for {buffer_name(network, b)}, so {names} cannot close: "
        message += _why_not(network, one.decided[first])
        carries = _carries(network, one)
        out.append(
            Finding(
                known.code, known.slug, known.severity, message, finding.identity, (), finding.loop, known.fix, carries=carries
            )
        )
    return out


def _why_not(network: Network, decided: Decided) -> str:
    if not decided.refutations:
        return "no way leads to it"
    switches = dict.fromkeys(turn.switch for turn in decided.refutations[0].turns)
    named = [network.fabric.node_name[s] for s in switches][:3]
    return (
        f"the hashes of {', '.join(named)} never choose so for one packet"
        if len(named) > 1
        else f"{named[0]} never hashes one there"
    )


def _carries(network: Network, one: RealizedLoop) -> Carries:
    facts = []
    for (a, b), decided in zip(edges_of(one.loop.buffers), one.decided, strict=True):
        flow = flow_words(network, decided.flow) if decided.flow else None
        facts.append(DependencyFact(buffer_name(network, a), buffer_name(network, b), decided.routable, decided.why, flow))
    return Carries(tuple(facts), tuple((flow_words(network, c.flow), c.carries) for c in one.carriers), one.fewest)


def flow_words(network: Network, flow: Flow) -> FlowWords:
    """A flow by the names that people use."""
    told = because(network, Packet(flow.host, flow.switch, flow.column, flow.member, flow.label), 0)
    words = FlowWords(told.source, told.destination, told.label)
    h = flow.header
    if h is None:
        return words
    columns = {name: int(np.asarray(column)[0]) for name, column in h.columns().items()}
    address = IPv4Address if h.family == 4 else IPv6Address
    sip, dip = (str(address(columns[f"{end}ip_high"] << 64 | columns[f"{end}ip_low"])) for end in ("s", "d"))
    more = tuple((title, columns[name]) for name, title in _SHOWN.items() if columns[name])
    return replace(
        words,
        src_ip=sip,
        dst_ip=dip,
        protocol=columns["proto"],
        src_port=columns["sport"],
        dst_port=columns["dport"],
        more=more,
    )


def realized_evidence(realized: Realized) -> tuple[Evidence, ...]:
    """What realize adds to a verdict."""
    out = []
    if n := len(realized.deleted):
        out.append(
            Evidence(
                "unroutable",
                f"no packet carries {n} of {realized.asked} dependencies in loops: {'they are' if n > 1 else 'it is'} deleted",
            )
        )
    closed = [one for one in realized.loops if one.routable]
    if closed:
        flows = sum(len(one.carriers) for one in closed)
        fewest = "the fewest that stay on their loop" if all(one.fewest for one in closed) else "perhaps fewer would do"
        some = (
            "each dependency of the loop"
            if len(realized.loops) == 1
            else f"each dependency of {len(closed)} of {len(realized.loops)} loops"
        )
        out.append(Evidence("routable", f"{some} is carried by a real packet: {flows} flow{'s' * (flows != 1)}, {fewest}"))
    return tuple(out)


def doubts(realized: Realized) -> str:
    """Why some dependency of a loop that is left was not decided, empty where all were."""
    return next((d.why for one in realized.loops for d in one.decided if d.routable is None), "")
