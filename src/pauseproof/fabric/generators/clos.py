"""Folded Clos fabrics: the three-tier fat-tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008), and leaf-spine.

Ports of a fat-tree of ``k``-port switches: hosts or lower tier on 1..k/2, upper tier on k/2+1..k, a core's port ``p+1``
goes to pod ``p``. Aggregation switch ``i`` of every pod is cabled to cores ``i*k/2 .. i*k/2 + k/2 - 1``.
"""

import numpy as np

from pauseproof.fabric.generators.wiring import Cables, Design, check_size, padded, wire
from pauseproof.fabric.model import FabricKind


def fat_tree(name: str, kind: FabricKind, *, k: int, hosts: int = -1) -> Design:
    """A three-tier fat-tree of ``k``-port switches with ``hosts`` on each edge switch (-1: k/2)."""
    half = k // 2
    per_edge = half if hosts < 0 else hosts
    if k % 2 or per_edge > half:
        raise ValueError(f"k must be even and hosts at most k/2, found k {k} and hosts {per_edge}")
    tier_size = k * half
    n = 2 * tier_size + half * half
    check_size(n, tier_size * per_edge, tier_size * (per_edge + k))
    names = padded("agg", k, half) + padded("core", half * half) + padded("edge", k, half)
    core, edge = tier_size, tier_size + half * half
    pod, i, j = np.ix_(np.arange(k), np.arange(half), np.arange(half))
    agg = pod * half + i
    down = Cables.of(edge + pod * half + i, half + 1 + j, pod * half + j, i + 1)
    up = Cables.of(agg, half + 1 + j, core + i * half + j, pod + 1)
    counts = np.zeros(n, np.int32)
    counts[edge:] = per_edge
    tier = np.repeat(np.array([1, 2, 0], np.int32), [tier_size, half * half, tier_size])
    return Design(wire(name, kind, names, k, counts, Cables.joined([down, up])), tier=tier)


def leaf_spine(name: str, kind: FabricKind, *, leaves: int, spines: int, hosts: int = 1, cables: int = 1) -> Design:
    """``cables`` cables between every leaf and every spine, ``hosts`` hosts on every leaf."""
    check_size(leaves + spines, leaves * hosts, leaves * (hosts + spines * cables))
    leaf, spine, copy = np.ix_(np.arange(leaves), np.arange(spines), np.arange(cables))
    up = Cables.of(leaf, hosts + 1 + spine * cables + copy, leaves + spine, 1 + leaf * cables + copy)
    counts = np.repeat(np.array([hosts, 0], np.int32), [leaves, spines])
    tier = np.repeat(np.array([0, 1], np.int32), [leaves, spines])
    ports = max(hosts + spines * cables, leaves * cables)
    return Design(wire(name, kind, padded("leaf", leaves) + padded("spine", spines), ports, counts, up), tier=tier)
