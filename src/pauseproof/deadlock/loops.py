"""One shortest cycle of a component, the lexicographically least among those, written from its least buffer on.

A cycle is found from its least buffer ``s``: breadth-first over buffers greater than ``s`` until one waits for ``s``. Many
starts are searched at once, as arrays of (start, buffer) pairs, ascending and never deeper than the best cycle yet.
"""

import numpy as np

from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import I64
from pauseproof.dependency.reach import ranges

_VISITED = 1 << 26  # cells of the visited map of one chunk of starts


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

    def self_waiting(self) -> int:
        return int(self.source[self.source == self.target][0])

    def floor(self) -> int:
        """1 or 2 where a cycle of that length exists, else 3."""
        if (self.source == self.target).any():
            return 1
        forth, back = self.source * self.n + self.target, np.sort(self.target * self.n + self.source)
        at = np.minimum(np.searchsorted(back, forth), len(back) - 1)
        return 2 if (back[at] == forth).any() else 3

    def search(self, floor: int) -> tuple[int, int]:
        """(least start, length) of the shortest cycles."""
        best = (self.n, self.n + 1)
        width = max(1, min(64, _VISITED // self.n))
        visited = np.zeros((max(1, _VISITED // self.n), self.n), np.bool_)
        first = 0
        while first < self.n and best[1] > floor:
            starts = np.arange(first, min(first + width, self.n))
            found, peak = self._search_from(starts, best[1], visited)
            best = found if found and found[1] < best[1] else best
            first += width
            width = min(len(visited), width * 2) if peak < 1 << 20 else max(1, width // 2)
        return best

    def _search_from(
        self, starts: I64, below: int, visited: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    ) -> tuple[tuple[int, int] | None, int]:
        row, at, touched, peak = np.arange(len(starts)), starts, [], 0
        found = None
        for length in range(1, below):
            count = self.ptr[at + 1] - self.ptr[at]
            row = np.repeat(row, count)
            at = self.target[ranges(self.ptr[at], self.ptr[at + 1])]
            peak = max(peak, len(at))
            closing = at == starts[row]
            if closing.any():
                found = int(starts[row[closing].min()]), length
                break
            onward = (at > starts[row]) & ~visited[row, at]
            keys = np.unique(row[onward] * self.n + at[onward])
            row, at = keys // self.n, keys % self.n
            visited[row, at] = True
            touched.append((row, at))
            if not len(at):
                break
        for r, a in touched:
            visited[r, a] = False
        return found, peak

    def least_from(self, start: int, length: int) -> list[int]:
        """The least cycle of ``length`` whose least buffer is ``start``."""
        back_order = np.argsort(self.target, kind="stable")
        before, ptr = self.source[back_order], np.searchsorted(self.target[back_order], np.arange(self.n + 1))
        distance = np.full(self.n, -1)
        layer, d = np.array([start]), 0
        while len(layer) and d < length - 1:
            d += 1
            layer = np.unique(before[ranges(ptr[layer], ptr[layer + 1])])
            layer = layer[(layer > start) & (distance[layer] < 0)]
            distance[layer] = d
        loop = [start]
        for remaining in range(length - 1, 0, -1):
            after = self.target[self.ptr[loop[-1]] : self.ptr[loop[-1] + 1]]
            loop.append(int(after[distance[after] == remaining][0]))
        return loop
