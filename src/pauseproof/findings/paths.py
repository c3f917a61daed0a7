"""Paths that no one meant: packets that come down the tiers and go up again, and groups that their neighbours do not return.

In a folded Clos a packet climbs and then descends; a switch that sends a packet up which came down to it (a *valley*, after
failures or by a leaked route) is how most loops of buffers begin. Tiers are those of :mod:`pauseproof.fabric.tiers`.

Notation: ``s`` a switch, ``l`` a link, ``d`` a column.
"""

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.rows import unpacked
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.naming import some
from pauseproof.fabric.places import Place
from pauseproof.fabric.tiers import UNREACHED, switch_tiers
from pauseproof.findings.carried import Carried, carried_by_links
from pauseproof.findings.report import Finding
from pauseproof.findings.rules import rule
from pauseproof.routing.ethernet_records import DUMPED
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable
from pauseproof.routing.traffic import Traffic

_SHOWN = 3


def path_findings(network: Network, traffic: Traffic) -> list[Finding]:
    """Valleys and asymmetric groups of an Ethernet fabric whose tables were dumped, each switch once."""
    if network.notes.get("routing") != DUMPED:
        return []
    found, tiers = carried_by_links(network, traffic), switch_tiers(network.fabric)
    return [*_valleys(network, found, tiers), *_one_way_cables(network, found), *_narrow_groups(network, found, tiers)]


def _rise(fabric: Fabric, tiers: Ids) -> NDArray[np.int64]:
    """[L]: 1 for a link to a higher tier, -1 to a lower one, 0 between equals and at hosts."""
    n = fabric.n_switches
    of_node = np.append(tiers, np.full(fabric.n_nodes - n, UNREACHED)).astype(np.int64)
    src, dst = of_node[fabric.link_src], of_node[fabric.link_dst]
    inner = (src != UNREACHED) & (dst != UNREACHED)
    return np.where(inner, np.sign(dst - src), 0)


def _valleys(network: Network, found: Carried, tiers: Ids) -> list[Finding]:
    fabric, rise = network.fabric, _rise(network.fabric, tiers)
    came_down = np.zeros((fabric.n_switches, found.carried.shape[1]), np.uint64)
    down, up = np.flatnonzero(rise < 0), np.flatnonzero(rise > 0)
    np.bitwise_or.at(came_down, fabric.link_dst[down], found.carried[down])
    bouncing = came_down[fabric.link_src[up]] & found.offered[up]
    by_switch: dict[int, list[int]] = defaultdict(list)
    for i in np.flatnonzero(np.asarray(bouncing.any(axis=1))).tolist():
        by_switch[int(fabric.link_src[up[i]])].append(i)
    out = []
    for s, links in sorted(by_switch.items()):
        columns = found.columns(np.bitwise_or.reduce(bouncing[links], axis=0))
        to = ", ".join(sorted({fabric.node_name[int(fabric.link_dst[up[i]])] for i in links})[:_SHOWN])
        message = f"{fabric.node_name[s]} sends packets for {_named(network, columns)} that came down to it up again, to {to}"
        out.append(_finding(network, "valley-path", message, s, columns))
    return out


def _one_way_cables(network: Network, found: Carried) -> list[Finding]:
    """Cables between switches that carry packets one way only.

    Where rows are unknown, packets were not followed to their end: then the far switch has to have no row that sends here.
    """
    fabric = network.fabric
    inner = (fabric.link_src < fabric.n_switches) & (fabric.link_dst < fabric.n_switches)
    busy = np.asarray(found.carried.any(axis=1))
    returns, unread = busy, _with_unknown_rows(network)
    if unread.any():
        sender = np.minimum(fabric.link_src, fabric.n_switches - 1)  # those of hosts are masked by ``inner``
        returns = np.asarray(found.offered.any(axis=1)) | unread[sender]
    alone = np.flatnonzero(inner & busy & ~returns[fabric.reverse])
    by_switch: dict[int, list[int]] = defaultdict(list)
    for link in alone.tolist():
        by_switch[int(fabric.link_src[link])].append(link)
    out = []
    for s, links in sorted(by_switch.items()):
        far = [fabric.node_name[int(fabric.link_dst[link])] for link in links]
        columns = found.columns(np.bitwise_or.reduce(found.carried[links], axis=0))
        them = some(far, _SHOWN)
        message = (
            f"{fabric.node_name[s]} sends packets for {_named(network, columns)} to {them}, which never sends any back there"
        )
        out.append(_finding(network, "asymmetric-ecmp", message, s, columns))
    return out


def _with_unknown_rows(network: Network) -> NDArray[np.bool_]:
    """[S]: does the switch have rows that were not read?"""
    table = network.routes
    if not isinstance(table, ChoiceTable):
        return np.zeros(network.fabric.n_switches, np.bool_)
    unknown = table.kind[table.choice_of] == ChoiceKind.UNKNOWN
    return np.asarray(np.take_along_axis(unknown, table.value.astype(np.int64), axis=1).any(axis=1))


def _narrow_groups(network: Network, found: Carried, tiers: Ids) -> list[Finding]:
    """Switches whose groups towards higher tiers are narrower than those of most switches of their tier, column by column."""
    fabric, rise = network.fabric, _rise(network.fabric, tiers)
    width = np.zeros((fabric.n_switches, found.n_columns), np.int16)
    for link in np.flatnonzero(rise > 0).tolist():
        width[fabric.link_src[link]] += unpacked(found.offered[link], found.n_columns)
    out = []
    for tier in sorted(set(tiers.tolist()) - {UNREACHED}):
        members = np.flatnonzero(tiers == tier)
        usual = _usual(width[members])
        for s in members.tolist():
            narrow = np.flatnonzero((width[s] > 0) & (width[s] < usual))
            if len(narrow):
                d = int(narrow[0])
                message = (
                    f"{fabric.node_name[s]} has {_hops(int(width[s, d]))} up for {_named(network, narrow.tolist())},"
                    f" where most switches of its tier have {int(usual[d])}"
                )
                out.append(_finding(network, "asymmetric-ecmp", message, s, narrow.tolist()))
    return out


def _usual(width: NDArray[np.int16]) -> NDArray[np.int64]:
    """[D]: the width that more than half of the groups of a column have, 0 where there is none."""
    out = np.zeros(width.shape[1], np.int64)
    columns, which = np.unique(width, axis=1, return_inverse=True)
    for i, column in enumerate(columns.T):
        count = Counter(column[column > 0].tolist())
        for width_of, n in count.items():
            if 2 * n > count.total():
                out[which.reshape(-1) == i] = width_of
    return out


def _named(network: Network, columns: list[int]) -> str:
    return some([str(network.destinations.names[d]) for d in columns], _SHOWN)


def _finding(network: Network, slug: str, message: str, s: int, columns: list[int]) -> Finding:
    places: list[Place] = [p for d in columns[:_SHOWN] if (p := network.routes.place(s, d)) is not None]
    known = rule(slug)
    where = tuple(dict.fromkeys(places))
    return Finding(
        known.code, known.slug, known.severity, message, f"{slug}/{network.fabric.identity(s)}", where, (), known.fix
    )


def _hops(n: int) -> str:
    return f"{n} next hop{'s' if n != 1 else ''}"
