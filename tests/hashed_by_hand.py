"""Which packets carry which dependencies, by sending every header of every pair and following it hop by hop.

The reference for ``deadlock/realize``: it walks over the public views with the rules of :mod:`pauseproof.routing.packets`, and
shares nothing with the engine but the hash functions. Headers have few bits: :class:`Tiny` hashes look at the three lowest bits
of the addresses and the two lowest of the source port.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pauseproof.deadlock.realize_bits import SPORT_BASE
from pauseproof.hashing.algebra import Word
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.selection import Selection
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, LabelIn, Packets, Source, State, Step
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import multicast_senders, pairs, through_hosts

Dependency = tuple[Buffer, Buffer]
SPORTS = range(SPORT_BASE, SPORT_BASE + 4)


@dataclass(frozen=True)
class Tiny:
    """A hash of eight header bits: linear where ``table`` are the images of the bits, else a table of all 256 values."""

    table: tuple[int, ...]
    constant: int
    name = "tiny"
    fields = ("src-ip", "dst-ip", "l4-src-port")
    bits = 31

    @property
    def linear(self) -> bool:
        return len(self.table) == 8

    def value(self, h: Headers) -> Word:
        x = (h.sip_low & 7) | ((h.dip_low & 7) << 3) | ((h.sport & 3) << 6)
        if not self.linear:
            return np.array(self.table, np.uint64)[x.astype(np.intp)] ^ np.uint64(self.constant)
        out = x & 0
        for bit, image in enumerate(self.table):
            out = out ^ (((x >> np.uint64(bit)) & np.uint64(1)) * np.uint64(image))
        return out ^ np.uint64(self.constant)


Pick = Callable[[int, int], tuple[Tiny, Selection] | None]  # switch, size of the group; None: how it hashes is not known
Free = Callable[[int], int]  # host -> free low bits of its address, which is that number shifted left


def address(host: int, free: int) -> int:
    return host << free


@dataclass(frozen=True)
class Carried:
    """``surely`` by a packet whose every choice is known, ``perhaps`` by one some choice of which is not."""

    surely: frozenset[Dependency]
    perhaps: frozenset[Dependency]


def carried(network: Network, traffic: Traffic, pick: Pick, free: Free, buffers: frozenset[Buffer]) -> Carried:
    """Every packet of every pair and tree."""
    found: dict[bool, set[Dependency]] = {True: set(), False: set()}
    trees = ((source, d, None) for source, d in multicast_senders(network, traffic))
    for source, d, g in [*pairs(network, traffic), *trees]:
        known = source.kind == "host" and g is not None and network.destinations.kind[d] == DestinationKind.HOST
        for h in headers(source.id, g, free) if known and g is not None else [None]:
            _follow(_Packet(network, traffic, source, d, g, h, pick), found, buffers)
    return Carried(frozenset(found[True]), frozenset(found[False]) - found[True])


def headers(source: int, member: int, free: Free) -> Iterator[Headers]:
    for a in range(1 << free(source)):
        for b in range(1 << free(member)):
            for sport in SPORTS:
                yield roce(4, (0, address(source, free(source)) | a), (0, address(member, free(member)) | b), sport)


class Trust(NamedTuple):
    """``sure``: every choice so far is known. ``seen``: switches hash the header that the sender made."""

    sure: bool
    seen: bool


Followed = tuple[State, Trust]


class _Packet:
    def __init__(
        self, network: Network, traffic: Traffic, source: Source, d: int, g: int | None, h: Headers | None, pick: Pick
    ) -> None:
        self.packets = Packets(network, traffic, d, g, worst=False)
        self.network, self.source, self.d, self.h, self.pick = network, source, d, h, pick

    def first(self) -> Iterator[Followed]:
        label, start = self.packets.traffic.label, Trust(True, self.source.kind == "host")
        if self.source.kind == "switch":
            yield from ((q, trust) for q, trust, _, _ in self.hops(self.source.id, None, label, start))
        else:
            yield from ((q, start) for choice in self.packets.leave(self.source).choices for q in choice)

    def hops(self, s: int, came_by: int | None, k: int, trust: Trust) -> Iterator[tuple[State, Trust, Step, bool]]:
        """(next state, what is sure then, the step by that link, may it choose) for every link that it may leave by."""
        step = self.packets.forward(s, came_by, k)
        if step.unread and not step.choices:
            return
        fabric = self.network.fabric
        d = k.column if isinstance(k, LabelIn) else self.d
        kind, links, rows, onward, _ = self.network.routes.route(s, d)
        members = list(zip(links, rows or (-1,) * len(links), strict=True))
        if kind == ChoiceKind.DELIVER:
            members = [(l, row) for l, row in members if l in self.packets.links_to_member()]
        if kind == ChoiceKind.MULTICAST and came_by is not None:
            members = [(l, row) for l, row in members if l != int(fabric.reverse[came_by])]
        sure, seen = trust.sure, trust.seen and onward < 0
        taken: set[int] | None = None
        h = self.h if seen and len(set(links)) == len(links) else None
        if len(members) > 1 and kind == ChoiceKind.HASHED:
            picked = self.pick(s, len(members))
            if picked is None or h is None:
                sure = False
            else:
                function, selection = picked
                taken = {sorted(links)[int(selection.member(function.value(h))[0])]}
        if len(members) > 1 and kind == ChoiceKind.DELIVER:
            sure = False
        in_port = 0 if came_by is None else fabric.every_link[came_by].dst_port
        for l, row in members:
            if (taken is None or l in taken) and (row < 0 or self.network.lanes.offers(row, k)):
                step = self.packets.turn(s, in_port, l, k, row).going_on_in(d if onward < 0 else onward, self.d)
                for choice in step.choices:
                    yield from ((q, Trust(sure, seen), step, kind == ChoiceKind.ADAPTIVE and len(members) > 1) for q in choice)


def _follow(packet: _Packet, found: dict[bool, set[Dependency]], buffers: frozenset[Buffer]) -> None:
    network, fabric = packet.network, packet.network.fabric
    todo, met = list(packet.first()), set[Followed]()
    while todo:
        (l, v, k), trust = followed = todo.pop()
        if followed in met:
            continue
        met.add(followed)
        if fabric.link(l).dst >= fabric.n_switches:
            found[trust.sure] |= set(through_hosts(network, packet.packets.traffic, buffers)) & {((l, v), b) for b in buffers}
            continue
        for q, still, step, chooses in packet.hops(fabric.link(l).dst, l, k, trust):
            todo.append((q, still))
            if v != network.lanes.lossy_lane:
                waits = {q[:2], *step.waits}
                found[still.sure and not chooses] |= {((l, v), b) for b in waits if b[1] != network.lanes.lossy_lane}
