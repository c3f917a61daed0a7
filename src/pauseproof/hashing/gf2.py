"""Linear algebra over the two-element field: what a linear hash does to chosen header bits, and what their rank says.

With all other bits fixed, a linear function of *free* bits x is M x + c: M has a row for each bit of the value, and c is what
the fixed bits and the seed come to. Rows are Python integers; bit ``j`` of a row belongs to free bit ``j``. The number of
values that the chosen rows can take together over all x is 2 to their rank, each of them by equally many x.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pauseproof.hashing.algebra import words
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.headers import BITS, COLUMNS_OF, Headers

Bit = tuple[str, int]  # a column of Headers, and a bit of it


@dataclass(frozen=True)
class Form:
    """``value = M x + constant``: ``rows[i]`` is row ``i`` of M, for bit ``i`` of the value; ``free[j]`` is bit ``j`` of x."""

    free: tuple[Bit, ...]
    rows: tuple[int, ...]
    constant: int

    def value(self, x: int) -> int:
        """The value for one setting of the free bits."""
        return self.constant ^ sum(((row & x).bit_count() & 1) << i for i, row in enumerate(self.rows))

    @property
    def rank(self) -> int:
        """The values are 2 to this many."""
        return rank(self.rows)


def free_bits(masks: Mapping[str, int]) -> tuple[Bit, ...]:
    """The bits that are set in a mask for each column, lowest first.

    >>> free_bits({"sport": 0x3FFF})[-1]
    ('sport', 13)
    """
    return tuple((column, bit) for column, mask in masks.items() for bit in range(64) if mask >> bit & 1)


def form(function: HashFunction, fixed: Headers, free: Sequence[Bit]) -> Form:
    """What ``function`` does to the free bits of one packet. Raises ValueError where it is not linear.

    ``fixed`` is one packet; what it says of the free bits does not matter.
    """
    if not function.linear:
        raise ValueError(f"{function.name} is not linear")
    values = [int(v) for v in function.value(_one_bit_each(fixed, free))]
    constant, images = values[0], [v ^ values[0] for v in values[1:]]
    rows = tuple(sum((image >> i & 1) << j for j, image in enumerate(images)) for i in range(function.bits))
    return Form(tuple(free), rows, constant)


def _one_bit_each(fixed: Headers, free: Sequence[Bit]) -> Headers:
    """Row 0 has all free bits zero, row j + 1 the j-th alone."""
    out: dict[str, Any] = {}
    for column in dict.fromkeys(column for column, _ in free):
        own = [(j, bit) for j, (name, bit) in enumerate(free) if name == column]
        zeroed = int(getattr(fixed, column)[0]) & ~sum(1 << bit for _, bit in own)
        out[column] = np.full(len(free) + 1, zeroed, np.uint64)
        for j, bit in own:
            out[column][j + 1] |= np.uint64(1 << bit)
    return replace(fixed, **out)


def all_bits(function: HashFunction, family: int) -> tuple[Bit, ...]:
    """Every header bit of the fields that the function looks at."""
    widths = {**BITS, **({"sip_high": 0, "dip_high": 0, "sip_low": 32, "dip_low": 32} if family == 4 else {})}
    columns = (column for field in function.fields for column in COLUMNS_OF[field])
    return free_bits({column: (1 << widths[column]) - 1 for column in columns})


def zeros(family: int) -> Headers:
    """One packet, every column zero."""
    return Headers(family, *(words(0) for _ in BITS))


def rank(rows: Iterable[int]) -> int:
    """How many of the rows are independent.

    >>> rank([0b011, 0b110, 0b101])
    2
    """
    return len(basis(rows))


def basis(rows: Iterable[int]) -> dict[int, int]:
    """Independent rows that span the same space, by their leading bit."""
    leading: dict[int, int] = {}
    for row in rows:
        while row:
            top = row.bit_length() - 1
            if top not in leading:
                leading[top] = row
                break
            row ^= leading[top]
    return leading
