"""Cyclic components: the strongly connected components of the dependency graph that hold a cycle.

A cycle survives removing, repeatedly, buffers that nothing waits behind or that wait for nothing; only what survives is given
to the component search (Tarjan's, in scipy). A buffer that waits for itself is a component of one.
"""

import numpy as np

from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import I64
from pauseproof.dependency.reach import can_loop


def cyclic_components(graph: Dependencies, suspects: I64) -> tuple[I64, ...]:
    """The components among ``suspects`` (every buffer on a cycle must be one), as ascending arrays of buffer indices.

    Largest first, then by least buffer.
    """
    if not len(suspects):
        return ()
    n = graph.n_buffers
    core = np.zeros(n, np.bool_)
    core[suspects] = True
    source, target = graph.source, graph.target
    for backward in (False, True):
        inside = core[source] & core[target]
        source, target = source[inside], target[inside]
        core = can_loop(n, target, source) if backward else can_loop(n, source, target)
    inside = core[source] & core[target]
    return _components(np.flatnonzero(core), source[inside], target[inside])


def _components(nodes: I64, source: I64, target: I64) -> tuple[I64, ...]:
    if not len(nodes):
        return ()
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = np.searchsorted(nodes, source), np.searchsorted(nodes, target)
    matrix = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(len(nodes), len(nodes))).tocsr()
    n, label = connected_components(matrix, directed=True, connection="strong")
    order = np.argsort(label, kind="stable")
    parts = np.split(nodes[order], np.cumsum(np.bincount(label, minlength=n))[:-1])
    own = set(a[a == b].tolist())
    cyclic = [p for p in parts if len(p) > 1 or int(np.searchsorted(nodes, p[0])) in own]
    return tuple(sorted(cyclic, key=lambda p: (-len(p), int(p[0]))))
