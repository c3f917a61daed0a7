"""The rules for one packet at one hop: by what the table entry, the lane map and its label say, where may it go?

A packet has come over a link, sits in the buffer at its far end in a lane, and carries a label: that is its *state*. At a
switch the table entry offers *choice sets* of next states: a pinned or hashed route one singleton per link, an adaptive route
one set with all its links, a multicast entry one singleton per copy.

What was not read is met in two ways. *Known*: the packet is not followed there, and its pair is unknown. *Worst*: the packet
does all it could do there. An unknown row: it leaves by any cabled port in any lane, label unchanged. An unknown lane map:
any lane, label unchanged; an adaptive choice with such a link is treated as hashed (a stuck set of the true choice sets is one
of their members taken singly too, so what is free here is free). An unknown label: any label.

Egress coupling (:class:`Lanes`): the lanes of an out-link that a packet waits for besides its own are its ``waits``. An
adaptive choice with such a link is treated as hashed, as above.

Rewriting: a choice may send packets on in another column than their own, as a tunnel does (:class:`Route`). From there on the
tables see that column; who the packet is for does not change.

Notation: ``h`` a host, ``s`` a switch, ``d`` a column, ``g`` the member that a packet is for, ``l`` a link, ``v`` a lane,
``k`` a label, ``b = (l, v)`` a buffer, ``q = (l, v, k)`` a state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Literal, NamedTuple

from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from pauseproof.routing.traffic import Traffic

Buffer = tuple[int, int]  # (link, lane)
State = tuple[int, int, int]  # (link, lane, label); the label is a LabelIn where the packet goes on in another column


class Outcome(IntEnum):
    """What becomes of the packets of a pair; where several things can, the greatest is the outcome of the pair."""

    ROUTED = 0
    UNKNOWN = 1
    UNROUTABLE = 2  # dropped, lossy, or at a host it is not for
    LOOPING = 3  # it can come to a state a second time, and so be forwarded for ever


class LabelIn(int):
    """The label of a packet that the tables see in another column than its own (it was put into a tunnel), and that column."""

    column: int

    def __new__(cls, label: int, column: int) -> "LabelIn":
        """``label`` with the column that the tables see."""
        made = super().__new__(cls, label)
        made.column = column
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelIn) and (int(self), self.column) == (int(other), other.column)

    def __hash__(self) -> int:
        return hash((int(self), self.column))


class Source(NamedTuple):
    """Who sends: host ``id``, or port 0 of switch ``id``."""

    kind: Literal["host", "switch"]
    id: int


class Step(NamedTuple):
    """What may happen next to one packet: choice sets of next states (none is empty), and how it may end right here.

    ``guessed`` where the lane map was unknown and any lane was assumed. ``waits`` are buffers that it does not go to, and
    waits for all the same (egress coupling), where packets can be in them. ``unread`` where part of it was not read, and the
    packet is not followed there.
    """

    choices: frozenset[frozenset[State]]
    ends: Outcome
    guessed: bool = False
    waits: frozenset[Buffer] = frozenset()
    unread: bool = False

    def going_on_in(self, column: int, own: int) -> "Step":
        """The same step, into ``column`` of the tables; the packet's ``own`` needs no mention."""
        if column == own:
            return self
        return self._replace(choices=frozenset(frozenset((l, v, LabelIn(k, column)) for l, v, k in c) for c in self.choices))


NOT_READ = Step(frozenset(), Outcome.UNKNOWN, unread=True)


