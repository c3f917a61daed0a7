"""The tables as realize reads them: switch by switch, which columns have which entry, whatever form the tables have.

An *entry* is a choice with the columns whose packets meet it at one switch. A choice between several links is *hashed* (the
header decides), *open* (the switch picks by load, so that a packet may take any), or *unknown* (how is not known; any, as far
as can be told).

Notation: ``s`` a switch, ``d`` a column, ``l`` a link, ``c`` a class (``dependency/plan.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pauseproof.dependency.plan import I64, Bools, Classes, Columns
from pauseproof.dependency.rows import Rows, RowWalk, unpacked
from pauseproof.dependency.states import Explored
from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.fabric.model import Fabric
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, RowTable
from pauseproof.routing.traffic import Traffic

NO_COLUMN: I64 = np.zeros(0, np.int64)


class How(IntEnum):
    """How one of several links is chosen."""

    HASHED = 0
    OPEN = 1
    UNKNOWN = 2


class Entry(NamedTuple):
    """What a switch does with the packets of ``columns``: ``links`` ascending, ``rows`` their lane maps (-1: that of the turn),
    ``onward`` the column in which they go on, -1 for their own."""

    columns: I64
    kind: ChoiceKind
    links: tuple[int, ...]
    rows: tuple[int, ...]
    onward: int
    how: How
    number: int = 0  # of the group, among those of the switch over the same links


@dataclass(frozen=True)
class Tables:
    """One question's tables. ``reached`` tells of a link, a class and columns which of the columns can be there, at least."""

    network: Network
    traffic: Traffic
    classes: Classes
    columns: Columns
    walked: I64
    reached: Callable[[int, int, I64], I64]
    by_load: Callable[[int], bool]
    _entries: dict[int, tuple[Entry, ...]] = field(default_factory=dict)

    def entries(self, s: int) -> tuple[Entry, ...]:
        """The entries of switch ``s`` that pass packets on, made once."""
        if s not in self._entries:
            routes = self.network.routes
            made = self._of_rows(routes, s) if isinstance(routes, RowTable) else self._of_choices(routes, s)
            self._entries[s] = tuple(entry for entry in made if entry.links)
        return self._entries[s]

    def _of_choices(self, table: object, s: int) -> list[Entry]:
        assert isinstance(table, ChoiceTable)
        value = table.value[s, self.walked].astype(np.int64)
        out = []
        for v in np.unique(value).tolist():
            x = int(table.choice_of[s, v])
            kind, links, rows, onward, number = table.choice(x)
            how = How.OPEN if kind == ChoiceKind.ADAPTIVE or self.by_load(x) else How.HASHED
            if kind == ChoiceKind.DELIVER and len(links) > 1:
                how = How.UNKNOWN  # among the ports of a bond
            out.append(Entry(self.walked[value == v], kind, links, rows or (-1,) * len(links), onward, how, number))
        return out

    def _of_rows(self, table: RowTable, s: int) -> list[Entry]:
        out_links = self.leaving[1][self.leaving[0][s] : self.leaving[0][s + 1]]
        n = table.n_destinations
        bits = unpacked(table.rows[out_links], n)[:, self.walked]
        keys = np.packbits(bits, axis=0).T
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        deliver = unpacked(table.deliver[s], n)[self.walked]
        how = How.OPEN if table.by_load else How.HASHED
        entries = []
        for g, at in enumerate(first.tolist()):
            links = tuple(out_links[bits[:, at]].tolist())
            mine = (group.reshape(-1) == g) & ~deliver
            entries.append(Entry(self.walked[mine], ChoiceKind.HASHED, links, (-1,) * len(links), -1, how))
        for d in self.walked[deliver].tolist():
            links = table.route(s, d).links
            entries.append(Entry(np.array([d]), ChoiceKind.DELIVER, links, (-1,) * len(links), -1, How.UNKNOWN))
        return entries

    @cached_property
    def leaving(self) -> tuple[I64, I64]:
        """CSR (ptr [S+1], link) of the links that leave each switch, ascending."""
        return _by_node(self.network.fabric.link_src, self.network.fabric.n_switches)

    @cached_property
    def arriving(self) -> tuple[I64, I64]:
        """CSR (ptr [S+1], link) of the links that arrive at each switch, ascending."""
        return _by_node(self.network.fabric.link_dst, self.network.fabric.n_switches)

    def row(self, s: int, in_port: int, link: int, own: int) -> int:
        """The row of ``Lanes.step`` for the turn onto ``link``, UNKNOWN_ROW where it was not read."""
        return own if own >= 0 else self.network.lanes.row_at(s, in_port, int(self.network.fabric.link_src_port[link]))

    def classes_before(self, row: int, after: int) -> list[int]:
        """The classes that ``row`` turns into class ``after``."""
        return [] if row == UNKNOWN_ROW else np.flatnonzero(self.classes.step[row] == after).tolist()

    def first_labels(self, h: int, c: int) -> list[int]:
        """The labels with which packets of host ``h`` leave it in class ``c``."""
        row = int(self.network.lanes.host_row[h])
        if row == UNKNOWN_ROW:
            return []
        return [k for k, of in self.classes.first_of_label.items() if int(self.classes.step[row, of]) == c]

    def sent(self, h: int, label: int, columns: I64) -> I64:
        """Those of ``columns`` to which host ``h`` sends with ``label``."""
        traffic = self.traffic
        if not traffic.host_sends[h]:
            return NO_COLUMN
        own = self.columns.multicast[columns] | (self.columns.owner[columns] >= 0)
        if traffic.labels is None:
            carries = np.full(len(columns), label == traffic.label)
        else:
            bits = traffic.labels[h, columns] >> np.uint32(label) & np.uint32(1)
            carries = np.where(own, label == traffic.label, bits != 0)
        on: Bools = self.columns.on[columns]
        for i in np.flatnonzero(self.columns.multicast[columns]).tolist():
            on[i] = h in self.network.destinations.members(int(columns[i]))
        found: I64 = columns[on & carries]
        return found


