"""Kind ``withdraw``: where packets come down the tiers and go up again, the fewest routes to withdraw, and none to add.

Such a valley is how most loops of an Ethernet Clos begin. A route, (switch, prefix, next hop), may be withdrawn where another
is left in its group; what would cut a pair off is said, and not offered.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pauseproof.deadlock.answers import Analysis
from pauseproof.fabric.tiers import UNREACHED, switch_tiers
from pauseproof.repair import routes
from pauseproof.repair.alternative import Alternative, Budget, NotOffered
from pauseproof.repair.fewest import Search
from pauseproof.repair.grid import I64, Grid, grid_of
from pauseproof.routing.ask import Asked

UNIT = "routes withdrawn"
NAMED = 3  # routes that cannot be withdrawn, in a reason


def alternatives(asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
    """The fewest routes to withdraw, or why that is no way out."""
    if asked.network.fabric.kind != "roce":
        return [NotOffered("withdraw", "an InfiniBand row has one port: it can be moved, not withdrawn")]
    grid = grid_of(asked)
    bounces = valleys(grid)
    if not len(bounces):
        return [NotOffered("withdraw", "no packet comes down the tiers and goes up again")]
    found = Search(asked, grid, None, budget, may_add=False).run()
    if found.member is None or not routes.serves(asked, analysis, grid, found.member):
        why = "no answer was found in time" if found.why == "budget" else _cut_off(asked, grid, bounces)
        return [NotOffered("withdraw", why)]
    cost = grid.withdrawn(found.member)
    return [routes.alternative(asked, "withdraw", grid.entries(found.member), cost, min(found.bound, cost), UNIT)]


def valleys(grid: Grid) -> I64:
    """[n, 2]: (link, column) of the grid by which packets go up again that came down to the switch."""
    tier = switch_tiers(grid.fabric).astype(np.int64)
    known = (tier[grid.src] != UNREACHED) & (tier[grid.dst] != UNREACHED)
    rise = np.where(known, np.sign(tier[grid.dst] - tier[grid.src]), 0)
    carried = grid.carried(grid.member)
    came_down = np.zeros_like(grid.starts)
    np.logical_or.at(came_down, grid.dst[rise < 0], carried[rise < 0])
    return np.argwhere(carried & (rise > 0)[:, None] & came_down[grid.src]).astype(np.int64)


def _cut_off(asked: Asked, grid: Grid, bounces: I64) -> str:
    """What stands in the way: routes of valleys that are the only ones of their entry."""
    fabric, names = grid.fabric, asked.network.destinations.names
    alone = []
    for x, c in bounces.tolist():
        s = int(grid.src[x])
        if np.count_nonzero(grid.member[grid.src == s, c]) == 1:
            port = fabric.port_name(s, int(fabric.link_src_port[grid.links[x]]))
            alone.append(f"{fabric.node_name[s]} to {names[int(grid.columns[c])]} by port {port}")
    if not alone:
        return "no routes can be withdrawn so that nothing loops and all pairs stay connected"
    some = "; ".join(alone[:NAMED]) + ("; ..." if len(alone) > NAMED else "")
    return f"withdrawing what packets go up again by would cut pairs off, since no other route is left there: {some}"


def loadable(asked: Asked, alternative: Alternative) -> Mapping[str, str]:
    """The routes as lines."""
    return routes.loadable(asked, alternative)
