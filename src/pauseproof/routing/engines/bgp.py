"""External BGP between all neighbouring switches (RFC 4271; in data centres: RFC 7938): the shortest AS path decides.

A switch tells its neighbours its one best route, with its own AS put in front of the path, and accepts what it is told
unless its own AS is in the path more often than ``allowas-in`` says. Nothing is prepended twice, so a path is as long as
the route has hops: switches settle in the order of their distance, and no route that arrives later can be better. Each
origin is therefore one breadth-first search that carries the path along; a switch that refuses what arrives in one round
may accept a longer path in a later one. Every route leads to a switch that settled one round earlier: nothing loops.

Notation: ``o`` an origin, ``s`` a switch, ``l`` a link from ``s`` to ``t``: over it ``s`` hears what ``t`` tells.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.readers.natural_order import natural_order
from pauseproof.routing.engines.levels import Rows, words

Numbers = NDArray[np.int64]


class Speakers(NamedTuple):
    """What is configured: ``asn`` [S], ``allowed`` [S] (allowas-in), and multipath-relax on every switch or on none."""

    asn: Numbers
    allowed: Numbers
    relax: bool


class Round(NamedTuple):
    """Switches that settled together, ascending, and what each tells its neighbours: AS paths of one length, [n, length]."""

    switch: Numbers
    path: Numbers


def bgp(fabric: Fabric, origin: Ids, speakers: Speakers) -> Rows:
    """``rows`` [L, W] as in :func:`ecmp`: the links of every route that a switch installs.

    Installed are the best route and those as short; without ``relax`` only from neighbours in the AS of the best one's.
    Of routes as short the best is from the switch that comes first in the order of names. Neighbours in one AS have no
    session. Parallel cables count each. A switch without a route has no bit: a drop.
    """
    rows = np.zeros((fabric.n_links, words(len(origin))), np.uint64)
    links = _sessions(fabric, speakers)
    origins, column = np.unique(origin, return_inverse=True)
    for i, o in enumerate(origins.tolist()):
        installed = _routes_to(o, fabric, links, speakers)
        for d in np.flatnonzero(column == i).tolist():
            rows[installed, d // 64] |= np.uint64(1 << d % 64)
    return rows


def _sessions(fabric: Fabric, speakers: Speakers) -> Ids:
    """Links between switches of different AS, by source and then by the name of the other end."""
    n = fabric.n_switches
    rank = np.empty(n, np.int64)
    rank[sorted(range(n), key=lambda s: natural_order(fabric.node_name[s]))] = np.arange(n)
    links = np.flatnonzero((fabric.link_src < n) & (fabric.link_dst < n)).astype(np.int32)
    src, dst = fabric.link_src[links], fabric.link_dst[links]
    links = links[speakers.asn[src] != speakers.asn[dst]]
    by_name: Ids = links[np.lexsort((rank[fabric.link_dst[links]], fabric.link_src[links]))]
    return by_name


def _routes_to(origin: int, fabric: Fabric, links: Ids, speakers: Speakers) -> Ids:
    """The links of all routes installed towards one origin."""
    settled = np.zeros(fabric.n_switches, np.bool_)
    settled[origin] = True
    told = Round(np.array([origin]), speakers.asn[[origin]][:, None])
    installed: list[Ids] = []
    while len(told.switch):
        heard = _heard(told, fabric, links, settled, speakers)
        best = heard[np.unique(fabric.link_src[heard], return_index=True)[1]]
        installed.append(heard if speakers.relax else _of_one_neighbour_as(heard, best, fabric, speakers))
        told = _told_next(told, best, fabric, speakers)
        settled[told.switch] = True
    return np.concatenate(installed)


def _heard(told: Round, fabric: Fabric, links: Ids, settled: NDArray[np.bool_], speakers: Speakers) -> Ids:
    """The links over which a switch that has no route yet hears one that it accepts, in the order of ``links``."""
    tells = np.zeros(fabric.n_nodes, np.bool_)
    tells[told.switch] = True
    links = links[tells[fabric.link_dst[links]] & ~settled[fabric.link_src[links]]]
    s, path = fabric.link_src[links], told.path[np.searchsorted(told.switch, fabric.link_dst[links])]
    own = (path == speakers.asn[s][:, None]).sum(axis=1)
    accepted: Ids = links[own <= speakers.allowed[s]]
    return accepted


def _of_one_neighbour_as(heard: Ids, best: Ids, fabric: Fabric, speakers: Speakers) -> Ids:
    best_of = np.searchsorted(fabric.link_src[best], fabric.link_src[heard])
    neighbour_as = speakers.asn[fabric.link_dst[best]]
    equal: Ids = heard[speakers.asn[fabric.link_dst[heard]] == neighbour_as[best_of]]
    return equal


def _told_next(told: Round, best: Ids, fabric: Fabric, speakers: Speakers) -> Round:
    """The round after: each switch of ``best`` tells its best path behind its own AS."""
    s = fabric.link_src[best].astype(np.int64)
    path = told.path[np.searchsorted(told.switch, fabric.link_dst[best])]
    return Round(s, np.hstack([speakers.asn[s][:, None], path]))
