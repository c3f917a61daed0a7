"""Where a lossless packet falls into a lossy class, and where a pause does not stop the queue that it is meant for.

Found by following labels from the hosts over every link, as if every switch could send to every port: what routing does is not
asked, but for one thing: packets in tunnels are not handed to hosts.

Notation: ``s`` a switch, ``n`` the number of a side, ``k`` a label, ``o`` an out-port.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pauseproof.fabric.places import Remark
from pauseproof.routing.class_hops import Label
from pauseproof.routing.class_rows import Rows, Way
from pauseproof.routing.class_turns import NOT_KNOWN, Turns

FALLS = "lossless-class-falls-lossy"
MISSES = "pause-misses-queue"


class _Arrival(NamedTuple):
    """A label that may arrive at switch ``s`` over a link."""

    link: int
    label: Label


def remarks_of(turns: Turns, rows: Rows, sends: Mapping[str, tuple[int, ...]]) -> tuple[Remark, ...]:
    """The remarks, by switch."""
    labels = [rows.labels[k] for name in sends for k in sends[name]]
    data = {rows.labels[k] for k in sends.get("data", ())}
    walk = _Walk(turns)
    walk.start(labels, data)
    walk.follow()
    return (*_falls(turns, walk.fallen), *_misses(turns, walk.missed))


class _Walk:
    """``fallen``: lossy arrivals of packets that were lossless before. ``missed``: (switch, out-port, queue, label, group)."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.fabric = turns, turns.fabric
        self.reached: list[set[tuple[int, Label]]] = [set() for _ in turns.ports]
        self.todo: set[int] = set()
        self.fallen: set[_Arrival] = set()
        self.missed: set[tuple[int, int, int, str, int]] = set()

    def start(self, labels: Iterable[Label], data: set[Label]) -> None:
        """What hosts send. That data is lossy from its first hop on is worth saying, of other traffic it is not."""
        for link in self.fabric.host_up.tolist():
            n = self.turns.receiver(link)
            for label in labels if n != NOT_KNOWN else ():
                if self.turns.sides[n].profile.lossless(self.turns.sides[n].group(label)):
                    self._reach(link, label)
                elif label in data:
                    self.fallen.add(_Arrival(link, label))

    def _reach(self, link: int, label: Label) -> None:
        s = int(self.fabric.link_dst[link])
        if s < self.fabric.n_switches and (state := (self.turns.receiver(link), label)) not in self.reached[s]:
            self.reached[s].add(state)
            self.todo.add(s)

    def follow(self) -> None:
        """Until nothing new is reached."""
        while self.todo:
            s = self.todo.pop()
            for o in self.turns.known_outs(s):
                self._leave(s, o)

    def _leave(self, s: int, o: int) -> None:
        out, link = self.turns.out_at(s, o), int(self.fabric.out_link[s, o])
        to_host = int(self.fabric.link_dst[link]) >= self.fabric.n_switches
        for way, label in self._coming(s, o):
            landing = way.land(out, label)
            if landing.label.inner >= 0 and to_host:
                continue
            if landing.group < 0:
                self.fallen.add(_Arrival(link, landing.label))
                continue
            self._reach(link, landing.label)
            if landing.group not in out.receiver.profile.groups_that_stop(landing.queue, out.profile):
                self.missed.add((s, o, landing.queue, str(landing.label), landing.group))

    def _coming(self, s: int, o: int) -> Iterator[tuple[Way, Label]]:
        reached = self.reached[s]
        for numbered in self.turns.ways(s, o):
            yield from ((self.turns.way(numbered), label) for n, label in sorted(reached) if n == numbered[0])
        for way in self.turns.packing_ways(s):
            yield from ((way, k) for n, k in sorted(reached) if self.turns.sides[n] == way.side and k.inner < 0)


def _falls(turns: Turns, fallen: set[_Arrival]) -> Iterator[Remark]:
    """One remark for the ports of a switch that class a label alike."""
    fabric, alike = turns.fabric, dict[tuple[str, Label, int], list[int]]()
    for link, label in sorted(fallen):
        device = int(fabric.link_dst[link])
        alike.setdefault((fabric.node_name[device], label, turns.receiver(link)), []).append(link)
    for (device, label, n), links in sorted(alike.items()):
        side = turns.sides[n]
        ports = [fabric.port_name(int(fabric.link_dst[link]), int(fabric.link_dst_port[link])) for link in links]
        senders = sorted({fabric.node_name[fabric.link_src[link]] for link in links})
        on = ", ".join(map(str, sorted(p for pauses in side.profile.pauses for p in pauses))) or "no priority"
        message = (
            f"DSCP {label} is lossy where it arrives at {device} on {_few(ports)} from {_few(senders)}: traffic class "
            f"{side.traffic_class(label)}, priority group {side.group(label)}; PFC is on for {on}"
        )
        yield Remark(FALLS, message, f"{device}/{ports[0]}/{label}", turns.classes.places(device, ports[0], "dscp_to_tc_map"))


def _misses(turns: Turns, missed: set[tuple[int, int, int, str, int]]) -> Iterator[Remark]:
    alike = dict[tuple[int, int, str, int], list[int]]()
    for s, o, queue, label, group in sorted(missed):
        alike.setdefault((s, queue, label, group), []).append(o)
    for (s, queue, label, group), outs in alike.items():
        name, ports = turns.fabric.node_name[s], [turns.fabric.port_name(s, o) for o in outs]
        message = (
            f"packets of DSCP {label} wait in queue {queue} of {name}'s {_few(ports)}, which the pause of priority group "
            f"{group} at the other end does not stop: they are sent on into a full buffer"
        )
        yield Remark(MISSES, message, f"{name}/{ports[0]}/{label}", turns.classes.places(name, ports[0], "pfc_to_queue_map"))


def _few(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
