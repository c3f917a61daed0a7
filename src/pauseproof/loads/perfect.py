"""The perfectly spread fabric: the same cables, and every flow divided over all its shortest paths.

At every switch a flow divides over the links to all neighbours that are one hop nearer to its receiver's switch, in proportion
to their speeds (evenly where these are alike), down to single packets. What a job loads links with on such a fabric is the
measure that real tables and hashes are held to. On a folded Clos nothing can do better; elsewhere longer paths sometimes could.

A *column* here is (switch, k): the hosts on that switch that are the ``k``-th port of their node there, mostly k = 0.
"""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.loads.next_hops import NextHops, weighted_hops
from pauseproof.routing.engines.ecmp import ecmp
from pauseproof.routing.engines.levels import origin_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import DestinationKind, Destinations, RowTable


def perfect_hops(fabric: Fabric, rate: NDArray[np.float64]) -> NextHops:
    """All shortest paths of ``fabric``; ``rate`` [L] gives the shares."""
    destinations, origin = _columns(fabric)
    deliver = origin_rows(fabric.n_switches, origin)
    routes = RowTable(
        ecmp(fabric, origin), deliver, None, len(origin), fabric.link_src, destinations, fabric.host_down, by_load=True
    )
    network = Network(fabric, destinations, routes, Lanes.identity(fabric.n_hosts), {})
    return weighted_hops(network, lambda s, links, number: tuple(rate[list(links)].tolist()))


def _columns(fabric: Fabric) -> tuple[Destinations, NDArray[np.int32]]:
    """The columns and the switch of each."""
    at = fabric.link_dst[fabric.host_up]
    host = np.flatnonzero(at < fabric.n_switches)
    order = host[np.lexsort((host, at[host], fabric.host_node[host]))]
    node, switch = fabric.host_node[order], at[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (node[1:] != node[:-1]) | (switch[1:] != switch[:-1])
    start = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    port = np.arange(len(order)) - start
    key = port * fabric.n_switches + switch
    columns, of = np.unique(key, return_inverse=True)
    by_column = np.lexsort((order, of))
    ptr = np.concatenate(([0], np.cumsum(np.bincount(of, minlength=len(columns))))).astype(np.int64)
    kind = np.full(len(columns), DestinationKind.HOST, np.uint8)
    owner = np.full(len(columns), -1, np.int32)
    names = [""] * len(columns)
    members = order[by_column].astype(np.int32)
    return Destinations(names, kind, owner, ptr, members), (columns % fabric.n_switches).astype(np.int32)
