"""Up first, then down, never up again: what valley-free and up*/down* routing share.

A table sees only the destination, not whether the packet has already gone down. It is legal all the same if every switch
decides alike: a switch from which the destination can be reached by going down all the way goes down, by the shortest
such way; any other goes up, to the neighbours from which the rest is shortest. After a step down the next switch can go
down as well (the rest of the same way), so no packet goes up again. All ties are kept.
"""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.levels import Rows, mark, neighbours_of, origin_rows, slots


def up_then_down(fabric: Fabric, origin: Ids, height: NDArray[np.integer]) -> Rows:
    """``rows`` [L, W] as in :func:`ecmp`. A link to a switch of greater ``height`` [S] goes up, of smaller goes down.

    Links between switches of equal height are not used.
    """
    n = fabric.n_switches
    ends = np.append(height, 0)  # end nodes: their links are no switch links, any height will do
    rise = ends[np.minimum(fabric.link_dst, n)] - ends[np.minimum(fabric.link_src, n)]
    downward, upward = slots(fabric, rise < 0), slots(fabric, rise > 0)
    down = [origin_rows(n, origin)]
    has_down = down[0].copy()
    while (near := neighbours_of(down[-1], downward) & ~has_down).any():
        has_down |= near
        down.append(near)
    up, every, seen = [np.zeros_like(has_down)], [down[0]], has_down.copy()
    while len(every) < len(down) or every[-1].any():
        near = neighbours_of(every[-1], upward) & ~seen
        seen |= near
        up.append(near)
        every.append(near | down[len(every)] if len(every) < len(down) else near)
    rows = np.zeros((fabric.n_links, has_down.shape[1]), np.uint64)
    mark(rows, downward, down, down)
    mark(rows, upward, up, every)
    return rows