def _by_node(node: np.ndarray[tuple[int], np.dtype[np.int32]], n: int) -> tuple[I64, I64]:
    order = np.argsort(node, kind="stable").astype(np.int64)
    return np.searchsorted(node[order], np.arange(n + 1)).astype(np.int64), order


def tables_of_states(found: Explored, original: Network) -> Tables:
    """The tables of a finished walk over states; ``original`` is the network before it was asked."""
    plan = found.plan
    walked = plan.with_others(np.flatnonzero(plan.columns.on | plan.columns.multicast))

    def reached(link: int, c: int, columns: I64) -> I64:
        return columns if found.reached[link * plan.n_classes + c] or _from_host(plan.fabric, link) else NO_COLUMN

    network = Network(plan.fabric, plan.destinations, plan.table, plan.lanes, {})
    return Tables(network, plan.traffic, plan.classes, plan.columns, walked, reached, _by_load(original))


def tables_of_rows(walk: RowWalk, network: Network, classes: Classes) -> Tables:
    """The tables of a finished walk over rows."""

    def reached(link: int, c: int, columns: I64) -> I64:
        if _from_host(walk.fabric, link):
            return columns
        row: Rows = walk.active[walk.fabric.link_src[link]] & walk.table.rows[link]
        found: I64 = columns[(row[columns // 64] >> (columns % 64).astype(np.uint64) & np.uint64(1)) != 0]
        return found

    on = np.flatnonzero(walk.columns.on)
    return Tables(network, walk.traffic, classes, walk.columns, on, reached, lambda x: False)


def _from_host(fabric: Fabric, link: int) -> bool:
    return bool(fabric.link_src[link] >= fabric.n_switches)


def _by_load(original: Network) -> Callable[[int], bool]:
    """Of a choice's number: is it one that a switch makes by load, whatever it was resolved into?"""
    routes = original.routes
    if isinstance(routes, RowTable):
        return lambda x: routes.by_load
    kind = routes.kind if isinstance(routes, ChoiceTable) else np.zeros(0, np.uint8)
    return lambda x: bool(x < len(kind) and kind[x] == ChoiceKind.ADAPTIVE)
