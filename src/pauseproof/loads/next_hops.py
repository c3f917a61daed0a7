"""Forwarding tables as arrays of next hops with shares: what of the bytes at a switch leaves by which link.

A *share* is the part of a group's flows that a member takes when they are spread as the table says: by the weights of the
group where it has some, evenly else. A link that stands in a choice several times, in different lanes, is one member: lanes do
not matter for where bytes go. A choice that is picked by load is spread evenly: the ideal that the switch strives for.

Notation: ``s`` a switch, ``d`` a column, ``x`` a choice, ``l`` a link, ``h`` a host.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.groups import Grouping, Links
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, RowTable

Weights = Callable[[int, Links, int], tuple[float, ...]]
NO_COLUMN = -1


@dataclass(frozen=True)
class NextHops:
    """``ptr`` [X+1], ``link`` and ``share``: the members of each choice of ``table``, each link once, shares adding to 1.

    ``given_column`` [H] names the column that packets for a host take, -1 where it does not (None: nowhere).
    """

    fabric: Fabric
    destinations: Destinations
    table: ChoiceTable
    ptr: NDArray[np.int64]
    link: Ids
    share: NDArray[np.float64]
    given_column: Ids | None = None

    def choice(self, s: NDArray[np.int64] | Ids, d: NDArray[np.int64]) -> NDArray[np.int32]:
        """The choice of each switch ``s`` for the column ``d`` beside it."""
        out: NDArray[np.int32] = self.table.choice_of[s, self.table.value[s, d]]
        return out

    @cached_property
    def chooses(self) -> bool:
        """Is there any hashed or adaptive group of several links?"""
        groups = np.isin(self.table.kind, (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE))
        return bool((groups & (np.diff(self.ptr) > 1)).any())

    @cached_property
    def onward(self) -> NDArray[np.int64]:
        """The columns in which some choice sends packets on, ascending; mostly there is none."""
        rewrite = self.table.rewrite
        return np.empty(0, np.int64) if rewrite is None else np.unique(rewrite[rewrite >= 0]).astype(np.int64)

    @property
    def ways(self) -> int:
        """How many ways the tables can see one packet: as its own column, or as one of ``onward``."""
        return 1 + len(self.onward)

    @cached_property
    def onward_of(self) -> NDArray[np.int64]:
        """[X]: 1 + index into ``onward`` of the column that a choice sends packets on in, 0 for their own."""
        rewrite = self.table.rewrite
        if rewrite is None:
            return np.zeros(len(self.table.kind), np.int64)
        return np.where(rewrite < 0, 0, np.searchsorted(self.onward, np.maximum(rewrite, 0)) + 1)

    @cached_property
    def columns_of_host(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(ptr [H+1], columns): the columns that each host is a member of, ascending."""
        destinations = self.destinations
        count = np.diff(destinations.member_ptr)
        column = np.repeat(np.arange(len(count)), count)
        of_hosts = destinations.kind[column] == DestinationKind.HOST
        column, member = column[of_hosts], destinations.member[of_hosts]
        order = np.lexsort((column, member))
        return np.searchsorted(member[order], np.arange(self.fabric.n_hosts + 1)), column[order]

    @cached_property
    def first_column(self) -> NDArray[np.int64]:
        """[H]: the column of each host that is given, else its first, as its base LID; NO_COLUMN where it is in none."""
        ptr, column = self.columns_of_host
        found = np.diff(ptr) > 0
        out = np.full(self.fabric.n_hosts, NO_COLUMN, np.int64)
        out[found] = column[ptr[:-1][found]]
        return out if self.given_column is None else np.where(self.given_column >= 0, self.given_column, out)

    def takes(self, column: NDArray[np.int64], receiver: NDArray[np.int64], host: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether ``host`` (-1: none) takes packets of ``column`` for ``receiver``: it is it, or a member port of its node."""
        fabric = self.fabric
        same: NDArray[np.bool_] = host == receiver
        bond: NDArray[np.bool_] = ~same & (host >= 0)
        bond[bond] = fabric.host_node[host[bond]] == fabric.host_node[receiver[bond]]
        if not len(self._members):
            return same
        if bond.any():
            key = column[bond] * fabric.n_hosts + host[bond]
            at = np.minimum(np.searchsorted(self._members, key), len(self._members) - 1)
            bond[bond] = self._members[at] == key
        return np.logical_or(same, bond)

    @cached_property
    def _members(self) -> NDArray[np.int64]:
        """column * H + host of every member, ascending."""
        count = np.diff(self.destinations.member_ptr)
        return np.repeat(np.arange(len(count)), count) * self.fabric.n_hosts + self.destinations.member

    def expand(self, x: NDArray[np.int32]) -> tuple[NDArray[np.int64], Ids, NDArray[np.float64]]:
        """Every member of the choices ``x``: (index into ``x``, link, share)."""
        count = self.ptr[x + 1] - self.ptr[x]
        i = np.repeat(np.arange(len(x)), count)
        at = self.ptr[x][i] + np.arange(len(i)) - (np.cumsum(count) - count)[i]
        return i, self.link[at], self.share[at]


def next_hops(network: Network) -> NextHops:
    """The next hops of the network's tables, with the weights that groups have."""
    return weighted_hops(network, lambda s, links, number: _shares(network.group(s, links, number), links))


def _shares(grouping: Grouping, links: Links) -> tuple[float, ...]:
    """By its weights, and within a bundle evenly."""
    share = dict.fromkeys(links, 0.0)
    for member in grouping.members:
        for link in member.links:
            share[link] += member.weight / len(member.links)
    return tuple(share.values())


def weighted_hops(network: Network, weights: Weights) -> NextHops:
    """The next hops of the network's tables; ``weights(s, links, number)`` are those of the links of such a group at
    switch ``s``."""
    table = network.routes
    if isinstance(table, RowTable):
        kind = ChoiceKind.ADAPTIVE if table.by_load else ChoiceKind.HASHED
        table = choice_table_from_rows(table, kind=kind)
    if not isinstance(table, ChoiceTable):
        raise TypeError(f"tables of an unknown form: {type(table).__name__}")
    link, ptr = _once(table)
    count = np.diff(ptr)
    share = np.repeat(1.0 / np.maximum(count, 1), count)
    for x in np.flatnonzero((count > 1) & np.isin(table.kind, (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE))).tolist():
        here = slice(int(ptr[x]), int(ptr[x + 1]))
        given = weights(int(network.fabric.link_src[link[ptr[x]]]), tuple(link[here].tolist()), table.choice(x).group)
        share[here] = np.array(given, np.float64) / sum(given)
    return NextHops(network.fabric, network.destinations, table, ptr, link, share)


def _once(table: ChoiceTable) -> tuple[Ids, NDArray[np.int64]]:
    """(links, ptr) with each link of a choice once; members are ascending, so the same links stand together."""
    if table.member_row is None:
        return table.link, table.ptr
    x = np.repeat(np.arange(len(table.kind)), np.diff(table.ptr))
    first = np.ones(len(table.link), np.bool_)
    first[1:] = (table.link[1:] != table.link[:-1]) | (x[1:] != x[:-1])
    return table.link[first], np.concatenate(([0], np.cumsum(np.bincount(x[first], minlength=len(table.kind)))))
