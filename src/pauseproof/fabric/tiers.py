"""The tier of a switch: how many switches a packet from the nearest host has entered when it arrives there.

It is 1 for switches that hosts are cabled to, 2 for their other neighbours, and so on: breadth-first search from the hosts.
In words, and in configurations, the first of these is called tier 0 (:func:`tier_words`). On a folded Clos the tiers are
leaves, spines and cores. Nothing but drawings, summaries and repairs rests on tiers.
"""

import numpy as np

from pauseproof.fabric.model import Fabric, Ids, NodeKind

UNREACHED = 0  # no host can be reached from this switch


def tier_words(tier: int) -> str:
    """What users call a tier; 0 are the hosts themselves.

    >>> tier_words(0), tier_words(1)
    ('hosts', 'tier 0')
    """
    return f"tier {tier - 1}" if tier else "hosts"


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
