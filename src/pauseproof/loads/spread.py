"""Bytes that are spread as the tables say, carried on hop by hop, all receivers together.

At every switch what is there for a receiver leaves by the members of its choice, each taking its share. Where every choice is
one link (InfiniBand, static routes) the result is the load itself; where flows are hashed and nothing is known of the hash it
is the expected load of a perfect one; where switches pick by load it is the ideal that they strive for. The work is the number
of (switch, receiver) pairs that bytes come through, never the number of flows or paths.

A flow that can come to a switch a second time is not carried on at all: its bytes are *looping*. Bytes that are dropped count
up to where they are dropped; those that meet a row that was not read, or are flooded, count up to there and are *unknown* from
there on.

Notation: ``t`` a target (phase, receiver), ``c`` the way the tables see it (0: as its own column, else as ``onward[c-1]``),
``s`` a switch, ``q = (t * C + c) * S + s`` a state, ``l`` a link.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.demand import Demand
from pauseproof.loads.next_hops import NO_COLUMN, NextHops
from pauseproof.routing.tables import ChoiceKind

I64 = NDArray[np.int64]
Bytes = NDArray[np.float64]
Bools = NDArray[np.bool_]
STATES = 1 << 22  # of one tile
MANY_HOPS = 64  # after so many we look whether something goes round
MOVING = (ChoiceKind.DELIVER, ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)
UNKNOWN = (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST)  # floods are not followed


@dataclass(frozen=True)
class Spread:
    """``bytes`` [P, L] by link; what became of them, [P] each: ``arrived``, ``lost``, ``looping``, ``unknown``.

    ``hashed`` and ``by_load`` [P] are the bytes that met a group of several links, as often as they met one.
    """

    bytes: Bytes
    arrived: Bytes
    lost: Bytes
    looping: Bytes
    unknown: Bytes
    hashed: Bytes
    by_load: Bytes

    @classmethod
    def nothing(cls, phases: int, links: int) -> "Spread":
        """No bytes anywhere."""
        return cls(np.zeros((phases, links)), *np.zeros((6, phases)))

    def add(self, other: "Spread", first: int) -> None:
        """Add what was found for the phases from ``first`` on."""
        here = slice(first, first + len(other.lost))
        for mine, more in zip(vars(self).values(), vars(other).values(), strict=True):
            mine[here] += more


def spread(hops: NextHops, demand: Demand) -> Spread:
    """Carry ``demand`` on to where it ends. The senders' own links are counted too."""
    fabric, phases = hops.fabric, len(demand.up)
    out = Spread.nothing(phases, fabric.n_links)
    out.bytes[:, fabric.host_up] = demand.up
    out.arrived[:] += demand.arrived
    homeless = hops.first_column[demand.receiver] == NO_COLUMN
    out.lost[:] += demand.astray + np.bincount(demand.phase[homeless], demand.bytes[homeless], phases)
    rows = np.flatnonzero(~homeless)
    targets, of = np.unique(demand.phase[rows] * fabric.n_hosts + demand.receiver[rows], return_inverse=True)
    width = max(1, STATES // max(1, fabric.n_switches * hops.ways))
    for start in range(0, len(targets), width):
        first, last = np.searchsorted(of, (start, start + width))
        phase, receiver = np.divmod(targets[start : start + width], fabric.n_hosts)
        tile = _Tile(hops, phase - phase[0], receiver)
        q = (of[first:last] - start) * hops.ways * fabric.n_switches + demand.switch[rows[first:last]]
        out.add(tile.carry(q, demand.bytes[rows[first:last]]), int(phase[0]))
    return out


class _Tile:
    """Some targets, their ``phase`` counted from the tile's first."""

    def __init__(self, hops: NextHops, phase: I64, receiver: I64) -> None:
        self.hops, self.phase, self.receiver = hops, phase, receiver
        first = hops.first_column[receiver]
        self.own_column = first
        self.column: I64 = np.column_stack([first, np.tile(hops.onward, (len(first), 1))]).ravel()  # [T * C]
        self.out = self._nothing()

    def _nothing(self) -> Spread:
        return Spread.nothing(int(self.phase[-1]) + 1, self.hops.fabric.n_links)

    def carry(self, q: I64, amount: Bytes) -> Spread:
        """Until nothing is on its way."""
        on_its_way = self._hops(q, amount, MANY_HOPS)
        if not len(on_its_way[0]):
            return self.out
        loops = self._comes_again(on_its_way[0])[q]
        if loops.any():
            self.out = self._nothing()
            self._count(self.out.looping, q[loops], amount[loops])
            on_its_way = q[~loops], amount[~loops]
        self._hops(*on_its_way, self.hops.fabric.n_switches * self.hops.ways + 1)
        return self.out

    def _hops(self, q: I64, amount: Bytes, most: int) -> tuple[I64, Bytes]:
        for _ in range(most):
            if not len(q):
                break
            q, amount = self._hop(q, amount)
        return q, amount

    def _hop(self, q: I64, amount: Bytes) -> tuple[I64, Bytes]:
        """What is in the states ``q`` goes one link on."""
        fabric = self.hops.fabric
        x, moves = self._choices(q)
        if not moves.all():
            unknown = np.isin(self.hops.table.kind[x], UNKNOWN)
            self._count(self.out.unknown, q[unknown], amount[unknown])
            lost = ~unknown & ~moves
            self._count(self.out.lost, q[lost], amount[lost])
            q, x, amount = q[moves], x[moves], amount[moves]
        self._note_groups(q, x, amount)
        i, link, share = self.hops.expand(x)
        t = q[i] // (fabric.n_switches * self.hops.ways)
        mine = self._is_mine(t, link)
        delivers = self.hops.table.kind[x] == ChoiceKind.DELIVER
        if delivers.any():
            ports = np.bincount(i, mine, len(x))
            share = np.where(delivers[i], mine / np.maximum(ports, 1.0)[i], share)
            bonds = delivers & (ports > 1)  # a hash picks the port
            self._count(self.out.hashed, q[bonds], amount[bonds])
        passed = amount[i] * share
        at = self.phase[t] * fabric.n_links + link
        self.out.bytes.ravel()[:] += np.bincount(at, passed, self.out.bytes.size)
        return self._arrive(t, link, mine, passed, self.hops.onward_of[x][i])

    def _note_groups(self, q: I64, x: NDArray[np.int32], amount: Bytes) -> None:
        several = self.hops.ptr[x + 1] - self.hops.ptr[x] > 1
        for kind, bytes in ((ChoiceKind.HASHED, self.out.hashed), (ChoiceKind.ADAPTIVE, self.out.by_load)):
            meets = several & (self.hops.table.kind[x] == kind)
            self._count(bytes, q[meets], amount[meets])

    def _arrive(self, t: I64, link: Ids, mine: Bools, passed: Bytes, way: I64) -> tuple[I64, Bytes]:
        """At the far ends of ``link``: hosts take their bytes, switches have them as the states of the next hop."""
        fabric = self.hops.fabric
        to = fabric.link_dst[link].astype(np.int64)
        ends = to >= fabric.n_switches
        phases = len(self.out.lost)
        self.out.arrived[:] += np.bincount(self.phase[t[ends & mine]], passed[ends & mine], phases)
        self.out.lost[:] += np.bincount(self.phase[t[ends & ~mine]], passed[ends & ~mine], phases)
        q = (t * self.hops.ways + way) * fabric.n_switches + to
        on = ~ends & (passed > 0)
        sums = np.asarray(np.bincount(q[on], passed[on], len(self.column) * fabric.n_switches), np.float64)
        q = np.flatnonzero(sums)
        return q, sums[q]

    def _choices(self, q: I64) -> tuple[NDArray[np.int32], Bools]:
        """(the choice in each state, whether it has members)."""
        seen, s = np.divmod(q, self.hops.fabric.n_switches)
        x = self.hops.choice(s, self.column[seen])
        return x, np.isin(self.hops.table.kind[x], MOVING)

    def _is_mine(self, t: I64, link: Ids) -> Bools:
        """Whether a host at the far end of ``link`` takes what is for the receiver of ``t``."""
        host = self.hops.fabric.host_of_link[link]
        return self.hops.takes(self.own_column[t], self.receiver[t], host)

    def _count(self, what: Bytes, q: I64, amount: Bytes) -> None:
        t = q // (self.hops.fabric.n_switches * self.hops.ways)
        what += np.bincount(self.phase[t], amount, len(what))

    def _comes_again(self, still: I64) -> Bools:
        """[states]: from which states of the targets that are ``still`` on their way can a packet come to one twice?

        Those that are left when states with nowhere to go are taken away again and again.
        """
        fabric, each = self.hops.fabric, self.hops.fabric.n_switches * self.hops.ways
        q = (np.unique(still // each)[:, None] * each + np.arange(each)).ravel()
        x, moves = self._choices(q)
        q, x = q[moves], x[moves]
        i, link, _ = self.hops.expand(x)
        to = fabric.link_dst[link].astype(np.int64)
        on = (to < fabric.n_switches) & (self.hops.table.kind[x][i] != ChoiceKind.DELIVER)
        before = q[i[on]]
        after = (before // each * self.hops.ways + self.hops.onward_of[x][i[on]]) * fabric.n_switches + to[on]
        alive = np.zeros(len(self.column) * fabric.n_switches, np.bool_)
        alive[before] = True
        while True:
            goes_on = np.zeros_like(alive)
            goes_on[before[alive[after]]] = True
            if (goes_on == alive).all():
                return alive
            alive = goes_on
