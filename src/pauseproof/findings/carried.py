"""Which columns each link carries, whatever the lane: what findings about paths are drawn from.

Every entry that names links counts, adaptive ones too; what was not read carries nothing.

Notation: ``s`` a switch, ``l`` a link, ``d`` a column; ``rows`` [L, W] bits as in :class:`RowTable`.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.rows import packed, unpacked, walk_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, RowTable
from pauseproof.routing.traffic import Traffic

Rows = NDArray[np.uint64]
_ONWARD = (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)


@dataclass(frozen=True)
class Carried:
    """``offered`` [L, W]: columns that the switch before a link sends by it; ``carried`` [L, W]: those that really come."""

    offered: Rows
    carried: Rows
    n_columns: int

    def columns(self, bits: Rows) -> list[int]:
        """The columns whose bits are set in one row."""
        found: list[int] = np.flatnonzero(unpacked(bits, self.n_columns)).tolist()
        return found


def carried_by_links(network: Network, traffic: Traffic) -> Carried:
    """Follow the traffic of all hosts, all columns at once."""
    table = network.routes
    rows = table if isinstance(table, RowTable) else _as_rows(network, table)
    walk = walk_rows(replace(network, routes=rows), traffic)
    links = np.arange(network.fabric.n_links)
    from_hosts = network.fabric.link_src >= network.fabric.n_switches
    carried = np.zeros_like(rows.rows)
    inner = links[~from_hosts]
    carried[inner] = walk.active[walk.src[inner]] & rows.rows[inner]
    return Carried(rows.rows, carried, len(network.destinations))


def _as_rows(network: Network, table: object) -> RowTable:
    if not isinstance(table, ChoiceTable):
        raise TypeError(f"paths are followed in a ChoiceTable or a RowTable, not a {type(table).__name__}")
    fabric, n = network.fabric, len(network.destinations)
    words = max(1, -(-n // 64))
    rows = np.zeros((fabric.n_links, words), np.uint64)
    for s in range(fabric.n_switches):
        for v in np.unique(table.value[s]).tolist():
            x = int(table.choice_of[s, v])
            if table.kind[x] in _ONWARD:
                bits = packed(table.value[s] == v, words)
                rows[np.unique(table.link[table.ptr[x] : table.ptr[x + 1]])] |= bits
    nothing = np.zeros((fabric.n_switches, words), np.uint64)
    return RowTable(rows, nothing, None, n, fabric.link_src, network.destinations, fabric.host_down)
