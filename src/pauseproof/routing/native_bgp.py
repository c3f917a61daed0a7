"""What a topology file configures on its switches for the engine ``bgp``: AS numbers, allowas-in, multipath-relax."""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.generators import Design
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.readers.native_lines import NativeFile, Numbered
from pauseproof.routing.engines.bgp import Numbers, Speakers
from pauseproof.routing.native_names import Names

FIRST_OF_OUR_OWN = 4_200_000_000  # RFC 6996: for private use
TIES = (
    "of routes with AS paths of one length BGP prefers the neighbour whose name comes first; age and router ids are not known"
)


def speakers_of(native: NativeFile, design: Design, names: Names) -> Speakers | None:
    """The switches as BGP speakers, None where the engine is another one. Notes words that mean no switch."""
    line = native.routing.bgp if native.routing else None
    if native.routing is None or line is None:
        return None
    if native.kind == "infiniband":
        names.wrong(native.routing.engine, "the engine bgp is for kind roce: InfiniBand has no BGP")
    n = design.fabric.n_switches
    group = np.arange(n)
    if line.rule.text == "clos" and design.tier is None:
        names.wrong(line.rule, "'as: clos' needs tiers: a fat-tree, a leaf-spine, or switches by hand")
    elif line.rule.text == "clos" and design.tier is not None:
        group = clos_groups(design.fabric, design.tier)
    asn = _assigned(np.full(n, -1, np.int64), line.asn, names)
    free = np.setdiff1d(np.arange(FIRST_OF_OUR_OWN, FIRST_OF_OUR_OWN + 2 * n), asn)
    asn = np.where(asn < 0, free[group], asn)
    return Speakers(asn, _assigned(np.zeros(n, np.int64), line.allowed, names), line.relax)


def _assigned(numbers: Numbers, lines: tuple[Numbered, ...], names: Names) -> Numbers:
    for word, number in lines:
        numbers[names.switches((word,))] = number
    return numbers


def clos_groups(fabric: Fabric, tier: Ids) -> NDArray[np.int64]:
    """Which switches share an AS where RFC 7938 (5.2.1) is followed, [S]: a number for each group.

    The highest tier is one group. Of each other tier but the lowest, the switches of one cluster are one: those that stay
    connected without the highest tier. Every switch of the lowest tier is alone.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, top = fabric.n_switches, int(tier.max())
    ends = np.append(tier, top)[np.minimum(np.stack([fabric.link_src, fabric.link_dst]), n)]
    src, dst = (end[(ends < top).all(axis=0)] for end in (fabric.link_src, fabric.link_dst))
    _, cluster = connected_components(coo_array((np.ones(len(src), bool), (src, dst)), shape=(n, n)), directed=False)
    cluster[tier == top] = 0
    alone = np.where(tier == 0, np.arange(n), -1)
    return np.unique(np.stack([tier, cluster, alone]), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
