"""Two questions about a directed graph given as edge arrays: which nodes can reach a seed, which can walk for ever."""

import numpy as np

from pauseproof.dependency.plan import I64, Bools


def can_reach(n: int, source: I64, target: I64, seeds: I64) -> Bools:
    """[n]: nodes from which a path, of length 0 too, leads to a seed.

    >>> can_reach(3, np.array([0]), np.array([1]), np.array([1])).tolist()
    [True, True, False]
    """
    reached = np.zeros(n, np.bool_)
    reached[seeds] = True
    layer = np.flatnonzero(reached)
    if not len(layer):
        return reached
    before, ptr = _by_target(n, source, target)
    while len(layer):
        near = before[ranges(ptr[layer], ptr[layer + 1])]
        layer = distinct(near[~reached[near]])
        reached[layer] = True
    return reached


def can_loop(n: int, source: I64, target: I64) -> Bools:
    """[n]: nodes from which an infinite walk starts: what is left when nodes without successors are removed repeatedly.

    >>> can_loop(3, np.array([0, 1]), np.array([1, 1])).tolist()
    [True, True, False]
    """
    left = np.bincount(source, minlength=n)
    if not len(source):
        return left > 0
    before, ptr = _by_target(n, source, target)
    layer = np.flatnonzero(left == 0)
    while len(layer):
        near, times = np.unique(before[ranges(ptr[layer], ptr[layer + 1])], return_counts=True)
        left[near] -= times
        layer = near[left[near] == 0]
    return left > 0


def _by_target(n: int, source: I64, target: I64) -> tuple[I64, I64]:
    keys = np.sort(target.astype(np.int64) * n + source)
    return keys % n, np.searchsorted(keys, np.arange(n + 1) * n)


def ranges(start: I64, stop: I64) -> I64:
    """The concatenation of ``range(start[i], stop[i])``.

    >>> ranges(np.array([3, 7]), np.array([5, 8])).tolist()
    [3, 4, 7]
    """
    count = stop - start
    return np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())


def distinct(keys: I64) -> I64:
    """The different values, ascending: a sort, which on many integers is faster than numpy's hash.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
