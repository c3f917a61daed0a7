"""Fabrics of the catalogue with flows written as text: ``"a d 0.5 random; c b"``."""

from pathlib import Path

from pauseproof.fabric.places import Place
from pauseproof.readers.flow_file import FlowLine
from pauseproof.readers.native_lines import Word
from pauseproof.replay.flows import Flow
from pauseproof.replay.placed import host_named, placed
from pauseproof.replay.run import Run, Trigger, replayed
from pauseproof.replay.settings import US, Settings
from pauseproof.replay.triggers import When, pause
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer
from replay.random_fabrics import witness_of

TOPOLOGIES = Path(__file__).parents[2] / "topologies"
HERE = Place("test")


def network_of(name: str) -> Network:
    return load_native(TOPOLOGIES / f"{name}.yaml")


def loop_of(network: Network) -> tuple[Buffer, ...]:
    return tuple(wanted.buffer for wanted in witness_of(network, network.traffics["hosts"])[2])


def flow_lines(text: str, start: int = 0, stop: int | None = None) -> tuple[FlowLine, ...]:
    """Each ``src dst [rate [random]]``."""
    out = []
    for part in text.split(";"):
        src, dst, *more = part.split()
        share = float(more[0]) if more else 1.0
        random = "random" in more
        out.append(FlowLine(HERE, Word(src, HERE), Word(dst, HERE), share, None, start, stop, "random" if random else "paced"))
    return tuple(out)


def flows_of(network: Network, text: str, start: int = 0, stop: int | None = None) -> tuple[Flow, ...]:
    return placed(network, network.traffics["hosts"], flow_lines(text, start, stop), Settings())


def host_id(network: Network, name: str) -> int:
    host = host_named(network.fabric, name)
    assert host is not None
    return host


def run(
    name: str,
    text: str,
    settings: Settings,
    *,
    paused: str = "",
    burst: str = "",
    until: int = 1000,
    at: tuple[int, int] = (20, 100),
) -> Run:
    """One run of a fabric of the catalogue; ``until`` and ``at`` (from, for) in microseconds."""
    network = network_of(name)
    flows = flows_of(network, text)
    when = When(at[0] * US, at[1] * US)
    trigger = pause([host_id(network, paused)], when) if paused else Trigger()
    if burst:
        sent = flows_of(network, burst, when.start, when.start + when.length)
        trigger = Trigger("incast", (), *when, sent)
    return replayed(network, flows, loop_of(network), settings, trigger, until * US)
