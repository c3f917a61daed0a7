"""A table while it is being made: entries by value and switch, columns that are merged, rewritten and added.

Notation: ``s`` a switch, ``d`` a column, ``v`` a value at one switch.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.naming import some
from pauseproof.fabric.places import Place
from pauseproof.routing.ethernet_columns import Column
from pauseproof.routing.tables import ChoiceTable, Route, groups_of, in_order

PlaceOf = Callable[[int, int], Place | None]


@dataclass
class Filled:
    """``value`` [S, D] and ``lookup[s]``, which numbers the entries of switch ``s``; ``place_of`` as in :class:`Routes`."""

    columns: list[Column]
    value: NDArray[np.uint16]
    lookup: list[dict[Route, int]]
    place_of: PlaceOf

    @classmethod
    def empty(cls, columns: Sequence[Column], n_switches: int, place_of: PlaceOf) -> "Filled":
        """No entries yet."""
        return cls(list(columns), np.zeros((n_switches, len(columns)), np.uint16), [{} for _ in range(n_switches)], place_of)

    def route(self, s: int, d: int) -> Route:
        """The entry of one switch and column."""
        return list(self.lookup[s])[int(self.value[s, d])]

    def set(self, s: int, d: int, route: Route) -> None:
        """Replace one entry."""
        local = self.lookup[s]
        self.value[s, d] = local.setdefault(in_order(route), len(local))

    def add(self, column: Column, routes: Sequence[Route], like: Sequence[int]) -> int:
        """A column more, with an entry for each switch; its places are those of column ``like[s]`` at switch ``s``."""
        d, before = len(self.columns), self.place_of
        self.columns.append(column)
        self.value = np.hstack([self.value, np.zeros((len(self.value), 1), np.uint16)])
        for s, route in enumerate(routes):
            self.set(s, d, route)
        self.place_of = lambda s, other: before(s, like[s] if other == d else other)
        return d

    def having(self, s: int, route: Route) -> list[int]:
        """The columns whose entry at ``s`` is this one."""
        value = self.lookup[s].get(route)
        found: list[int] = [] if value is None else np.flatnonzero(self.value[s] == value).tolist()
        return found

    def routes_of(self, d: int) -> list[Route]:
        """A whole column."""
        return [self.route(s, d) for s in range(len(self.value))]

    def without_twins(self, apart: Sequence[object] = ()) -> "Filled":
        """Columns with the same members and the same entries at every switch are one, but for those whose ``apart`` differ."""
        by_column = np.ascontiguousarray(self.value.T)
        first: dict[tuple[object, ...], int] = {}
        names: dict[int, list[str]] = defaultdict(list)
        nodes: dict[int, list[int]] = defaultdict(list)
        for d, column in enumerate(self.columns):
            key = (column.members, column.kind, by_column[d].tobytes(), *apart[d : d + 1]) if column.members else (d,)
            names[first.setdefault(key, d)].append(column.name)
            nodes[first[key]].append(column.node)
        kept, place_of = sorted(names), self.place_of
        columns = [self.columns[d]._replace(name=some(names[d], 1), twins=tuple(nodes[d][1:])) for d in kept]
        return Filled(columns, np.ascontiguousarray(self.value[:, kept]), self.lookup, lambda s, d: place_of(s, kept[d]))

    def table(self) -> ChoiceTable:
        """The finished table."""
        ids: dict[Route, int] = {}
        choices = [[ids.setdefault(route, len(ids)) for route in local] for local in self.lookup]
        width = max(map(len, choices), default=0)
        choice_of = np.array([[*local, *[0] * (width - len(local))] for local in choices], np.int32)
        rows = np.array([row for route in ids for row in route.rows or (-1,) * len(route.links)], np.int32)
        onward = np.array([route.column for route in ids], np.int32)
        return ChoiceTable(
            self.value,
            choice_of.reshape(len(choices), width),
            np.array([route.kind for route in ids], np.uint8),
            np.cumsum([0, *(len(route.links) for route in ids)]).astype(np.int64),
            np.array([link for route in ids for link in route.links], np.int32),
            self.place_of,
            member_row=rows if (rows >= 0).any() else None,
            rewrite=onward if (onward >= 0).any() else None,
            group=groups_of(ids),
        )
