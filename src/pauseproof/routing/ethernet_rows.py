"""All tables of an Ethernet fabric on one forest of prefixes: which row each table's longest match names for a class.

Rows are numbered through all tables. A switch has one table for each file that dumped it; the first file of each address
family makes up its first table, the second its second, and so on: tables of one switch must agree (``ethernet_entries``).

Notation: ``s`` a switch, ``n`` a node of the forest (a class of addresses), ``r`` a row of all tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from pauseproof.fabric.places import Place
from pauseproof.readers.roce_records import Group, RouteKind, RouteRecords
from pauseproof.routing.address_classes import I64, NO_ROW, PrefixForest, PrefixRows, prefix_forest
from pauseproof.routing.ethernet_devices import ADDRESSES, Device

UNREAD = -2  # in place of a row: the table was cut off, or holds nothing of this address family


@dataclass(frozen=True)
class Tables:
    """``records`` are the tables, ``start[i]`` the first row of record ``i``, ``node`` [rows] the forest node of each row,
    ``of_switch[s]`` the record numbers of a switch's tables: one list for each dump of it."""

    forest: PrefixForest
    records: Sequence[RouteRecords]
    start: I64
    node: I64
    of_switch: Sequence[Sequence[Sequence[int]]]

    @cached_property
    def group_of_row(self) -> I64:
        """[rows]: what a row says, numbered through all groups of all tables."""
        parts = [r.group.astype(np.int64) + at for r, at in zip(self.records, self._first_group, strict=True)]
        return np.concatenate([np.zeros(0, np.int64), *parts])

    @cached_property
    def _first_group(self) -> I64:
        return np.cumsum([0, *(len(record.groups) for record in self.records)])[:-1].astype(np.int64)

    def group(self, number: int) -> Group:
        """What the rows with this number say."""
        i = int(np.searchsorted(self._first_group, number, side="right")) - 1
        while not len(self.records[i].groups):
            i -= 1
        return self.records[i].groups[number - int(self._first_group[i])]

    def place(self, row: int) -> Place:
        """Where a row was read."""
        i = int(np.searchsorted(self.start, row, side="right")) - 1
        record = self.records[i]
        return Place(record.file, int(record.line[row - int(self.start[i])]))

    def row_of(self, numbers: Sequence[int]) -> I64:
        """[N]: the row that these records together have for each prefix itself, NO_ROW where none."""
        out = np.full(len(self.forest), NO_ROW, np.int64)
        for i in reversed(numbers):
            rows = np.arange(self.start[i], self.start[i] + len(self.records[i].line))
            out[self.node[rows]] = rows
        return out

    def match(self, s: int, dump: int, nodes: I64) -> I64:
        """The row of each class in one dump of a switch's table: NO_ROW for a drop, UNREAD where that was not read."""
        numbers = self.of_switch[s][dump]
        row_of = self.row_of(numbers)
        found = self.forest.longest_match(row_of, nodes)
        family = self.forest.prefix.family[nodes]
        for f in (4, 6):
            of_family = [
                self.records[i] for i in numbers if not len(self.records[i].line) or (self.records[i].family == f).any()
            ]
            if not any((record.family == f).any() for record in of_family):
                found[family == f] = UNREAD
            elif not all(record.complete for record in of_family) or all(r.format == ADDRESSES for r in of_family):
                found[(family == f) & (row_of[nodes] == NO_ROW)] = UNREAD
        return found


def tables_of(devices: Sequence[Device | None], more: PrefixRows) -> tuple[Tables, I64]:
    """The tables of the switches' devices (None where nothing was read), and the nodes of ``more`` prefixes."""
    records: list[RouteRecords] = []
    of_switch = []
    for device in devices:
        dumps = _dumps(device) if device is not None else []
        of_switch.append([list(range(len(records) + at, len(records) + at + n)) for at, n in _spans(dumps)])
        records += [record for dump in dumps for record in dump]
    parts = [PrefixRows(r.family, r.high, r.low, r.length) for r in records]
    forest, node = prefix_forest(PrefixRows.join([*parts, more]))
    sizes = [len(part) for part in parts]
    start = np.cumsum([0, *sizes])[:-1].astype(np.int64)
    return Tables(forest, records, start, node[: sum(sizes)], of_switch), node[sum(sizes) :]


def _spans(dumps: list[list[RouteRecords]]) -> list[tuple[int, int]]:
    ends = np.cumsum([0, *map(len, dumps)]).tolist()
    return [(lo, hi - lo) for lo, hi in pairwise(ends)]


def _dumps(device: Device) -> list[list[RouteRecords]]:
    """The device's tables, dump by dump; its interface addresses complete a dump that names no connected subnet."""
    by_family = [[r for r in device.tables if (r.family == f).any()] for f in (4, 6)]
    empty = [r for r in device.tables if not len(r.line)]
    depth = max([*map(len, by_family), 1 if empty else 0])
    dumps = []
    for k in range(depth):
        dump = list({id(of[k]): of[k] for of in by_family if k < len(of)}.values()) or empty[:1]
        if device.connected is not None and not any(g.kind is RouteKind.CONNECTED for r in dump for g in r.groups):
            dump.append(device.connected)
        dumps.append(dump)
    return dumps
