"""Pictures of a replay: what the buffers held over time, and the frozen state as a loop with its packets."""

from dataclasses import replace

from pauseproof.drawings.chart import Chart, Strip
from pauseproof.drawings.picture import LoopPicture, loop_picture
from pauseproof.findings.loops import hop_of
from pauseproof.findings.replayed import ReplayReport, frozen_hops
from pauseproof.findings.report import Finding, Severity
from pauseproof.replay.run import Run
from pauseproof.replay.settings import US
from pauseproof.replay.trace import trace
from pauseproof.reports.replay import outcome_words, trigger_words
from pauseproof.reports.words import count

MOST_STRIPS = 16


def occupancy(report: ReplayReport, run: Run) -> Chart:
    """What the buffers of the loop, or those that froze, held over time in one run."""
    buffers = (report.replay.loop or tuple(held.buffer for held in run.cycle))[:MOST_STRIPS]
    seen = trace(report.network, report.replay.flows, buffers, run)
    strips = []
    for buffer, held, paused in zip(seen.buffers, seen.held, seen.paused, strict=True):
        hop = hop_of(report.network, buffer)
        name = f"{hop.from_device} → {hop.device}, {_lane_word(report)} {hop.lane}"
        strips.append(Strip(name, held, tuple((start / US, end / US) for start, end in paused)))
    settings, trigger = run.settings, run.trigger
    spans = (
        [(trigger_words(report, trigger), trigger.start / US, trigger.end / US)]
        if trigger.kind != "none" and not run.before
        else []
    )
    levels = (
        (("full", settings.credits),) if settings.control == "credits" else (("XOFF", settings.xoff), ("XON", settings.xon))
    )
    title = f"Packets held, {report.network.fabric.name}: {outcome_words(run)}"
    about = f"{settings.arbitration} arbitration, seed {settings.seed}; a model, not a measurement"
    return Chart(title, about, tuple(time / US for time in seen.times), tuple(strips), levels, tuple(spans))


def frozen_picture(report: ReplayReport, run: Run) -> LoopPicture:
    """The frozen buffers as a loop; each arrow tells how many packets in its buffer can never leave."""
    hops = tuple(
        replace(hop, lane=f"{hop.lane}, {count(held.stuck, 'packet')} stuck")
        for hop, held in zip(frozen_hops(report.network, run), run.cycle, strict=True)
    )
    finding = Finding("", "", Severity.INFO, "", "", loop=hops)
    title = f"{report.network.fabric.name}: {outcome_words(run)}, {run.settings.arbitration} arbitration (a model)"
    return replace(loop_picture(finding, report.network.fabric), title=title)


def _lane_word(report: ReplayReport) -> str:
    return "VL" if report.network.fabric.kind == "infiniband" else "priority"
