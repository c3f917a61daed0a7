"""A replay as a user asks for it: which loop, which traffic, what disturbs it, and the model's settings for this fabric."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pauseproof.fabric.places import BadInput, Place
from pauseproof.findings.identity import number_of
from pauseproof.findings.loop_rate import ttl_of
from pauseproof.findings.replayed import ReplayReport, Witness, witnesses
from pauseproof.findings.report import Finding, Input
from pauseproof.findings.verdict import Judged
from pauseproof.readers.flow_file import FlowLine
from pauseproof.readers.suggest import expected_one_of
from pauseproof.replay.flows import Flow
from pauseproof.replay.placed import host_named, placed
from pauseproof.replay.run import Trigger
from pauseproof.replay.settings import ARBITRATIONS, Arbitration, Settings
from pauseproof.replay.trials import AFTER, LENGTH, MOST_RECEIVERS, START, Trials, packet_time, replay
from pauseproof.replay.triggers import When, pause, receivers, usual
from pauseproof.replay.witness import Loaded, load_witness
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer


@dataclass(frozen=True)
class Wish:
    """What to replay. ``loop`` is a number or an id; ``flows`` stand instead of the packets of the loop where they are given.

    ``paused`` names receivers that pause at once, instead of all that is usually tried; beside it the same is run without a
    trigger. Flows that are given are disturbed by nothing else. Times are picoseconds; None means so many packet times of the
    slowest link (:mod:`pauseproof.replay.trials`).
    """

    loop: str = "1"
    flows: Sequence[FlowLine] | None = None
    paused: Sequence[str] = ()
    start: int | None = None
    length: int | None = None
    until: int | None = None
    arbitrations: tuple[Arbitration, ...] = ARBITRATIONS
    seeds: int = 2


def usual_settings(network: Network) -> Settings:
    """Pauses on Ethernet, with the TTL that was declared or is usual; credits on InfiniBand, where packets have none."""
    if network.fabric.kind == "infiniband":
        return Settings(control="credits", ttl=None)
    return Settings(ttl=ttl_of(network))


def replay_asked(judged: Judged, inputs: Sequence[Input], settings: Settings, wish: Wish) -> ReplayReport:
    """Replay the loop that was asked for. Raises BadInput where there is none and no flows are given, or for unknown names."""
    network, traffic, found = judged.asked.network, judged.asked.traffic, witnesses(judged)
    if not found and wish.flows is None:
        message = f"there is no loop to replay: {judged.verdict.value}; a file of flows replays any traffic"
        raise BadInput.at(Place(network.fabric.name), message)
    number = _picked(found, wish.loop) if found else 0
    finding, witness = found[number - 1] if found else (None, ())
    loaded = load_witness(network, traffic, witness) if wish.flows is None else Loaded(_buffers(witness), (), ())
    flows = loaded.flows if wish.flows is None else placed(network, traffic, wish.flows, settings)
    if not flows:
        raise BadInput.at(Place(network.fabric.name), "no packet of this loop can be replayed; a file of flows can name others")
    trials = _trials(judged, loaded.loop, flows, settings, wish)
    done = replay(network, loaded.loop, flows, settings, trials)
    given = wish.flows is not None
    return ReplayReport(tuple(inputs), network, finding, number, len(found), given, len(loaded.missing), settings, trials, done)


def _buffers(witness: Witness) -> tuple[Buffer, ...]:
    return tuple(wanted.buffer for wanted in witness)


def _picked(found: Sequence[tuple[Finding, Witness]], which: str) -> int:
    try:
        return number_of([finding for finding, _ in found], which)
    except ValueError as error:
        raise BadInput.at(Place("--loop"), str(error)) from error


def _trials(judged: Judged, loop: Sequence[Buffer], flows: Sequence[Flow], settings: Settings, wish: Wish) -> Trials:
    network, traffic = judged.asked.network, judged.asked.traffic
    beat = packet_time(network, flows, settings)
    start = START * beat if wish.start is None else wish.start
    length = LENGTH * beat if wish.length is None else wish.length
    until = start + length + AFTER * beat if wish.until is None else wish.until
    when, hosts = When(start, length), receivers(network, flows)[:MOST_RECEIVERS]
    if wish.paused:
        triggers: tuple[Trigger, ...] = (Trigger(), pause(_hosts(network, wish.paused), when))
    else:
        triggers = usual(network, traffic, loop, hosts, when) if wish.flows is None else (Trigger(),)
    return Trials(triggers, until, wish.arbitrations, tuple(range(settings.seed, settings.seed + wish.seeds)))


def _hosts(network: Network, names: Sequence[str]) -> list[int]:
    found = []
    for name in names:
        host = host_named(network.fabric, name)
        if host is None:
            known = {h.name for h in network.fabric.every_host}
            raise BadInput.at(Place("--trigger"), f"no host is called {name!r}; {expected_one_of(name, known)}")
        found.append(host)
    return found


def settings_with(network: Network, **given: Any) -> Settings:
    """The usual settings with those that are given (not None). Raises BadInput where they contradict each other."""
    try:
        return replace(usual_settings(network), **{name: value for name, value in given.items() if value is not None})
    except ValueError as error:
        raise BadInput.at(Place("--xoff/--xon"), str(error)) from error
