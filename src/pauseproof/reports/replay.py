"""A replay for people and for programs (docs/schema/replay.schema.json): what was tried, and what came of it."""

from collections.abc import Iterator

from pauseproof.findings.identity import short_id
from pauseproof.findings.loops import hop_of
from pauseproof.findings.replayed import ReplayReport, frozen_hops
from pauseproof.replay.flows import SATURATING, Flow
from pauseproof.replay.run import Outcome, Run, Trigger
from pauseproof.replay.settings import US
from pauseproof.reports.documents import Json, document, inputs_json, rendered
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line, title
from pauseproof.reports.words import count, encodable, printable

MODEL = "a model of the mechanism, not a measurement of this hardware"
FREEZES = "A run that freezes shows a way in which these packets stop for good; whether yours do depends on the real switches."
PROVES_NOTHING = (
    "No run that goes on proves that the loop is harmless: other traffic, buffers, arbitration or timing may freeze it."
)
MOST_FLOWS, MOST_HOPS = 12, 32
_MEANING: dict[Outcome, Meaning] = {"frozen": "bad", "recovers": "unsure", "runs": ""}
_KIND = {"none": "no trigger", "pause": "receivers pause", "incast": "incast"}


def replay_lines(report: ReplayReport) -> Iterator[Line]:
    """The replay, line by line."""
    yield from _head(report)
    yield from _flows(report)
    yield from _tried(report)
    if report.replay.outcome == "frozen":
        yield from _frozen(report, report.replay.shown)
    yield from _model(report)


def _head(report: ReplayReport) -> Iterator[Line]:
    replay, name = report.replay, printable(report.network.fabric.name)
    froze = sum(run.outcome == "frozen" for run in replay.runs)
    before = sum(run.before for run in replay.runs)
    many = f"{froze:,} of {count(len(replay.runs), 'run')} froze{f', {before:,} of them before the trigger' if before else ''}"
    about = f"  {name}, {report.network.fabric.kind}: {many}; {MODEL}"
    yield line(Span(replay.outcome, _MEANING[replay.outcome] or "title"), about)
    if report.finding is not None:
        many = f"{report.number} of {report.of}" if report.of > 1 else "the only one"
        what = "loop" if report.finding.slug != "stuck-set" else "stuck set"
        yield line(f"  {what} {short_id(report.finding)} ({many}): {printable(report.finding.message)}")
    if report.missing:
        yield line("  ", Span(f"{count(report.missing, 'dependency', 'dependencies')} of it is loaded by no flow", "unsure"))


def _flows(report: ReplayReport) -> Iterator[Line]:
    yield BLANK
    yield title("What is sent" + ("" if report.given else ": a packet stream for each dependency of it"))
    flows = report.replay.flows
    yield from (line("  ", _flow_words(report, flow)) for flow in flows[:MOST_FLOWS])
    if len(flows) > MOST_FLOWS:
        yield line(Span(f"  and {count(len(flows) - MOST_FLOWS, 'more flow')}; --format json has all of them", "quiet"))


def _flow_words(report: ReplayReport, flow: Flow) -> str:
    source, target = _ends(report, flow)
    rate = "as fast as it can" if flow.rate >= SATURATING else f"at {flow.rate:.4g} of line rate, {flow.arrivals}"
    start = f" from {flow.start / US:g} µs" if flow.start else ""
    stop = f" until {flow.stop / US:g} µs" if flow.stop is not None else ""
    return f"{printable(source)} -> {printable(target)}, {rate}{start}{stop}"


def _ends(report: ReplayReport, flow: Flow) -> tuple[str, str]:
    way, fabric = flow.itinerary, report.network.fabric
    source = fabric.host(way.source.id).name if way.source.kind == "host" else fabric.node_name[way.source.id]
    target = fabric.host(way.member).name if way.member is not None else str(report.network.destinations.names[way.column])
    return source, target


