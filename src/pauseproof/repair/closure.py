"""A graph that stays without a loop while dependencies are put in: each is taken or refused at once.

``after[a]`` is the set, as bits, of everything that can be reached from ``a``, and ``before`` the same backwards; a
dependency ``a -> b`` closes a loop iff ``a`` is ``b`` or is reached from it. Ref: G. Italiano, TCS 48, 1986 (path retrieval,
insertions only).
"""

from collections.abc import Iterable, Iterator


class Closure:
    """Things 0..n-1 and dependencies between them; only ever added to.

    >>> graph = Closure(3)
    >>> graph.add(0, 1), graph.add(1, 2), graph.add(2, 0)
    (True, True, False)
    """

    def __init__(self, n: int) -> None:
        self.after = [0] * n
        self.before = [0] * n
        self.known = set[tuple[int, int]]()

    def copy(self) -> "Closure":
        """The same, to be added to apart."""
        other = Closure(0)
        other.after, other.before, other.known = self.after.copy(), self.before.copy(), self.known.copy()
        return other

    def takes(self, a: int, b: int) -> bool:
        """Whether ``a -> b`` would close no loop."""
        return (a, b) in self.known or (a != b and not self.after[b] >> a & 1)

    def add(self, a: int, b: int) -> bool:
        """Put ``a -> b`` in; False, and nothing is changed, where it would close a loop."""
        if (a, b) in self.known:
            return True
        if not self.takes(a, b):
            return False
        self.known.add((a, b))
        if not self.after[a] >> b & 1:
            later, earlier = self.after[b] | 1 << b, self.before[a] | 1 << a
            for i in bits(earlier):
                self.after[i] |= later
            for i in bits(later):
                self.before[i] |= earlier
        return True

    def add_all(self, some: Iterable[tuple[int, int]]) -> bool:
        """Put all of them in, or none: they may close a loop together that none closes alone."""
        new = [pair for pair in some if pair not in self.known]
        if len(new) <= 1:
            return all(self.add(*pair) for pair in new)
        tried = self.copy()
        if not all(tried.add(*pair) for pair in new):
            return False
        self.become(tried)
        return True

    def become(self, other: "Closure") -> None:
        """Hold what ``other`` does, which is not to be used any more."""
        self.after, self.before, self.known = other.after, other.before, other.known


def bits(some: int) -> Iterator[int]:
    """The members of a set of small numbers, ascending.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while some:
        least = some & -some
        yield least.bit_length() - 1
        some ^= least
