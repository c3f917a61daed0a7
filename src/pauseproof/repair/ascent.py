"""Routes that climb: given an order of the links, next hops such that every packet goes over links in ascending order.

Where each packet climbs, every dependency between links does, so none closes a loop, whatever the lanes; and each column can be
routed by itself. For one column, links are looked at from the last of the order to the first: a link can be a next hop of its
switch once the switch it leads to has next hops, all of them later in the order. A switch waits for the next hops that it has
today, keeps those that climb, and only where none does takes the latest link that could have been one. Where some packet would
be left without a way, the column is routed again with every switch taking the latest link at once: that leaves to the
switches before it as much as any choice could, so a column that has no way then has none in this order.
Up*/down* is one such order (M. Schroeder et al., Autonet, IEEE JSAC 9(8), 1991): up links before down links.

Notation: ``x`` a link, ``r`` a position in the order, ``s`` a switch, ``c`` a column; ``low`` [S, C] is the position of the
first of the next hops of a switch, BEYOND where packets end, NOWHERE where there is none.
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pauseproof.repair.grid import I64, Bools, Grid

NOWHERE = -1
BEYOND = np.iinfo(np.int32).max
Low = NDArray[np.int64]


def climb(grid: Grid, order: I64) -> Bools | None:
    """``member`` [X, C] in which packets climb along ``order`` (links, first to last); None where some pair has no way.

    Entries that no packet reaches are as they are today, and so are those that may not be changed: packets over them climb too,
    or the order does not serve.
    """
    member, low = _patient(grid, order)
    short = _unserved(grid, low, member)
    if short.any():
        latest, low_latest = _latest(grid, order)
        member[:, short], low[:, short] = latest[:, short], low_latest[:, short]
        if _unserved(grid, low, member).any():
            return None
    still = ~grid.reached(member)[grid.src]
    member[still] = grid.member[still]
    return member


def _unserved(grid: Grid, low: Low, member: Bools) -> Bools:
    """[C]: columns where a packet that must arrive comes to a switch without a next hop."""
    return np.asarray((grid.required & (low == NOWHERE)).any(axis=0))


def _low(grid: Grid) -> Low:
    return np.where(grid.ends, BEYOND, NOWHERE).astype(np.int64)


def _patient(grid: Grid, order: I64) -> tuple[Bools, Low]:
    low, member = _low(grid), np.zeros_like(grid.member)
    awaited = np.zeros(low.shape, np.int64)  # next hops of today that the order has not come to
    np.add.at(awaited, grid.src, grid.member)
    tentative = np.full(low.shape, NOWHERE, np.int64)  # the first of the next hops kept so far
    missed = np.full(low.shape, NOWHERE, np.int64)  # the latest link that was passed by
    columns = np.arange(low.shape[1])
    for r in range(len(order) - 1, -1, -1):
        x = int(order[r])
        s, t = int(grid.src[x]), int(grid.dst[x])
        today, can = grid.member[x], low[t] > r
        kept = today & can & ~grid.ends[s]
        member[x] |= kept
        tentative[s, kept] = r
        other = ~today & can & grid.movable[s]
        at_once = other & (awaited[s] == 0) & (low[s] == NOWHERE)
        member[x] |= at_once
        low[s, at_once] = r
        later = other & ~at_once & (missed[s] == NOWHERE)
        missed[s, later] = r
        awaited[s] -= today
        done = today & (awaited[s] == 0) & ~grid.ends[s]
        low[s, done] = np.where(tentative[s, done] != NOWHERE, tentative[s, done], missed[s, done])
        fallen = columns[done & (tentative[s] == NOWHERE) & (missed[s] != NOWHERE)]
        member[order[missed[s, fallen]], fallen] = True
    return member, low


def _latest(grid: Grid, order: I64) -> tuple[Bools, Low]:
    low, member = _low(grid), np.zeros_like(grid.member)
    for r in range(len(order) - 1, -1, -1):
        x = int(order[r])
        s, t = int(grid.src[x]), int(grid.dst[x])
        taken = (low[t] > r) & (low[s] == NOWHERE) & (grid.movable[s] | grid.member[x])
        member[x] |= taken
        low[s, taken] = r
    return member, low


def up_down(grid: Grid, root: int) -> I64:
    """The order of up*/down* from ``root``: up links towards it, nearest last, then down links, nearest first."""
    n = grid.fabric.n_switches
    number = np.full(n, n, np.int64)
    after: dict[int, list[int]] = {}
    for s, t in zip(grid.src.tolist(), grid.dst.tolist(), strict=True):
        after.setdefault(s, []).append(t)
    waiting, met = deque([root]), {root}
    for i in range(n):
        if not waiting:
            break
        s = waiting.popleft()
        number[s] = i
        fresh = [t for t in dict.fromkeys(after.get(s, ())) if t not in met]
        met.update(fresh)
        waiting.extend(fresh)
    a, b = number[grid.src], number[grid.dst]
    up = b < a
    return np.lexsort((np.arange(len(a)), np.where(up, -a, a), ~up)).astype(np.int64)


def withdrawn(grid: Grid, member: Bools) -> int:
    """How many next hops of today ``member`` does without."""
    return int(np.count_nonzero(grid.member & ~member))
