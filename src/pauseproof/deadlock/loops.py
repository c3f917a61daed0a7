"""One shortest cycle of a component, the lexicographically least among those, written from its least buffer on.

A cycle is found from its least buffer ``s``: breadth-first over buffers greater than ``s`` until one waits for ``s``. Many
starts are searched at once, as arrays of (start, buffer) pairs, ascending and never deeper than the best cycle yet.
"""

import numpy as np

from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import I64, Bools
from pauseproof.dependency.reach import distinct, ranges

_VISITED = 1 << 26  # cells of a map of (start, buffer) for one chunk of starts


def shortest_loop(graph: Dependencies, component: I64) -> tuple[int, ...]:
    """Buffer indices of the loop; ``component`` is an ascending array from ``cyclic_components``."""
    small = _Small(graph, component)
    floor = small.floor()
    if floor == 1:
        return (int(component[small.self_waiting()]),)
    start, length = small.search(floor)
    return tuple(int(component[b]) for b in small.least_from(start, length))


class _Small:
    """The component's own graph, buffers renumbered 0..n-1 in the same order."""

    def __init__(self, graph: Dependencies, component: I64) -> None:
        self.n = n = len(component)
        source = np.repeat(np.arange(n), graph.ptr[component + 1] - graph.ptr[component])
        target = graph.target[ranges(graph.ptr[component], graph.ptr[component + 1])]
        at = np.minimum(np.searchsorted(component, target), n - 1)
        inside = component[at] == target
        self.source, self.target = source[inside], at[inside]
        self.ptr = np.searchsorted(self.source, np.arange(n + 1))
        back = np.sort(self.target * n + self.source)
        self.before, self.back_ptr = back % n, np.searchsorted(back, np.arange(n + 1) * n)

    def self_waiting(self) -> int:
        return int(self.source[self.source == self.target][0])

    def floor(self) -> int:
        """1 or 2 where a cycle of that length exists, else 3."""
        if (self.source == self.target).any():
            return 1
        forth = self.source * self.n + self.target
        back = np.repeat(np.arange(self.n), np.diff(self.back_ptr)) * self.n + self.before
        at = np.minimum(np.searchsorted(back, forth), len(back) - 1)
        return 2 if (back[at] == forth).any() else 3

    def search(self, floor: int) -> tuple[int, int]:
        """(least start, length) of the shortest cycles."""
        best = (self.n, self.n + 1)
        most = max(1, _VISITED // self.n)
        maps = np.zeros((2, most, self.n), np.bool_)  # reached from each start, and waiting for each start
        first, width = 0, min(64, most)
        while first < self.n and best[1] > floor:
            starts = np.arange(first, min(first + width, self.n))
            found, peak = self._search_from(starts, best[1], *maps)
            best = found or best
            first += width
            width = min(most, width * 2) if peak < 1 << 20 else max(1, width // 2)
        return best

    def _search_from(self, starts: I64, below: int, reached: Bools, waiting: Bools) -> tuple[tuple[int, int] | None, int]:
        """(least of ``starts``, length) of the shortest cycles shorter than ``below``, and the largest layer met.

        A cycle of length ``d + 1`` closes where a buffer at distance ``d`` waits for the start, so that no layer is expanded
        beyond ``below - 2``. Both maps come and go all False.
        """
        row, at, peak, found = np.arange(len(starts)), starts, 0, None
        behind = np.repeat(row, self.back_ptr[starts + 1] - self.back_ptr[starts])
        before = self.before[ranges(self.back_ptr[starts], self.back_ptr[starts + 1])]
        waiting[behind, before] = True
        touched = [(behind, before)]
        for distance in range(1, below - 1):
            row = np.repeat(row, self.ptr[at + 1] - self.ptr[at])
            at = self.target[ranges(self.ptr[at], self.ptr[at + 1])]
            peak = max(peak, len(at))
            onward = at > starts[row]
            row, at = row[onward], at[onward]
            closing = waiting[row, at]
            if closing.any():
                found = int(starts[row[closing].min()]), distance + 1
                break
            if distance == below - 2 or not len(at):
                break
            keys = distinct((row * self.n + at)[~reached[row, at]])
            row, at = keys // self.n, keys % self.n
            reached[row, at] = True
            touched.append((row, at))
        for r, b in touched:
            reached[r, b] = waiting[r, b] = False
        return found, peak

    def least_from(self, start: int, length: int) -> list[int]:
        """The least cycle of ``length`` whose least buffer is ``start``."""
        distance = np.full(self.n, -1)
        layer, d = np.array([start]), 0
        while len(layer) and d < length - 1:
            d += 1
            layer = distinct(self.before[ranges(self.back_ptr[layer], self.back_ptr[layer + 1])])
            layer = layer[(layer > start) & (distance[layer] < 0)]
            distance[layer] = d
        loop = [start]
        for remaining in range(length - 1, 0, -1):
            after = self.target[self.ptr[loop[-1]] : self.ptr[loop[-1] + 1]]
            loop.append(int(after[distance[after] == remaining][0]))
        return loop
