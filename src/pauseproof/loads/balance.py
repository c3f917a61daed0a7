"""The static balance of tables: how many destinations each link serves before any job runs, and links that serve none.

Rows alone do not tell: a switch has rows for every destination, and packets for many of them never come to it. So the packets
of all hosts to all destinations are followed, all destinations together, and what each link carries is counted. Links are
grouped by the tiers that they join. A link that nobody's packets use is *idle*: capacity that was paid for and is not used.

Notation: ``d`` a column, ``s`` a switch, ``l`` a link; a state is ``(d * C + c) * S + s`` as in :mod:`pauseproof.loads.spread`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids, NodeKind
from pauseproof.fabric.tiers import switch_tiers
from pauseproof.loads.may_come import links_reached
from pauseproof.loads.next_hops import NextHops
from pauseproof.routing.tables import DestinationKind
from pauseproof.routing.traffic import Traffic

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]
STATES = 1 << 21  # of one tile
HOSTS = 0  # the tier of end nodes


@dataclass(frozen=True)
class Level:
    """The links from one tier to another: how many, and the destinations that they serve. Tier 0 are end nodes."""

    from_tier: int
    to_tier: int
    links: NDArray[np.int64]
    destinations: I64

    @property
    def idle(self) -> I64:
        """The links that serve no destination."""
        return np.compress(self.destinations == 0, self.links)


@dataclass(frozen=True)
class Balance:
    """``destinations`` [L]: how many each link serves, of ``columns`` in all; ``levels`` from the hosts upwards."""

    columns: int
    destinations: I64
    levels: tuple[Level, ...]

    @property
    def idle(self) -> int:
        """Links that nobody uses."""
        return int(np.count_nonzero(self.destinations == 0))


def balance(hops: NextHops, traffic: Traffic) -> Balance:
    """The balance, with every host of ``traffic`` sending to every destination of it that is a host's."""
    of_hosts = (hops.destinations.kind == DestinationKind.HOST) & (np.diff(hops.destinations.member_ptr) > 0)
    columns = np.flatnonzero(traffic.destination_on & of_hosts)
    served = np.zeros(hops.fabric.n_links, np.int64)
    width = max(1, STATES // max(1, hops.fabric.n_switches * hops.ways))
    for first in range(0, len(columns), width):
        served += _served(hops, traffic, columns[first : first + width])
    return Balance(len(columns), served, tuple(_levels(hops.fabric, served)))


def _served(hops: NextHops, traffic: Traffic, columns: I64) -> I64:
    """[L]: how many of ``columns`` each link carries packets for."""
    fabric = hops.fabric

    def counts(d: I64, link: Ids, delivers: Bools) -> Bools:
        return traffic.host_receives[fabric.host_of_link[link]] | (fabric.host_of_link[link] < 0)

    which, up = _sent(hops, traffic, columns)
    first = fabric.link_dst[up].astype(np.int64)
    inside = first < fabric.n_switches
    used = links_reached(hops, columns, which[inside], first[inside], counts)
    used[which, up] = True
    return np.asarray(np.count_nonzero(used, axis=0), np.int64)


def _sent(hops: NextHops, traffic: Traffic, columns: I64) -> tuple[I64, Ids]:
    """(column, link) by which packets of other nodes enter the fabric; columns by their index."""
    fabric = hops.fabric
    sends = np.flatnonzero(traffic.host_sends)
    up, node = fabric.host_up[sends], fabric.host_node[sends]
    to_itself = np.zeros((len(columns), len(sends)), np.bool_)
    ptr, member = hops.destinations.member_ptr, hops.destinations.member
    for i, d in enumerate(columns.tolist()):
        theirs = np.unique(fabric.host_node[member[ptr[d] : ptr[d + 1]]])
        if len(theirs) == 1:
            to_itself[i] = node == theirs[0]
    which, h = np.nonzero(~to_itself)
    return which.astype(np.int64), up[h]


def link_tiers(fabric: Fabric) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """([L], [L]): the tier that each link leaves, and the one that it leads to; end nodes are tier 0."""
    tier = np.concatenate([switch_tiers(fabric), np.full(fabric.n_nodes - fabric.n_switches, HOSTS, np.int32)])
    return tier[fabric.link_src], tier[fabric.link_dst]


def _levels(fabric: Fabric, served: I64) -> Iterator[Level]:
    """From the hosts up to the top and down again; links of end nodes that are no hosts are left out."""
    low, high = link_tiers(fabric)
    ends = np.maximum(fabric.link_src, fabric.link_dst)
    ordinary = (ends < fabric.n_switches) | (fabric.node_kind[ends] == NodeKind.HOST)
    pairs = sorted({*zip(low[ordinary].tolist(), high[ordinary].tolist(), strict=True)}, key=_upwards_first)
    for a, b in pairs:
        links = np.flatnonzero((low == a) & (high == b) & ordinary)
        yield Level(a, b, links, served[links])


def _upwards_first(tiers: tuple[int, int]) -> tuple[bool, int, int]:
    a, b = tiers
    return (a > b, a, b) if a <= b else (True, -a, b)
