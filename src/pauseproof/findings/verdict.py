"""From a question to a report: the verdict, and everything found on the way.

A loop in the known part comes before what is unknown, and that before free.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pauseproof.deadlock.analysis import analyse
from pauseproof.deadlock.answers import Analysis
from pauseproof.deadlock.certificate import Certificate, free_certificate, stuck_certificate
from pauseproof.fabric.places import Remark
from pauseproof.findings.extra import escape_check, smallest_check
from pauseproof.findings.faults import fault_findings, missing_label_findings
from pauseproof.findings.loops import loop_findings, stuck_finding, worst_loop
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Evidence, FabricReport, Finding, Verdict
from pauseproof.findings.rules import rule
from pauseproof.routing.ask import COMMITTED, RESELECTING, Asked, Question, ask, narrowed
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

if TYPE_CHECKING:
    from pauseproof.deadlock.realize_loops import Realized
    from pauseproof.readers.flow_file import FlowLine

REST_ON_HASHES = "But the verdict rests on these very hashes: with others a loop may close; verify again with --realize."
SPREAD = "flows-are-spread"
SPREAD_COMMITS = (
    "switches that spread packets, or move flows by load, commit to a link when they enqueue a packet, as a hash does"
)


class Judged(NamedTuple):
    """A verdict and what it was found by. ``ranked`` is the analysis that has a rank for every buffer, where one is free."""

    asked: Asked
    analysis: Analysis
    verdict: Verdict
    reason: str
    ranked: Analysis | None
    realized: "Realized | None" = None  # where it was asked which dependencies packets really carry

    @property
    def base(self) -> Analysis:
        """The analysis of the tables alone."""
        base: Analysis = self.analysis if self.realized is None else self.analysis.base  # type: ignore[attr-defined]
        return base

    @property
    def structural(self) -> Verdict:
        """The verdict by the tables alone, whatever the hashes."""
        return self.verdict if self.realized is None else Verdict.DEADLOCK_POSSIBLE


def judge(network: Network, question: Question) -> Judged:
    """The verdict on ``network``. Raises BadInput where it cannot be asked this."""
    asked = ask(network, question)
    analysis = analyse(asked.network, asked.traffic)
    return Judged(asked, analysis, *decide(asked.network, asked.traffic, analysis))


def judge_realized(network: Network, question: Question, seconds: float) -> Judged:
    """The same, where loops that no packets close do not count; ``seconds`` may be spent on finding that out."""
    judged = judge(network, question)
    if judged.verdict is not Verdict.DEADLOCK_POSSIBLE:
        return judged
    from pauseproof.deadlock.realize_network import realized
    from pauseproof.findings.realized import RealizedAnalysis, doubts

    found = realized(network, judged.asked, judged.analysis, seconds)
    left: Any = RealizedAnalysis(judged.analysis, found)
    verdict, reason = Verdict.DEADLOCK_POSSIBLE, judged.reason
    if not found.stuck and judged.analysis.meets_unknown:
        verdict, reason = Verdict.UNDECIDED, "no packet closes a loop by what was read, but what was not read could"
    elif not found.stuck:
        verdict = Verdict.DEADLOCK_FREE
        reason = "under these hash settings: every loop of buffers needs a dependency that no packet carries"
    elif why := doubts(found):
        reason = f"{reason}; whether packets really do was not decided: {why}"
    return judged._replace(analysis=left, verdict=verdict, reason=reason, realized=found)


def _path_findings(asked: Asked) -> list[Finding]:
    if asked.network.fabric.kind != "roce":
        return []
    from pauseproof.findings.paths import path_findings

    return path_findings(asked.network, asked.traffic)


def _hash_findings(asked: Asked) -> list[Finding]:
    if not asked.network.hashes.spoken_of:
        return []
    from pauseproof.findings.hash_settings import hash_findings
    from pauseproof.findings.polarized import polarization_findings

    return [*hash_findings(asked.network), *polarization_findings(asked.network, asked.traffic)]


def certificate_of(judged: Judged) -> Certificate:
    """What proves the verdict. Raises Undecided where there is none."""
    asked, counts = judged.asked, coverage(judged.asked, judged.base)
    if judged.realized is not None and judged.verdict is Verdict.DEADLOCK_FREE:
        from pauseproof.deadlock.realize_proof import proved_free

        return proved_free(asked, counts, judged.base, judged.realized)
    if judged.verdict is Verdict.DEADLOCK_POSSIBLE:
        return stuck_certificate(asked, counts, judged.base)
    if judged.ranked is None:
        raise Undecided(judged.reason)
    return free_certificate(asked, counts, judged.ranked, judged.analysis.component_sizes)


class Undecided(ValueError):
    """There is no verdict to prove; the message says why."""


class Wishes(NamedTuple):
    """What else is wanted: is the set of all buffers of these lanes an escape; the smallest stuck set, in so many seconds;
    what can fill each loop, also by declared ``flows``; does a packet-level model of the first loop stop for good; which
    loops the flows of a job close, by the files that tell it.
    """

    escape_lanes: tuple[str, ...] = ()
    smallest: float | None = None
    conditions: bool = False
    flows: "tuple[FlowLine, ...] | None" = None
    replay: bool = False
    jobs: tuple[str, ...] = ()


NOTHING_ELSE = Wishes()


def report_of(judged: Judged, network: Network, wishes: Wishes = NOTHING_ELSE) -> FabricReport:
    """The verdict with everything else that was found; ``network`` as it was before it was asked."""
    asked, analysis, verdict = judged.asked, judged.analysis, judged.verdict
    others = other_traffic(asked, judged.structural)
    escape = escape_check(asked, wishes.escape_lanes)
    least = smallest_check(asked, analysis, wishes.smallest)
    deadlock = _deadlock_findings(judged)
    if wishes.conditions and verdict is Verdict.DEADLOCK_POSSIBLE:
        from pauseproof.findings.conditions import with_conditions

        deadlock = with_conditions(asked, analysis, deadlock, wishes.flows)
    job = _job(judged, network, wishes.jobs)
    if job and judged.realized:
        deadlock = job.on(deadlock)
    hashes = _hash_findings(asked)
    if judged.realized is not None and judged.verdict is not judged.structural:
        hashes = [replace(one, fix=f"{one.fix} {REST_ON_HASHES}") for one in hashes]
    findings = [
        *deadlock,
        *(job.findings if job else ()),
        *_broken(judged),
        *escape.findings,
        *least.findings,
        *fault_findings(asked.network, analysis.outcomes),
        *missing_label_findings(asked.network, asked.traffic),
        *_path_findings(asked),
        *hashes,
        *map(_from_remark, network.remarks),
        *_if_traffic_matters(judged.structural, others),
        *_if_labels_matter(asked, judged.structural),
        *_if_adaptive_matters(network, asked, judged.structural),
    ]
    return FabricReport(
        network.fabric.name,
        network.fabric.kind,
        verdict,
        judged.reason,
        (
            *_evidence(judged),
            *(job.evidence if job else ()),
            *_condition_evidence(deadlock),
            *(_replayed(judged) if wishes.replay else ()),
            *escape.evidence,
            *least.evidence,
        ),
        (*_assumptions(judged, network), *([SPREAD_COMMITS] if any(one.slug == SPREAD for one in findings) else [])),
        coverage(asked, analysis),
        analysis.component_sizes,
        tuple(sorted(findings, key=by_severity)),
        others,
        judged.realized is None and network.fabric.kind == "roce" and network.hashes.spoken_of,
    )


def coverage(asked: Asked, analysis: Analysis) -> dict[str, int | str]:
    """What the verdict is about, in numbers."""
    traffic, out = asked.traffic, analysis.outcomes
    return {
        "traffic": traffic.name,
        "switches": asked.network.fabric.n_switches,
        "hosts": int((traffic.host_sends | traffic.host_receives).sum()),
        "pairs": out.pairs,
        "unroutable_pairs": out.unroutable_pairs,
        "looping_pairs": out.looping_pairs,
        "unknown_pairs": out.unknown_pairs,
        "buffers": analysis.n_buffers,
        "dependencies": analysis.n_dependencies,
        "tables": asked.network.tables_read,
    }


def decide(network: Network, traffic: Traffic, analysis: Analysis) -> tuple[Verdict, str, Analysis | None]:
    """A stuck set in the known part, then what is unknown, then free; with the analysis whose ranks prove it free."""
    if analysis.stuck:
        return Verdict.DEADLOCK_POSSIBLE, "a set of buffers can be full of packets that all wait for each other", None
    if not analysis.meets_unknown:
        reason = "every buffer can drain: each packet in it has a next buffer of a higher rank, so no loop can close"
        return Verdict.DEADLOCK_FREE, reason, analysis
    worst = analyse(network, traffic, worst=True)
    if worst.stuck:
        return Verdict.UNDECIDED, "nothing that was read closes a loop, but what was not read could", None
    return Verdict.DEADLOCK_FREE, "every buffer can drain, whatever the rows that were not read say", worst


def _assumptions(judged: Judged, network: Network) -> tuple[str, ...]:
    """Those of the question, and of hashes where these were asked for."""
    if judged.realized is None or network.fabric.kind == "infiniband":
        return judged.asked.assumptions
    from pauseproof.deadlock.hash_assumptions import hash_assumptions

    return (*judged.asked.assumptions, *hash_assumptions(network))


class _Job(NamedTuple):
    """What a job adds to a report: evidence, findings, and words on each loop."""

    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    on: Callable[[list[Finding]], list[Finding]]


def _job(judged: Judged, network: Network, files: tuple[str, ...]) -> _Job | None:
    """Which loops the flows of a job close. Raises BadInput where the files do not tell a job of this network."""
    if not files:
        return None
    from pauseproof.loads.job_files import placed_job

    placed, realized = placed_job(files, network), judged.realized
    if realized is None or not realized.stuck:
        return None
    from pauseproof.findings.realized import carried_evidence, job_finding, with_job
    from pauseproof.loads.flows import blocks_of

    job = carried_evidence(network, judged.asked, realized, blocks_of(placed.traffic()))
    return _Job(job.evidence, tuple(job_finding(job)), lambda found: with_job(found, realized, job))


def _broken(judged: Judged) -> list[Finding]:
    """Loops that no packets close."""
    if judged.realized is None:
        return []
    from pauseproof.findings.realized import broken_findings

    return broken_findings(judged.asked.network, judged.realized, judged.base)


def _deadlock_findings(judged: Judged) -> list[Finding]:
    asked, analysis, verdict = judged.asked, judged.analysis, judged.verdict
    found = loop_findings(asked.network, analysis)
    if judged.realized is not None:
        from pauseproof.findings.realized import with_carriers

        found = with_carriers(asked.network, judged.realized, found)
    if analysis.stuck and not found:
        found.append(stuck_finding(asked.network, analysis, analysis.stuck_set))
    if verdict is Verdict.UNDECIDED:
        found.append(_unknown_may_loop(asked.network, asked.traffic, analysis))
    return found


def _unknown_may_loop(network: Network, traffic: Traffic, analysis: Analysis) -> Finding:
    """What the unread rows could do: how many destinations meet them, and a loop that they could close."""
    unknown = analysis.unknown_destinations
    names = ", ".join(str(network.destinations.names[d]) for d in unknown[:3]) + (" ..." if len(unknown) > 3 else "")
    many = f"{len(unknown)} destination{'s' * (len(unknown) != 1)}"
    loop = worst_loop(network, analyse(network, traffic, worst=True))
    message = f"what was not read is met by packets for {many} ({names}) and could close a loop: {loop}"
    return _finding("unknown-may-loop", message, f"unknown/{names}")


def _evidence(judged: Judged) -> tuple[Evidence, ...]:
    if judged.realized is not None:
        from pauseproof.findings.realized import realized_evidence

        ranked = (
            f"a rank for each of {judged.base.n_buffers} reachable buffers, without the dependencies that no packet carries"
        )
        free = judged.verdict is Verdict.DEADLOCK_FREE
        told = (Evidence("certificate", ranked),) if free else _by_tables(judged.structural, judged.base)
        return (*told, *realized_evidence(judged.realized, judged.base))
    return _by_tables(judged.verdict, judged.analysis)


def _by_tables(verdict: Verdict, analysis: Analysis) -> tuple[Evidence, ...]:
    if verdict is Verdict.DEADLOCK_POSSIBLE:
        what = "a cyclic buffer dependency" if analysis.loops else "a stuck set"
        return (Evidence("structural", f"{what} over hosts that may send, each dependency with a packet that carries it"),)
    if verdict is Verdict.DEADLOCK_FREE:
        return (Evidence("certificate", f"a rank for each of {analysis.n_buffers} reachable buffers"),)
    return ()


def _replayed(judged: Judged) -> tuple[Evidence, ...]:
    """Whether the model stops, with the usual triggers; nothing where there is no loop."""
    if judged.verdict is not Verdict.DEADLOCK_POSSIBLE:
        return ()
    from pauseproof.findings.replay_asked import Wish, replay_asked, usual_settings
    from pauseproof.findings.replayed import replay_evidence

    return replay_evidence(replay_asked(judged, (), usual_settings(judged.asked.network), Wish()).replay)


def _condition_evidence(found: Sequence[Finding]) -> tuple[Evidence, ...]:
    if not any(finding.conditions for finding in found):
        return ()
    from pauseproof.findings.conditions import condition_evidence

    return condition_evidence(found)


def other_traffic(asked: Asked, verdict: Verdict) -> dict[str, Verdict]:
    """The verdict on each other traffic class. More traffic never takes a loop away, so the cheap parts come first."""
    out: dict[str, Verdict] = {}
    network, traffic = asked.network, asked.traffic
    for name in network.traffics:
        if name == traffic.name:
            continue
        other = narrowed(network.traffics[name], network.fabric, network.destinations, asked.question)
        more = other.destination_on & ~traffic.destination_on
        if verdict is Verdict.DEADLOCK_POSSIBLE and _within(traffic, other):
            out[name] = verdict
        elif more.any() and analyse(network, replace(other, destination_on=more)).stuck:
            out[name] = Verdict.DEADLOCK_POSSIBLE
        else:
            out[name] = decide(network, other, analyse(network, other))[0]
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


def _if_traffic_matters(verdict: Verdict, others: dict[str, Verdict]) -> list[Finding]:
    return [
        replace(
            _finding("other-traffic-differs", f"with {name} the verdict would be {other.value}", f"traffic/{name}"),
            fix=f"Run again with --traffic {name} to see why.",
        )
        for name, other in others.items()
        if other is not verdict
    ]


def _if_labels_matter(asked: Asked, verdict: Verdict) -> list[Finding]:
    """Free only because every path's own label is honoured?"""
    infiniband = asked.network.fabric.kind == "infiniband"  # elsewhere labels are not a matter of what applications ask for
    if asked.traffic.labels is None or not infiniband or verdict is not Verdict.DEADLOCK_FREE:
        return []
    if not analyse(asked.network, replace(asked.traffic, labels=None, label=0)).stuck:
        return []
    message = "free only if every application uses the SL of its path record: with all on SL 0 buffers wait in a loop"
    return [_finding("depends-on-path-sl", message, "labels/0")]


def _if_adaptive_matters(network: Network, asked: Asked, verdict: Verdict) -> list[Finding]:
    """Would the verdict be another if switches that pick by load did the other thing?"""
    if not asked.by_load:
        return []
    other = COMMITTED if asked.reselecting else RESELECTING
    again = ask(network, replace(asked.question, adaptive=other))
    would = decide(again.network, again.traffic, analyse(again.network, again.traffic))[0]
    if would is verdict:
        return []
    message = f"if switches that pick by load were {other}, the verdict would be {would.value}"
    return [replace(_finding("depends-on-adaptive", message, f"adaptive/{other}"), fix=f"Run again with --adaptive {other}.")]


def _from_remark(remark: Remark) -> Finding:
    known = rule(remark.rule)
    return Finding(known.code, known.slug, known.severity, remark.message, remark.about, remark.places, (), known.fix)


def _finding(slug: str, message: str, identity: str) -> Finding:
    known = rule(slug)
    return Finding(known.code, known.slug, known.severity, message, identity, (), (), known.fix)
