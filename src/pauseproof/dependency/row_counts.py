"""How many buffers a walk over rows reaches, and how many dependencies there are, without writing any down.

At one switch the links that arrive and the links that leave are few; entries that offer the same columns (the uplinks of a
fat-tree) are tested once. Hosts of one switch offer the same, but for columns of their own.

Notation: as in ``rows``; ``hit[i, j]`` says that the columns of arriving link ``i`` meet those offered by leaving link ``j``.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pauseproof.dependency.plan import I64, Bools
from pauseproof.dependency.rows import Rows, RowWalk, meets, packed, unpacked


@dataclass(frozen=True)
class Turns:
    """One switch: links that arrive from switches with something, links that some entry names, ``hit`` between them."""

    switch: int
    arriving: I64
    leaving: I64
    hit: Bools


def turns(walk: RowWalk, arriving: I64, leaving: I64) -> Iterator[Turns]:
    """The turns between two ascending sets of links, for every switch where some arrive."""
    n = walk.fabric.n_switches
    into, out = arriving[walk.dst[arriving] < n], leaving[np.argsort(walk.src[leaving], kind="stable")]
    into_ptr = np.searchsorted(walk.dst[into], np.arange(n + 1))
    out_ptr = np.searchsorted(walk.src[out], np.arange(n + 1))
    rows, key = walk.table.rows, _row_keys(walk, out)
    for t in np.flatnonzero(np.diff(into_ptr)).tolist():
        a, b = into[into_ptr[t] : into_ptr[t + 1]], out[out_ptr[t] : out_ptr[t + 1]]
        yield Turns(t, a, b, _hits(walk.carried(a), rows[b], key[out_ptr[t] : out_ptr[t + 1]]))


def _row_keys(walk: RowWalk, links: I64) -> Rows:
    """A number for each link that equal rows share; unequal rows almost never do."""
    weight = np.random.Generator(np.random.PCG64(0)).integers(1, 1 << 63, walk.table.rows.shape[1], np.uint64) | np.uint64(1)
    parts = [(walk.table.rows[part] * weight).sum(axis=1, dtype=np.uint64) for part in walk.parts(links)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _hits(carried: Rows, offered: Rows, key: Rows) -> Bools:
    """[I, O]; offered rows with one key are tested once, if they are indeed equal."""
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    if len(first) == len(key) or not np.array_equal(offered[first][kind], offered):
        return meets(carried[:, None, :], offered[None, :, :])
    return meets(carried[:, None, :], offered[first][None, :, :])[:, kind]


@dataclass(frozen=True)
class Counts:
    """Reached buffers and dependencies; ``down`` [H] tells which hosts' own buffers are reached."""

    buffers: int
    dependencies: int
    down: Bools


def count(walk: RowWalk) -> Counts:
    """Count by turns, then add what hosts send and are handed."""
    fabric = walk.fabric
    edges = _Edges(walk)
    between = 0
    down = edges.delivered.copy()
    for turn in turns(walk, walk.carrying, walk.used):
        between += int(turn.hit.sum())
        if edges.hands_over(turn.switch):
            between += edges.deliveries_of(turn)
    to_hosts = walk.carrying[walk.dst[walk.carrying] >= fabric.n_switches]
    down[fabric.host_of_link[to_hosts]] = True
    inner = len(walk.carrying) - len(to_hosts)
    sent = sum(edges.sent_at(t) for t in np.unique(edges.at[walk.senders]).tolist())
    return Counts(inner + int(down.sum()) + len(walk.senders), between + sent, down)


