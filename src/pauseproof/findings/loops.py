"""Loops and stuck sets as findings, in names, each hop with a packet that makes it real."""

from dataclasses import replace

from pauseproof.deadlock.answers import Analysis, Buffer, Waiting
from pauseproof.deadlock.certificate import buffer_name
from pauseproof.deadlock.witness import Hop, Packet
from pauseproof.fabric.naming import host_title, link_title, some
from pauseproof.fabric.places import Place
from pauseproof.findings.report import Because, Finding, LoopHop
from pauseproof.findings.rules import rule
from pauseproof.routing.network import Network


def loop_findings(network: Network, analysis: Analysis) -> list[Finding]:
    """One finding a cyclic component of committed dependencies: its shortest loop."""
    packets = iter(analysis.packets([waiting.hop for loop in analysis.loops for waiting in loop.waits]))
    found = []
    for loop in analysis.loops:
        hops = tuple(_loop_hop(network, waiting.hop, next(packets)) for waiting in loop.waits)
        found.append(_loop_finding(hops, loop.component))
    return found


def worst_loop(network: Network, worst: Analysis) -> str:
    """The devices of one loop, or of one stuck set, that what was not read could close."""
    if worst.loops:
        names = [network.fabric.node_name[network.fabric.link(link).dst] for link, _ in worst.loops[0].buffers]
        return " -> ".join([*names, names[0]])
    ends = (network.fabric.link(waiting.buffer[0]).dst for waiting in worst.stuck_set)
    return ", ".join(dict.fromkeys(network.fabric.node_name[node] for node in ends))


def _loop_finding(hops: tuple[LoopHop, ...], size: int) -> Finding:
    known = rule("cyclic-buffer-dependency")
    names = " -> ".join(hop.device for hop in (*hops, hops[0]))
    count = "one buffer waits for itself" if len(hops) == 1 else f"{len(hops)} buffers wait for each other in a loop"
    within = f" (of {size} in the component)" if size > len(hops) else ""
    identity = " ".join(hop.buffer for hop in hops)
    where = dict.fromkeys(hop.because.place for hop in hops if hop.because and hop.because.place)
    message = f"{count}{within}: {names}"
    return Finding(known.code, known.slug, known.severity, message, identity, tuple(where), hops, known.fix)


def buffer_title(network: Network, buffer: Buffer) -> str:
    """A buffer in names: the link that feeds it, and the lane."""
    lane = "VL" if network.fabric.kind == "infiniband" else "priority"
    return f"{link_title(network.fabric, buffer[0])}, {lane} {network.lanes.lane_names[buffer[1]]}"


def _loop_hop(network: Network, hop: Hop, packet: Packet | None) -> LoopHop:
    told = hop_of(network, (hop.link, hop.lane))
    return replace(told, because=because(network, packet, network.fabric.link(hop.link).dst)) if packet else told


def hop_of(network: Network, buffer: Buffer) -> LoopHop:
    """A buffer in names."""
    fabric, link = network.fabric, network.fabric.link(buffer[0])
    return LoopHop(
        fabric.node_name[link.dst],
        fabric.identity(link.dst),
        fabric.port_name(link.dst, link.dst_port),
        network.lanes.lane_names[buffer[1]],
        fabric.node_name[link.src],
        fabric.identity(link.src),
        fabric.port_name(link.src, link.src_port),
    )


def because(network: Network, packet: Packet, switch: int) -> Because:
    """The packet in words, and the table row by which ``switch`` sends it on."""
    fabric, destinations = network.fabric, network.destinations
    source = host_title(fabric, packet.host) if packet.host >= 0 else fabric.node_name[packet.switch]
    name = str(destinations.names[packet.column])
    owner = int(destinations.owner[packet.column])
    target = host_title(fabric, packet.member) if packet.member >= 0 else fabric.node_name[owner] if owner >= 0 else ""
    word = f"LID {name}" if fabric.kind == "infiniband" else name
    told = fabric.kind == "infiniband" or "/" in name  # a prefix tells which row it is; the name of a switch's column does not
    title = f"{target} ({word})" if target and told else target or name
    place: Place | None = (
        network.routes.place(switch, packet.column if packet.seen_as < 0 else packet.seen_as)
        if switch < fabric.n_switches
        else None
    )
    return Because(source, title, network.lanes.label_names[packet.label], fabric.node_name[switch], place)


def stuck_finding(network: Network, analysis: Analysis, stuck_set: tuple[Waiting, ...]) -> Finding:
    """A stuck set: every buffer of it, a packet, and what that packet waits for."""
    known = rule("stuck-set")
    wanted = [waiting.hop for waiting in stuck_set]
    hops = []
    for hop, packet, waiting in zip(wanted, analysis.packets(wanted), stuck_set, strict=True):
        names = tuple(buffer_name(network, b) for b in waiting.choice)
        hops.append(replace(_loop_hop(network, hop, packet), waits_for=names))
    listed = some([f"{hop.device} port {hop.port}" for hop in hops], 8)
    message = f"{len(hops)} buffers can be full of packets whose every choice lies among them: {listed}"
    where = dict.fromkeys(hop.because.place for hop in hops if hop.because and hop.because.place)
    identity = " ".join(hop.buffer for hop in hops)
    return Finding(known.code, known.slug, known.severity, message, identity, tuple(where), tuple(hops), known.fix)
