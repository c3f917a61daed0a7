"""Storms for people and for programs."""

from collections.abc import Iterator

from pauseproof.fabric.naming import some
from pauseproof.findings.report import Input
from pauseproof.findings.storm import Storm, StormReport
from pauseproof.reports.documents import Json, document, inputs_json, rendered
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line, title
from pauseproof.reports.words import count, encodable, printable

MOST_STORMS = 10
MOST_NAMES = 20


def storm_lines(report: StormReport) -> Iterator[Line]:
    """The worst storms, how the others compare, and what the numbers mean."""
    storms = report.storms
    worst = storms[0].stopped
    meaning: Meaning = "bad" if 2 * worst > report.hosts else "unsure" if worst else "good"
    about = f"  {printable(report.name)}, {report.kind}, traffic: {printable(report.traffic)}"
    yield line(Span(f"{worst:,} of {report.hosts:,} hosts", meaning), about)
    yield line("  the most that one host port can hold up by pausing for good, at any load and without watchdogs")
    yield BLANK
    yield title("Host ports, worst first")
    width = max(len(printable(storm.host)) for storm in storms[:MOST_STORMS])
    for storm in storms[:MOST_STORMS]:
        yield from _storm(storm, width, report.buffers)
    if len(storms) > MOST_STORMS:
        rest = storms[MOST_STORMS:]
        least, most = rest[-1].stopped, rest[0].stopped
        span = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        yield line(Span(f"  and {len(rest):,} more that hold up {span} hosts; --format json has all of them", "quiet"))
    yield BLANK
    yield title("It assumes")
    for assumption in report.assumptions:
        yield line("  - ", printable(assumption))


def _storm(storm: Storm, width: int, buffers: int) -> Iterator[Line]:
    held = f"holds up {count(storm.stopped, 'host')}, blocks {storm.buffers:,} of {count(buffers, 'buffer')}"
    yield line(f"  {printable(storm.host):<{width}}  {held}")
    if storm.names:
        yield line(Span(f"      {printable(some(storm.names, MOST_NAMES))}", "quiet"))


def render_storms(report: StormReport, inputs: tuple[Input, ...]) -> str:
    """As JSON text; its schema is docs/schema/storm.schema.json."""
    return rendered(
        document(
            inputs=inputs_json(inputs),
            fabric=encodable(report.name),
            kind=report.kind,
            traffic=encodable(report.traffic),
            hosts=report.hosts,
            buffers=report.buffers,
            storms=[_storm_json(storm) for storm in report.storms],
            assumptions=[encodable(text) for text in report.assumptions],
        )
    )


def _storm_json(storm: Storm) -> Json:
    out: Json = {"host": encodable(storm.host), "hosts_stopped": storm.stopped, "buffers_blocked": storm.buffers}
    if storm.names:
        out["stopped"] = [encodable(name) for name in storm.names]
    return out
