"""The walk over (switch, destination) for packets that have one way on, whatever way they came by.

Where there is one class and no lane map, and an entry names one link or none, all packets for ``d`` at switch ``s`` go on
alike: what is reached is a matter of switches, of which there are far fewer than links. A tile of columns is a dense array of
flags; its frontier is what became active in the last step. The facts are those of ``states``.

Notation: ``s``, ``t`` switches, ``d`` a column, ``l`` the link of an entry, ``at`` = row of the tile * S + switch.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.plan import I64, Bools
from pauseproof.dependency.sources import injected
from pauseproof.routing.tables import ChoiceKind

if TYPE_CHECKING:
    from pauseproof.dependency.states import Explored

I32 = NDArray[np.int32]
_ENDS, _SPLITS = -1, -2  # entries without a link, and those with several
_TILE = 1 << 18  # flags per tile: few enough for a cache


def walk_pinned(found: "Explored", columns: I64) -> I64:
    """Walk those of ``columns`` whose packets have one way on, and note them in ``found``; return the others."""
    plan = found.plan
    if not plan.plain or plan.worst or found.sources.explicit or plan.table.rewrite is not None:
        return columns
    walk = _PinnedWalk(found)
    ordinary = columns[~plan.columns.multicast[columns]]
    width = max(1, _TILE // max(plan.fabric.n_switches, 1))
    left = [walk.tile(ordinary[i : i + width]) for i in range(0, len(ordinary), width)]
    return np.sort(np.concatenate((columns[plan.columns.multicast[columns]], *left)))


class _PinnedWalk:
    """The constants of the walk: ``way`` [S * V], the link of each entry, and ``parts``, groups with a switch each."""

    def __init__(self, found: "Explored") -> None:
        plan = self.plan = found.plan
        self.found = found
        self.n_switches = plan.fabric.n_switches
        self.dst = np.append(plan.fabric.link_dst, self.n_switches)  # the last one is for entries without a link
        kind, count = plan.choice_kind, np.diff(plan.choice_ptr)
        several = (count > 0) & np.isin(kind, (ChoiceKind.DELIVER, ChoiceKind.HASHED, ChoiceKind.ADAPTIVE))
        several |= kind == ChoiceKind.MULTICAST
        alone = np.where(plan.single >= 0, plan.single, np.where(several, _SPLITS, _ENDS)).astype(np.int32)
        self.way: I32 = alone[plan.entry_choice]
        self.splits = bool((self.way == _SPLITS).any())
        self.base = np.arange(self.n_switches) * plan.n_values
        self.parts = _one_a_switch(found.sources.groups.switch)

    def tile(self, columns: I64) -> I64:
        """Walk a tile; return the columns that are for another walk."""
        value = np.ascontiguousarray(self.plan.table.value[:, columns].T)
        way = self.way.take(value + self.base)
        left = columns[:0]
        if self.splits:
            split = (way == _SPLITS).any(axis=1)
            left, columns, value, way = columns[split], columns[~split], value[~split], way[~split]
        if len(columns):
            self._follow(columns, value.ravel(), way.ravel(), self._inject(columns, value))
        return left

    def _inject(self, columns: I64, value: NDArray[Any]) -> Bools:
        """The flags that senders set; counts what each group sends by table value."""
        groups, counts = self.found.sources.groups, self.found.injected_count
        sent = injected(self.plan, groups, columns)
        active = np.zeros(value.shape, np.bool_)
        for part in self.parts:
            active[:, groups.switch[part]] |= sent[:, part]
        keys = (value[:, groups.switch] + np.arange(len(groups.switch)) * self.plan.n_values)[sent]
        counts += np.bincount(keys, minlength=counts.size).reshape(counts.shape)
        return active

    def _follow(self, columns: I64, value: NDArray[Any], way: I32, active: Bools) -> None:
        """Add to the flags what they lead to, until nothing is new."""
        flags = active.ravel()
        at = np.flatnonzero(flags)
        while len(at):
            link = way.take(at)
            to = self.dst.take(link)
            ends = np.flatnonzero(to >= self.n_switches)
            if len(ends):
                self._end(columns, at[ends], value, link[ends])
                inside = np.flatnonzero(to < self.n_switches)
                at, link, to = at[inside], link[inside], to[inside]
            at = at - at % self.n_switches + to
            self.found.reached[link] = True
            self.found.used.add(link.astype(np.int64) * self.plan.n_values + value.take(at))
            after = np.zeros(len(flags), np.bool_)
            after[at] = True
            after &= ~flags
            flags |= after
            at = np.flatnonzero(after)

    def _end(self, columns: I64, at: I64, value: NDArray[Any], link: I32) -> None:
        """Packets that go to a host, the right one or not, or nowhere."""
        plan, found = self.plan, self.found
        row, switch = np.divmod(at, self.n_switches)
        column = columns[row]
        to_host = link >= 0
        found.reached[link[to_host]] = True
        host = plan.fabric.host_of_link[link[to_host]].astype(np.int64)
        found.drops[column[to_host][~plan.columns.is_member(column[to_host], host)]] = True
        at, switch, column = at[~to_host], switch[~to_host], column[~to_host]
        kind = plan.choice_kind[plan.entry_choice[switch * plan.n_values + value[at]]]
        stray = (kind == ChoiceKind.LOCAL) & (plan.columns.owner[column] != switch)
        found.drops[column[stray | ~np.isin(kind, (ChoiceKind.LOCAL, ChoiceKind.UNKNOWN, ChoiceKind.DELIVER))]] = True
        found.unknowns[column[kind == ChoiceKind.UNKNOWN]] = True


def _one_a_switch(switch: I64) -> list[I64]:
    """The indices of ``switch`` in parts, in each of which every switch occurs once at most."""
    order = np.argsort(switch, kind="stable")
    first = np.searchsorted(switch[order], switch[order])
    turn = np.arange(len(order)) - first
    return [order[turn == k] for k in range(int(turn.max(initial=-1)) + 1)]
