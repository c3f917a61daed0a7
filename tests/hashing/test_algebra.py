"""Arrays and terms of the solver do the same with words of 64 bits."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashing.cases import MASK
from pauseproof.hashing.algebra import (
    Word,
    below,
    below_pair,
    equals,
    lookup,
    remainder,
    reversed_bits,
    rotated_left,
    shr,
    swapped16,
    swapped32,
    where,
    words,
)

word = st.integers(0, MASK)

FUNCTIONS: dict[str, tuple[Callable[[Word, Word], Word], Callable[[int, int], int]]] = {
    "+": (lambda x, y: x + y, lambda x, y: (x + y) & MASK),
    "-": (lambda x, y: x - y, lambda x, y: (x - y) & MASK),
    "*": (lambda x, y: x * y, lambda x, y: (x * y) & MASK),
    "negative": (lambda x, y: -x, lambda x, y: -x & MASK),
    "shr": (lambda x, y: shr(x, 7), lambda x, y: x >> 7),
    "shr by words": (lambda x, y: shr(x, y & 63), lambda x, y: x >> (y & 63)),
    "below": (lambda x, y: where(below(x, y), x, 3), lambda x, y: x if x < y else 3),
    "below a number": (lambda x, y: where(below(x, 1 << 63), x, 3), lambda x, y: x if x < 1 << 63 else 3),
    "equals": (lambda x, y: where(equals(x, y), 1, y), lambda x, y: 1 if x == y else y),
    "equals itself": (lambda x, y: where(equals(x, x), 1, y), lambda x, y: 1),
    "pair": (lambda x, y: where(below_pair((x & 1, y), (y & 1, x)), x, y), lambda x, y: x if (x & 1, y) < (y & 1, x) else y),
    "mod 6": (lambda x, y: remainder(x, 6), lambda x, y: x % 6),
    "mod 8": (lambda x, y: remainder(x, 8), lambda x, y: x % 8),
    "lookup": (lambda x, y: lookup((9, 8, 7, 6, 5), remainder(x, 5)), lambda x, y: 9 - x % 5),
    "one": (lambda x, y: lookup((4,), x & 0), lambda x, y: 4),
    "reversed": (lambda x, y: reversed_bits(x & 0xFFF, 12), lambda x, y: int(f"{x & 0xFFF:012b}"[::-1], 2)),
    "swapped16": (lambda x, y: swapped16(x & 0xFFFF), lambda x, y: int.from_bytes((x & 0xFFFF).to_bytes(2, "big"), "little")),
    "swapped32": (lambda x, y: swapped32(x & (1 << 32) - 1), lambda x, y: int.from_bytes(x.to_bytes(8, "big")[4:], "little")),
    "rotated": (lambda x, y: rotated_left(x, 11), lambda x, y: (x << 11 | x >> 53) & MASK),
    "rotated 32": (
        lambda x, y: rotated_left(x & (1 << 32) - 1, 5, 32),
        lambda x, y: ((x & (1 << 32) - 1) << 5 | (x & (1 << 32) - 1) >> 27) & (1 << 32) - 1,
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(word, word)
def test_arrays_and_terms_are_what_python_says(name: str, x: int, y: int) -> None:
    import z3

    ours, expected = FUNCTIONS[name]
    assert ours(words(x), words(y)).tolist() == [expected(x, y)]
    assert z3.simplify(ours(z3.BitVecVal(x, 64), z3.BitVecVal(y, 64))).as_long() == expected(x, y)
