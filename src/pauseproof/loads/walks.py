"""Flows followed one by one, all at once: each takes one member of every hashed group, and keeps to it.

Where switches pick by load a flow divides evenly over the members, the ideal they strive for: then a flow has several *parts*.
A flow that comes to no end within as many hops as there are switches goes round: it is followed no further than its own link.

Notation: ``f`` a flow (a row), ``x`` a choice, ``l`` a link.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.next_hops import NO_COLUMN, NextHops
from pauseproof.loads.spread import MOVING, UNKNOWN
from pauseproof.routing.tables import ChoiceKind

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

Pick = Callable[[I64, NDArray[np.int32], Ids], Ids]
"""(flows, the choice that each is at, the link that it came by) -> the link that each takes."""


@dataclass(frozen=True)
class Walked:
    """``flow``, ``link`` and ``part`` of every hop, in the order of hops; and by flow the parts that ``arrived``, were
    ``lost`` or met what is ``unknown``, and whether it is ``looping``. Flows within one node take no hop and have arrived."""

    flow: I64
    link: Ids
    part: F64
    arrived: F64
    lost: F64
    unknown: F64
    looping: Bools


def walk(hops: NextHops, src: Ids, dst: Ids, pick: Pick) -> Walked:
    """Follow flows from hosts ``src`` to hosts ``dst``; ``pick`` is asked about groups of several members."""
    return _Walk(hops, src, dst, pick).done()


class _Walk:
    def __init__(self, hops: NextHops, src: Ids, dst: Ids, pick: Pick) -> None:
        self.hops, self.pick = hops, pick
        self.dst = dst.astype(np.int64)
        self.column = hops.first_column[self.dst]
        n = len(dst)
        self.arrived, self.lost, self.unknown = np.zeros((3, n))
        self.taken: list[tuple[I64, Ids, F64]] = []
        away = np.flatnonzero(hops.fabric.host_node[src] != hops.fabric.host_node[dst])
        self.arrived[np.setdiff1d(np.arange(n), away, assume_unique=True)] = 1.0
        self.at = self._cross(away, hops.fabric.host_up[src[away]], np.ones(len(away)), np.zeros(len(away), np.int64))

    def done(self) -> Walked:
        """Hop after hop until nothing is on its way."""
        for _ in range(self.hops.fabric.n_switches * self.hops.ways + 1):
            if not len(self.at[0]):
                break
            self.at = self._hop(*self.at)
        looping = np.zeros(len(self.dst), np.bool_)
        looping[self.at[0]] = True
        if looping.any():
            self.taken = [self.taken[0], *((f[~looping[f]], l[~looping[f]], a[~looping[f]]) for f, l, a in self.taken[1:])]
            for ends in (self.arrived, self.lost, self.unknown):
                ends[looping] = 0.0
        flow, link, part = (np.concatenate(column) for column in zip(*self.taken, strict=True))
        return Walked(flow, link, part, self.arrived, self.lost, self.unknown, looping)

    def _cross(self, f: I64, link: Ids, part: F64, way: I64) -> tuple[I64, I64, Ids, F64]:
        """Over ``link``; returns what is then at a switch: (flow, way, the link that it came by, part)."""
        fabric = self.hops.fabric
        self.taken.append((f, link, part))
        to = fabric.link_dst[link].astype(np.int64)
        ends = to >= fabric.n_switches
        if ends.any():
            takes = self.hops.takes(self.column[f[ends]], self.dst[f[ends]], fabric.host_of_link[link[ends]])
            np.add.at(self.arrived, f[ends][takes], part[ends][takes])
            np.add.at(self.lost, f[ends][~takes], part[ends][~takes])
        homeless = ~ends & (self.column[f] == NO_COLUMN)
        np.add.at(self.lost, f[homeless], part[homeless])
        on = ~ends & ~homeless
        return f[on], way[on], link[on], part[on]

    def _hop(self, f: I64, way: I64, came_by: Ids, part: F64) -> tuple[I64, I64, Ids, F64]:
        hops = self.hops
        s = hops.fabric.link_dst[came_by].astype(np.int64)
        column = self.column[f] if hops.ways == 1 else np.where(way > 0, np.append(hops.onward, 0)[way - 1], self.column[f])
        x = hops.choice(s, column)
        kind = hops.table.kind[x]
        moves = np.isin(kind, MOVING)
        if not moves.all():
            unknown = np.isin(kind, UNKNOWN)
            np.add.at(self.unknown, f[unknown], part[unknown])
            np.add.at(self.lost, f[~unknown & ~moves], part[~unknown & ~moves])
            f, x, kind, part, came_by = f[moves], x[moves], kind[moves], part[moves], came_by[moves]
        committed = kind == ChoiceKind.HASHED
        if committed.all():
            return self._cross(f, self._picked(f, x, came_by), part, hops.onward_of[x])
        i, link, share = self._divided(f[~committed], x[~committed])
        cf, df = f[committed], f[~committed][i]
        return self._merged(
            *self._cross(
                np.concatenate([cf, df]),
                np.concatenate([self._picked(cf, x[committed], came_by[committed]), link]),
                np.concatenate([part[committed], part[~committed][i] * share]),
                np.concatenate([hops.onward_of[x[committed]], hops.onward_of[x[~committed]][i]]),
            )
        )

    def _picked(self, f: I64, x: NDArray[np.int32], came_by: Ids) -> Ids:
        """The member of a hashed group that each flow takes."""
        several = self.hops.ptr[x + 1] - self.hops.ptr[x] > 1
        link = self.hops.link[self.hops.ptr[x]]
        if several.any():
            link[several] = self.pick(f[several], x[several], came_by[several])
        return link

    def _divided(self, f: I64, x: NDArray[np.int32]) -> tuple[I64, Ids, F64]:
        """Over all members, where switches pick by load; to the receiver's own links, where it is delivered."""
        i, link, share = self.hops.expand(x)
        delivers = self.hops.table.kind[x][i] == ChoiceKind.DELIVER
        takes = self.hops.takes(self.column[f[i]], self.dst[f[i]], self.hops.fabric.host_of_link[link])
        share = np.where(delivers, takes / np.maximum(np.bincount(i, takes, len(x)), 1.0)[i], share)
        return i[share > 0], link[share > 0], share[share > 0]

    def _merged(self, f: I64, way: I64, came_by: Ids, part: F64) -> tuple[I64, I64, Ids, F64]:
        """Parts of one flow that meet again on a link are one."""
        links, ways = self.hops.fabric.n_links, self.hops.ways
        key, of = np.unique((f * ways + way) * links + came_by, return_inverse=True)
        seen, link = np.divmod(key, links)
        return seen // ways, seen % ways, link.astype(np.int32), np.asarray(np.bincount(of, part, len(key)), np.float64)


def at_random(hops: NextHops, draw: np.random.Generator) -> Pick:
    """Each flow takes a member as a perfect hash would give it: by the shares, whatever it took before."""
    x = np.repeat(np.arange(len(hops.table.kind)), np.diff(hops.ptr))
    sums = np.cumsum(hops.share)
    before = np.concatenate([[0.0], sums])[hops.ptr[:-1]]
    until = x + np.minimum(sums - before[x], 1.0)  # of choice x: from x to x + 1
    last = hops.ptr[1:] - 1
    until[last[np.diff(hops.ptr) > 0]] = np.flatnonzero(np.diff(hops.ptr)) + 1.0

    def pick(f: I64, x: NDArray[np.int32], came_by: Ids) -> Ids:
        at = np.searchsorted(until, x + draw.random(len(x)), side="right")
        return hops.link[np.clip(at, hops.ptr[x], last[x])]

    return pick


def divided(hops: NextHops) -> NextHops:
    """The same next hops, with every flow divided over all members of hashed groups too."""
    kind = np.where(hops.table.kind == ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, hops.table.kind).astype(np.uint8)
    several = np.diff(hops.ptr) > 1
    return replace(hops, table=replace(hops.table, kind=np.where(several, kind, hops.table.kind)))
