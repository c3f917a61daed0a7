"""From one form of table to another: bit rows to choices, and single entries set in either.

Notation: ``s`` a switch, ``d`` a destination, ``l`` a link, ``x`` a choice, ``g`` a distinct set of members at one switch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import Place
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Destinations, Route, RowTable, in_order

Entries = Mapping[tuple[int, int], Route]
PlaceOf = Callable[[int, int], Place | None]


class _Choices:
    """Choice ids handed out to routes."""

    def __init__(self, known: Sequence[Route] = ()) -> None:
        self.id: dict[Route, int] = {route: x for x, route in enumerate(known)}

    def of(self, route: Route) -> int:
        """The id of this choice, a new one where it has none."""
        return self.id.setdefault(in_order(route), len(self.id))

    def table(self, value: NDArray[np.uint16], lookup: Sequence[Sequence[int]], place_of: PlaceOf) -> ChoiceTable:
        """The table in which value ``v`` means choice ``lookup[s][v]`` at switch ``s``."""
        return ChoiceTable.of(value, lookup, list(self.id), place_of)


def choice_table_from_rows(
    rows: RowTable, *, kind: ChoiceKind = ChoiceKind.HASHED, columns: Ids | None = None, own: Destinations | None = None
) -> ChoiceTable:
    """The same table as choices; groups of several links become ``kind`` (HASHED or ADAPTIVE).

    With ``columns`` [D'] column ``d`` of the result is column ``columns[d]`` of ``rows``; ``own`` then are its destinations,
    which say which hosts a column is delivered to: a column without members that a switch delivers is LOCAL there.
    """
    columns = np.arange(rows.n_destinations, dtype=np.int32) if columns is None else columns
    destinations = rows.destinations if own is None else own
    choices = _Choices()
    value = np.zeros((len(rows.deliver), len(columns)), np.uint16)
    lookup: list[list[int]] = []
    order = np.argsort(rows.link_src, kind="stable")
    ptr = np.searchsorted(rows.link_src[order], np.arange(len(rows.deliver) + 1))
    for s in range(len(rows.deliver)):
        out = order[ptr[s] : ptr[s + 1]]
        groups, value[s] = _groups(rows, s, out, columns)
        local = [choices.of(_meaning(members, out, kind)) for members in groups]
        for d in np.flatnonzero(_bits(rows.deliver[s][None, :], columns)[0]).tolist():
            to = [int(rows.host_down[h]) for h in destinations.members(d)]
            x = choices.of(Route(ChoiceKind.DELIVER if to else ChoiceKind.LOCAL, tuple(to)))
            value[s, d] = _value(local, x)
        lookup.append(local)
    return choices.table(value, lookup, rows.place_of)


def _groups(rows: RowTable, s: int, out: NDArray[np.intp], columns: Ids) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The distinct columns of the bits of switch ``s`` (its links, then dead), [G, links + 1], and each column's, [D']."""
    dead = np.zeros_like(rows.deliver[s]) if rows.dead is None else rows.dead[s]
    bits = _bits(np.vstack([rows.rows[out], dead[None, :]]), columns)
    packed = np.ascontiguousarray(np.packbits(bits, axis=0).T)
    as_one = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, group = np.unique(as_one, return_index=True, return_inverse=True)
    return bits.T[first], group.ravel()


def _meaning(members: NDArray[np.uint8], out: NDArray[np.intp], kind: ChoiceKind) -> Route:
    links = tuple(out[np.flatnonzero(members[:-1])].tolist())
    if not links:
        return Route(ChoiceKind.DEAD_PORT if members[-1] else ChoiceKind.DROP, links)
    return Route(kind if len(links) > 1 else ChoiceKind.HASHED, links)


def _bits(rows: NDArray[np.uint64], columns: Ids) -> NDArray[np.uint8]:
    """[n, D']: the bits of these columns; a few are picked out, many are unpacked with the rest."""
    if len(columns) * 8 < rows.shape[1]:
        return ((rows[:, columns // 64] >> (columns % 64).astype(np.uint64)) & np.uint64(1)).astype(np.uint8)
    return np.unpackbits(rows.astype("<u8").view(np.uint8), axis=1, bitorder="little")[:, columns]


def _value(local: list[int], x: int) -> int:
    """The value that means choice ``x`` at this switch, a new one where it has none."""
    if x not in local:
        local.append(x)
    return local.index(x)


def choices_with(table: ChoiceTable, entries: Entries, place_of: PlaceOf) -> ChoiceTable:
    """``table`` with some entries replaced; their places are what ``place_of`` says."""
    value, lookup = table.value.astype(np.uint16), table.choice_of.tolist()
    choices = _Choices([table.choice(x) for x in range(len(table.kind))])
    for (s, d), route in entries.items():
        value[s, d] = _value(lookup[s], choices.of(route))
    return choices.table(value, lookup, place_of)


def rows_with(table: RowTable, entries: Entries, place_of: PlaceOf) -> RowTable:
    """``table`` with some entries replaced, bits set in place in copies. Raises ValueError for an entry bits cannot say."""
    rows, deliver = table.rows.copy(), table.deliver.copy()
    dead = np.zeros_like(deliver) if table.dead is None else table.dead.copy()
    for (s, d), route in entries.items():
        if route.kind not in (ChoiceKind.DROP, ChoiceKind.DEAD_PORT, ChoiceKind.HASHED):
            raise ValueError(f"a row of bits cannot say {route.kind.name}")
        word, bit = d // 64, np.uint64(1 << d % 64)
        out = np.flatnonzero(table.link_src == s)
        rows[out, word] &= ~bit
        deliver[s, word] &= ~bit
        dead[s, word] &= ~bit
        rows[list(route.links), word] |= bit
        if route.kind == ChoiceKind.DEAD_PORT:
            dead[s, word] |= bit
    return replace(table, rows=rows, deliver=deliver, dead=dead if dead.any() else None, place_of=place_of)


def paired(one: ChoiceTable, other: ChoiceTable, combine: Callable[[Route, Route], Route]) -> ChoiceTable:
    """The table of ``combine(entry of one, entry of other)``; both have the same switches and columns."""
    choices = _Choices()
    value = np.zeros(one.value.shape, np.uint16)
    lookup: list[list[int]] = []
    width = other.choice_of.shape[1]
    for s in range(len(value)):
        both, value[s] = np.unique(one.value[s].astype(np.int64) * width + other.value[s], return_inverse=True)
        ids = [(int(one.choice_of[s, v // width]), int(other.choice_of[s, v % width])) for v in both.tolist()]
        lookup.append([choices.of(combine(one.choice(a), other.choice(b))) for a, b in ids])
    return choices.table(value, lookup, one.place_of)
