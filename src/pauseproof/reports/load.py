"""The load of a job for people: the slowdown first, then phases, hottest links and why, incast, findings, what it rests on.

Where headers or hashes are not known, all of it is told of the median sample (:mod:`pauseproof.loads.measured`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.naming import link_title, port_title
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Finding
from pauseproof.loads.balance import Balance, link_tiers
from pauseproof.loads.chance import QUANTILES, Chance
from pauseproof.loads.job_load import JobLoad
from pauseproof.loads.measured import LOWER_BOUND, Measured
from pauseproof.loads.why import Carried, Decision, Why
from pauseproof.reports.amounts import bytes_words, seconds_words
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line, title
from pauseproof.reports.text import bare_finding
from pauseproof.reports.words import count, printable

MOST_PHASES, MOST_LINKS, MOST_RECEIVERS = 12, 8, 5
SLOW, VERY_SLOW = 1.05, 1.5
SAMPLED = "sampled: where a header or a hash is not known it is drawn, every flow whole; what follows is the median sample"
NOT_SAMPLED = (
    "the mean loads alone are known: there are too many flows to draw samples of whole ones, and flows that collide take longer"
)


@dataclass(frozen=True)
class LoadReport:
    """What is told of one job on one fabric."""

    job: str
    measured: Measured
    used: Balance
    findings: Sequence[Finding]
    assumptions: Sequence[str]

    @property
    def found(self) -> JobLoad:
        """The run that is told."""
        return self.measured.run

    @property
    def chance(self) -> Chance | None:
        """The samples, where some were drawn."""
        return self.measured.chance

    @property
    def slowdown_words(self) -> str:
        """The number, and what it is unless it is that of the loads themselves."""
        slow = f"{self.found.times.slowdown:.2f}"
        if self.chance is not None:
            return f"{slow} (median of {len(self.chance.slowdown)} samples)"
        return f"AT LEAST {slow} (a lower bound)" if self.measured.kind == LOWER_BOUND else slow


def load_lines(report: LoadReport, again: str = "PATH... --job FILE") -> Iterator[Line]:
    """The report, line by line; ``again`` is what the user typed."""
    found, where = report.found, " in the median sample" if report.chance else ""
    yield from _summary(report)
    yield from _phases(found, where)
    yield from _links(found, where)
    for phase, why in report.measured.hot:
        yield from _why(found, phase, why)
    yield from _incast(found)
    if report.findings:
        yield BLANK
        yield title("Findings")
        for finding in sorted(report.findings, key=by_severity):
            yield from bare_finding(finding)
    if report.assumptions:
        yield BLANK
        yield title("It assumes")
        yield from (line("  - ", printable(assumption)) for assumption in report.assumptions)
    yield BLANK
    yield title("Next")
    yield line(f"  pauseproof load {again} --chart load.svg --draw fabric.svg")
    if report.findings:
        yield line(f"  pauseproof explain {min(report.findings, key=by_severity).rule}")


def _summary(report: LoadReport) -> Iterator[Line]:
    found = report.found
    slow = found.times.slowdown
    least: Meaning = "unsure" if report.measured.kind == LOWER_BOUND else "good"
    meaning: Meaning = least if slow < SLOW else "unsure" if slow < VERY_SLOW else "bad"
    about = f"  {printable(report.job)} on {printable(found.fabric.name)}, {count(len(found.phases), 'phase')}"
    yield line(Span(f"SLOWDOWN {report.slowdown_words}", meaning), about)
    if report.chance is not None:
        yield line("  ", _samples_words(report.chance, report.measured.mean.times.slowdown))
    if report.measured.kind == LOWER_BOUND:
        yield line(f"  {NOT_SAMPLED}")
    needs = (time_words(found, float(times.sum())) for times in (found.times.time, found.times.perfect))
    yield line("  the links need {} in all phases together, where a perfectly spread fabric needs {}".format(*needs))
    sent = float(found.incast.sent.sum())
    beside = f", {bytes_words(found.beside)} stay within their machines" if found.beside else ""
    yield line(f"  {bytes_words(sent)} enter the fabric{beside}")
    yield line("  ", SAMPLED if report.chance else found.method_words)
    if found.worst is not None and found.worst_slowdown is not None:
        by_solver = "with the worst headers that flows can have, as z3 proved"
        bound = "a bound, as if all flows that can meet did" if found.worst.time is None else by_solver
        how = "with the worst source port of each flow" if found.worst.exact else bound
        apart = ", each phase by itself" if len(found.phases) > 1 else ""
        yield line(f"  at worst: slowdown {found.worst_slowdown:.2f}, {how}{apart}")


def _samples_words(chance: Chance, mean: float) -> str:
    """How far samples are apart, and what their mean loads would make believe."""
    low, _, high = (f"{chance.quantile(q):.2f}" for q in QUANTILES)
    unreached = " (no sample is as low)" if chance.slowdown.min() > mean + 1e-9 else ""
    return f"5% to 95% of the samples (seed {chance.seed}): {low} to {high}; of the mean loads: {mean:.2f}{unreached}"


def time_words(found: JobLoad, time: float) -> str:
    """A time, in the unit that is known."""
    return seconds_words(time) if found.speeds.known else f"{bytes_words(time)} of one link"


def _phases(found: JobLoad, where: str) -> Iterator[Line]:
    measured, slow = found.times, found.times.slowdowns
    yield BLANK
    yield title(f"Phases{where}")
    width = max(map(len, map(printable, found.phases)), default=0)
    order = np.argsort(-measured.time, kind="stable")[:MOST_PHASES].tolist()
    for p in sorted(order):
        bound = " (a host's own link)" if measured.time[p] <= measured.host_bound[p] * 1.0001 else ""
        yield line(
            f"  {printable(found.phases[p]):<{width}}  {time_words(found, measured.time[p]):>10}, perfect "
            f"{time_words(found, measured.perfect[p]):>10}, slowdown {slow[p]:.2f}{bound}"
        )
    if len(found.phases) > MOST_PHASES:
        yield line(Span(f"  and {len(found.phases) - MOST_PHASES:,} shorter ones; --format json has all of them", "quiet"))


def hottest(found: JobLoad) -> NDArray[np.int64]:
    """The links between switches by the time that they need in all phases, longest first; of equals those that lead up."""
    total = found.load.bytes.sum(axis=0) / found.speeds.rate
    inner = np.flatnonzero(np.maximum(found.fabric.link_src, found.fabric.link_dst) < found.fabric.n_switches)
    inner = inner[total[inner] > 0]
    low, high = link_tiers(found.fabric)
    order = np.lexsort(((low - high)[inner], -np.round(total[inner] / total[inner].max(initial=1e-300), 9)))
    return np.take(inner, order)


def _links(found: JobLoad, where: str) -> Iterator[Line]:
    links = hottest(found)[:MOST_LINKS].tolist()
    if not links:
        return
    yield BLANK
    yield title(f"Hottest links between switches{where}")
    names = {link: printable(link_title(found.fabric, link)) for link in links}
    width = max(map(len, names.values()))
    total, best = found.load.bytes.sum(axis=0), found.perfect.sum(axis=0)
    for link in links:
        against = f"{total[link] / best[link]:.2f} of its perfect load" if best[link] else "nothing if perfectly spread"
        yield line(f"  {names[link]:<{width}}  {bytes_words(total[link]):>8}, {against}")


def _why(found: JobLoad, phase: int, why: Why) -> Iterator[Line]:
    yield BLANK
    where = f"  {printable(link_title(found.fabric, why.link))} in {printable(found.phases[phase])}"
    yield line(Span("Why", "title"), where)
    seen = "" if why.whole else " among the flows that were looked at"
    yield line(
        f"  {bytes_words(why.bytes)} of {count(why.senders, 'sender')} to {count(why.receivers, 'receiver')}{seen}; "
        f"links of its switch to that tier carry {', '.join(map(bytes_words, why.siblings[:6]))}"
        + (", ..." if len(why.siblings) > 6 else "")
    )
    for carried in why.heaviest:
        yield from _carried(found.fabric, carried)


def _carried(fabric: Fabric, carried: Carried) -> Iterator[Line]:
    ends = (printable(fabric.host(h).name) for h in (carried.src, carried.dst))
    yield line("  ", f"{' -> '.join(ends)}: {bytes_words(carried.bytes)}")
    for decision in carried.decisions:
        place = f", row at {printable(str(decision.place))}" if decision.place else ""
        yield line(Span(f"      {_decision(fabric, decision)}{place}", "quiet"))


def _decision(fabric: Fabric, decision: Decision) -> str:
    view = fabric.link(decision.link)
    of = f", one of {decision.members}" if decision.members > 1 else ""
    return f"{printable(port_title(fabric, view.src, view.src_port))}{of}"


def _incast(found: JobLoad) -> Iterator[Line]:
    overload = found.incast.overload(found.fabric, found.speeds.rate)
    phase, host = np.nonzero((overload > 1.0001) & (found.incast.senders > 1))
    if not len(host):
        return
    yield BLANK
    yield title("Incast")
    order = np.argsort(-overload[phase, host], kind="stable")
    for i in order[:MOST_RECEIVERS].tolist():
        p, h = int(phase[i]), int(host[i])
        yield line(
            f"  {printable(found.fabric.host(h).name)}: {count(int(found.incast.senders[p, h]), 'sender')} in "
            f"{printable(found.phases[p])}, its link needs {overload[p, h]:.2f} times as long as the busiest sender's"
        )
    if len(order) > MOST_RECEIVERS:
        yield line(Span(f"  and {len(order) - MOST_RECEIVERS:,} more; --format json has all of them", "quiet"))
