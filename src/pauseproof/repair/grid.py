"""Routes as a matrix over links and columns: which link is a next hop for which destination, and which of these may change.

Only cables between switches matter here: a host's link is in no loop of dependencies that moving routes could break. An entry
is *movable* where it is an ordinary group of links to other switches; deliveries, drops, unread rows, trees, and whatever
rewrites destinations or has lanes of its own stay as they are. Lanes and labels are left out: what climbs along links does so
in every lane.

Notation: ``x`` an inner link (switch to switch), ``c`` a column of the matrix, ``s`` a switch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.routing.ask import Asked
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, Route
from pauseproof.routing.traffic import Traffic

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]
MOST_LINKS = 1 << 13  # between switches: a set of links for each of them is kept in memory
TOO_LARGE = f"more than {MOST_LINKS:,} links between switches are too many to search"
GROUPS = (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)


@dataclass(frozen=True)
class Grid:
    """``columns`` [C] are the columns that traffic is for; ``links`` [X] the inner links, ``src``, ``dst`` [X] their switches.

    ``member`` [X, C]: the link is a next hop of its switch. ``starts`` [S, C]: some sender at the switch has a pair with the
    column. ``ends`` [S, C]: packets are handed over here. ``movable`` [S, C]. ``required`` [S, C]: all packets that start here
    arrive today, so they must afterwards.
    """

    fabric: Fabric
    table: ChoiceTable
    columns: I64
    links: I64
    src: I64
    dst: I64
    member: Bools
    starts: Bools
    ends: Bools
    movable: Bools

    @property
    def too_large(self) -> bool:
        """Whether there are more links than a search can bear."""
        return len(self.links) > MOST_LINKS

    @cached_property
    def index(self) -> Mapping[int, int]:
        """Columns of the tables to columns of the grid."""
        return {d: c for c, d in enumerate(self.columns.tolist())}

    @cached_property
    def number(self) -> Mapping[int, int]:
        """Links of the fabric to links of the grid."""
        return {link: x for x, link in enumerate(self.links.tolist())}

    @cached_property
    def usable(self) -> Bools:
        """[X]: links that may get new routes. A subnet manager sees only cables that are up; elsewhere a cable that no route
        uses today, in either direction, may well be down."""
        if self.fabric.kind == "infiniband":
            return np.ones(len(self.links), np.bool_)
        used = np.zeros(self.fabric.n_links, np.bool_)
        used[self.links] = self.member.any(axis=1)
        either: Bools = (used | used[self.fabric.reverse])[self.links]
        return either

    @cached_property
    def required(self) -> Bools:
        """Where packets start that all arrive."""
        return self.starts & ~self.may_fail(self.member)

    @cached_property
    def turns(self) -> tuple[I64, I64]:
        """Every (x, x2) with x2 leaving the switch that x leads to."""
        order = np.argsort(self.src, kind="stable")
        first, last = (np.searchsorted(self.src[order], self.dst, side=side) for side in ("left", "right"))
        before = np.repeat(np.arange(len(self.links)), last - first)
        at = np.arange(len(before)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        return before, order[np.repeat(first, last - first) + at]

    def reached(self, member: Bools) -> Bools:
        """[S, C]: switches that packets come to."""
        return _spread(self.starts, member, self.src, self.dst)

    def may_fail(self, member: Bools) -> Bools:
        """[S, C]: switches from which some packet does not arrive, forwarding loops left aside."""
        has_next = np.zeros_like(self.starts)
        np.logical_or.at(has_next, self.src, member)
        return _spread(~has_next & ~self.ends, member, self.dst, self.src)

    def carried(self, member: Bools) -> Bools:
        """[X, C]: links that packets for the column go over."""
        carried: Bools = member & self.reached(member)[self.src]
        return carried

    @cached_property
    def in_use(self) -> Mapping[tuple[int, int], int]:
        """The turns that packets take today, each with the number of columns for which they do."""
        before, after = self.turns
        weights = np.count_nonzero(self.carried(self.member)[before] & self.member[after], axis=1)
        every = zip(before.tolist(), after.tolist(), weights.tolist(), strict=True)
        return {(x, y): n for x, y, n in every if n}

    def withdrawn(self, member: Bools) -> int:
        """How many next hops of today ``member`` does without."""
        return int(np.count_nonzero(self.member & ~member))

    def entries(self, member: Bools) -> Mapping[tuple[int, int], Route]:
        """What the tables have to say at the (switch, column) where ``member`` is another than today."""
        x, c = np.nonzero(member != self.member)
        out = {}
        for s, i in sorted(set(zip(self.src[x].tolist(), c.tolist(), strict=True))):
            links = self.links[(self.src == s) & member[:, i]]
            d = int(self.columns[i])
            kind = self.table.route(s, d).kind if len(links) > 1 else ChoiceKind.HASHED
            out[s, d] = Route(kind, tuple(sorted(links.tolist())))
        return out


def _spread(start: Bools, member: Bools, src: I64, dst: I64) -> Bools:
    """``start`` [S, C] and whatever is reached from it over the links that are members."""
    reached = start.copy()
    order = np.argsort(dst, kind="stable")
    ends, first = np.unique(dst[order], return_index=True)
    if not len(ends):
        return reached
    member, src = member[order], src[order]
    while True:
        more = np.logical_or.reduceat(member & reached[src], first, axis=0) & ~reached[ends]
        if not more.any():
            return reached
        reached[ends] |= more


def grid_of(asked: Asked) -> Grid:
    """The grid of a network whose tables are choices."""
    network, traffic = asked.network, asked.traffic
    fabric, destinations, table = network.fabric, network.destinations, network.routes
    assert isinstance(table, ChoiceTable)
    ordinary = np.isin(destinations.kind, (DestinationKind.HOST, DestinationKind.SWITCH)) & traffic.destination_on
    columns = np.flatnonzero(ordinary).astype(np.int64)
    n = fabric.n_switches
    links = np.flatnonzero((fabric.link_src < n) & (fabric.link_dst < n)).astype(np.int64)
    choice = table.choice_of[np.arange(n)[:, None], table.value[:, columns]]
    kinds = _kinds_of_choice(fabric, table)
    member = np.zeros((len(links), len(columns)), np.bool_)
    for i, link in enumerate(links.tolist()):
        member[i] = np.isin(choice[fabric.link_src[link]], _choices_with(table, link))
    return Grid(
        fabric,
        table,
        columns,
        links,
        fabric.link_src[links].astype(np.int64),
        fabric.link_dst[links].astype(np.int64),
        member,
        _starts(fabric, destinations, traffic, columns),
        np.isin(kinds[choice], (_ENDS, _MIXED)),
        kinds[choice] == _MOVABLE,
    )


_FIXED, _MOVABLE, _ENDS, _MIXED = range(4)


def _kinds_of_choice(fabric: Fabric, table: ChoiceTable) -> NDArray[np.uint8]:
    """[n choices]: movable, an end, an end for some and not for others, or fixed."""
    owner = np.repeat(np.arange(len(table.kind)), np.diff(table.ptr))
    to_host = fabric.link_dst[table.link] >= fabric.n_switches
    hosts = np.bincount(owner[to_host], minlength=len(table.kind)) > 0
    inner = np.bincount(owner[~to_host], minlength=len(table.kind)) > 0
    group = np.isin(table.kind, GROUPS)
    plain = group & inner & ~hosts
    if table.member_row is not None:
        plain &= np.bincount(owner[table.member_row >= 0], minlength=len(table.kind)) == 0
    if table.rewrite is not None:
        plain &= table.rewrite < 0
    out = np.full(len(table.kind), _FIXED, np.uint8)
    out[plain] = _MOVABLE
    out[hosts & ~inner | np.isin(table.kind, (ChoiceKind.LOCAL, ChoiceKind.DELIVER))] = _ENDS
    out[hosts & inner] = _MIXED
    return out


def _choices_with(table: ChoiceTable, link: int) -> I64:
    """Groups that the link is a member of."""
    at = np.flatnonzero(table.link == link)
    choices = np.unique(np.searchsorted(table.ptr, at, side="right") - 1)
    kept: I64 = choices[np.isin(table.kind[choices], GROUPS)]
    return kept


def _starts(fabric: Fabric, destinations: Destinations, traffic: Traffic, columns: I64) -> Bools:
    """[S, C]: who sends to the column from another node."""
    n, first = fabric.n_switches, fabric.link_dst[fabric.host_up]
    sends = traffic.host_sends & (first < n)
    here = np.bincount(first[sends], minlength=n)[:n]
    out = np.repeat((here > 0)[:, None], len(columns), axis=1)
    for i, d in enumerate(columns.tolist()):
        nodes = {int(fabric.host_node[h]) for h in destinations.members(d)}
        if len(nodes) == 1:  # where several nodes are meant, each of them sends to another
            own = np.bincount(first[sends & np.isin(fabric.host_node, list(nodes))], minlength=n)[:n]
            out[:, i] = here > own
    loud = traffic.switch_sends[:, None] & (destinations.owner[columns][None, :] != np.arange(n)[:, None])
    out |= loud
    return out
