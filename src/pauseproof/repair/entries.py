"""Single entries of a table set anew; everything else, and the numbering of choices, stays as it is.

Notation: ``s`` a switch, ``d`` a column, ``x`` a choice, ``v`` a value.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import Place
from pauseproof.routing.tables import ChoiceTable, Route, in_order

Entries = Mapping[tuple[int, int], Route]


def with_entries(table: ChoiceTable, entries: Entries) -> ChoiceTable:
    """``table`` with the given entries in place of its own; they have no place, since nobody has written them yet."""
    if not entries:
        return table
    new = {route: len(table.kind) + i for i, route in enumerate(dict.fromkeys(map(in_order, entries.values())))}
    value, lookup = _values(table, {at: new[in_order(route)] for at, route in entries.items()})
    links = np.array([link for route in new for link in route.links], np.int32)
    rows = np.array([row for route in new for row in route.rows or (-1,) * len(route.links)], np.int32)
    length = np.cumsum([len(route.links) for route in new], dtype=np.int64)
    place_of, anew = table.place_of, frozenset(entries)

    def place(s: int, d: int) -> Place | None:
        return None if (s, d) in anew else place_of(s, d)

    own = table.member_row
    if own is None and (rows >= 0).any():
        own = np.full(len(table.link), -1, np.int32)
    onward = np.array([route.column for route in new], np.int32)
    before = table.rewrite
    if before is None and (onward >= 0).any():
        before = np.full(len(table.kind), -1, np.int32)
    return replace(
        table,
        value=value,
        choice_of=lookup,
        kind=np.concatenate((table.kind, np.array([route.kind for route in new], np.uint8))),
        ptr=np.concatenate((table.ptr, table.ptr[-1] + length)),
        link=np.concatenate((table.link, links)),
        member_row=None if own is None else np.concatenate((own, rows)),
        rewrite=None if before is None else np.concatenate((before, onward)),
        place_of=place,
    )


def _values(table: ChoiceTable, choices: Mapping[tuple[int, int], int]) -> tuple[NDArray[np.uint16], Ids]:
    """(value, choice_of): behind the values that a switch has, one for each choice that is new to it."""
    width = table.choice_of.shape[1]
    local: dict[int, dict[int, int]] = {}
    value = table.value.astype(np.uint16)
    for (s, d), x in choices.items():
        at_switch = local.setdefault(s, {})
        value[s, d] = at_switch.setdefault(x, width + len(at_switch))
    lookup = np.zeros((len(table.choice_of), width + max(map(len, local.values()))), np.int32)
    lookup[:, :width] = table.choice_of
    for s, ids in local.items():
        for x, v in ids.items():
            lookup[s, v] = x
    return value, lookup
