"""Up*/down* routing from given roots (Schroeder et al., Autonet, IEEE JSAC 1991).

Switches are ordered by (hops from the nearest root, name); up is towards the smaller. Since the order is total, every
link has a direction, and no cycle of links goes up all the way or down all the way: there is no credit loop.
See :mod:`pauseproof.routing.engines.up_then_down` for what is chosen where several ways are legal.
"""

from collections.abc import Sequence

import numpy as np

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.levels import Rows
from pauseproof.routing.engines.up_then_down import up_then_down


def updown(fabric: Fabric, origin: Ids, roots: Sequence[int]) -> Rows:
    """``rows`` [L, W] as in :func:`ecmp`. Switches that no root is connected to come last, in the order of their names."""
    return up_then_down(fabric, origin, heights(fabric, roots))


def heights(fabric: Fabric, roots: Sequence[int]) -> Ids:
    """A number for each switch, [S], greatest at the first root; equal for no two switches."""
    n = fabric.n_switches
    between = (fabric.link_src < n) & (fabric.link_dst < n)
    src, dst = fabric.link_src[between], fabric.link_dst[between]
    hops = np.full(n, n, np.int32)
    hops[list(roots)] = 0
    for k in range(1, n):
        reached = dst[(hops[src] == k - 1) & (hops[dst] == n)]
        if not len(reached):
            break
        hops[reached] = k
    out = np.empty(n, np.int32)
    out[np.lexsort((np.arange(n), hops))] = np.arange(n, 0, -1)
    return out
