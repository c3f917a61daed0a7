"""From a hash value to a member of the group: the value modulo the members, thresholds by weight, or a table of buckets.

*Modulo* (switch chips): the low bits of the value, modulo the number of slots; a weight of w gives a member w slots in a row.
*Threshold* (Linux): the values are cut into one stretch for each member, in order, as long as its weight; see
``fib_rebalance`` and ``fib_select_multipath``. *Buckets* (Linux resilient groups, SONiC's fine-grained groups): the value
modulo the number of buckets, of which each belongs to a member and keeps it when others come and go.

A member is its index in the order in which the group lists its next hops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from pauseproof.hashing.algebra import Word, below, lookup, remainder, where

Kind = Literal["modulo", "threshold", "buckets"]
_THRESHOLD_BITS = 31


@dataclass(frozen=True)
class Selection:
    """How a group picks one of ``size`` members. Build it with :func:`modulo`, :func:`threshold` or :func:`buckets`.

    ``table`` [slots or buckets] are members, for modulo and buckets. ``weights`` [size]. ``value_bits``: the low bits of the
    value that count.
    """

    kind: Kind
    size: int
    weights: tuple[int, ...]
    table: tuple[int, ...] = ()
    value_bits: int = 16

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The last value of each member's stretch: rounded to the nearest, less one, as the kernel has it."""
        total = sum(self.weights)
        return tuple(((up_to << _THRESHOLD_BITS) + total // 2) // total - 1 for up_to in accumulate(self.weights))

    def member(self, value: Word) -> Word:
        """The member for each value."""
        if self.kind == "threshold":
            index = value & 0
            for bound in self.bounds[:-1]:
                index = index + where(below(value, bound + 1), 0, (value & 0) + 1)
            return index
        slot = remainder(value & ((1 << self.value_bits) - 1), len(self.table))
        return slot if self.table == tuple(range(self.size)) else lookup(self.table, slot)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """The part of all values that each member has."""
        if self.kind == "threshold":
            ends = [bound + 1 for bound in self.bounds]
            return tuple((end - start) / ends[-1] for start, end in zip([0, *ends], ends, strict=False))
        values, n = 1 << self.value_bits, len(self.table)
        slots = [values // n + (slot < values % n) for slot in range(n)]
        return tuple(
            sum(of for of, member in zip(slots, self.table, strict=True) if member == m) / values for m in range(self.size)
        )

    @cached_property
    def index_bits(self) -> tuple[int, ...] | None:
        """The bits of the value that make the member's index, lowest first; None where it is no such selection of bits.

        The index is these bits, exclusive-or :attr:`index_flip`.
        """
        width = self.size.bit_length() - 1
        if self.size != 1 << width or len(set(self.weights)) > 1:
            return None
        if self.kind == "threshold":
            return tuple(range(_THRESHOLD_BITS - width, _THRESHOLD_BITS))
        n = len(self.table)
        if n & (n - 1) or n > 1 << self.value_bits:
            return None
        shift = n.bit_length() - 1 - width
        if self.table == tuple(i % self.size for i in range(n)):
            return tuple(range(width))
        in_a_row = tuple(self.index_flip ^ (i >> shift) for i in range(n))
        return tuple(range(shift, shift + width)) if self.table == in_a_row else None

    @property
    def index_flip(self) -> int:
        """What is different in every index; of a new resilient group all bits, since its last member comes first."""
        return self.table[0] if self.table else 0


def modulo(size: int, weights: Sequence[int] = (), *, value_bits: int = 16) -> Selection:
    """The value modulo the slots, as RTAG7 does it.

    >>> modulo(3, (1, 2, 1)).table
    (0, 1, 1, 2)
    """
    weighed = _weights(size, weights)
    table = tuple(m for m, weight in enumerate(weighed) for _ in range(weight))
    return Selection("modulo", size, weighed, table, value_bits)


def threshold(size: int, weights: Sequence[int] = ()) -> Selection:
    """Stretches of the 31-bit value, as Linux does it.

    >>> threshold(2).bounds
    (1073741823, 2147483647)
    """
    return Selection("threshold", size, _weights(size, weights), value_bits=_THRESHOLD_BITS)


def buckets(table: Sequence[int], size: int, *, value_bits: int = _THRESHOLD_BITS) -> Selection:
    """The value modulo the buckets; ``table`` gives the member of each. Raises ValueError."""
    if not table or not all(0 <= member < size for member in table):
        raise ValueError(f"a table of buckets with members outside 0 to {size - 1}, or none")
    return Selection("buckets", size, tuple(list(table).count(m) for m in range(size)), tuple(table), value_bits)


def filled_buckets(count: int, size: int, weights: Sequence[int] = ()) -> tuple[int, ...]:
    """The table of a new resilient group of Linux: to each member buckets in a row, by its weight, rounded to the nearest; the
    last member comes first.

    >>> filled_buckets(8, 3)
    (2, 2, 2, 1, 1, 0, 0, 0)
    """
    weighed = _weights(size, weights)
    total = sum(weighed)
    ends = [(count * up_to + total // 2) // total for up_to in accumulate(weighed)]
    counts = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(member for member in reversed(range(size)) for _ in range(counts[member]))


def _weights(size: int, weights: Sequence[int]) -> tuple[int, ...]:
    weighed = tuple(weights) or (1,) * size
    if size < 1 or len(weighed) != size or min(weighed) < 1:
        raise ValueError(f"{size} members with weights {weighed}; expected a positive weight each")
    return weighed
