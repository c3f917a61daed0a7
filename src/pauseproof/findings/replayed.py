"""Between a verdict and its replay: the witnesses of a verdict as data to replay, and a replay as evidence."""

from collections.abc import Iterable

from pauseproof.deadlock.answers import Analysis, Waiting
from pauseproof.deadlock.witness import Packet
from pauseproof.findings.loops import loop_findings, stuck_finding
from pauseproof.findings.report import Evidence, Finding
from pauseproof.findings.verdict import Judged
from pauseproof.replay.itinerary import Dependency
from pauseproof.replay.trials import Replay
from pauseproof.routing.packets import Source

Witness = tuple[Dependency, ...]


def witnesses(judged: Judged) -> list[tuple[Finding, Witness]]:
    """Each loop as it is found, in the order of the findings; where there are none, the stuck set."""
    analysis, network = judged.analysis, judged.asked.network
    if analysis.loops:
        found = loop_findings(network, analysis)
        return [(finding, _witness(analysis, loop.waits)) for finding, loop in zip(found, analysis.loops, strict=True)]
    if analysis.stuck_set:
        return [(stuck_finding(network, analysis, analysis.stuck_set), _witness(analysis, analysis.stuck_set))]
    return []


def _witness(analysis: Analysis, waits: Iterable[Waiting]) -> Witness:
    waits = tuple(waits)
    packets = analysis.packets([waiting.hop for waiting in waits])
    return tuple(_dependency(waiting, packet) for waiting, packet in zip(waits, packets, strict=True) if packet)


def _dependency(waiting: Waiting, packet: Packet) -> Dependency:
    source = Source("host", packet.host) if packet.host >= 0 else Source("switch", packet.switch)
    member = None if packet.member < 0 else packet.member
    return Dependency(waiting.buffer, frozenset(waiting.choice), source, packet.column, member)


def replay_evidence(replay: Replay) -> tuple[Evidence, ...]:
    """``replayed``: under which arbitration the model stops for good; nothing where it never does, which proves nothing."""
    frozen = [run for run in replay.runs if run.outcome == "frozen"]
    if not frozen:
        return ()
    ways = ", ".join(dict.fromkeys(run.settings.arbitration for run in frozen))
    kinds = ", ".join(dict.fromkeys(_WORDS[run.trigger.kind] for run in frozen))
    many = f"{len(frozen)} of {len(replay.runs)} runs of a packet-level model"
    return (Evidence("replayed", f"{many} stop for good ({ways} arbitration; {kinds})"),)


_WORDS = {"none": "without a trigger", "pause": "after a receiver paused", "incast": "after an incast"}
