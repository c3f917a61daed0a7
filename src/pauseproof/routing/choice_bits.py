"""From choices to bit rows, where bits can say everything: hashed and delivered entries, drops, ports without a cable.

Notation: ``s`` a switch, ``d`` a column, ``l`` a link, ``x`` a choice, ``v`` a value.
"""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Destinations, RowTable

Bools = NDArray[np.bool_]
_SAID = (ChoiceKind.DROP, ChoiceKind.DEAD_PORT, ChoiceKind.HASHED, ChoiceKind.DELIVER)


def rows_of_choices(table: ChoiceTable, destinations: Destinations, fabric: Fabric) -> RowTable | None:
    """The same entries as bits; None where some entry, or a server with several ports, cannot be said by bits."""
    used = _choices_used(table)
    kinds = table.kind[used]
    if table.member_row is not None or table.rewrite is not None or not np.isin(kinds, _SAID).all():
        return None
    if table.group is not None and table.group[used].any():
        return None
    if not _delivers_plainly(table, destinations, fabric, used[kinds == ChoiceKind.DELIVER]):
        return None
    hashed = used[kinds == ChoiceKind.HASHED]
    if any((fabric.host_of_link[table.link[table.ptr[x] : table.ptr[x + 1]]] >= 0).any() for x in hashed.tolist()):
        return None
    words = -(-len(destinations) // 64)
    rows = np.zeros((fabric.n_links, words), np.uint64)
    deliver, dead = (np.zeros((fabric.n_switches, words), np.uint64) for _ in range(2))
    for s in range(fabric.n_switches):
        for v in np.unique(table.value[s]).tolist():
            x = int(table.choice_of[s, v])
            bits = _packed(table.value[s] == v, words)
            if table.kind[x] == ChoiceKind.HASHED:
                rows[table.link[table.ptr[x] : table.ptr[x + 1]]] |= bits
            elif table.kind[x] == ChoiceKind.DELIVER:
                deliver[s] |= bits
            elif table.kind[x] == ChoiceKind.DEAD_PORT:
                dead[s] |= bits
    return RowTable(
        rows,
        deliver,
        dead if dead.any() else None,
        len(destinations),
        fabric.link_src,
        destinations,
        fabric.host_down,
        place_of=table.place_of,
    )


def _choices_used(table: ChoiceTable) -> Ids:
    used = np.zeros(len(table.kind), np.bool_)
    for s in range(len(table.value)):
        used[table.choice_of[s, np.unique(table.value[s])]] = True
    return np.flatnonzero(used).astype(np.int32)


def _delivers_plainly(table: ChoiceTable, destinations: Destinations, fabric: Fabric, delivering: Ids) -> bool:
    """Every delivery hands to all members of its column: no host has a second port, no column is delivered in parts."""
    if (np.bincount(fabric.host_node, minlength=fabric.n_nodes) > 1).any():
        return False
    size = np.diff(destinations.member_ptr)
    for s in range(len(table.value)):
        of_entry = table.choice_of[s, table.value[s]]
        here = np.flatnonzero(np.isin(of_entry, delivering))
        x = of_entry[here]
        if (table.ptr[x + 1] - table.ptr[x] != size[here]).any():
            return False
    return True


def _packed(bits: Bools, words: int) -> NDArray[np.uint64]:
    padded = np.zeros(words * 64, np.bool_)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64, copy=False)