class _Edges:
    """What happens at switches with hosts: columns delivered there, and what their hosts send."""

    def __init__(self, walk: RowWalk) -> None:
        fabric, columns = walk.fabric, walk.columns
        self.walk = walk
        self.at = fabric.link_dst[fabric.host_up].astype(np.int64)
        column, member = columns.members()
        home = self.at[member]
        word, bit = column // 64, np.uint64(1) << (column % 64).astype(np.uint64)
        handed = ((walk.table.deliver[home, word] & bit) != 0) & columns.on[column]
        order = np.argsort(home[handed], kind="stable")
        self.column, self.member = column[handed][order], member[handed][order]
        self.ptr = np.searchsorted(home[handed][order], np.arange(fabric.n_switches + 1))
        out = walk.used[np.argsort(walk.src[walk.used], kind="stable")]
        self.out, self.out_ptr = out, np.searchsorted(walk.src[out], np.arange(fabric.n_switches + 1))
        self.senders = walk.senders[np.argsort(self.at[walk.senders], kind="stable")]
        self.sender_ptr = np.searchsorted(self.at[self.senders], np.arange(fabric.n_switches + 1))
        self.has_own = np.isin(fabric.host_node, columns.node[columns.on])
        self.delivered = self._delivered()

    def _delivered(self) -> Bools:
        """[H]: hosts that are handed some packet: one that came over a link, or was sent by another node at the switch."""
        walk, fabric = self.walk, self.walk.fabric
        home = self.at[self.member]
        bit = np.uint64(1) << (self.column % 64).astype(np.uint64)
        came = (walk.arrived[home, self.column // 64] & bit) != 0
        at_switch = np.diff(self.sender_ptr)[home]
        keys = np.sort(self.at[self.senders] * fabric.n_nodes + fabric.host_node[self.senders])
        mine = home * fabric.n_nodes + fabric.host_node[self.member]
        own = np.searchsorted(keys, mine, side="right") - np.searchsorted(keys, mine)
        out = np.zeros(fabric.n_hosts, np.bool_)
        out[self.member[came | (at_switch > own)]] = True
        return out

    def hands_over(self, switch: int) -> bool:
        """Whether the switch delivers anything."""
        return bool(self.ptr[switch] < self.ptr[switch + 1])

    def deliveries_of(self, turn: Turns) -> int:
        """Dependencies of arriving links on links to hosts, those not counted in ``turn.hit``."""
        column, member = self._handed(turn.switch)
        carried = unpacked(self.walk.carried(turn.arriving), self.walk.table.n_destinations)[:, column]
        return self._beyond(carried, member, turn.leaving, turn.hit)

    def _handed(self, switch: int) -> tuple[I64, I64]:
        here = slice(self.ptr[switch], self.ptr[switch + 1])
        return self.column[here], self.member[here]

    def _beyond(self, sent: Bools, member: I64, leaving: I64, hit: Bools) -> int:
        """Distinct (row, host) of ``sent`` [I, members], without those that ``hit`` [I, O] has by the host's own link."""
        hosts, which = np.unique(member, return_inverse=True)
        handed = sent
        if len(hosts) < len(member):
            handed = np.zeros((len(sent), len(hosts)), np.bool_)
            for j, k in enumerate(which.tolist()):
                handed[:, k] |= sent[:, j]
            member = hosts
        direct = self.walk.fabric.host_of_link[leaving]
        for o in np.flatnonzero(np.isin(direct, member)).tolist():
            handed = handed & ~(hit[:, o, None] & (member == direct[o])[None, :])
        return int(handed.sum())

    def sent_at(self, switch: int) -> int:
        """Dependencies of the up-links of the hosts that send at ``switch``."""
        leaving = self.out[self.out_ptr[switch] : self.out_ptr[switch + 1]]
        offered = self.walk.table.rows[leaving]
        column, member = self._handed(switch)
        total = 0
        for hosts, sends in self._alike(self.senders[self.sender_ptr[switch] : self.sender_ptr[switch + 1]]):
            hit = meets(packed(sends, offered.shape[1])[None, :], offered)
            handed = sends[column][None, :] & (member[None, :] != hosts[:, None])
            every = np.repeat(hit[None, :], len(hosts), axis=0)
            total += int(every.sum()) + self._beyond(handed, member, leaving, every)
        return total

    def _alike(self, hosts: I64) -> Iterator[tuple[I64, Bools]]:
        """Hosts with the columns [D] that they send: all that are on, but those of the host's own node alone."""
        columns, node = self.walk.columns, self.walk.fabric.host_node
        apart = self.has_own[hosts]
        if not apart.all():
            yield hosts[~apart], columns.on
        for h in hosts[apart].tolist():
            yield np.array([h]), columns.on & (columns.node != node[h])
