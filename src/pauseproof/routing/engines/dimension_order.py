"""Dimension order routing (Dally and Seitz, IEEE ToC 1987): the first coordinate is brought right first, then the next.

Within a dimension a mesh goes towards the destination, a HyperX goes there at once, a torus goes the shorter way round,
towards higher coordinates where both are equally long. Every route is pinned. A link that is missing is a drop: there is
no way around.
"""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.generators.wiring import Grid
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.levels import Rows, words


def dimension_order(fabric: Fabric, origin: Ids, grid: Grid) -> Rows:
    """``rows`` [L, W] as in :func:`ecmp`, with at most one link for each switch and destination."""
    n, at = fabric.n_switches, grid.at.astype(np.int64)
    rows = np.zeros((fabric.n_links, words(len(origin))), np.uint64)
    between = np.flatnonzero((fabric.link_src < n) & (fabric.link_dst < n))
    strides = np.cumprod([1, *grid.size[:0:-1]])[::-1]
    key = fabric.link_src[between].astype(np.int64) * n + fabric.link_dst[between]
    key, first = np.unique(key, return_index=True)
    for s in range(n):
        hop = next_hop(grid, at[s], at[origin]) @ strides
        for t in np.unique(hop[hop != s]).tolist():
            i = int(np.searchsorted(key, s * n + t))
            if i < len(key) and key[i] == s * n + t:
                rows[between[first[i]]] = packed(hop == t)
    return rows


def next_hop(grid: Grid, here: NDArray[np.int64], to: NDArray[np.int64]) -> NDArray[np.int64]:
    """The coordinates after one hop from ``here`` [n] towards each row of ``to`` [D, n]."""
    differs = to != here
    dimension = np.argmax(differs, axis=1)
    d = np.arange(len(to))
    away = to[d, dimension] - here[dimension]
    if grid.shape == "torus":
        size = np.array(grid.size)[dimension]
        forward = away % size
        step = np.where(forward <= size - forward, 1, -1)
    else:
        step = away if grid.shape == "hyperx" else np.sign(away)
    out = np.repeat(here[None, :], len(to), axis=0)
    moved = here[dimension] + np.where(differs.any(axis=1), step, 0)
    out[d, dimension] = moved % np.array(grid.size)[dimension]
    return out


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Booleans [D] as one row of 64-bit words, bit ``d % 64`` of word ``d // 64``."""
    out = np.zeros(words(len(bits)) * 8, np.uint8)
    octets = np.packbits(bits, bitorder="little")
    out[: len(octets)] = octets
    return out.view("<u8").astype(np.uint64)
