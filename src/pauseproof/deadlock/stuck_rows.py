"""Peeling without dependencies: a link is freed when the columns it carries meet no row of a link not yet freed.

The same theorem as in ``stuck``, for hashed tables with one class: every choice set is one buffer, so a link stays only while
some packet on it may go on over a link that stays. Links to hosts are freed first, links from hosts last.
"""

from typing import NamedTuple

import numpy as np

from pauseproof.dependency.graph import Dependencies, assemble
from pauseproof.dependency.plan import I64, Bools
from pauseproof.dependency.row_counts import turns
from pauseproof.dependency.rows import RowWalk, meets


class PeeledRows(NamedTuple):
    """``depth`` [L]: in which round, 2 and up, a link between switches was freed; 0 where never. ``stuck`` lists the latter."""

    depth: I64
    stuck: I64


def peel_rows(walk: RowWalk) -> PeeledRows:
    """Free links round by round; only links into switches where something was freed are looked at again."""
    inner = walk.carrying[walk.dst[walk.carrying] < walk.fabric.n_switches]
    depth = np.zeros(walk.fabric.n_links, np.int64)
    alive = np.zeros(walk.fabric.n_links, np.bool_)
    alive[inner] = True
    level, look_at = 1, inner
    while len(look_at):
        level += 1
        freed = _without(walk, look_at, walk.dst, _offered(walk, inner[alive[inner]]))
        alive[freed] = False
        depth[freed] = level
        touched = np.zeros(walk.fabric.n_nodes, np.bool_)
        touched[walk.src[freed]] = True
        look_at = inner[alive[inner] & touched[walk.dst[inner]]]
    return PeeledRows(depth, inner[alive[inner]])


def _offered(walk: RowWalk, links: I64) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """[S, W]: the columns that ``links`` take from each switch."""
    out = np.zeros_like(walk.active)
    links = links[np.argsort(walk.src[links], kind="stable")]
    for part in walk.parts(links):
        start = np.flatnonzero(np.append(True, np.diff(walk.src[part]) != 0))
        out[walk.src[part[start]]] |= np.bitwise_or.reduceat(walk.table.rows[part], start, axis=0)
    return out


def _without(walk: RowWalk, links: I64, end: I64, rows: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> I64:
    """Those of ``links`` whose carried columns do not meet ``rows`` at their ``end``."""
    kept = [part[~meets(walk.carried(part), rows[end[part]])] for part in walk.parts(links)]
    return np.concatenate(kept) if kept else links


def core(walk: RowWalk, stuck: I64, lane: int, n_lanes: int) -> Dependencies:
    """The dependencies among the stuck links that some stuck link leads to: every cycle is there."""
    left: Bools = np.zeros(walk.fabric.n_links, np.bool_)
    left[stuck] = True
    while True:
        links = np.flatnonzero(left)
        came = np.zeros_like(walk.active)
        for part in walk.parts(links):
            start = np.flatnonzero(np.append(True, np.diff(walk.dst[part]) != 0))
            came[walk.dst[part[start]]] |= np.bitwise_or.reduceat(walk.carried(part), start, axis=0)
        first = _first_on_no_way(walk, links, came)
        if not len(first):
            break
        left[first] = False
    found = [(turn.arriving[i], turn.leaving[j]) for turn in turns(walk, links, links) for i, j in [np.nonzero(turn.hit)]]
    source = np.concatenate([a for a, _ in found] or [links[:0]])
    target = np.concatenate([b for _, b in found] or [links[:0]])
    at, to = np.searchsorted(links, source), np.searchsorted(links, target)
    return assemble(n_lanes, links * n_lanes + lane, at, to, np.full(len(at), -1))


def _first_on_no_way(walk: RowWalk, links: I64, came: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> I64:
    kept = [part[~meets(came[walk.src[part]], walk.table.rows[part])] for part in walk.parts(links)]
    return np.concatenate(kept) if kept else links
