"""The ways of many packets at once: the links that each takes, hop by hop, until it arrives, is dropped, or nobody knows.

The same rules as for one packet (:mod:`pauseproof.hashing.trace`), over arrays: packets that are at one switch for one column
with one label meet one table row, and those of one group are hashed together.

Notation: ``p`` a packet (a row), ``s`` a switch, ``d`` a column, ``k`` a label, ``l`` a link.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW
from pauseproof.fabric.model import Ids
from pauseproof.hashing.decision import Decision
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.settings import FabricHashes
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Outcome
from pauseproof.routing.tables import ChoiceKind, Route

Indices = NDArray[np.int64]
GroupKey = tuple[int, tuple[int, ...], int | None]  # switch, links, number of the group
Groups = dict[GroupKey, list[tuple[Indices, dict[int, int]]]]
NO_LINK = -1


@dataclass(frozen=True)
class Followed:
    """``links`` [P, hops]: the links in the order in which each packet takes them, NO_LINK after its last.

    ``outcome`` [P] are values of :class:`pauseproof.routing.packets.Outcome`; a packet whose choice is not known, or made by
    load, or between several lanes of one link, is UNKNOWN and its links end there.
    """

    links: Ids
    outcome: NDArray[np.uint8]


def follow(
    network: Network, hashes: FabricHashes, headers: Headers | None, src: Ids, dst: Ids, column: Ids, label: Ids
) -> Followed:
    """Follow packets from hosts ``src`` to hosts ``dst``, each in its column and with its label, all [P].

    ``headers`` are those at the sender (its ``in_port`` is not looked at), of P rows; None where nothing is hashed.
    """
    return _Follower(network, hashes, headers, src, dst, column, label).done()


class _Follower:
    """Where every packet is: ``link`` it has come over, ``column`` and ``label`` now; ``links`` and ``keys`` of all hops."""

    def __init__(
        self, network: Network, hashes: FabricHashes, h: Headers | None, src: Ids, dst: Ids, column: Ids, label: Ids
    ) -> None:
        self.network, self.hashes, self.headers = network, hashes, h
        self.dst, self.own = dst.astype(np.int64), column.astype(np.int64)
        self.column, self.label = self.own.copy(), label.astype(np.int64)
        self.outcome = np.full(len(dst), Outcome.ROUTED, np.uint8)
        self.links: list[Ids] = []
        self.keys: list[Indices] = []
        self.link = np.full(len(dst), NO_LINK, np.int32)
        everyone = np.arange(len(dst))
        self.at = self._cross(everyone, network.fabric.host_up[src], network.lanes.host_row[src].astype(np.int64))

    def done(self) -> Followed:
        """Hop after hop until nobody is on the way."""
        while len(self.at):
            self.at = self._hop(self.at)
        table = np.stack(self.links, axis=1) if self.links else np.empty((len(self.dst), 0), np.int32)
        return Followed(table, self.outcome)

    def _end(self, p: Indices, outcome: Outcome) -> None:
        self.outcome[p] = outcome

    def _cross(self, p: Indices, link: Ids, row: Indices) -> Indices:
        """Over ``link`` by a row of the lane map; returns those that are then at a switch."""
        lanes, fabric = self.network.lanes, self.network.fabric
        self._end(p[row == UNKNOWN_ROW], Outcome.UNKNOWN)
        klass = np.where(row == UNKNOWN_ROW, LOSSY, lanes.step[np.maximum(row, 0), self.label[p]]).astype(np.int64)
        self._end(p[(klass == LOSSY) & (row != UNKNOWN_ROW)], Outcome.UNROUTABLE)
        goes = klass != LOSSY
        p, link, klass = p[goes], link[goes], klass[goes]
        if not len(p):
            return p
        self.label[p] = lanes.class_label[klass]
        self.link[p] = link
        taken = np.full(len(self.dst), NO_LINK, np.int32)
        taken[p] = link
        self.links.append(taken)
        to = fabric.link_dst[link]
        here = to >= fabric.n_switches
        self._end(p[here][~self._takes(p[here], link[here])], Outcome.UNROUTABLE)
        return self._not_again(p[~here], klass[~here])

    def _takes(self, p: Indices, link: Ids) -> NDArray[np.bool_]:
        """Is this the host that the packet is for, or another port of its node that is a member too?"""
        fabric, destinations = self.network.fabric, self.network.destinations
        host = fabric.host_of_link[link].astype(np.int64)
        out: NDArray[np.bool_] = host == self.dst[p]
        for i in np.flatnonzero(~out & (fabric.host_node[host] == fabric.host_node[self.dst[p]])).tolist():
            out[i] = int(host[i]) in destinations.members(int(self.own[p[i]]))
        return out

    def _not_again(self, p: Indices, klass: Indices) -> Indices:
        """Those that are not where they were before; the others go round."""
        n = len(self.network.destinations) + 1
        key = (self.link[p].astype(np.int64) * self.network.lanes.n_classes + klass) * n + self.column[p]
        all_keys = np.full(len(self.dst), -1, np.int64)
        all_keys[p] = key
        again = np.zeros(len(p), np.bool_)
        for before in self.keys:
            again |= before[p] == key
        self.keys.append(all_keys)
        self._end(p[again], Outcome.LOOPING)
        return p[~again]

    def _hop(self, p: Indices) -> Indices:
        """Every packet through the switch where it is."""
        fabric = self.network.fabric
        out, row = np.full(len(p), NO_LINK, np.int32), np.full(len(p), UNKNOWN_ROW - 1, np.int64)
        groups: Groups = {}
        here = np.stack([fabric.link_dst[self.link[p]], self.column[p], self.label[p]], axis=1).astype(np.int64)
        rows, which = np.unique(here, axis=0, return_inverse=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        ends = np.searchsorted(which.reshape(-1)[order], np.arange(len(rows) + 1))
        for i, (s, d, k) in enumerate(rows.tolist()):
            self._meet(p, order[ends[i] : ends[i + 1]], s, self.network.routes.route(s, d), k, groups)
        for (s, links, number), parts in groups.items():
            self._choose(p, self.hashes.decision(s, links, number) if len(links) > 1 else None, links, parts, out, row)
        moving = np.flatnonzero(out != NO_LINK)
        return self._cross(p[moving], out[moving], self._rows(p[moving], out[moving], row[moving]))

    def _meet(
        self,
        p: Indices,
        i: Indices,
        s: int,
        route: Route,
        k: int,
        groups: Groups,
    ) -> None:
        """Packets ``p[i]`` meet a table row: they end, or join those of the same group of links."""
        if route.kind in (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST):
            self._end(p[i], Outcome.UNKNOWN)
            return
        if route.column >= 0:
            self.column[p[i]] = route.column
        members = list(zip(route.links, route.rows or (UNKNOWN_ROW,) * len(route.links), strict=True))
        offered = [(l, row) for l, row in members if row < 0 or self.network.lanes.offers(row, k)]
        if not offered:
            self._end(p[i], Outcome.UNROUTABLE)
        elif route.kind is ChoiceKind.DELIVER:
            self._deliver(p, i, s, route, dict(offered), groups)
        else:
            row_of, links = dict(offered), tuple(sorted({l for l, _ in offered}))
            if (route.kind is ChoiceKind.ADAPTIVE and len(links) > 1) or len(offered) > len(links):
                self._end(p[i], Outcome.UNKNOWN)  # by load, or one link in several lanes
            else:
                groups.setdefault((s, links, route.group if links == route.links else None), []).append((i, row_of))

    def _deliver(
        self,
        p: Indices,
        i: Indices,
        s: int,
        route: Route,
        row_of: dict[int, int],
        groups: Groups,
    ) -> None:
        """To the links of the host that each packet is for."""
        fabric = self.network.fabric
        node_of = {l: int(fabric.link_dst[l]) for l in row_of}
        node = fabric.host_node[self.dst[p[i]]]
        for n in np.unique(node).tolist():
            mine, links = i[node == n], tuple(sorted(l for l in row_of if node_of[l] == n))
            if links:
                groups.setdefault((s, links, route.group if links == route.links else None), []).append((mine, row_of))
            else:
                self._end(p[mine], Outcome.UNROUTABLE)

    def _choose(
        self,
        p: Indices,
        decision: Decision | None,
        links: tuple[int, ...],
        parts: list[tuple[Indices, dict[int, int]]],
        out: Ids,
        row: Indices,
    ) -> None:
        """The link that each packet of one group takes."""
        i = np.concatenate([part for part, _ in parts])
        if decision is None:
            out[i] = links[0]
        else:
            if not decision.known or self.headers is None:
                self._end(p[i], Outcome.UNKNOWN)
                return
            in_port = self.network.fabric.link_dst_port[self.link[p[i]]].astype(np.uint64)
            out[i] = decision.links(self.headers.rows(p[i]).at_port(in_port))
        for part, row_of in parts:
            if any(r >= 0 for r in row_of.values()):
                row[part] = [row_of[l] for l in out[part].tolist()]

    def _rows(self, p: Indices, link: Ids, row: Indices) -> Indices:
        """The row of the lane map: that of the member where it has one, else that of the turn."""
        lanes, fabric = self.network.lanes, self.network.fabric
        if lanes.turn_row is None:
            of_turn = np.zeros(len(p), np.int64)
        else:
            s, in_port = fabric.link_src[link], fabric.link_dst_port[self.link[p]]
            of_turn = lanes.turn_row[s, in_port, fabric.link_src_port[link]].astype(np.int64)
        return np.where(row >= 0, row, of_turn)
