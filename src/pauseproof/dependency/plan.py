"""The walk's constants, derived once: compact classes, choices by id, and who injects what where.

A *slot* is (link, class): ``slot = link * n_classes + class``; a buffer is (link, lane), so several slots share a buffer
where labels share a lane. A *source group* is a set of senders at one switch whose packets are treated alike there: same
first class and same lane map from their in-ports. Classes are compacted to those that the traffic can have. A *column* is a
destination as the tables see it; where a choice *rewrites*, packets go on in another column than their own (a tunnel), and the
columns between which packets may so change, directly or not, are walked *together*. A *tile* is the columns walked at a time.

Notation: ``t`` the switch a packet has arrived at, ``c`` a class, ``v`` the table's value for (t, d), ``x`` a choice id.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW, Lanes
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations
from pauseproof.routing.traffic import Traffic

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

MIXED = -2  # a column whose members lie on several nodes
NOBODY = -1
BY_TURN = -3  # a member of a choice has no lane map of its own


@dataclass(frozen=True)
class Classes:
    """The classes that can occur. ``step`` [R, C] is the next class, LOSSY or NOT_OFFERED; ``any_lane`` [C, V] lists lanes."""

    label: NDArray[np.int64]
    lane: NDArray[np.int64]
    step: I64
    first_of_label: dict[int, int]
    any_lane: I64

    def __len__(self) -> int:
        return len(self.label)


def compact_classes(lanes: Lanes, labels: set[int], worst: bool) -> Classes:
    """Close ``labels`` under every row of ``lanes.step`` and number the classes met; in the worst case, every lane of each."""
    todo, seen, met = sorted(labels), set(labels), set()
    while todo:
        k = todo.pop()
        for c in sorted(set(lanes.step[:, k].tolist())):
            if c >= 0:
                after = int(lanes.class_label[c])
                met.add((after, int(lanes.class_lane[c])))
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    if worst:
        met |= {(k, v) for k in seen for v in range(lanes.n_lanes)}
    met |= {(k, 0) for k in seen - {k for k, _ in met}}  # a label that is only ever sent still needs a class
    pairs = sorted(met)
    index = {pair: i for i, pair in enumerate(pairs)}
    step = np.full((len(lanes.step), len(pairs)), LOSSY, np.int64)
    for i, (k, _) in enumerate(pairs):
        for r, c in enumerate(lanes.step[:, k].tolist()):
            step[r, i] = c if c < 0 else index[int(lanes.class_label[c]), int(lanes.class_lane[c])]
    any_lane = np.zeros((len(pairs), lanes.n_lanes), np.int64)
    if worst:
        any_lane[:] = [[index[k, v] for v in range(lanes.n_lanes)] for k, _ in pairs]
    first = {k: i for i, (k, _) in reversed(list(enumerate(pairs)))}
    label, lane = np.array(pairs, np.int64).reshape(-1, 2).T
    return Classes(label, lane, step, first, any_lane)


@dataclass(frozen=True)
class Groups:
    """Source groups. All arrays [G]; ``of_host`` [H] and ``of_switch`` [S] give a sender's group, -1 where it sends nothing.

    ``solo`` is the node of all senders of the group where they share one, else MIXED. ``in_link`` is the link of a group's
    only host, else -1. ``cls`` is the class of the packets as they reach the switch; only its label matters for the hop.
    """

    switch: I64
    in_link: I64
    in_port: I64
    cls: I64
    solo: I64
    n_senders: I64
    of_host: I64
    of_switch: I64


@dataclass(frozen=True)
class Columns:
    """The destinations that the traffic is for. ``on`` [D]: host and switch columns that some pair can be for.

    ``node`` [D] is the members' common node, MIXED where they have several; ``owner`` [D] the switch of a switch's column;
    ``n_members`` [D] counts members that receive, ``member_key`` lists them as ``d * n_hosts + h``, ascending.
    """

    n_hosts: int
    on: Bools
    node: I64
    owner: I64
    multicast: Bools
    n_members: I64
    member_key: I64

    def members(self) -> tuple[I64, I64]:
        """(column, host) of every receiving member."""
        return np.divmod(self.member_key, max(self.n_hosts, 1))

    def is_member(self, column: I64, host: I64) -> Bools:
        """Whether each host is a receiving member of each column."""
        if not len(self.member_key):
            return np.zeros(len(column), np.bool_)
        key = column * self.n_hosts + host
        at = np.searchsorted(self.member_key, key)
        at[at == len(self.member_key)] = 0
        found: Bools = self.member_key[at] == key
        return found

    def span(self, column: I64) -> tuple[I64, I64]:
        """Where each column's members begin and end in ``member_key``."""
        width = max(self.n_hosts, 1)
        return np.searchsorted(self.member_key, column * width), np.searchsorted(self.member_key, (column + 1) * width)


