"""Between a verdict and its replay: the witnesses of a verdict as data to replay, and a replay as evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pauseproof.deadlock.answers import Analysis, Waiting
from pauseproof.deadlock.witness import Packet
from pauseproof.findings.loops import hop_of, loop_findings, stuck_finding
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Evidence, Finding, Input, LoopHop
from pauseproof.findings.verdict import Judged
from pauseproof.replay.itinerary import Dependency
from pauseproof.replay.run import Run
from pauseproof.replay.settings import Settings
from pauseproof.replay.trials import Replay, Trials
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Source

Witness = tuple[Dependency, ...]


@dataclass(frozen=True)
class ReplayReport:
    """A replay with what is needed to tell of it in names.

    ``finding`` is the loop or stuck set, None where only flows were given; it is ``number`` of ``of``. ``given``: the flows are
    the user's own. ``missing`` counts dependencies that no flow loads.
    """

    inputs: tuple[Input, ...]
    network: Network
    finding: Finding | None
    number: int
    of: int
    given: bool
    missing: int
    settings: Settings
    trials: Trials
    replay: Replay


def frozen_hops(network: Network, run: Run) -> tuple[LoopHop, ...]:
    """The frozen buffers that wait for themselves alone, each with those that it waits for."""

    def names(buffers: Sequence[Buffer]) -> tuple[str, ...]:
        return tuple(hop_of(network, buffer).buffer for buffer in buffers)

    return tuple(replace(hop_of(network, held.buffer), waits_for=names(held.waits_for)) for held in run.cycle)


def witnesses(judged: Judged) -> list[tuple[Finding, Witness]]:
    """Each loop as it is found, in the order in which reports number them; where there are none, the stuck set."""
    analysis, network = judged.analysis, judged.asked.network
    if analysis.loops:
        found = zip(loop_findings(network, analysis), analysis.loops, strict=True)
        pairs = [(finding, _witness(analysis, loop.waits)) for finding, loop in found]
        return sorted(pairs, key=lambda pair: by_severity(pair[0]))
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
    kinds = ", ".join(dict.fromkeys(_WORDS["none" if run.before else run.trigger.kind] for run in frozen))
    many = f"{len(frozen)} of {len(replay.runs)} runs of a packet-level model"
    return (Evidence("replayed", f"{many} stop for good ({ways} arbitration; {kinds})"),)


_WORDS = {"none": "without a trigger", "pause": "after a receiver paused", "incast": "after an incast"}
