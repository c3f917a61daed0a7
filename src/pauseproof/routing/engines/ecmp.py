"""Shortest-path ECMP: at every switch the links to all neighbours that are one hop nearer to the destination."""

import numpy as np

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.levels import Rows, mark, neighbours_of, origin_rows, slots


def ecmp(fabric: Fabric, origin: Ids) -> Rows:
    """``rows`` [L, W]: bit ``d`` of ``rows[l]`` says that ``l`` is on a shortest path to the switch ``origin[d]``.

    Parallel cables count each; ties are all kept. A destination that cannot be reached has no bit: a drop.
    """
    by = slots(fabric)
    frontiers = [origin_rows(fabric.n_switches, origin)]
    seen = frontiers[0].copy()
    while True:
        near = neighbours_of(frontiers[-1], by)
        near &= ~seen
        if not near.any():
            break
        seen |= near
        frontiers.append(near)
    rows = np.zeros((fabric.n_links, frontiers[0].shape[1]), np.uint64)
    mark(rows, by, frontiers, frontiers)
    return rows
