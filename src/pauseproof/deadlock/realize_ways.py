"""Every way by which a packet can come to carry a dependency, backwards from it to the senders.

A packet *carries* the dependency of (l, v) on (m, w) where it sits in (l, v) and its choice there is m, in lane w or in a queue
that the pause of w stops. The search starts at that choice and goes back link by link, with all columns at once: a column
stays while the entries on the way offer the link that was taken. What is left of a way for the question who may carry it are
its *turns*: the choices between several links that it needs. They are written from the dependency back, so that two ways
that part further up begin alike, and what refutes the beginning refutes both.

A way never comes twice to one (link, class) in one column, nor by other links to one with the same turns: a packet that goes
round does so for ever if the header decides, and where it does not, the way without the round needs no more turns.

Notation as in ``realize_tables``; ``D`` are columns, as the tables see them at the hop in question.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pauseproof.deadlock.answers import Buffer
from pauseproof.deadlock.realize_tables import NO_COLUMN, Entry, How, Tables
from pauseproof.dependency.plan import I64
from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.routing.tables import ChoiceKind

Dependency = tuple[Buffer, Buffer]
ANY_NODE = -1
_MOST_REWRITES = 4  # tunnels in tunnels; a way with more makes the search incomplete


class Turn(NamedTuple):
    """At ``switch`` the packet that came by ``in_link`` (-1: whichever) must leave by ``link`` of ``group``.

    ``number`` is that of the group, among those of the switch over the same links.
    """

    switch: int
    in_link: int
    group: tuple[int, ...]
    link: int
    how: How
    number: int = 0


@dataclass(frozen=True)
class Way:
    """The turns that packets of ``hosts`` (or of ``switch``) need to carry the dependency, in the order from it back.

    ``columns`` are those that the tables see when the packet is sent; it is for a member on ``node`` where that is given.
    ``label`` is the label that it is sent with, ``lead`` the links that it takes before the dependency's second.
    """

    turns: tuple[Turn, ...]
    hosts: tuple[int, ...]
    switch: int
    columns: I64
    node: int
    label: int
    lead: tuple[int, ...]


class _Here(NamedTuple):
    """A packet in the buffer at the end of ``link``, in class ``c``."""

    link: int
    c: int
    columns: I64
    turns: tuple[Turn, ...]
    node: int
    rewrites: int
    path: tuple[tuple[int, int, int], ...]

    def again(self, fixed: int) -> tuple[object, ...]:
        """What decides how it goes on, where the first ``fixed`` links are given."""
        at = self.link, self.c, self.node, self.rewrites, min(len(self.path), fixed + 1)
        return (*at, frozenset(self.turns), self.columns.tobytes())


class Search:
    """The ways to one dependency, one at a time.

    ``refuted`` says of turns, from the dependency back, that no packet can take them: no way that begins so is followed.
    ``by_port`` says of a switch whether its hashes look at the ingress port; where they do not, turns are the same for all.
    ``through`` are buffers before the dependency's first that the packet must have come by, the last one first. ``complete``
    tells, when the ways are through, whether they are all.
    """

    def __init__(
        self, tables: Tables, refuted: Callable[[tuple[Turn, ...]], bool], by_port: Callable[[int], bool], most: int
    ) -> None:
        self.tables, self.refuted, self.by_port, self.left = tables, refuted, by_port, most
        self.complete = True
        self.fabric = tables.network.fabric

    def ways(self, dependency: Dependency, through: tuple[Buffer, ...] = ()) -> Iterator[Way]:
        """Every way, in the order of a search in depth."""
        stack: list[Iterator[_Here]] = [iter([here for here in self._last_hop(*dependency) if not self.refuted(here.turns)])]
        met = set[tuple[object, ...]]()
        while stack:
            here = next(stack[-1], None)
            if here is None:
                stack.pop()
                continue
            key = here.again(len(through))
            if key in met:  # a way through here with the same turns was looked for already
                continue
            met.add(key)
            if self.left <= 0:
                self.complete = False
                return
            self.left -= 1
            sent = self.fabric.link_src[here.link] >= self.fabric.n_switches
            if len(here.path) > len(through):
                yield from self._from_host(here) if sent else self._from_switch(here)
            if not sent:
                stack.append(self._back(here, through))

    def _last_hop(self, waiting: Buffer, after: Buffer) -> Iterator[_Here]:
        """The packets that sit in ``waiting`` and wait for ``after``."""
        (l, v), t = waiting, self.tables
        s = int(self.fabric.link_dst[l])
        classes = np.flatnonzero(t.classes.lane == v).tolist()
        if s >= self.fabric.n_switches:  # receiving waits for sending
            for c in classes:
                yield from self._start(l, c, t.walked, (), ANY_NODE, 0)
            return
        for entry in t.entries(s):
            for link, own in zip(entry.links, entry.rows, strict=True):
                if link == after[0] and not self._never(entry, l, link):
                    row = t.row(s, int(self.fabric.link_dst_port[l]), link, own)
                    for c in classes:
                        if self._waits(row, c, after[1]):
                            turn, node = self._turn(s, l, entry, link, last=True)
                            turn = tuple(map(_not_seen, turn)) if entry.onward >= 0 else turn
                            yield from self._start(l, c, entry.columns, turn, node, int(entry.onward >= 0))

    def _start(self, l: int, c: int, columns: I64, turn: tuple[Turn, ...], node: int, rewrites: int) -> Iterator[_Here]:
        columns = self.tables.reached(l, c, columns)
        if len(columns):
            yield _Here(l, c, columns, turn, node, rewrites, ((l, c, 0),))

    def _waits(self, row: int, c: int, lane: int) -> bool:
        """Whether a packet of class ``c`` that takes ``row`` waits for ``lane`` on its next link."""
        t = self.tables
        after = int(t.classes.step[row, c]) if row >= 0 else -1
        if after < 0:
            return False
        return int(t.classes.lane[after]) == lane or lane in t.network.lanes.waits_also(row, int(t.classes.label[c]))

    def _turn(self, s: int, in_link: int, entry: Entry, link: int, *, last: bool = False) -> tuple[tuple[Turn, ...], int]:
        """What the choice of ``link`` asks of the packet: a turn or none, and the node that it must be for."""
        group, how, node = entry.links, entry.how, ANY_NODE
        if entry.kind == ChoiceKind.MULTICAST:
            return (), node
        if entry.kind == ChoiceKind.DELIVER:
            ends = self.fabric.link_dst
            node = int(ends[link])
            group = tuple(l for l in group if int(ends[l]) == node)
        if len(group) == 1:
            return (), node
        if how == How.OPEN and not (last and entry.kind == ChoiceKind.ADAPTIVE):
            return (), node
        if len(set(group)) < len(group):
            how = How.UNKNOWN  # which of the lanes of one link
        group = tuple(sorted(set(group)))
        if last and entry.kind == ChoiceKind.ADAPTIVE:
            how = How.UNKNOWN  # a packet with a choice waits for none of its members alone
        return (Turn(s, in_link if self.by_port(s) else -1, group, link, how, entry.number),), node

    def _never(self, entry: Entry, in_link: int, link: int) -> bool:
        """A copy never leaves by the cable that it came by, nor does a packet for its own sender; and what a switch picks by
        load from members some of which were not read is not followed."""
        if entry.kind in (ChoiceKind.MULTICAST, ChoiceKind.DELIVER):
            return link == int(self.fabric.reverse[in_link])
        s, port = int(self.fabric.link_dst[in_link]), int(self.fabric.link_dst_port[in_link])
        rows = (self.tables.row(s, port, l, own) for l, own in zip(entry.links, entry.rows, strict=True))
        return entry.kind == ChoiceKind.ADAPTIVE and UNKNOWN_ROW in rows

    def _back(self, here: _Here, through: tuple[Buffer, ...]) -> Iterator[_Here]:
        """The packets one link earlier."""
        t, s = self.tables, int(self.fabric.link_src[here.link])
        ptr, arriving = t.arriving
        came, lane = arriving[ptr[s] : ptr[s + 1]].tolist(), None
        if len(here.path) <= len(through):
            link, lane = through[len(here.path) - 1]
            came = [link] if link in came else []
        for entry, own in self._offering(s, here.link):
            before = self._entered(here, entry)
            if before is None or (not self.by_port(s) and not self._may(before, came[:1], entry, here)):
                continue
            for p in came:
                if self._never(entry, p, here.link) or (self.by_port(s) and not self._may(before, [p], entry, here)):
                    continue
                row = t.row(s, int(self.fabric.link_dst_port[p]), here.link, own)
                for c in t.classes_before(row, here.c):
                    if lane in (None, int(t.classes.lane[c])):
                        yield from self._earlier(before, p, c, self._turns(here, p, entry))

    def _entered(self, here: _Here, entry: Entry) -> _Here | None:
        """What is known of packets before the hop by ``entry``, whatever link they came by; None where there are none."""
        rewrites = here.rewrites + int(entry.onward >= 0)
        columns = _before(entry, here.columns)
        if rewrites > _MOST_REWRITES:
            self.complete = False
        if not len(columns) or rewrites > _MOST_REWRITES:
            return None
        node = int(self.fabric.link_dst[here.link]) if entry.kind == ChoiceKind.DELIVER else ANY_NODE
        if ANY_NODE not in (node, here.node) and node != here.node:
            return None
        return here._replace(columns=columns, node=max(node, here.node), rewrites=rewrites)

    def _turns(self, here: _Here, p: int, entry: Entry) -> tuple[Turn, ...]:
        turns = (*here.turns, *self._turn(int(self.fabric.link_dst[p]), p, entry, here.link)[0])
        return tuple(map(_not_seen, turns)) if entry.onward >= 0 else turns  # what is hashed in a tunnel is not known

    def _may(self, before: _Here, came: Sequence[int], entry: Entry, here: _Here) -> bool:
        """Whether the turn by ``entry`` is not refuted, for packets that came by the first of some links."""
        turns = self._turns(here, came[0], entry) if came else before.turns
        return len(turns) == len(here.turns) or not self.refuted(turns)

    def _offering(self, s: int, link: int) -> Iterator[tuple[Entry, int]]:
        for entry in self.tables.entries(s):
            for member, own in zip(entry.links, entry.rows, strict=True):
                if member == link:
                    yield entry, own

    def _earlier(self, before: _Here, p: int, c: int, turns: tuple[Turn, ...]) -> Iterator[_Here]:
        if (p, c, before.rewrites) in before.path:
            return
        columns = self.tables.reached(p, c, before.columns)
        if len(columns):
            path = (*before.path, (p, c, before.rewrites))
            yield _Here(p, c, columns, turns, before.node, before.rewrites, path)

    def _from_host(self, here: _Here) -> Iterator[Way]:
        h = int(self.fabric.host_of_link[self.fabric.reverse[here.link]])
        for label in self.tables.first_labels(h, here.c):
            columns = self.tables.sent(h, label, here.columns)
            if len(columns):
                yield Way(here.turns, (h,), -1, columns, here.node, label, _links(here))

    def _from_switch(self, here: _Here) -> Iterator[Way]:
        """Port 0 of the switch that sends over ``here.link``."""
        t, s = self.tables, int(self.fabric.link_src[here.link])
        if not t.traffic.switch_sends[s]:
            return
        c0 = t.classes.first_of_label[t.traffic.label]
        for entry, own in self._offering(s, here.link):
            row = t.row(s, 0, here.link, own)
            columns = _before(entry, here.columns)
            columns = columns[t.columns.on[columns] & (t.columns.node[columns] != s)]
            if len(columns) and row >= 0 and int(t.classes.step[row, c0]) == here.c:
                turn, node = self._turn(s, -1, entry, here.link)
                unknown = tuple(map(_not_seen, (*here.turns, *turn)))
                yield Way(unknown, (), s, columns, max(node, here.node), t.traffic.label, _links(here))


def _not_seen(turn: Turn) -> Turn:
    """The turn of a packet whose header, as the switch sees it, is not known."""
    return turn._replace(how=How.UNKNOWN) if turn.how == How.HASHED else turn


def _links(here: _Here) -> tuple[int, ...]:
    return tuple(link for link, _, _ in reversed(here.path))


def _before(entry: Entry, columns: I64) -> I64:
    """The columns of ``entry`` whose packets the tables see in one of ``columns`` after it."""
    if entry.onward < 0:
        return np.intersect1d(entry.columns, columns, assume_unique=True)
    return entry.columns if entry.onward in columns else NO_COLUMN
