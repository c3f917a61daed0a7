"""The whole library in a line: ``verify(load(path))``."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pauseproof.deadlock.analysis import analyse
from pauseproof.deadlock.answers import Analysis
from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.findings.faults import fault_findings, missing_label_findings
from pauseproof.findings.loops import loop_findings, stuck_finding, worst_loop
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Evidence, FabricReport, Finding, Report, Verdict
from pauseproof.findings.rules import rule
from pauseproof.readers.snapshot import Snapshot, read_snapshot
from pauseproof.routing.ask import HOSTS, Question, narrowed
from pauseproof.routing.infiniband import infiniband_network
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

ASSUMED = (
    "a packet is buffered whole and occupies one buffer",
    "an empty lossless buffer always accepts a packet",
    "arbitration is fair",
    "an egress queue is paused by one next buffer alone",
    "hosts always consume what they receive, and receiving does not wait for sending",
    "the tables that were read are in force and do not change",
    "HOQ lifetimes and PFC watchdogs are ignored: they turn a freeze into drops",
)
ALL_ON = "every pair is taken to use {} {}, whatever its path record says"
NO_PATH_SL = "no path SLs were read: every pair is taken to use SL 0"
PATH_SL = "every application uses the SL of its path record; pairs with a switch use SL 0"


def load(*paths: str | Path) -> Network:
    """Read files and folders (``-`` is stdin) into one network. Raises BadInput with everything that is wrong with them."""
    snapshot = read_snapshot(paths)
    name = Path(paths[0]).name or str(paths[0])
    if snapshot.native:
        return replace(_native(snapshot), inputs=snapshot.inputs)
    return infiniband_network(snapshot, name)


def _native(snapshot: Snapshot) -> Network:
    from pauseproof.readers import native
    from pauseproof.routing.native import network_of

    topologies = [f for f in snapshot.inputs if f.format == native.NAME]
    if len(topologies) > 1:
        raise BadInput.at(Place(topologies[1].path), f"a second topology beside {topologies[0].path}; expected one at a time")
    if snapshot.cabling or snapshot.forwarding:
        other = snapshot.cabling[0].file if snapshot.cabling else snapshot.forwarding[0].file
        raise BadInput.at(Place(other), "an InfiniBand dump beside a topology file; expected one or the other")
    return network_of(snapshot.native[0])


def verify(
    network: Network,
    *,
    traffic: str = HOSTS,
    only: Sequence[str] = (),
    exclude: Sequence[str] = (),
    all_on_sl: int | None = None,
) -> Report:
    """The verdict on ``network`` for one traffic class. Raises BadInput where the fabric has no such traffic."""
    question = Question(tuple(only), tuple(exclude), all_on_sl)
    asked = _asked(network, traffic, question)
    report = _fabric_report(network, asked, question)
    return Report(network.inputs, (report,))


def _asked(network: Network, name: str, question: Question) -> Traffic:
    if name not in network.traffics:
        message = f"this fabric has no traffic {name!r}; expected one of: {', '.join(network.traffics)}"
        raise BadInput.at(Place("--traffic"), message)
    labels = len(network.lanes.label_names)
    if question.all_on is not None and question.all_on >= labels:
        raise BadInput.at(Place("--all-on-sl"), f"there is no label {question.all_on}; expected 0..{labels - 1}")
    asked = narrowed(network.traffics[name], network.fabric, network.destinations, question)
    if not (asked.host_sends.any() or asked.switch_sends.any()):
        raise BadInput.at(Place("--only/--exclude"), "no host is left to send; expected globs on node names")
    return asked


def _fabric_report(network: Network, traffic: Traffic, question: Question) -> FabricReport:
    analysis = analyse(network, traffic)
    verdict, reason = _decide(network, traffic, analysis)
    findings = [
        *loop_findings(network, analysis),
        *([stuck_finding(network, analysis)] if analysis.stuck and not analysis.loops else []),
        *([_unknown_may_loop(network, traffic, analysis)] if verdict is Verdict.UNDECIDED else []),
        *fault_findings(network, analysis.outcomes),
        *missing_label_findings(network, traffic),
        *map(_from_remark, network.remarks),
    ]
    others = _other_traffic(network, traffic, verdict, question)
    findings += _if_differs(verdict, others) + _on_labels(network, traffic, verdict)
    out = analysis.outcomes
    coverage: dict[str, int | str] = {
        "traffic": traffic.name,
        "switches": network.fabric.n_switches,
        "hosts": int((traffic.host_sends | traffic.host_receives).sum()),
        "pairs": out.pairs,
        "unroutable_pairs": out.unroutable_pairs,
        "looping_pairs": out.looping_pairs,
        "unknown_pairs": out.unknown_pairs,
        "buffers": analysis.n_buffers,
        "dependencies": analysis.n_dependencies,
        "tables": network.tables_read,
    }
    return FabricReport(
        network.fabric.name,
        network.fabric.kind,
        verdict,
        reason,
        _evidence(verdict, analysis),
        (*_on_which_label(network, traffic, question), *network.assumptions, *ASSUMED),
        coverage,
        analysis.component_sizes,
        tuple(sorted(findings, key=by_severity)),
        others,
    )


def _on_which_label(network: Network, traffic: Traffic, question: Question) -> tuple[str, ...]:
    infiniband = network.fabric.kind == "infiniband"
    if question.all_on is not None:
        return (ALL_ON.format("SL" if infiniband else "label", question.all_on),)
    return ((NO_PATH_SL if traffic.labels is None else PATH_SL),) if infiniband else ()


def _decide(network: Network, traffic: Traffic, analysis: Analysis) -> tuple[Verdict, str]:
    """Precedence of DESIGN section 1: a stuck set in the known part, then what is unknown, then free."""
    if analysis.stuck:
        return Verdict.DEADLOCK_POSSIBLE, "a set of buffers can be full of packets that all wait for each other"
    if not analysis.meets_unknown:
        return Verdict.DEADLOCK_FREE, "every reachable buffer has a rank lower than a buffer of each of its choice sets"
    if analyse(network, traffic, worst=True).stuck:
        return Verdict.UNDECIDED, "nothing that was read closes a loop, but what was not read could"
    return Verdict.DEADLOCK_FREE, "every reachable buffer has a rank, whatever the rows that were not read say"


def _unknown_may_loop(network: Network, traffic: Traffic, analysis: Analysis) -> Finding:
    """What the unread rows could do: how many destinations meet them, and a loop that they could close."""
    known = rule("unknown-may-loop")
    unknown = analysis.unknown_destinations
    names = ", ".join(str(network.destinations.names[d]) for d in unknown[:3]) + (" ..." if len(unknown) > 3 else "")
    loop = worst_loop(network, analyse(network, traffic, worst=True))
    message = f"what was not read is met by packets for {len(unknown)} destinations ({names}) and could close a loop: {loop}"
    return Finding(known.code, known.slug, known.severity, message, f"unknown/{names}", (), (), known.fix)


def _evidence(verdict: Verdict, analysis: Analysis) -> tuple[Evidence, ...]:
    if verdict is Verdict.DEADLOCK_POSSIBLE:
        what = "a stuck set" if analysis.adaptive else "a cyclic buffer dependency"
        return (Evidence("structural", f"{what} over hosts that may send, each dependency with a packet that carries it"),)
    if verdict is Verdict.DEADLOCK_FREE:
        return (Evidence("certificate", f"a rank for each of {analysis.n_buffers} reachable buffers"),)
    return ()


def _other_traffic(network: Network, traffic: Traffic, verdict: Verdict, question: Question) -> dict[str, Verdict]:
    """The verdict on each other traffic class. More traffic never takes a loop away, so the cheap parts come first."""
    out: dict[str, Verdict] = {}
    for name in network.traffics:
        if name == traffic.name:
            continue
        other = narrowed(network.traffics[name], network.fabric, network.destinations, question)
        more = other.destination_on & ~traffic.destination_on
        if verdict is Verdict.DEADLOCK_POSSIBLE and _within(traffic, other):
            out[name] = verdict
        elif more.any() and analyse(network, replace(other, destination_on=more)).stuck:
            out[name] = Verdict.DEADLOCK_POSSIBLE
        else:
            out[name] = _decide(network, other, analyse(network, other))[0]
    return out


def _within(some: Traffic, more: Traffic) -> bool:
    """Whether every pair of ``some`` is one of ``more``."""
    parts = (
        (some.host_sends, more.host_sends),
        (some.host_receives, more.host_receives),
        (some.switch_sends, more.switch_sends),
        (some.destination_on, more.destination_on),
    )
    return not any((a & ~b).any() for a, b in parts)


def _if_differs(verdict: Verdict, others: dict[str, Verdict]) -> list[Finding]:
    known = rule("other-traffic-differs")
    return [
        Finding(
            known.code,
            known.slug,
            known.severity,
            f"with {name} the verdict would be {other.value}",
            f"traffic/{name}",
            fix=f"Run again with --traffic {name} to see why.",
        )
        for name, other in others.items()
        if other is not verdict
    ]


def _on_labels(network: Network, traffic: Traffic, verdict: Verdict) -> list[Finding]:
    """Free only because every path's own label is honoured?"""
    if traffic.labels is None or verdict is not Verdict.DEADLOCK_FREE:
        return []
    if not analyse(network, replace(traffic, labels=None, label=0)).stuck:
        return []
    known = rule("depends-on-path-sl")
    message = "free only if every application uses the SL of its path record: with all on SL 0 buffers wait in a loop"
    return [Finding(known.code, known.slug, known.severity, message, "labels/0", fix=known.fix)]


def _from_remark(remark: Remark) -> Finding:
    known = rule(remark.rule)
    return Finding(known.code, known.slug, known.severity, remark.message, remark.about, remark.places, (), known.fix)
