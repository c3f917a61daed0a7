"""What becomes of pairs under hashed tables with one class, for all destinations of a switch at once.

``bad[s]`` holds the columns whose packets at ``s`` may be dropped or misdelivered, ``loops[s]`` those whose packets may go
round for ever; both are fixpoints over the rows of links, one backward from where packets end badly, one by taking away
what certainly ends.
"""

import numpy as np

from pauseproof.dependency.outcomes import Fault, Outcomes, count_pairs
from pauseproof.dependency.plan import I64, Bools
from pauseproof.dependency.reach import can_loop, ranges
from pauseproof.dependency.rows import Rows, RowWalk, packed, unpacked


def row_outcomes(walk: RowWalk, *, may_loop: bool) -> Outcomes:
    """Count pairs by outcome; ``may_loop`` False promises that the dependency graph has no cycle."""
    out = Outcomes(pairs=count_pairs(walk.fabric, walk.traffic, walk.columns))
    inner = walk.used[walk.dst[walk.used] < walk.fabric.n_switches]
    inner = inner[np.argsort(walk.src[inner], kind="stable")]
    drops, wrong = _ends_badly(walk, out)
    bad = _may_reach(walk, inner, drops | wrong) if (drops | wrong).any() else drops
    loops = _may_go_round(walk, inner) if may_loop else np.zeros_like(drops)
    if bad.any() or loops.any():
        _count(walk, out, bad, loops)
    if loops.any():
        _name_loops(walk, out, inner, loops)
    return out


def _ends_badly(walk: RowWalk, out: Outcomes) -> tuple[Rows, Rows]:
    """[S, W]: columns dropped at a switch, and columns that it hands to a wrong host; both noted as faults."""
    fabric, n = walk.fabric, walk.table.n_destinations
    offered = np.zeros_like(walk.active)
    used = walk.used[np.argsort(walk.src[walk.used], kind="stable")]
    for part in walk.parts(used):
        start = np.flatnonzero(np.append(True, np.diff(walk.src[part]) != 0))
        offered[walk.src[part[start]]] |= np.bitwise_or.reduceat(walk.table.rows[part], start, axis=0)
    drops = walk.active & ~offered & ~walk.table.deliver
    at = np.flatnonzero(drops.any(axis=1))
    for s, bits in zip(at.tolist(), unpacked(drops[at], n), strict=True):
        out.faults |= {Fault(s, d, -1) for d in np.flatnonzero(bits).tolist()}
    wrong = np.zeros_like(drops)
    for l in used[walk.dst[used] >= fabric.n_switches].tolist():
        column = np.flatnonzero(unpacked(walk.carried(np.array([l]))[0], n))
        host = np.full(len(column), fabric.host_of_link[l], np.int64)
        stray = column[~walk.columns.is_member(column, host)]
        out.faults |= {Fault(int(walk.dst[l]), d, l) for d in stray.tolist()}
        here = np.zeros(n, np.bool_)
        here[stray] = True
        wrong[walk.src[l]] |= packed(here, drops.shape[1])
    return drops, wrong


def _may_reach(walk: RowWalk, inner: I64, ends: Rows) -> Rows:
    """[S, W]: columns that some way of a packet brings from a switch to where ``ends`` has them."""
    out = ends.copy()
    fresh = ends
    while fresh.any():
        back = np.zeros_like(ends)
        some: Bools = np.asarray(fresh.any(axis=1))
        for part in walk.parts(inner[some[walk.dst[inner]]]):
            moved = walk.table.rows[part] & fresh[walk.dst[part]]
            start = np.flatnonzero(np.append(True, np.diff(walk.src[part]) != 0))
            back[walk.src[part[start]]] |= np.bitwise_or.reduceat(moved, start, axis=0)
        fresh = back & ~out
        out |= fresh
    return out


def _may_go_round(walk: RowWalk, inner: I64) -> Rows:
    """[S, W]: what is left when columns all of whose ways end are taken away again and again."""
    left = np.full_like(walk.active, np.iinfo(np.uint64).max)
    while True:
        onward = np.zeros_like(left)
        for part in walk.parts(inner):
            moved = walk.table.rows[part] & left[walk.dst[part]]
            start = np.flatnonzero(np.append(True, np.diff(walk.src[part]) != 0))
            onward[walk.src[part[start]]] |= np.bitwise_or.reduceat(moved, start, axis=0)
        if np.array_equal(onward, left):
            return onward
        left = onward


def _count(walk: RowWalk, out: Outcomes, bad: Rows, loops: Rows) -> None:
    """Add up pairs: senders at each switch times members, without those of one node."""
    fabric, columns, n = walk.fabric, walk.columns, walk.table.n_destinations
    at = fabric.link_dst[fabric.host_up].astype(np.int64)
    hosts = np.flatnonzero(walk.traffic.host_sends)
    switches, count = np.unique(at[hosts], return_counts=True)
    looping = unpacked(loops[switches], n) & columns.on
    dropping = unpacked(bad[switches], n) & columns.on & ~looping
    column, member = columns.members()
    node = fabric.host_node.astype(np.int64)
    hosts = hosts[np.argsort(node[hosts], kind="stable")]
    first, last = (np.searchsorted(node[hosts], node[member], side=side) for side in ("left", "right"))
    own_column = np.repeat(column, last - first)
    own_row = np.searchsorted(switches, at[hosts[ranges(first, last)]])
    for flags, name in ((looping, "looping_pairs"), (dropping, "unroutable_pairs")):
        pairs = int((flags * count[:, None] * columns.n_members[None, :]).sum()) - int(flags[own_row, own_column].sum())
        setattr(out, name, pairs)


def _name_loops(walk: RowWalk, out: Outcomes, inner: I64, loops: Rows) -> None:
    """The links on which a looping column's packets go round."""
    n = walk.table.n_destinations
    looping = np.flatnonzero(unpacked(np.bitwise_or.reduce(loops & walk.active, axis=0), n) & walk.columns.on)
    for d in looping.tolist():
        word, bit = d // 64, np.uint64(1) << np.uint64(d % 64)
        links = inner[(walk.table.rows[inner, word] & walk.active[walk.src[inner], word] & bit) != 0]
        src, dst = walk.src[links], walk.dst[links]
        on = can_loop(walk.fabric.n_nodes, src, dst)
        on &= can_loop(walk.fabric.n_nodes, dst[on[src] & on[dst]], src[on[src] & on[dst]])
        out.loops.setdefault(tuple(np.sort(links[on[src] & on[dst]]).tolist()), []).append(d)
