"""Keep a directed graph acyclic while edges come in; and the cycles of one that is not.

Nodes are 0..n-1. The transitive closure is kept as one integer a node, bit ``b`` of ``after[a]`` saying that ``b`` can be
reached from ``a``: on the few hundred links of a cyclic component that is faster than any search.

Notation: ``a``, ``b`` nodes, ``e = (a, b)`` an edge.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

Edge = tuple[int, int]


class Closure:
    """An acyclic graph that grows. ``after[a]`` and ``before[a]`` are the nodes beyond and behind ``a``, as bits."""

    def __init__(self, n: int) -> None:
        self.after = [0] * n
        self.before = [0] * n

    def takes(self, edges: Sequence[Edge]) -> bool:
        """Put all of ``edges`` in; or, where they would close a cycle, none of them."""
        if any(a == b or self.after[b] >> a & 1 for a, b in edges):
            return False
        kept = self.after[:], self.before[:]
        for a, b in edges:
            if self.after[b] >> a & 1:
                self.after, self.before = kept
                return False
            self._join(a, b)
        return True

    def _join(self, a: int, b: int) -> None:
        if self.after[a] >> b & 1:
            return
        beyond, behind = self.after[b] | 1 << b, self.before[a] | 1 << a
        for x in bits(behind):
            self.after[x] |= beyond
        for x in bits(beyond):
            self.before[x] |= behind


def bits(number: int) -> Iterator[int]:
    """The places of the ones, ascending.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def disjoint_cycles(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Cycles no two of which share an edge, short ones first as they are met; none is left without them.

    >>> disjoint_cycles([(0, 1), (1, 0), (1, 2)])
    [[(0, 1), (1, 0)]]
    """
    after: dict[int, set[int]] = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    out = []
    while after := on_cycles(after):
        start = min(after)
        if cycle := _shortest_through(after, start):
            out.append(cycle)
            for a, b in cycle:
                after[a].discard(b)
        else:  # it lies between two cycles
            del after[start]
    return out


def on_cycles(after: dict[int, set[int]]) -> dict[int, set[int]]:
    """The part of the graph on which one can walk for ever, both ways: empty where there is no cycle.

    >>> on_cycles({0: {1}, 1: {2}})
    {}
    """
    while True:
        entered = {b for targets in after.values() for b in targets}
        kept = {a: {b for b in targets if b in after} for a, targets in after.items() if a in entered}
        kept = {a: targets for a, targets in kept.items() if targets}
        if len(kept) == len(after) and sum(map(len, kept.values())) == sum(map(len, after.values())):
            return kept
        after = kept


def _shortest_through(after: dict[int, set[int]], start: int) -> list[Edge]:
    """The edges of a shortest cycle through ``start``; empty where there is none."""
    parent = {start: start}
    queue = deque([start])
    while queue:
        a = queue.popleft()
        for b in sorted(after.get(a, ())):
            if b == start:
                walk = [a]
                while walk[-1] != start:
                    walk.append(parent[walk[-1]])
                walk.reverse()
                return list(zip(walk, [*walk[1:], start], strict=True))
            if b not in parent:
                parent[b] = a
                queue.append(b)
    return []