def _tried(report: ReplayReport) -> Iterator[Line]:
    yield BLANK
    yield title("What was tried")
    shown = [column for column in _COLUMNS if column != EARLY or any(run.before for run in report.replay.runs)]
    yield line(f"  {'arbitration':<12} {'trigger':<24}" + "".join(f"{column:>{_width(column)}}" for column in shown))
    for arbitration in report.trials.arbitrations:
        for words in dict.fromkeys(_kind_words(trigger) for trigger in report.trials.triggers):
            runs = [r for r in report.replay.runs if (r.settings.arbitration, _kind_words(r.trigger)) == (arbitration, words)]
            cells = [(column, sum(_column(run) == column for run in runs)) for column in shown]
            spans = [Span(f"{n or '-':>{_width(column)}}", _COLUMNS[column] if n else "quiet") for column, n in cells]
            yield line(f"  {arbitration:<12} {words:<24}", *spans)
    seeds = ", ".join(map(str, report.trials.seeds))
    yield line(Span(f"  each with seed {seeds}, up to {report.trials.until / US:.4g} µs", "quiet"))
    if early := [run for run in report.replay.runs if run.before]:
        start = early[0].trigger.start / US
        when = sorted(run.frozen_at or 0 for run in early)
        about = span_words(when[0] / US, when[-1] / US)
        yield line(f"  froze before the trigger, at {about}: it begins at {start:,.6g} µs and has no part in it")


def span_words(least: float, most: float) -> str:
    """From when to when, in microseconds.

    >>> span_words(1.0, 2.5), span_words(3.0, 3.0)
    ('1 to 2.5 µs', '3 µs')
    """
    words = [f"{time:,.4g}" for time in (least, most)]
    return f"{' to '.join(dict.fromkeys(words))} µs"


EARLY = "before trigger"
_COLUMNS: dict[str, Meaning] = {"frozen": "bad", EARLY: "bad", "recovers": "unsure", "runs": ""}


def _column(run: Run) -> str:
    """Where the table counts a run."""
    return EARLY if run.before else run.outcome


def _width(column: str) -> int:
    return max(10, len(column) + 2)


def _kind_words(trigger: Trigger) -> str:
    length = "" if trigger.kind == "none" else f" for {trigger.length / US:.4g} µs"
    return _KIND[trigger.kind] + length


def trigger_words(report: ReplayReport, trigger: Trigger) -> str:
    """What disturbs a run, with names."""
    if trigger.kind == "none":
        return "no trigger"
    hosts = [report.network.fabric.host(h).name for h in trigger.hosts]
    named = printable(hosts[0]) if len(hosts) == 1 else count(len(hosts), "receiver")
    return f"incast to {named}" if trigger.kind == "incast" else f"{named} paused"


def outcome_words(run: Run) -> str:
    """The outcome, and when it froze."""
    if run.frozen_at is None:
        return run.outcome
    at = f"{run.frozen_at / US:.4g} µs"
    return f"froze before the trigger, at {at}" if run.before else f"frozen after {at}"


def _frozen(report: ReplayReport, run: Run) -> Iterator[Line]:
    yield BLANK
    trigger = Trigger() if run.before else run.trigger
    about = f"{run.settings.arbitration} arbitration, {trigger_words(report, trigger)}, seed {run.settings.seed}"
    yield line(Span("The frozen state", "title"), f"  {about}: {outcome_words(run)}")
    lane = "VL" if report.network.fabric.kind == "infiniband" else "priority"
    hops = frozen_hops(report.network, run)
    title = {hop.buffer: f"{hop.title}, {lane} {hop.lane}" for hop in hops}
    for hop, held in list(zip(hops, run.cycle, strict=True))[:MOST_HOPS]:
        yield line(
            "  ", Span(printable(title[hop.buffer]), "bad"), f": paused; {count(held.stuck, 'packet')} in it can never leave"
        )
        yield line("      ", Span(f"waits for {' or '.join(printable(title[name]) for name in hop.waits_for)}", "quiet"))
    if len(run.cycle) > MOST_HOPS:
        yield line(Span(f"  and {count(len(run.cycle) - MOST_HOPS, 'more buffer')}", "quiet"))
    behind = run.frozen - len(run.cycle)
    if behind:
        yield line(f"  {count(behind, 'more buffer')} behind them can never move either")


def _model(report: ReplayReport) -> Iterator[Line]:
    yield BLANK
    yield title("The model")
    yield from (line("  - ", words) for words in _assumed(report))
    yield line(f"  {FREEZES}")
    yield line(f"  {PROVES_NOTHING}")


