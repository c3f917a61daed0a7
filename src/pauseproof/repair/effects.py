"""What tables mean for the paths of packets and the load of cables: what a repair is weighed by beside its cost.

The length of a path is the links from the sending host to the receiving one. Where a packet may take one of several next hops,
its *mean* takes them by their shares, and its *longest* the longest way. The busiest cable is the one between switches that
serves most destinations (:mod:`pauseproof.loads.balance`), in one direction.

Notation: ``s`` a switch, ``d`` a column, ``x`` a choice.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.loads.balance import balance
from pauseproof.loads.next_hops import NextHops, next_hops
from pauseproof.loads.spread import MOVING
from pauseproof.repair.alternative import Alternative
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from pauseproof.routing.traffic import Traffic

MOST_ENTRIES = 1 << 22  # of tables that are followed
F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Ways:
    """The ``mean`` and ``longest`` path of the pairs that arrive, and the destinations that the ``busiest`` cable serves."""

    mean: float
    longest: int
    busiest: int


@dataclass(frozen=True)
class Effects:
    """``rows``: entries (switch, destination) that differ; ``turns``: turns at which something is rewritten or made lossy;
    ``lanes``: lanes or classes beyond those of today. ``before`` and ``after`` are None on fabrics too large to follow."""

    rows: int
    turns: int
    lanes: int
    before: Ways | None
    after: Ways | None

    @property
    def changed(self) -> int:
        """What alternatives are put in order by."""
        return self.rows + self.turns + self.lanes


def effects_of(before: Asked, ways: Ways | None, alternative: Alternative) -> Effects:
    """What an alternative does; ``ways`` are those of today."""
    old, new = before.network.routes, alternative.network.routes
    rows = 0
    if old is not new:
        rows = sum(
            old.route(s, d) != new.route(s, d)
            for s in range(before.network.fabric.n_switches)
            for d in range(len(before.network.destinations))
        )
    after = ways if old is new or ways is None else ways_of(alternative.network, alternative.traffic)
    turns = sum(_turns(change.machine) for change in alternative.changes)
    lanes = max(0, alternative.cost - 1) if alternative.kind in LAYERED else 0
    return Effects(rows, turns, lanes, ways, after)


LAYERED = ("lanes", "raises")  # their cost counts lanes, or classes


def _turns(machine: object) -> int:
    """The turns of a line of rewrites."""
    if not isinstance(machine, dict) or not {"rewrite", "lossy"} & set(machine):
        return 0
    return len(machine["in"]) * len(machine["out"])


def ways_of(network: Network, traffic: Traffic) -> Ways | None:
    """Those of the pairs (host, destination) of ``traffic``; None where tables are too large or lead into tunnels, or nothing
    arrives."""
    if network.fabric.n_switches * len(network.destinations) > MOST_ENTRIES:
        return None
    hops, fabric = next_hops(network), network.fabric
    if len(hops.onward):  # packets go on in tunnels
        return None
    of_hosts = (hops.destinations.kind == DestinationKind.HOST) & (np.diff(hops.destinations.member_ptr) > 0)
    columns = np.flatnonzero(traffic.destination_on & of_hosts)
    senders = np.flatnonzero(traffic.host_sends)
    first = fabric.link_dst[fabric.host_up[senders]].astype(np.int64)
    senders, first = senders[first < fabric.n_switches], first[first < fabric.n_switches]
    total, pairs, longest = 0.0, 0, 0
    for d in columns.tolist():
        mean, most = _lengths(hops, d)
        members = hops.destinations.members(d)
        others = ~np.isin(fabric.host_node[senders], fabric.host_node[list(members)]) & np.isfinite(mean[first])
        at = first[others]
        total += float(mean[at].sum()) + len(at)
        pairs += len(at)
        longest = max(longest, int(most[at].max(initial=-1)) + 1)
    if not pairs:
        return None
    inner = (fabric.link_src < fabric.n_switches) & (fabric.link_dst < fabric.n_switches)
    served = balance(hops, traffic).destinations
    return Ways(round(total / pairs, 2), longest, int(served[inner].max(initial=0)))


def _lengths(hops: NextHops, d: int) -> tuple[F64, F64]:
    """([S], [S]): links from each switch to the hosts of a column, on average and at most; infinite where some packet does
    not arrive."""
    n = hops.fabric.n_switches
    x = hops.choice(np.arange(n), np.full(n, d, np.int64))
    s = np.flatnonzero(np.isin(hops.table.kind[x], MOVING))
    i, link, share = hops.expand(x[s])
    source, target = s[i], hops.fabric.link_dst[link].astype(np.int64)
    ends = (target >= n) | (hops.table.kind[x[source]] == ChoiceKind.DELIVER)
    inside, towards = ~ends, np.where(ends, 0, target)
    mean, most = np.full(n, np.inf), np.full(n, np.inf)
    mean[s], most[s] = 1.0, 1.0
    for _ in range(n + 1):  # as many rounds as the longest way has switches
        on = np.where(inside, mean[towards], 0.0), np.where(inside, most[towards], 0.0)
        new_mean, new_most = np.full(n, np.inf), np.full(n, np.inf)
        new_mean[s] = 1 + np.bincount(i, share * on[0], len(s))
        new_most[s] = 0
        np.maximum.at(new_most, source, 1 + on[1])
        if np.array_equal(new_most, most) and np.array_equal(new_mean, mean):
            break
        mean, most = new_mean, new_most
    endless = ~(most <= n + 1)
    return np.where(endless, np.inf, mean), np.where(endless, np.inf, most)
