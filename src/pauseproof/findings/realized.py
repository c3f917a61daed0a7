"""What realize found, in words: of each loop which dependencies real packets carry, and loops that no packets close."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

import numpy as np

from pauseproof.deadlock.answers import Analysis, Loop, Waiting
from pauseproof.deadlock.certificate import buffer_name
from pauseproof.deadlock.realize import Decided, Flow
from pauseproof.deadlock.realize_loops import Realized, RealizedLoop, cyclic, edges_of, without
from pauseproof.deadlock.realize_ways import Dependency
from pauseproof.deadlock.stuck import peel, stuck_witness
from pauseproof.deadlock.witness import Packet
from pauseproof.findings.loops import because, buffer_title, loop_findings
from pauseproof.findings.report import Carries, DependencyFact, Evidence, Finding, FlowWords
from pauseproof.findings.rules import rule
from pauseproof.loads.carried import carried_dependencies
from pauseproof.loads.flows import Flows
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network

BY_WHAT_WAS_READ, UNREAD = "by what was read, ", "packets that meet rows which were not read may carry it"
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
    def stuck_set(self) -> tuple[Waiting, ...]:
        """A stuck set of the graph that is left."""
        left = self.realized.left
        part = stuck_witness(left, peel(left).stuck)
        name = left.link_lane
        return tuple(Waiting(name(b), tuple(map(name, choice))) for b, choice in sorted(part.items()))

    @property
    def component_sizes(self) -> tuple[int, ...]:
        """The cyclic components that are left."""
        return tuple(map(len, self.realized.components))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)


class JobOnLoops(NamedTuple):
    """``carried`` of ``wanted`` dependencies of loops; ``closed`` are the sizes of the components that these make alone."""

    carried: frozenset[Dependency]
    wanted: int
    closed: tuple[int, ...]

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Where the job's own flows close a loop."""
        if not self.closed:
            return ()
        loops = f"a loop in {len(self.closed)} component{'s' * (len(self.closed) > 1)} of buffers"
        return (Evidence("carried", f"the job's own flows carry every dependency of {loops}"),)


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
        message = f"no packet in {buffer_title(network, a)} waits for {buffer_title(network, b)}, so {names} cannot close: "
        message = (BY_WHAT_WAS_READ if base.meets_unknown else "") + message + _why_not(network, one.decided[first])
        carries = _carries(network, _perhaps(one) if base.meets_unknown else one)
        out.append(
            Finding(
                known.code, known.slug, known.severity, message, finding.identity, (), finding.loop, known.fix, carries=carries
            )
        )
    return out


def _perhaps(one: RealizedLoop) -> RealizedLoop:
    """With nothing ruled out: packets past rows that were not read may come by any way."""
    decided = (each._replace(routable=None, why=UNREAD) if each.routable is False else each for each in one.decided)
    return replace(one, decided=tuple(decided))


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


def carried_evidence(network: Network, asked: Asked, realized: Realized, blocks: Iterable[Flows]) -> JobOnLoops:
    """What the flows of a job carry of the loops that are left, and whether they close one."""
    left = realized.left
    name = left.link_lane
    ends = zip(left.source.tolist(), left.target.tolist(), left.committed.tolist(), strict=True)
    inside = {b: i for i, component in enumerate(realized.components) for b in component.tolist()}
    wanted = {(name(a), name(b)) for a, b, alone in ends if alone and a in inside and inside[a] == inside.get(b)}
    found = carried_dependencies(network, asked.traffic, blocks, frozenset(wanted))
    closed = cyclic(without(left, wanted - found))
    return JobOnLoops(found, len(wanted), tuple(map(len, closed)))


def with_job(found: Sequence[Finding], realized: Realized, job: JobOnLoops) -> list[Finding]:
    """The findings of the loops that are left, with what the job carries of each."""
    out = []
    for finding, loop in zip(found, realized.loops, strict=True):
        assert finding.carries is not None
        edges = edges_of(loop.loop.buffers)
        facts = zip(finding.carries.dependencies, edges, strict=True)
        told = tuple(replace(fact, carried=e in job.carried) for fact, e in facts)
        out.append(replace(finding, carries=replace(finding.carries, dependencies=told)))
    return out


def job_finding(job: JobOnLoops) -> list[Finding]:
    """That the job's own flows close no loop, where they do not."""
    if job.closed:
        return []
    known = rule("loop-not-carried")
    message = (
        f"the job's own flows carry {len(job.carried)} of {job.wanted} dependencies of these loops, and close none of them"
    )
    return [Finding(known.code, known.slug, known.severity, message, "job/loops", (), (), known.fix)]


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


def realized_evidence(realized: Realized, base: Analysis) -> tuple[Evidence, ...]:
    """What realize adds to a verdict by the tables, ``base``."""
    read = BY_WHAT_WAS_READ if base.meets_unknown else ""
    out = []
    if n := len(realized.deleted):
        deleted = f"{'they are' if n > 1 else 'it is'} deleted"
        out.append(Evidence("unroutable", f"{read}no packet carries {n} of {realized.asked} dependencies in loops: {deleted}"))
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
