"""The tier of a switch: how many switches a packet from the nearest host has entered when it arrives there.

Tier 1 holds the switches that hosts are cabled to, tier 2 their other neighbours, and so on: breadth-first search from the
hosts. On a folded Clos these are leaves, spines and cores. Nothing but drawings and summaries rests on tiers.
"""

import numpy as np

from pauseproof.fabric.model import Fabric, Ids, NodeKind

UNREACHED = 0  # no host can be reached from this switch


def switch_tiers(fabric: Fabric) -> Ids:
    """The tier of every switch, [S]; UNREACHED where no host is connected to it.

    SHARP aggregation nodes and routers do not make a leaf: they sit on spines.
    """
    n = fabric.n_switches
    is_host = fabric.node_kind[fabric.link_src] == NodeKind.HOST
    tiers = np.zeros(n, np.int32)
    tiers[fabric.link_dst[is_host & (fabric.link_dst < n)]] = 1
    between = (fabric.link_src < n) & (fabric.link_dst < n)
    src, dst = fabric.link_src[between], fabric.link_dst[between]
    for tier in range(2, n + 1):
        reached = dst[(tiers[src] == tier - 1) & (tiers[dst] == UNREACHED)]
        if not len(reached):
            break
        tiers[reached] = tier
    return tiers
