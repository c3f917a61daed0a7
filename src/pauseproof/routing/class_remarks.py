"""What is odd about the classes, in words: a lossless packet falls into a lossy class, a pause misses its queue."""

from collections.abc import Iterator

from pauseproof.fabric.naming import some
from pauseproof.fabric.places import Remark
from pauseproof.routing.class_hops import Label
from pauseproof.routing.class_spread import Spread
from pauseproof.routing.class_turns import Turns

FALLS = "lossless-class-falls-lossy"
MISSES = "pause-misses-queue"


def remarks_of(turns: Turns, spread: Spread) -> tuple[Remark, ...]:
    """One remark for the ports of a switch that are alike."""
    return (*_falls(turns, spread), *_misses(turns, spread))


def _falls(turns: Turns, spread: Spread) -> Iterator[Remark]:
    fabric, alike = turns.fabric, dict[tuple[str, Label, int], list[int]]()
    for link, label in sorted(spread.fallen):
        name = fabric.node_name[fabric.link_dst[link]]
        alike.setdefault((name, label, turns.receiver(link)), []).append(link)
    for (device, label, n), links in sorted(alike.items()):
        side = turns.sides[n]
        ports = [fabric.port_name(int(fabric.link_dst[link]), int(fabric.link_dst_port[link])) for link in links]
        senders = sorted({fabric.node_name[fabric.link_src[link]] for link in links})
        on = ", ".join(map(str, sorted(p for pauses in side.profile.pauses for p in pauses))) or "no priority"
        message = (
            f"DSCP {label} is lossy where it arrives at {device} on {some(ports, 4)} from {some(senders, 4)}: traffic class "
            f"{side.traffic_class(label)}, priority group {side.group(label)}; PFC is on for {on}"
        )
        yield Remark(FALLS, message, f"{device}/{ports[0]}/{label}", turns.classes.places(device, ports[0], "dscp_to_tc_map"))


def _misses(turns: Turns, spread: Spread) -> Iterator[Remark]:
    alike = dict[tuple[int, int, Label, int], list[int]]()
    for s, o, queue, label, group in sorted(spread.missed):
        alike.setdefault((s, queue, label, group), []).append(o)
    for (s, queue, label, group), outs in alike.items():
        name, ports = turns.fabric.node_name[s], [turns.fabric.port_name(s, o) for o in outs]
        message = (
            f"packets of DSCP {label} wait in queue {queue} of {name}'s {some(ports, 4)}, which the pause of priority group "
            f"{group} at the other end does not stop: they are sent on into a full buffer"
        )
        yield Remark(MISSES, message, f"{name}/{ports[0]}/{label}", turns.classes.places(name, ports[0], "pfc_to_queue_map"))