@dataclass(frozen=True)
class Plan:
    """Everything the frontier loop reads; ``worst`` makes unknown rows, maps and labels mean "anything".

    ``choice_*`` are the table's choices without links to hosts that receive nothing; ``single`` is the link of a choice of one.
    """

    fabric: Fabric
    table: ChoiceTable
    lanes: Lanes
    traffic: Traffic
    destinations: Destinations
    columns: Columns
    classes: Classes
    worst: bool
    choice_kind: NDArray[np.uint8]
    choice_ptr: I64
    choice_link: I64
    choice_row: I64 | None
    single: I64

    @property
    def n_classes(self) -> int:
        """C."""
        return len(self.classes)

    @property
    def n_slots(self) -> int:
        """L * C."""
        return self.fabric.n_links * self.n_classes

    @property
    def n_values(self) -> int:
        """V: values a table entry can take."""
        return int(self.table.choice_of.shape[1])

    @cached_property
    def rewrite(self) -> I64 | None:
        """The column in which packets go on, by choice, -1 for their own; None where all stay in theirs."""
        return None if self.table.rewrite is None else self.table.rewrite.astype(np.int64)

    @cached_property
    def together(self) -> I64:
        """[D]: a number that columns share whose packets may change from one to the other."""
        out = np.arange(len(self.columns.on), dtype=np.int64)
        if self.rewrite is None:
            return out
        for s in range(self.fabric.n_switches):
            onward = self.rewrite[self.table.choice_of[s]][self.table.value[s]]
            for d in np.flatnonzero(onward >= 0).tolist():
                out[out == out[d]] = out[onward[d]]
        return out

    def with_others(self, columns: I64) -> I64:
        """``columns``, and all that their packets may change to or come from, ascending."""
        return columns if self.rewrite is None else np.flatnonzero(np.isin(self.together, self.together[columns]))

    @cached_property
    def plain(self) -> bool:
        """One class and no lane map: the slot is the link."""
        return (
            self.n_classes == 1
            and self.lanes.turn_row is None
            and self.choice_row is None
            and self.lanes.coupled is None
            and self.lanes.lossy_lane is None
            and bool((self.classes.step == 0).all())
        )

    @cached_property
    def link_dst(self) -> I64:
        """The receiving node of each link, [L]."""
        return self.fabric.link_dst.astype(np.int64)

    @cached_property
    def link_src_port(self) -> I64:
        """The sending port of each link, [L]."""
        return self.fabric.link_src_port.astype(np.int64)

    @cached_property
    def link_dst_port(self) -> I64:
        """The receiving port of each link, [L]."""
        return self.fabric.link_dst_port.astype(np.int64)

    @cached_property
    def reverse(self) -> I64:
        """The other direction of each link's cable, [L]."""
        return self.fabric.reverse.astype(np.int64)

    @cached_property
    def entry_choice(self) -> I64:
        """Choice id by ``switch * n_values + value``."""
        return self.table.choice_of.astype(np.int64).ravel()

    @cached_property
    def next_link(self) -> I64:
        """The lone next link by ``switch * n_values + value``, -1 where the choice is another."""
        return self.single[self.entry_choice]

    @cached_property
    def switch_out(self) -> tuple[I64, I64]:
        """CSR (ptr [S+1], link) of the links that leave each switch."""
        src = self.fabric.link_src
        order = np.argsort(src, kind="stable").astype(np.int64)
        return np.searchsorted(src[order], np.arange(self.fabric.n_switches + 1)).astype(np.int64), order


