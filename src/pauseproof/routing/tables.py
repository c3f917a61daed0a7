"""Forwarding tables: at this switch, packets for this destination leave by one of these links.

A *destination* is a column of the tables: a LID, or a class of addresses that every table treats alike (an edge prefix).
Its *members* are the hosts that packets of the column are for. A *choice* is what a table entry says.

Notation: ``s`` a switch, ``d`` a destination (column), ``l`` a link, ``x`` a choice.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import Place


class ChoiceKind(IntEnum):
    """What a table entry says; the first four have no members."""

    DROP = 0  # no row in a table known to be complete, or a blackhole
    UNKNOWN = 1  # the row was not read: any out-port, any lane
    LOCAL = 2  # the switch's own port 0
    DEAD_PORT = 3  # a port that exists and has no cable: a drop, and a finding
    DELIVER = 4  # each packet to the host it is addressed to, on that host's own link (members: links to hosts)
    HASHED = 5  # one singleton per member; a pinned route is a group of one
    MULTICAST = 6  # a copy to each member but the cable it came by; one singleton per copy
    ADAPTIVE = 7  # the switch picks a member and the choice stays open until the packet leaves: one choice set


class Route(NamedTuple):
    """The public, slow view of one table entry."""

    kind: ChoiceKind
    links: tuple[int, ...]
    rows: tuple[int, ...] = ()  # of Lanes.step, one a link, -1 for that of the turn; empty where all are
    column: int = -1  # in which the packet goes on, as in a tunnel to another address; -1 for its own
    group: int = 0  # which of the groups of the switch over these links: see Network.group


class DestinationKind(IntEnum):
    """What a destination is."""

    HOST = 0
    SWITCH = 1  # a switch's own port 0
    MULTICAST = 2
    NOBODY = 3  # an address with rows and no owner


@dataclass(frozen=True)
class Destinations:
    """The columns. ``names`` [D] as users write them; ``kind`` [D]; ``owner`` [D] the switch for SWITCH columns, else -1.

    ``member_ptr`` [D+1] and ``member`` (CSR) list the hosts of each column, ascending.

    DELIVER stands in HOST columns only, at the one switch that all members are cabled to, and lists exactly their links. A
    column with several members holds either the ports of one node (a bond: each of them takes the packets for all, and DELIVER
    may stand at several switches, each with its own links), or hosts that are the single cabled port of their node; then no
    HASHED or ADAPTIVE entry of it leads straight to one of them, and no lane map is lossy or unknown on the turns to them: what
    becomes of a packet before its last hop then does not depend on the member that it is for.
    """

    names: Sequence[str]
    kind: NDArray[np.uint8]
    owner: Ids
    member_ptr: NDArray[np.int64]
    member: Ids

    def __len__(self) -> int:
        return len(self.kind)

    def members(self, destination: int) -> tuple[int, ...]:
        """The hosts that packets of this column are for."""
        lo, hi = self.member_ptr[destination], self.member_ptr[destination + 1]
        return tuple(self.member[lo:hi].tolist())

    def first_column(self, host: int) -> int:
        """The first column of hosts that ``host`` is a member of, as its base LID; -1 where it is in none."""
        columns = self.member_ptr.searchsorted(np.flatnonzero(self.member == host), side="right") - 1
        return next((int(d) for d in columns if self.kind[d] == DestinationKind.HOST), -1)


class Routes(Protocol):
    """What every form of table answers, one entry at a time."""

    def route(self, switch: int, destination: int) -> Route:
        """The entry of ``switch`` for ``destination``."""

    def place(self, switch: int, destination: int) -> Place | None:
        """Where that entry was read, None where it was computed."""

    def links_for(self, destination: int) -> NDArray[np.int64]:
        """The links by which some switch passes packets for ``destination`` on, hashed or by load, ascending."""


@dataclass(frozen=True)
class ChoiceTable:
    """Tables as an array of small values, and what each value means at each switch.

    ``value`` [S, D] (uint8 or uint16); ``choice_of`` [S, n_values] int32 maps a switch's value to a choice id.
    Choice ``x`` has ``kind[x]`` and the links ``link[ptr[x]:ptr[x+1]]``, ascending. On InfiniBand a value is a port number.
    ``member_row`` [len(link)] names the row of ``Lanes.step`` that a member's packets take there, -1 for that of the turn
    (None: all of them); so one link can be in a choice several times, in different lanes: an escape lane.
    ``rewrite`` [len(kind)] names the column in which packets go on that take choice ``x``, -1 for their own (None: all of
    them): the switch puts them into a tunnel or takes them out, or floods them, and the tables see another destination from
    then on. Such a column has the members of the first, and need not be one that traffic is for.
    ``group`` numbers the choices of a switch that have the same links and are hashed otherwise (None, and behind its end: 0).
    """

    value: NDArray[np.generic]
    choice_of: Ids
    kind: NDArray[np.uint8]
    ptr: NDArray[np.int64]
    link: Ids
    place_of: Callable[[int, int], Place | None] = field(default=lambda s, d: None)
    member_row: Ids | None = None
    rewrite: Ids | None = None
    group: Ids | None = None

    def route(self, switch: int, destination: int) -> Route:
        """The entry of ``switch`` for ``destination``."""
        return self.choice(int(self.choice_of[switch, self.value[switch, destination]]))

    def choice(self, x: int) -> Route:
        """The choice with id ``x``."""
        here = slice(self.ptr[x], self.ptr[x + 1])
        rows = () if self.member_row is None else tuple(self.member_row[here].tolist())
        column = -1 if self.rewrite is None else int(self.rewrite[x])
        group = 0 if self.group is None or x >= len(self.group) else int(self.group[x])
        return Route(ChoiceKind(self.kind[x]), tuple(self.link[here].tolist()), rows, column, group)

    def choices_for(self, destination: int) -> NDArray[np.int64]:
        """The choice id of every switch for ``destination``, [S]."""
        value = self.value[:, destination].astype(np.int64)
        return self.choice_of[np.arange(len(value)), value].astype(np.int64)

    def members_of(self, kinds: Sequence[ChoiceKind]) -> list[tuple[int, ...]]:
        """By choice id: its links where it is of one of these kinds, else none."""
        link, ptr = self.link.tolist(), self.ptr.tolist()
        return [tuple(link[ptr[x] : ptr[x + 1]]) if kind in kinds else () for x, kind in enumerate(self.kind.tolist())]

    def place(self, switch: int, destination: int) -> Place | None:
        """Where that entry was read."""
        return self.place_of(switch, destination)

    def links_for(self, destination: int) -> NDArray[np.int64]:
        """The links by which some switch passes packets for ``destination`` on, hashed or by load, ascending."""
        choice = self.choice_of[np.arange(len(self.value)), self.value[:, destination]]
        choice = np.unique(choice[np.isin(self.kind[choice], (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE))])
        used = np.repeat(np.isin(np.arange(len(self.kind)), choice), np.diff(self.ptr))
        return np.unique(self.link[used]).astype(np.int64)

    @classmethod
    def from_routes(cls, routes: Sequence[Sequence[Route]]) -> "ChoiceTable":
        """A table from explicit entries ``routes[s][d]``: for small fabrics and tests."""
        n_destinations = len(routes[0]) if routes else 0
        value = np.zeros((len(routes), n_destinations), np.uint16)
        ids: dict[Route, int] = {}
        lookup: list[list[int]] = []
        for s, row in enumerate(routes):
            local: dict[int, int] = {}
            for d, entry in enumerate(row):
                entry = in_order(entry)
                x = ids.setdefault(entry, len(ids))
                value[s, d] = local.setdefault(x, len(local))
            lookup.append(list(local))
        return cls.of(value, lookup, list(ids))

    @classmethod
    def of(
        cls,
        value: NDArray[np.generic],
        lookup: Sequence[Sequence[int]],
        choices: Sequence[Route],
        place_of: Callable[[int, int], Place | None] = lambda s, d: None,
    ) -> "ChoiceTable":
        """The table in which value ``v`` means ``choices[lookup[s][v]]`` at switch ``s``; their members are ascending."""
        width = max(map(len, lookup), default=0)
        choice_of = np.array([[*row, *[0] * (width - len(row))] for row in lookup], np.int32).reshape(len(lookup), width)
        links = [link for route in choices for link in route.links]
        rows = [row for route in choices for row in route.rows or (-1,) * len(route.links)]
        ptr = np.cumsum([0, *(len(route.links) for route in choices)], dtype=np.int64)
        kinds = np.array([route.kind for route in choices], np.uint8)
        own = np.array(rows, np.int32) if any(route.rows for route in choices) else None
        onward = np.array([route.column for route in choices], np.int32)
        rewrite = onward if (onward >= 0).any() else None
        return cls(value, choice_of, kinds, ptr, np.array(links, np.int32), place_of, own, rewrite, groups_of(choices))


def groups_of(routes: Iterable[Route]) -> Ids | None:
    """The numbers of groups of choices, None where all are 0."""
    numbers = np.array([route.group for route in routes], np.int32)
    return numbers if numbers.any() else None


def in_order(entry: Route) -> Route:
    """The entry with its members ascending."""
    if not entry.rows:
        return entry._replace(links=tuple(sorted(entry.links)))
    members = sorted(zip(entry.links, entry.rows, strict=True))
    return entry._replace(links=tuple(link for link, _ in members), rows=tuple(row for _, row in members))


@dataclass(frozen=True)
class RowTable:
    """Hashed tables with many equal-cost members, as bits: for ECMP computed on large fabrics.

    ``rows`` [L, W] uint64: bit ``d`` of ``rows[l]`` (bit ``d % 64`` of word ``d // 64``) says that link ``l`` is a member of
    the group of ``link_src[l]`` for destination ``d``. ``deliver`` [S, W]: columns that ``s`` hands to the hosts they are
    for (their links' rows do not carry that bit). An entry with no bit anywhere is a drop. ``dead`` [S, W]: columns that
    leave by a port with no cable. ``up`` rows of hosts are zero: hosts do not forward. ``by_load``: switches pick among the
    members of a group by load, and are taken to commit to one when they enqueue a packet.
    """

    rows: NDArray[np.uint64]
    deliver: NDArray[np.uint64]
    dead: NDArray[np.uint64] | None
    n_destinations: int
    link_src: Ids
    destinations: Destinations
    host_down: Ids
    by_load: bool = False
    place_of: Callable[[int, int], Place | None] = field(default=lambda s, d: None)

    @cached_property
    def _out(self) -> tuple[Ids, NDArray[np.int64]]:
        order = np.argsort(self.link_src, kind="stable").astype(np.int32)
        n = max(int(self.link_src.max(initial=-1)) + 1, len(self.deliver))  # the last switches may have no cable
        return order, np.searchsorted(self.link_src[order], np.arange(n + 1))

    def out_links(self, switch: int) -> Ids:
        """The links that leave ``switch``, ascending."""
        order, ptr = self._out
        return order[ptr[switch] : ptr[switch + 1]]

    def route(self, switch: int, destination: int) -> Route:
        """The entry of ``switch`` for ``destination``."""
        word, bit = divmod(destination, 64)
        mask = np.uint64(1 << bit)
        if self.deliver[switch, word] & mask:
            members = self.destinations.members(destination)
            return Route(ChoiceKind.DELIVER, tuple(sorted(int(self.host_down[h]) for h in members)))
        out = self.out_links(switch)
        links = tuple(sorted(out[(self.rows[out, word] & mask) != 0].tolist()))
        if links:
            return Route(ChoiceKind.HASHED, links)
        dead = self.dead is not None and bool(self.dead[switch, word] & mask)
        return Route(ChoiceKind.DEAD_PORT if dead else ChoiceKind.DROP, ())

    def place(self, switch: int, destination: int) -> Place | None:
        """Where that entry was read."""
        return self.place_of(switch, destination)

    def links_for(self, destination: int) -> NDArray[np.int64]:
        """The links by which some switch passes packets for ``destination`` on, hashed or by load, ascending."""
        word, bit = divmod(destination, 64)
        return np.flatnonzero(self.rows[:, word] & np.uint64(1 << bit))
