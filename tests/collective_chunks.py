"""Collectives carried out chunk by chunk, as plainly as they can be told: the truth that the closed forms are held against.

A chunk at a rank is the set of ranks whose data is summed up in it. Every message is counted as (sender, receiver, bytes). A
collective that does not end with the right chunks at every rank fails an assertion. Nothing here is shared with ``src``.
"""

from collections import Counter
from fractions import Fraction

Sent = Counter[tuple[int, int]]
Ring = list[int]


class Ranks:
    """The chunks that every rank holds, and what was sent so far."""

    def __init__(self, n: int, chunks: int, size: Fraction) -> None:
        self.n, self.chunks, self.each = n, chunks, size / chunks
        self.held: list[list[frozenset[int]]] = [[frozenset({r}) for _ in range(chunks)] for r in range(n)]
        self.sent: dict[tuple[int, int], Fraction] = {}

    def round(self, messages: list[tuple[int, int, int]], *, add: bool) -> None:
        """Send (from, to, chunk) messages, all at once; the receiver adds the chunk to its own, or replaces it."""
        carried = [(a, b, chunk, self.held[a][chunk]) for a, b, chunk in messages]
        for a, b, chunk, data in carried:
            if add:
                assert not data & self.held[b][chunk], "something would be summed up twice"
            self.held[b][chunk] = data | self.held[b][chunk] if add else data
            self.sent[a, b] = self.sent.get((a, b), Fraction(0)) + self.each

    def everything(self) -> frozenset[int]:
        return frozenset(range(self.n))

    def all_reduced(self) -> bool:
        return all(chunk == self.everything() for held in self.held for chunk in held)


def ring_reduce_scatter(ranks: Ranks, order: Ring) -> None:
    n = len(order)
    for step in range(n - 1):
        ranks.round([(order[i], order[(i + 1) % n], (i - step) % n) for i in range(n)], add=True)
    assert all(ranks.held[order[i]][(i + 1) % n] == ranks.everything() for i in range(n))


def ring_all_gather(ranks: Ranks, order: Ring) -> None:
    n = len(order)
    for step in range(n - 1):
        ranks.round([(order[i], order[(i + 1) % n], (i + 1 - step) % n) for i in range(n)], add=False)


def ring_all_reduce(n: int, size: Fraction, order: Ring) -> dict[tuple[int, int], Fraction]:
    ranks = Ranks(n, n, size)
    ring_reduce_scatter(ranks, order)
    ring_all_gather(ranks, order)
    assert ranks.all_reduced()
    return ranks.sent


def ring_gathered(n: int, size: Fraction, order: Ring) -> dict[tuple[int, int], Fraction]:
    """All-gather alone: chunk (i + 1) % n begins at the i-th of the ring, and nothing else is anywhere."""
    ranks = Ranks(n, n, size)
    ranks.held = [[frozenset() for _ in range(n)] for _ in range(n)]
    for i in range(n):
        ranks.held[order[i]][(i + 1) % n] = frozenset({(i + 1) % n})
    ring_all_gather(ranks, order)
    assert all(held == [frozenset({c}) for c in range(n)] for held in ranks.held)
    return ranks.sent


def ring_scattered(n: int, size: Fraction, order: Ring) -> dict[tuple[int, int], Fraction]:
    ranks = Ranks(n, n, size)
    ring_reduce_scatter(ranks, order)
    return ranks.sent


def trees_all_reduce(n: int, size: Fraction, parents: list[list[int]]) -> dict[tuple[int, int], Fraction]:
    """One chunk a tree: summed up from the leaves to the root, then handed down again."""
    ranks = Ranks(n, len(parents), size)
    for tree, parent in enumerate(parents):
        depth = [0] * n
        for node in range(n):
            up = node
            while parent[up] >= 0:
                up, depth[node] = parent[up], depth[node] + 1
        for level in range(max(depth), 0, -1):
            below = [node for node in range(n) if depth[node] == level]
            for node in below:  # one after the other: a parent adds up its children in turn
                ranks.round([(node, parent[node], tree)], add=True)
        for level in range(1, max(depth) + 1):
            ranks.round([(parent[node], node, tree) for node in range(n) if depth[node] == level], add=False)
    assert ranks.all_reduced()
    return ranks.sent


def halving_doubling(n: int, size: Fraction, kind: str) -> dict[tuple[int, int], Fraction]:
    """With the surplus folded in first. Recursive, on ranges of chunks."""
    power = 1
    while power * 2 <= n:
        power *= 2
    ranks = Ranks(n, power, size)
    whole = list(range(power))
    surplus = n - power
    left_out = [2 * i for i in range(surplus)]
    group = [r for r in range(n) if r not in left_out]
    if kind == "all-gather":
        ranks.held = [[frozenset({c}) if c == i else frozenset() for c in whole] for i in range(n)]
    for r in left_out:
        ranks.round([(r, r + 1, c) for c in whole], add=True)

    def halve(members: list[int], chunks: list[int]) -> None:
        if len(members) == 1:
            return
        half = len(members) // 2
        low, high, keep, give = members[:half], members[half:], chunks[:half], chunks[half:]
        if kind != "all-gather":
            both = [(a, b, c) for a, b in zip(low, high, strict=True) for c in give]
            ranks.round([*both, *((b, a, c) for a, b in zip(low, high, strict=True) for c in keep)], add=True)
        halve(low, keep)
        halve(high, give)
        if kind != "reduce-scatter":
            both = [(b, a, c) for a, b in zip(low, high, strict=True) for c in give]
            ranks.round([*both, *((a, b, c) for a, b in zip(low, high, strict=True) for c in keep)], add=False)

    halve(group, whole)
    if kind == "reduce-scatter":
        assert all(ranks.held[r][i] == ranks.everything() for i, r in enumerate(group))
    for r in left_out:
        ranks.round([(r + 1, r, c) for c in whole], add=False)
    if kind == "all-reduce":
        assert ranks.all_reduced()
    if kind == "all-gather":
        assert all(held == [frozenset({c}) for c in whole] for held in ranks.held)
    return ranks.sent


def nccl_parent(n: int, rank: int) -> int:
    """``ncclGetBtree``, line by line."""
    bit = 1
    while bit < n:
        if bit & rank:
            break
        bit <<= 1
    if rank == 0:
        return -1
    up = (rank ^ bit) | (bit << 1)
    return rank ^ bit if up >= n else up


def nccl_children(n: int, rank: int) -> list[int]:
    """The other half of ``ncclGetBtree``: it computes children apart from parents."""
    bit = 1
    while bit < n:
        if bit & rank:
            break
        bit <<= 1
    if rank == 0:
        return [bit >> 1] if n > 1 else []
    low = bit >> 1
    if low == 0:
        return []
    second = rank + low
    while second >= n:
        second = rank + low if low else -1
        low >>= 1
    return [rank - (bit >> 1), *([second] if second >= 0 else [])]
