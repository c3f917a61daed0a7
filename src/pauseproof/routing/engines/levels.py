"""Breadth-first search towards all destinations at once, one bit a destination.

Row ``s`` of a *frontier* holds the destinations that switch ``s`` is exactly ``k`` hops away from. One step makes frontier
``k`` from frontier ``k - 1``: a switch is near what its neighbours are near. A link is then on a shortest path to exactly
the destinations in ``frontier_k[src] & frontier_{k-1}[dst]``, summed over ``k``.

Notation: ``s`` a switch, ``l`` a link, ``d`` a destination (a bit), ``W`` 64-bit words, ``j`` a slot: the ``j``-th usable link
of every switch that has so many. Slots turn the sums over ragged neighbourhoods into few operations on dense arrays.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids

Rows = NDArray[np.uint64]  # [n, W]


class Slot(NamedTuple):
    """Link ``link[i]`` leads from switch ``src[i]`` to ``dst[i]``; no switch occurs twice in ``src``."""

    link: Ids
    src: Ids | slice  # a slice where every switch has such a link
    dst: Ids


def slots(fabric: Fabric, usable: NDArray[np.bool_] | None = None) -> list[Slot]:
    """The usable links between switches (all: None), by slot."""
    n = fabric.n_switches
    between = (fabric.link_src < n) & (fabric.link_dst < n) & (fabric.link_src != fabric.link_dst)
    links = np.flatnonzero(between if usable is None else between & usable)
    links = links[np.argsort(fabric.link_src[links], kind="stable")]
    src = fabric.link_src[links]
    nth = np.arange(len(links)) - np.searchsorted(src, src)
    out = []
    for j in range(int(nth.max(initial=-1)) + 1):
        l = links[nth == j].astype(np.int32)
        out.append(Slot(l, slice(None) if len(l) == n else fabric.link_src[l], fabric.link_dst[l]))
    return out


def origin_rows(n_switches: int, origin: Ids) -> Rows:
    """Frontier 0: bit ``d`` at the switch ``origin[d]``, [S, W]."""
    rows = np.zeros((n_switches, words(len(origin))), np.uint64)
    d = np.arange(len(origin))
    np.bitwise_or.at(rows, (origin, d // 64), np.uint64(1) << (d % 64).astype(np.uint64))
    return rows


def words(n_destinations: int) -> int:
    """64-bit words that hold a bit for each destination."""
    return (n_destinations + 63) // 64


def neighbours_of(frontier: Rows, by: Sequence[Slot]) -> Rows:
    """What any neighbour over these links has in its row, [S, W]."""
    near = np.zeros_like(frontier)
    for slot in by:
        near[slot.src] |= frontier[slot.dst]
    return near


def mark(rows: Rows, by: Sequence[Slot], here: Sequence[Rows], there: Sequence[Rows]) -> None:
    """Set ``rows[l]`` to the destinations that ``l`` brings from ``here[k]`` into ``there[k - 1]`` for some ``k``."""
    for slot in by:
        row = np.zeros((len(slot.link), rows.shape[1]), np.uint64)
        for k in range(1, len(here)):
            row |= here[k][slot.src] & there[k - 1][slot.dst]
        rows[slot.link] = row
