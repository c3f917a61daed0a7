"""What a verdict leaves in the hands of somebody who does not trust it: ranks, or stuck sets with their packets.

A certificate is plain data (docs/certificates.md). Buffers are ``device/port/lane`` by the names that are the same from every
input format, hosts ``device/port``. For DEADLOCK_FREE it holds the rank of every reachable buffer; for DEADLOCK_POSSIBLE, for
each cyclic component or stuck set, every buffer with a packet that can be there and the choice set that it waits for.
:mod:`pauseproof.deadlock.check` checks one without this module, and without the engine.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pauseproof.deadlock.answers import Analysis, Buffer, Waiting
from pauseproof.deadlock.witness import Packet
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.naming import link_identity, port_identity
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network

FORMAT = "pauseproof certificate"
VERSION = 1

Certificate = dict[str, Any]


def free_certificate(asked: Asked, coverage: Mapping[str, int | str], analysis: Analysis, sizes: Iterable[int]) -> Certificate:
    """The ranks of ``analysis``, which has no stuck set; it assumed the worst of what was not read."""
    ranks: dict[str, int] = {}
    for buffer, rank in analysis.ranks():
        ranks[buffer_name(asked.network, buffer)] = rank
    return {**_head(asked, "DEADLOCK_FREE", coverage, sizes), "ranks": dict(sorted(ranks.items()))}


def conditional_certificate(
    asked: Asked,
    coverage: Mapping[str, int | str],
    ranks: Iterable[tuple[Buffer, int]],
    sizes: Iterable[int],
    unroutable: Sequence[Certificate],
    assumptions: Sequence[str],
) -> Certificate:
    """Freedom without some dependencies: those that no packet carries under the hash settings, each with the reasons."""
    named = {buffer_name(asked.network, buffer): rank for buffer, rank in ranks}
    head = _head(asked, "DEADLOCK_FREE", coverage, sizes)
    head["assumptions"] += assumptions
    return {**head, "ranks": dict(sorted(named.items())), "unroutable": list(unroutable)}


def stuck_certificate(asked: Asked, coverage: Mapping[str, int | str], analysis: Analysis) -> Certificate:
    """The loops of ``analysis``, or its stuck set where adaptive choices leave no loop of singletons."""
    sets = [loop.waits for loop in analysis.loops] or [analysis.stuck_set]
    packets = iter(analysis.packets([waiting.hop for waits in sets for waiting in waits]))
    witnesses = [[_entry(asked.network, waiting, next(packets)) for waiting in waits] for waits in sets]
    return {**_head(asked, "DEADLOCK_POSSIBLE", coverage, analysis.component_sizes), "witnesses": witnesses}


def _head(asked: Asked, verdict: str, coverage: Mapping[str, int | str], sizes: Iterable[int]) -> Certificate:
    from pauseproof import __version__

    network, question = asked.network, asked.question
    inputs = sorted({(one.path, one.sha256) for one in network.inputs if one.format})
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"pauseproof {__version__}",
        "inputs": [{"path": path, "sha256": digest} for path, digest in inputs],
        "fabric": {"name": network.fabric.name, "kind": network.fabric.kind},
        "question": {
            "traffic": question.traffic,
            "only": list(question.only),
            "exclude": list(question.exclude),
            "all_on": question.all_on,
            "adaptive": question.adaptive,
            "endpoint_coupled": list(question.endpoint_coupled),
        },
        "verdict": verdict,
        "assumptions": list(asked.assumptions),
        "coverage": dict(coverage),
        "cyclic_components": list(sizes),
    }


def _entry(network: Network, waiting: Waiting, packet: Packet | None) -> dict[str, Any]:
    if packet is None:
        raise AssertionError(f"no packet was found for buffer {waiting.buffer}")
    host, switch = packet.host, packet.switch
    return {
        "buffer": buffer_name(network, waiting.buffer),
        "waits_for": [buffer_name(network, b) for b in waiting.choice],
        "packet": {
            "source": host_name(network.fabric, host) if host >= 0 else network.fabric.identity(switch),
            "destination": str(network.destinations.names[packet.column]),
            "member": host_name(network.fabric, packet.member) if packet.member >= 0 else "",
            "label": network.lanes.label_names[packet.label],
        },
    }


def buffer_name(network: Network, buffer: Buffer) -> str:
    """``device/port/lane`` of a (link, lane)."""
    return f"{link_identity(network.fabric, buffer[0])}/{network.lanes.lane_names[buffer[1]]}"


def host_name(fabric: Fabric, host: int) -> str:
    """``device/port`` of a host."""
    view = fabric.host(host)
    return port_identity(fabric, view.node, view.port)
