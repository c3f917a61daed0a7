"""NCCL's double binary tree: two trees over the same nodes, in which a leaf of one is an interior node of the other.

Each tree carries half of the data, so that every node sends and receives about the same. The first tree alternates leaves and
interior nodes and can be written down by bits of the rank; the second is the first mirrored (of an even number of nodes) or
shifted by one (odd). After ``ncclGetBtree`` and ``ncclGetDtree`` of NCCL's ``src/graph/trees.cc`` (Sanders, Speck and Träff,
"Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009).

Notation: ``n`` nodes 0..n-1, ``parent[r]`` the parent of ``r``, -1 for the root.
"""

import numpy as np

from pauseproof.fabric.model import Ids


def binary_tree(n: int) -> Ids:
    """The parents in the first tree, [n].

    The lowest set bit of ``r`` moves one place up; where that is beyond the last node it is cleared instead.

    >>> binary_tree(6).tolist()
    [-1, 2, 4, 2, 0, 4]
    """
    r = np.arange(n)
    bit = r & -r
    up = (r ^ bit) | (bit << 1)
    up[up >= n] = (r ^ bit)[up >= n]
    up[:1] = -1
    return up.astype(np.int32)


def double_binary_tree(n: int) -> tuple[Ids, Ids]:
    """The parents in both trees.

    >>> [tree.tolist() for tree in double_binary_tree(4)]
    [[-1, 2, 0, 2], [1, 3, 1, -1]]
    """
    first = binary_tree(n)
    if n % 2:
        return first, np.roll(np.where(first < 0, -1, (first + 1) % n), 1).astype(np.int32)
    return first, np.where(first < 0, -1, n - 1 - first)[::-1].astype(np.int32)
