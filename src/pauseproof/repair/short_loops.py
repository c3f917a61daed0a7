"""Shortest loops of a graph that share no dependency."""

import numpy as np

from pauseproof.repair.grid import I64

Pair = tuple[int, int]


def short_loops(source: I64, target: I64) -> list[list[Pair]]:
    """Some of the shortest loops of the dependencies ``source[i] -> target[i]``, each as its dependencies.

    >>> short_loops(np.array([0, 1, 1]), np.array([1, 0, 2]))
    [[(0, 1), (1, 0)]]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    if not len(source):
        return []
    things, ends = np.unique(np.concatenate((source, target)), return_inverse=True)
    a, b = ends[: len(source)], ends[len(source) :]
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(things),) * 2).tocsr()
    distance, before = shortest_path(graph, unweighted=True, return_predecessors=True)
    back = np.where(a == b, 0, distance[b, a])
    taken, loops = set[Pair](), list[list[Pair]]()
    for i in np.argsort(back, kind="stable").tolist():
        if not np.isfinite(back[i]) or back[i] > back.min():
            break
        round_trip = [int(a[i])]
        while round_trip[-1] != int(b[i]):
            round_trip.append(int(before[b[i], round_trip[-1]]))
        round_trip.reverse()  # from the target, over what it reaches, to the source
        named = things[round_trip].tolist()
        loop = list(zip(named, (*named[1:], named[0]), strict=True))
        loop = loop[-1:] + loop[:-1]
        if taken.isdisjoint(loop):
            taken.update(loop)
            loops.append(loop)
    return loops


def on_loops(source: I64, target: I64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """[n]: whether the dependency lies on a loop."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(source):
        return np.zeros(0, np.bool_)
    _, ends = np.unique(np.concatenate((source, target)), return_inverse=True)
    a, b = ends[: len(source)], ends[len(source) :]
    graph = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(int(ends.max()) + 1,) * 2).tocsr()
    _, label = connected_components(graph, directed=True, connection="strong")
    return np.asarray(label[a] == label[b])
