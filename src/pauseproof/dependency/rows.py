"""The bit-parallel walk for hashed tables with one class: all destinations of a link at once, 64 to a word.

A packet for ``d`` takes link ``l`` iff it is at ``l``'s sender and bit ``d`` of ``rows[l]`` is set, whatever way it came by; so
reachability is a matter of switches: ``active[s]`` holds the columns whose packets can be at ``s``, and link ``l`` carries
``active[src(l)] & rows[l]``. Link ``l`` depends on link ``m`` that leaves where it ends iff their two rows of carried and
offered columns meet. Nothing here knows how the tables came about.

Notation: ``s``, ``t`` switches, ``l``, ``m`` links, ``d`` a column, ``W`` words; ``A[l]`` the columns that ``l`` carries.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.plan import I64, Bools, Columns, columns_asked, compact_classes, labels_sent
from pauseproof.fabric.model import Fabric
from pauseproof.routing.network import Network
from pauseproof.routing.tables import RowTable
from pauseproof.routing.traffic import Traffic

Rows = NDArray[np.uint64]
_CHUNK = 1 << 21  # words worked on at a time


def plain_lane(network: Network, traffic: Traffic) -> int | None:
    """The one lane that all packets of the traffic ride, None where the walk over states is needed instead."""
    lanes, fabric = network.lanes, network.fabric
    if (
        not isinstance(network.routes, RowTable)
        or lanes.turn_row is not None
        or (lanes.coupled, lanes.lossy_lane) != (None, None)
    ):
        return None
    if traffic.labels is not None or traffic.coupled is not None:
        return None
    classes = compact_classes(lanes, labels_sent(network, traffic, False), False)
    between_hosts = fabric.link_dst[fabric.host_up] >= fabric.n_switches
    if len(classes) > 1 or (classes.step != 0).any() or traffic.switch_sends.any() or between_hosts.any():
        return None
    return int(classes.lane[0])


@dataclass
class RowWalk:
    """The finished walk. ``active`` [S, W]; ``arrived`` [S, W] are the columns that come to a switch over a link."""

    fabric: Fabric
    table: RowTable
    traffic: Traffic
    columns: Columns
    active: Rows
    arrived: Rows

    @cached_property
    def src(self) -> I64:
        """The sending node of each link."""
        return self.fabric.link_src.astype(np.int64)

    @cached_property
    def dst(self) -> I64:
        """The receiving node of each link."""
        return self.fabric.link_dst.astype(np.int64)

    @cached_property
    def used(self) -> I64:
        """Links out of switches that some entry names, ascending."""
        return used_links(self.fabric, self.table)

    @cached_property
    def carrying(self) -> I64:
        """Those of ``used`` that carry some packet."""
        kept = [part[meets(self.active[self.src[part]], self.table.rows[part])] for part in self.parts(self.used)]
        return np.concatenate(kept) if kept else np.zeros(0, np.int64)

    def parts(self, links: I64) -> list[I64]:
        """``links`` in pieces that bound the memory of an operation on their rows."""
        width = max(1, _CHUNK // max(self.table.rows.shape[1], 1))
        return [links[i : i + width] for i in range(0, len(links), width)]

    def carried(self, links: I64) -> Rows:
        """``A`` of each link, [n, W]."""
        out: Rows = self.active[self.src[links]] & self.table.rows[links]
        return out

    @cached_property
    def senders(self) -> I64:
        """Hosts that send to somebody."""
        return np.flatnonzero(self.traffic.host_sends & (self.pairs_of > 0))

    @cached_property
    def pairs_of(self) -> I64:
        """[H]: columns with a member on another node than the host's."""
        total = int(self.columns.on.sum())
        own = np.bincount(self.columns.node[self.columns.on & (self.columns.node >= 0)], minlength=self.fabric.n_nodes)
        return total - own[self.fabric.host_node]


def meets(a: Rows, b: Rows) -> Bools:
    """[n]: whether two rows have a bit in common."""
    met: Bools = np.bitwise_or.reduce(a & b, axis=-1) != 0
    return met


def packed(bits: Bools, n_words: int) -> Rows:
    """[..., D] booleans as [..., W] words, bit ``d % 64`` of word ``d // 64``."""
    padded = np.zeros((*bits.shape[:-1], n_words * 64), np.bool_)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpacked(rows: Rows, n: int) -> Bools:
    """The inverse of :func:`packed`."""
    return np.unpackbits(np.ascontiguousarray(rows, "<u8").view(np.uint8), axis=-1, count=n, bitorder="little").view(np.bool_)


def used_links(fabric: Fabric, table: RowTable) -> I64:
    """Links out of switches whose row has a bit."""
    out = np.flatnonzero(fabric.link_src < fabric.n_switches)
    return out[table.rows[out].any(axis=1)] if len(out) * table.rows.shape[1] < _CHUNK else _used_by_parts(out, table)


def _used_by_parts(out: I64, table: RowTable) -> I64:
    width = max(1, _CHUNK // table.rows.shape[1])
    return np.concatenate([p[table.rows[p].any(axis=1)] for p in (out[i : i + width] for i in range(0, len(out), width))])


def walk_rows(network: Network, traffic: Traffic) -> RowWalk:
    """Reach, by adding to each switch what its neighbours newly have, until nothing is new."""
    table, fabric = network.routes, network.fabric
    if not isinstance(table, RowTable):
        raise TypeError(f"the walk over rows reads a RowTable, not a {type(table).__name__}")
    columns = columns_asked(network, traffic)
    fresh = _injected(fabric, table, traffic, columns)
    walk = RowWalk(fabric, table, traffic, columns, fresh.copy(), np.zeros_like(fresh))
    inner = walk.used[walk.dst[walk.used] < fabric.n_switches]
    while fresh.any():
        came = np.zeros_like(fresh)
        some: Bools = np.asarray(fresh.any(axis=1))
        for part in walk.parts(inner[some[walk.src[inner]]]):
            moved = fresh[walk.src[part]] & table.rows[part]
            start = np.flatnonzero(np.append(True, np.diff(walk.dst[part]) != 0))  # links are in the order of receivers
            came[walk.dst[part[start]]] |= np.bitwise_or.reduceat(moved, start, axis=0)
        walk.arrived |= came
        fresh = came & ~walk.active
        walk.active |= fresh
    return walk


def _injected(fabric: Fabric, table: RowTable, traffic: Traffic, columns: Columns) -> Rows:
    """[S, W]: what the sending hosts of each switch send; a node does not send to itself."""
    n_words = table.rows.shape[1]
    everything = packed(columns.on, n_words)
    at = fabric.link_dst[fabric.host_up].astype(np.int64)
    hosts = np.flatnonzero(traffic.host_sends)
    node = fabric.host_node.astype(np.int64)[hosts]
    out = np.zeros((fabric.n_switches, n_words), np.uint64)
    out[at[hosts]] = everything
    low, high = np.full(fabric.n_switches, fabric.n_nodes), np.full(fabric.n_switches, -1)
    np.minimum.at(low, at[hosts], node)
    np.maximum.at(high, at[hosts], node)
    solo = np.flatnonzero(low == high)  # all senders of the switch are ports of one node
    mine = np.flatnonzero(columns.on & np.isin(columns.node, low[solo]))
    for d in mine.tolist():
        for s in solo[low[solo] == columns.node[d]].tolist():
            out[s, d // 64] &= ~(np.uint64(1) << np.uint64(d % 64))
    return out
