"""Checks and sorts what readers found into a :class:`Fabric`: every dialect's cabling passes through here, as plain arrays.

A cable may be stated several times, from either end: equal statements are one cable. Refused, all problems at once and each
with its places: two nodes of one identity, a port beyond the radix, a cable to a node that is not there, a port cabled
twice, a port cabled to itself. A cable between two ports of one switch (a loop-back) is legal.

Notation: ``key`` = node * width + port: a port's number in the whole fabric.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, FabricKind, NodeKind
from pauseproof.fabric.problems import refuse_if
from pauseproof.fabric.refusals import (
    impossible_ends,
    impossible_radices,
    ports_cabled_to_themselves,
    ports_cabled_twice,
    twins,
)
from pauseproof.fabric.statements import F32, Cables, Nodes

__all__ = ["Cables", "Nodes", "make_fabric"]

I64 = NDArray[np.int64]


def make_fabric(name: str, kind: FabricKind, nodes: Nodes, cables: Cables, files: tuple[str, ...] = ()) -> Fabric:
    """The fabric of these nodes and cables, in the order of :mod:`pauseproof.fabric.model`. Raises BadInput.

    >>> leaf = Nodes(["leaf"], np.array([7], np.uint64), np.array([0], np.uint8), np.array([2], np.int32))
    >>> one, two = np.array([1], np.int32), np.array([2], np.int32)
    >>> make_fabric("loop-back", "infiniband", leaf, Cables(one * 0, one, one * 0, two)).n_links
    2
    """
    refuse_if([*twins(nodes, files), *impossible_radices(nodes, files), *impossible_ends(nodes, cables, files)])
    order = _order(nodes)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    width = int(nodes.ports.max(initial=0)) + 1
    ends = rank[cables.a] * width + cables.a_port, rank[cables.b] * width + cables.b_port
    found = _Cables.of(np.minimum(*ends), np.maximum(*ends))
    key, statement = np.concatenate([found.low, found.high]), np.concatenate([found.statement] * 2)
    clashes = ports_cabled_twice(nodes, cables, files, order[key // width], key % width, statement)
    refuse_if([*ports_cabled_to_themselves(nodes, cables, files), *clashes])

    by_dst = np.argsort(key)  # every port occurs once
    dst, src = key[by_dst], np.concatenate([found.high, found.low])[by_dst]
    cable = by_dst % max(len(found.low), 1)
    speed, length = found.best_known(cables.speed), found.best_known(cables.length)
    return Fabric(
        name,
        kind,
        node_name=[nodes.name[i] for i in order.tolist()],
        node_guid=nodes.guid[order],
        node_kind=nodes.kind[order],
        node_ports=nodes.ports[order].astype(np.int32),
        link_src=(src // width).astype(np.int32),
        link_src_port=(src % width).astype(np.int32),
        link_dst=(dst // width).astype(np.int32),
        link_dst_port=(dst % width).astype(np.int32),
        files=files,
        link_place=None if cables.place is None else cables.place[found.statement[cable]],
        speed=None if speed is None else speed[cable],
        length=None if length is None else length[cable],
        port_names={int(rank[i]): names for i, names in sorted(nodes.port_names.items())},
    )


def _order(nodes: Nodes) -> I64:
    """Switches first, each group by GUID, then by name."""
    end_node = nodes.kind != NodeKind.SWITCH
    if np.count_nonzero(nodes.guid == 0) <= 1:
        return np.lexsort((nodes.guid, end_node))
    by_name = np.array(sorted(range(len(end_node)), key=nodes.name.__getitem__), np.int64)
    return by_name[np.lexsort((nodes.guid[by_name], end_node[by_name]))]


@dataclass(frozen=True)
class _Cables:
    """Statements grouped into cables: ``order`` [c] sorts them by (low, high), ``start`` is where each cable begins in it."""

    order: I64
    start: I64
    low: I64
    high: I64

    @classmethod
    def of(cls, low: I64, high: I64) -> "_Cables":
        """Group by the keys of the two ends."""
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        first = np.ones(len(order), bool)
        first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        start = np.flatnonzero(first)
        return cls(order, start, low[start], high[start])

    @property
    def statement(self) -> I64:
        """The first statement of each cable (lexsort is stable)."""
        return self.order[self.start]

    def best_known(self, values: F32 | None) -> F32 | None:
        """One value a cable: the largest of those that its statements know."""
        if values is None or not len(self.start):
            return values
        out: F32 = np.fmax.reduceat(values[self.order], self.start).astype(np.float32)
        return out
