"""Exact forward reachability over the states (link, class, destination), destination by destination.

The walk starts where senders inject and follows the tables in a frontier of arrays, a tile of columns at a time, so that memory
stays bounded. Columns that rewriting joins are in one tile, and such a packet moves from one to the other within it. The walk
keeps two facts: which slots are reached, and which table values each slot's packets meet at the switch they arrive at; choice
sets and dependencies follow from these once, at the end (``dependency/graph.py``). Work is the number of states visited.
Ref: W. Dally, C. Seitz, IEEE ToC 36(5), 1987 for the graph.

Notation: ``d`` a column, ``dl`` its number within the tile, the rest as in ``plan``.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.pinned import walk_pinned
from pauseproof.dependency.plan import I64, Bools, Plan, first_classes, make_plan
from pauseproof.dependency.reach import distinct
from pauseproof.dependency.sources import Sources, find_sources, injected
from pauseproof.dependency.successors import Successors, successors
from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

TILE_STATES = 1 << 20  # marks per tile (columns * slots): few enough for a cache
TILE_COLUMNS = 32  # but no fewer columns than this, so that the work on arrays outweighs the calls
MOST_STATES = 1 << 26  # and no more marks than this, as long as a tile of one column keeps to it
_FULL = 1 << 30  # stamps given out before the marks are cleared; one tile needs far fewer


class Keys:
    """A set of non-negative integers below ``size``: a bitmap where that is small, else sorted pieces."""

    def __init__(self, size: int) -> None:
        self._map: Bools | None = np.zeros(size, np.bool_) if size <= 1 << 28 else None
        self._sorted: I64 = np.zeros(0, np.int64)

    def add(self, keys: I64) -> None:
        """Put ``keys`` in."""
        if self._map is not None:
            self._map[keys] = True
        else:
            self._sorted = distinct(np.concatenate((self._sorted, keys)))

    def sorted(self) -> I64:
        """All members, ascending."""
        return np.flatnonzero(self._map) if self._map is not None else self._sorted


@dataclass
class Log:
    """The state graph of one tile, for questions that need paths.

    A state id is the number of an injection (of ``group[i]`` into tile column ``group_column[i]``), or behind those that of a
    state (``slot`` and ``column``, joined, in the order met). ``src`` and ``dst`` are the edges between ids; ``dropped`` and
    ``unknown`` list ids from which a packet may end so at the next hop.
    """

    src: list[I64] = field(default_factory=list)
    dst: list[I64] = field(default_factory=list)
    dropped: list[I64] = field(default_factory=list)
    unknown: list[I64] = field(default_factory=list)
    slot: list[I64] = field(default_factory=list)
    column: list[I64] = field(default_factory=list)
    group: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    group_column: I64 = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass
class Explored:
    """What a walk found. ``reached`` [slots]; ``used`` holds ``slot * V + value``; ``injected_count`` [G, V] counts columns.

    ``drops``, ``unknowns`` [D]: columns some packet of which is dropped or goes to a wrong host, or meets something unknown.
    """

    plan: Plan
    sources: Sources
    reached: Bools
    used: Keys
    injected_count: I64
    drops: Bools
    unknowns: Bools

    @cached_property
    def unlabelled(self) -> Bools:
        """[D]: columns of some pair whose label, or whose first hop, was not read."""
        return _unlabelled(self.plan)


def explore(network: Network, traffic: Traffic, *, worst: bool = False) -> Explored:
    """Walk every destination of ``traffic``. With ``worst`` an unknown row, map or label stands for anything."""
    plan = make_plan(network, traffic, worst=worst)
    sources = find_sources(plan)
    n_columns = len(plan.columns.on)
    found = Explored(
        plan,
        sources,
        np.zeros(plan.n_slots, np.bool_),
        Keys(plan.n_slots * plan.n_values),
        np.zeros((len(sources.groups.switch), plan.n_values), np.int64),
        np.zeros(n_columns, np.bool_),
        np.zeros(n_columns, np.bool_),
    )
    walker = Walker(found, counting=True)
    for columns in tiles(plan, walk_pinned(found, np.flatnonzero(plan.columns.on | plan.columns.multicast))):
        walker.walk(columns)
    return found


def _unlabelled(plan: Plan) -> Bools:
    """[D]: columns of some pair whose label, or whose first hop, was not read."""
    traffic, out = plan.traffic, np.zeros(len(plan.columns.on), np.bool_)
    hosts = np.flatnonzero(traffic.host_sends)
    unmapped = plan.lanes.host_row[hosts] == UNKNOWN_ROW
    if traffic.labels is None and not unmapped.any():
        return out
    for d in np.flatnonzero(plan.columns.multicast).tolist():
        out[d] = np.isin(hosts[unmapped], plan.destinations.members(d)).any()
    node = plan.fabric.host_node.astype(np.int64)[hosts]
    for columns in tiles(plan, np.flatnonzero(plan.columns.on)):
        paired = node[:, None] != plan.columns.node[columns][None, :]
        missing = np.repeat(unmapped[:, None], len(columns), axis=1)
        if traffic.labels is not None:
            missing |= labels_read(plan, hosts, columns) == 0
        out[columns] = (paired & missing).any(axis=0)
    return out


def tiles(plan: Plan, columns: I64) -> list[I64]:
    """Cut ``columns`` into tiles that bound the memory of a walk.

    Columns whose packets may change from one to the other are in one tile, also those that were not asked for.
    """
    slots = max(plan.n_slots, 1)
    width = max(1, min(max(TILE_COLUMNS, TILE_STATES // slots), MOST_STATES // slots))
    if plan.rewrite is None:
        return [columns[i : i + width] for i in range(0, len(columns), width)]
    every = plan.with_others(columns)
    every = every[np.argsort(plan.together[every], kind="stable")]
    starts = np.flatnonzero(np.append(True, np.diff(plan.together[every]) != 0)) if len(every) else every
    out: list[I64] = []
    for part in np.split(every, starts[1:]) if len(every) else ():
        fits = bool(out) and len(out[-1]) + len(part) <= width
        out[-1:] = [np.concatenate((out[-1], part))] if fits else [*out[-1:], part]
    return [np.sort(tile) for tile in out]


class Walker:
    """The frontier loop. A state is met where its mark is a stamp of this tile, so marks need no clearing between tiles.

    A walk over columns that were walked before changes nothing in ``found``, as long as it is not ``counting``.
    """

    def __init__(self, found: Explored, *, counting: bool = False) -> None:
        self.found = found
        self.counting = counting
        self.plan = found.plan
        self.mark: NDArray[np.int32] = np.zeros(0, np.int32)
        self.stamp = 1
        self.base = 1

    def walk(self, columns: I64, log: Log | None = None) -> None:
        """Visit every state of ``columns``; with ``log``, write the state graph down (ids count from 0)."""
        size = len(columns) * self.plan.n_slots
        if len(self.mark) < size or self.stamp > _FULL:
            self.mark, self.stamp = np.zeros(size, np.int32), 1
        base = self.base = self.stamp
        values = np.ascontiguousarray(self.plan.table.value[:, columns].T)
        slot, dl, ids = self._inject(columns, values, base, log)
        while len(slot):
            slot, dl, ids = self._advance(columns, values, slot, dl, ids, base, log)

    def _inject(self, columns: I64, values: NDArray[np.generic], base: int, log: Log | None) -> tuple[I64, I64, I64]:
        plan, groups = self.plan, self.found.sources.groups
        dl, g = np.nonzero(injected(plan, groups, columns))
        switch = groups.switch[g]
        value = values[dl, switch].astype(np.int64)
        if self.counting:
            keys = g * plan.n_values + value
            counts = np.bincount(keys, minlength=self.found.injected_count.size)
            self.found.injected_count += counts.reshape(self.found.injected_count.shape)
        ids = base + np.arange(len(g))
        self.stamp += len(g)
        if log is not None:
            log.group, log.group_column = g, dl
        hop = successors(plan, switch, groups.in_link[g], groups.in_port[g], groups.cls[g], value, columns[dl])
        first = self._settle(columns, hop, dl, ids, base, log)
        own = self._explicit(columns)
        more = self._enter(*own, base, log)
        return tuple(np.concatenate(pair) for pair in zip(first, more, strict=True))  # type: ignore[return-value]

    def _explicit(self, columns: I64) -> tuple[I64, I64]:
        """(slot, dl) of host links that start as states of their own: per-pair labels, and senders of multicast."""
        plan, out = self.plan, []
        for dl in np.flatnonzero(plan.columns.multicast[columns]).tolist():
            for h in plan.destinations.members(int(columns[dl])):
                if plan.traffic.host_sends[h]:
                    out += [(int(plan.fabric.host_up[h]), c, dl) for c in self.found.sources.first[h] or ()]
        link, cls, tile_column = np.array(out, np.int64).reshape(-1, 3).T
        slots, dls = [link * plan.n_classes + cls], [tile_column]
        if self.found.sources.explicit:
            for host, c, dl_of in labelled_pairs(plan, columns):
                slots.append(plan.fabric.host_up.astype(np.int64)[host] * plan.n_classes + c)
                dls.append(dl_of)
        return np.concatenate(slots), np.concatenate(dls)

    def _enter(self, slot: I64, dl: I64, base: int, log: Log | None) -> tuple[I64, I64, I64]:
        key = dl * self.plan.n_slots + slot
        fresh = self._fresh(key, base, log)
        return self._reached(slot[fresh], dl[fresh], self.mark[key[fresh]].astype(np.int64), log)

    def _fresh(self, key: I64, base: int, log: Log | None) -> I64:
        """Indices of the first occurrence of each key not met before in this tile; marks them, in sequence for a log."""
        new = np.flatnonzero(self.mark[key] < base)
        met = key[new]
        stamps = np.arange(self.stamp, self.stamp + len(new), dtype=np.int32)
        self.mark[met] = stamps
        fresh: I64 = new[self.mark[met] == stamps]
        if log is not None:
            self.mark[key[fresh]] = stamps[: len(fresh)]
            self.stamp += len(fresh)
        else:
            self.stamp += len(new)
        return fresh

    def _reached(self, slot: I64, dl: I64, ids: I64, log: Log | None) -> tuple[I64, I64, I64]:
        self.found.reached[slot] = True
        if log is not None:
            log.slot.append(slot)
            log.column.append(dl)
        return slot, dl, ids

    def _settle(self, columns: I64, hop: Successors, dl: I64, ids: I64, base: int, log: Log | None) -> tuple[I64, I64, I64]:
        """Mark what a hop leads to; return the states met for the first time."""
        if len(hop.dropped):
            self.found.drops[columns[dl[hop.dropped]]] = True
        if len(hop.unknown):
            self.found.unknowns[columns[dl[hop.unknown]]] = True
        to = dl[hop.parent] if hop.column is None else self._columns_after(columns, hop, dl)
        key = to * self.plan.n_slots + hop.slot
        fresh = self._fresh(key, base, log)
        if log is not None:
            log.src.append(ids[hop.parent] - base)
            log.dst.append(self.mark[key].astype(np.int64) - base)
            log.dropped.append(ids[hop.dropped] - base)
            log.unknown.append(ids[hop.unknown] - base)
        return self._reached(hop.slot[fresh], to[fresh], self.mark[key[fresh]].astype(np.int64), log)

    def _columns_after(self, columns: I64, hop: Successors, dl: I64) -> I64:
        """Where in the tile packets go on whose destination some switch rewrites."""
        before = dl[hop.parent]
        assert hop.column is not None
        rewritten = np.flatnonzero(hop.column >= 0)
        before[rewritten] = np.searchsorted(columns, hop.column[rewritten])
        return before

    def _advance(
        self, columns: I64, values: NDArray[np.generic], slot: I64, dl: I64, ids: I64, base: int, log: Log | None
    ) -> tuple[I64, I64, I64]:
        plan = self.plan
        link = slot if plan.n_classes == 1 else slot // plan.n_classes
        switch = plan.link_dst[link]
        inside = switch < plan.fabric.n_switches
        if not inside.all():
            self._arrive(columns, link[~inside], dl[~inside], ids[~inside], base, log)
            link, switch, slot, dl, ids = link[inside], switch[inside], slot[inside], dl[inside], ids[inside]
        value = values[dl, switch].astype(np.int64)
        self.found.used.add(slot * plan.n_values + value)
        cls = slot - link * plan.n_classes
        hop = successors(plan, switch, link, plan.link_dst_port[link], cls, value, columns[dl])
        return self._settle(columns, hop, dl, ids, base, log)

    def _arrive(self, columns: I64, link: I64, dl: I64, ids: I64, base: int, log: Log | None) -> None:
        """Packets at a host: delivered, or at a wrong host (multicast copies are never wrong)."""
        column = columns[dl]
        host = self.plan.fabric.host_of_link[link].astype(np.int64)
        wrong = ~self.plan.columns.is_member(column, host) & ~self.plan.columns.multicast[column]
        self.found.drops[column[wrong]] = True
        if log is not None:
            log.dropped.append(ids[wrong] - base)


def labelled_pairs(plan: Plan, columns: I64) -> list[tuple[I64, I64, I64]]:
    """(host, class, dl) arrays of what hosts send under per-pair labels; pairs within one node are left out."""
    out = []
    for host, label, dl in pairs_by_label(plan, columns):
        row = plan.lanes.host_row[host]
        for r in np.unique(row).tolist():
            here = row == r
            classes = first_classes(plan, int(host[here][0]), label)
            out += [(host[here], np.full(int(here.sum()), c), dl[here]) for c in classes or ()]
    return out


def pairs_by_label(plan: Plan, columns: I64) -> list[tuple[I64, int, I64]]:
    """For each label: the hosts and tile columns of the pairs that carry it; in the worst case an unknown label is any."""
    traffic = plan.traffic
    assert traffic.labels is not None
    hosts = np.flatnonzero(traffic.host_sends)
    node = plan.fabric.host_node.astype(np.int64)[hosts]
    paired = plan.columns.on[columns][None, :] & (node[:, None] != plan.columns.node[columns][None, :])
    bits = effective_labels(plan, hosts, columns)
    out = []
    for k in range(len(plan.lanes.label_names)):
        i, dl = np.nonzero(paired & (bits >> np.uint32(k) & np.uint32(1)).astype(np.bool_))
        if len(i):
            out.append((hosts[i], k, dl))
    return out


def effective_labels(plan: Plan, hosts: I64, columns: I64) -> NDArray[np.uint32]:
    """[hosts, T] label bits: per pair for host columns, the one label for switch columns."""
    bits = labels_read(plan, hosts, columns)
    if plan.worst:
        bits[bits == 0] = (1 << len(plan.lanes.label_names)) - 1
    return bits


def labels_read(plan: Plan, hosts: I64, columns: I64) -> NDArray[np.uint32]:
    """[hosts, T] label bits as they were read, 0 where unknown; switch columns have the one label."""
    assert plan.traffic.labels is not None
    bits = plan.traffic.labels[np.ix_(hosts, columns)].astype(np.uint32)
    bits[:, plan.columns.owner[columns] >= 0] = 1 << plan.traffic.label
    return bits