def make_plan(network: Network, traffic: Traffic, *, worst: bool) -> Plan:
    """Derive the constants of one walk. The routes must be a ChoiceTable."""
    table = network.routes
    if not isinstance(table, ChoiceTable):
        raise TypeError(f"the state walk reads a ChoiceTable, not a {type(table).__name__}")
    kind, ptr, link, row = _receiving_choices(network.fabric, table, traffic)
    single = np.full(len(kind), -1, np.int64)
    lone = (np.diff(ptr) == 1) & np.isin(kind, (ChoiceKind.HASHED, ChoiceKind.DELIVER, ChoiceKind.ADAPTIVE))
    if row is not None:
        lone[lone] = row[ptr[:-1][lone]] < 0
    single[lone] = link[ptr[:-1][lone]]
    return Plan(
        network.fabric,
        table,
        network.lanes,
        traffic,
        network.destinations,
        columns_asked(network, traffic),
        compact_classes(network.lanes, labels_sent(network, traffic, worst), worst),
        worst,
        kind,
        ptr,
        link,
        row,
        single,
    )


def columns_asked(network: Network, traffic: Traffic) -> Columns:
    """The columns of the traffic, and their receiving members."""
    fabric, columns = network.fabric, network.destinations
    column = np.repeat(np.arange(len(columns)), np.diff(columns.member_ptr))
    receiving = traffic.host_receives[columns.member]
    column, member = column[receiving], columns.member[receiving].astype(np.int64)
    n_members = np.bincount(column, minlength=len(columns))
    is_switch = columns.kind == DestinationKind.SWITCH
    is_host = columns.kind == DestinationKind.HOST
    return Columns(
        fabric.n_hosts,
        traffic.destination_on & (is_switch | (is_host & (n_members > 0))),
        _column_nodes(fabric, columns.owner, is_switch, column, member, len(columns)),
        columns.owner.astype(np.int64),
        (columns.kind == DestinationKind.MULTICAST) & traffic.destination_on,
        np.where(is_switch, 1, n_members).astype(np.int64),
        np.sort(column * max(fabric.n_hosts, 1) + member),
    )


def labels_sent(network: Network, traffic: Traffic, worst: bool) -> set[int]:
    """The labels that some sender may use."""
    if traffic.labels is None:
        return {traffic.label}
    if worst:
        return set(range(len(network.lanes.label_names)))
    bits = int(np.bitwise_or.reduce(traffic.labels, axis=None, initial=0))
    return {k for k in range(bits.bit_length()) if bits >> k & 1} | {traffic.label}


def _column_nodes(fabric: Fabric, owner: Ids, is_switch: Bools, column: I64, member: I64, n: int) -> I64:
    """The node that all of a column's members are ports of; MIXED where they differ, NOBODY where there are none."""
    node = fabric.host_node.astype(np.int64)[member]
    low, high = np.full(n, np.iinfo(np.int64).max), np.full(n, -1, np.int64)
    np.minimum.at(low, column, node)
    np.maximum.at(high, column, node)
    out = np.where(low == high, high, MIXED)
    out[high < 0] = NOBODY
    out[is_switch] = owner[is_switch]
    return out


def _receiving_choices(fabric: Fabric, table: ChoiceTable, traffic: Traffic) -> tuple[NDArray[np.uint8], I64, I64, I64 | None]:
    """The choices, with links to hosts that receive nothing left out of DELIVER."""
    counts = np.diff(table.ptr)
    choice = np.repeat(np.arange(len(counts)), counts)
    link = table.link.astype(np.int64)
    receives = np.append(traffic.host_receives, True)  # the last entry answers for -1: no host at the end of the link
    gone = (table.kind[choice] == ChoiceKind.DELIVER) & ~receives[fabric.host_of_link[link]]
    kept = np.bincount(choice[~gone], minlength=len(counts))
    own = table.member_row
    row = None if own is None else np.where(own[~gone] < 0, BY_TURN, own[~gone]).astype(np.int64)
    return table.kind, np.concatenate(([0], np.cumsum(kept))).astype(np.int64), link[~gone], row


def first_classes(plan: Plan, host: int, label: int) -> list[int] | None:
    """The classes in which packets of ``label`` leave ``host``: none where dropped, None where the map is unknown."""
    row = int(plan.lanes.host_row[host])
    cls = plan.classes.first_of_label[label]
    if row == UNKNOWN_ROW:
        return list(dict.fromkeys(plan.classes.any_lane[cls].tolist())) if plan.worst else None
    c = int(plan.classes.step[row, cls])
    return [] if c == LOSSY else [c]