@dataclass(frozen=True)
class Packets:
    """What may happen to the packets of column ``d`` for member ``g`` (None where it is not one host that they are for)."""

    network: Network
    traffic: Traffic
    d: int
    g: int | None
    worst: bool

    def leave(self, source: Source) -> Step:
        """The first step, over all labels that the source may use."""
        if source.kind == "switch":
            return self.forward(source.id, None, self.traffic.label)
        labels = self.labels(source.id)
        if not labels:
            return NOT_READ
        host, lanes = self.network.fabric.every_host[source.id], self.network.lanes
        return _any_of([self.cross(host.up, k, partial(lanes.after_host, host.id, k)) for k in labels])

    def labels(self, h: int) -> list[int]:
        """The labels with which ``h`` sends; none where that is unknown."""
        if self.traffic.labels is None or self.network.destinations.kind[self.d] != DestinationKind.HOST:
            return [self.traffic.label]
        every = range(len(self.network.lanes.label_names))
        named = [k for k in every if int(self.traffic.labels[h, self.d]) >> k & 1]
        return named or (list(every) if self.worst else [])

    def arrive(self, q: State) -> Step:
        """What happens at the far end of the link that the packet has come over."""
        l, _, k = q
        fabric = self.network.fabric
        link = fabric.every_link[l]
        if link.dst < fabric.n_switches:
            return self.forward(link.dst, l, k)
        return Step(frozenset(), Outcome.ROUTED if l in self.links_to_member() else Outcome.UNROUTABLE)

    def links_to_member(self) -> set[int]:
        """The link to the member; where other ports of its node are members too (a bond), each takes the packet."""
        if self.g is None:
            return set()
        hosts = self.network.fabric.every_host
        return {hosts[g].down for g in self.network.destinations.members(self.d) if hosts[g].node == hosts[self.g].node}

    def forward(self, s: int, came_by: int | None, k: int) -> Step:
        """What switch ``s`` does with a packet that came by a link, or that it sends itself (None)."""
        fabric, destinations = self.network.fabric, self.network.destinations
        d = k.column if isinstance(k, LabelIn) else self.d
        kind, links, rows, onward, _ = self.network.routes.route(s, d)
        members = list(zip(links, rows or (-1,) * len(links), strict=True))
        if kind == ChoiceKind.UNKNOWN:
            return self.unknown_row(s, int(k)).going_on_in(d if onward < 0 else onward, self.d)
        if kind == ChoiceKind.LOCAL:
            here = destinations.kind[d] == DestinationKind.SWITCH and destinations.owner[d] == s
            return Step(frozenset(), Outcome.ROUTED if here else Outcome.UNROUTABLE)
        if kind == ChoiceKind.DELIVER:
            members = [(l, row) for l, row in members if l in self.links_to_member()]
        if kind == ChoiceKind.MULTICAST and came_by is not None:
            members = [(l, row) for l, row in members if l != int(fabric.reverse[came_by])]
        in_port = 0 if came_by is None else fabric.every_link[came_by].dst_port
        offered = [(l, row) for l, row in members if row < 0 or self.network.lanes.offers(row, k)]
        steps = [self.turn(s, in_port, l, k, row).going_on_in(d if onward < 0 else onward, self.d) for l, row in offered]
        if kind == ChoiceKind.ADAPTIVE and any(step.unread for step in steps):
            return NOT_READ  # a set without the unread members would be stuck too easily
        stays_open = kind == ChoiceKind.ADAPTIVE and not any(step.guessed or step.waits for step in steps)
        return _one_set(steps) if stays_open else _any_of(steps)

    def unknown_row(self, s: int, k: int) -> Step:
        """An entry that was not read; a packet that leaves a tunnel here has left it all the same."""
        if not self.worst:
            return NOT_READ
        out = [self.any_lane(l.id, k) for l in self.network.fabric.every_link if l.src == s]
        return Step(_any_of(out).choices, Outcome.ROUTED)  # even without a cable: that it drops was not read

    def turn(self, s: int, in_port: int, l: int, k: int, row: int) -> Step:
        """From ``in_port`` of switch ``s`` onto its link ``l``, by a lane map of the choice's own where ``row`` names one."""
        lanes, out_port = self.network.lanes, self.network.fabric.every_link[l].src_port
        if row >= 0:
            step = self.cross(l, k, partial(lanes.after_row, row, k))
        else:
            step = self.cross(l, k, partial(lanes.after_turn, s, in_port, out_port, k))
        also = lanes.waits_also(row if row >= 0 else lanes.row_at(s, in_port, out_port), k) if lanes.coupled else ()
        return step._replace(waits=frozenset((l, v) for v in also)) if also and step.choices else step

    def cross(self, l: int, k: int, lane_map: Callable[[], tuple[int, int] | None]) -> Step:
        """Onto link ``l`` with the (label, lane) that a map gives; a singleton for each state that may result."""
        try:
            label_and_lane = lane_map()
        except KeyError:
            return self.any_lane(l, int(k)) if self.worst else NOT_READ
        if label_and_lane is None:
            return Step(frozenset(), Outcome.UNROUTABLE)
        label, lane = label_and_lane
        return Step(frozenset({frozenset({(l, lane, label)})}), Outcome.ROUTED)

    def any_lane(self, l: int, k: int) -> Step:
        """Onto link ``l`` in any lane, label unchanged."""
        lanes = range(len(self.network.lanes.lane_names))
        return Step(frozenset(frozenset({(l, v, k)}) for v in lanes), Outcome.ROUTED, guessed=True)


def _any_of(steps: list[Step]) -> Step:
    """Each may happen; where there is nothing that may, the packet is dropped."""
    if len(steps) == 1:
        return steps[0]
    choices = frozenset(choice for step in steps for choice in step.choices)
    waits = frozenset[Buffer]().union(*(step.waits for step in steps))
    ends = max((step.ends for step in steps), default=Outcome.UNROUTABLE)
    return Step(choices, ends, waits=waits, unread=any(step.unread for step in steps))


def _one_set(steps: list[Step]) -> Step:
    """All next states lie in one choice set; links that lead nowhere are not in it."""
    each = _any_of(steps)
    together = frozenset[State]().union(*each.choices)
    return Step(frozenset({together} if together else ()), each.ends)