def _assumed(report: ReplayReport) -> Iterator[str]:
    settings = report.settings
    yield f"packets of {settings.packet:,} bytes, each buffered whole and in one buffer at a time; hosts consume at once"
    if settings.control == "credits":
        yield f"credits for {count(settings.credits, 'packet')} in each buffer, back after the delay of the cable"
    else:
        xoff, xon = count(settings.xoff, "packet"), settings.xon
        yield f"a buffer asks for a pause at {xoff} and ends it at {xon}, with headroom for the delay"
    yield f"where they are not known, links are {settings.speed:g} Gb/s and cables {settings.length:g} m"
    yield "packets go round for ever" if settings.ttl is None else f"packets are dropped after {settings.ttl} hops"
    if settings.watchdog is not None:
        yield f"a watchdog drops what has been paused for {settings.watchdog / US:g} µs; nothing then counts as frozen"
    if settings.hoq is not None:
        yield f"a packet at the head of its queue for {settings.hoq / US:g} µs is dropped; nothing then counts as frozen"


def render_replay(report: ReplayReport) -> str:
    """The replay as JSON text."""
    return rendered(as_json(report))


def as_json(report: ReplayReport) -> Json:
    """The replay as plain dicts and lists, in a fixed order."""
    settings, replay = report.settings, report.replay
    return document(
        inputs=inputs_json(report.inputs),
        fabric=encodable(report.network.fabric.name),
        kind=report.network.fabric.kind,
        note=f"{MODEL}. {FREEZES} {PROVES_NOTHING}",
        outcome=replay.outcome,
        loop=_loop_json(report),
        model={
            "control": settings.control,
            "packet_bytes": settings.packet,
            "xoff_packets": settings.xoff,
            "xon_packets": settings.xon,
            "credit_packets": settings.credits,
            "default_speed_gbps": settings.speed,
            "default_length_m": settings.length,
            "ttl": settings.ttl,
            "watchdog_us": _us(settings.watchdog),
            "hoq_us": _us(settings.hoq),
            "until_us": _us(report.trials.until),
        },
        flows=[_flow_json(report, flow) for flow in replay.flows],
        runs=[_run_json(report, run) for run in replay.runs],
    )


def _loop_json(report: ReplayReport) -> Json | None:
    if report.finding is None:
        return None
    return {
        "id": short_id(report.finding),
        "identity": encodable(report.finding.identity),
        "number": report.number,
        "of": report.of,
        "buffers": [encodable(hop_of(report.network, buffer).buffer) for buffer in report.replay.loop],
        "not_loaded": report.missing,
    }


def _flow_json(report: ReplayReport, flow: Flow) -> Json:
    source, target = _ends(report, flow)
    return {
        "src": encodable(source),
        "dst": encodable(target),
        "rate": round(flow.rate, 6),
        "arrivals": flow.arrivals,
        "start_us": _us(flow.start),
        "stop_us": _us(flow.stop),
    }


def _run_json(report: ReplayReport, run: Run) -> Json:
    trigger = run.trigger
    return {
        "outcome": run.outcome,
        "arbitration": run.settings.arbitration,
        "seed": run.settings.seed,
        "trigger": {
            "kind": trigger.kind,
            "hosts": [encodable(report.network.fabric.host(h).name) for h in trigger.hosts],
            "start_us": _us(trigger.start),
            "for_us": _us(trigger.length),
            "senders": len(trigger.burst),
        },
        "ended_us": _us(run.ended),
        "frozen_at_us": _us(run.frozen_at),
        "froze_before_trigger": run.before,
        "times_all_paused": run.closed,
        "most_paused": run.most,
        "sent": run.sent,
        "delivered": run.delivered,
        "lost": run.lost,
        "frozen_buffers": run.frozen,
        "cycle": [
            {"buffer": encodable(hop.buffer), "stuck": held.stuck, "waits_for": list(map(encodable, hop.waits_for))}
            for hop, held in zip(frozen_hops(report.network, run), run.cycle, strict=True)
        ],
    }


def _us(time: int | None) -> float | None:
    return None if time is None else round(time / US, 6)
