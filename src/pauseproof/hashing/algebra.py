"""Words of 64 bits, as numpy arrays or as z3 terms: what hash functions are written in, once for both.

Both kinds understand ``^ & | + - * ~ <<`` between themselves and with Python's integers, modulo 2^64. What the two spell
differently is here. Arrays are uint64 with at least one axis (a numpy scalar would warn where an array wraps round).

Notation: ``x``, ``y`` words, ``n`` an integer or a word.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

Word = Any  # NDArray[np.uint64], or z3.BitVecRef of 64 bits
Truth = Any  # NDArray[np.bool_], or z3.BoolRef

LOW16, LOW32 = 0xFFFF, 0xFFFFFFFF


def is_term(x: Word) -> bool:
    """Is it a z3 term?"""
    return not isinstance(x, np.ndarray)


def words(x: Any) -> Word:
    """Integers as an array of words with at least one axis.

    >>> words(5)
    array([5], dtype=uint64)
    """
    return np.atleast_1d(np.asarray(x, np.uint64))


def like(x: Word, n: int) -> Word:
    """The constant ``n`` as the kind of word that ``x`` is."""
    if is_term(x):
        import z3

        return z3.BitVecVal(n, 64)
    return words(n)


def shr(x: Word, n: Word) -> Word:
    """``x`` shifted right, zeros coming in (z3's own ``>>`` repeats the sign)."""
    if is_term(x):
        import z3

        return z3.LShR(x, n)
    return x >> (n if isinstance(n, np.ndarray) else np.uint64(n))


def below(x: Word, y: Word) -> Truth:
    """``x < y``, both without a sign."""
    if is_term(x):
        import z3

        return z3.ULT(x, y)
    return x < (y if isinstance(y, np.ndarray) else np.uint64(y))


def equals(x: Word, y: Word) -> Truth:
    """``x == y``."""
    return x == (np.uint64(y) if isinstance(y, int) and not is_term(x) else y)


def below_pair(x: tuple[Word, Word], y: tuple[Word, Word]) -> Truth:
    """``x < y`` of two 128-bit words, each as (high, low)."""
    by_low = where(equals(x[0], y[0]), where(below(x[1], y[1]), like(x[0], 1), like(x[0], 0)), like(x[0], 0))
    return equals(where(below(x[0], y[0]), like(x[0], 1), by_low), 1)


def where(truth: Truth, x: Word, y: Word) -> Word:
    """``x`` where it is true, else ``y``; one of the two may be an integer."""
    if isinstance(truth, np.ndarray):
        return np.where(truth, *(np.uint64(v) if isinstance(v, int) else v for v in (x, y)))
    import z3

    return z3.If(truth, *(z3.BitVecVal(v, 64) if isinstance(v, int) else v for v in (x, y)))


def remainder(x: Word, n: int) -> Word:
    """``x mod n``, without a sign."""
    if n & (n - 1) == 0:
        return x & (n - 1)
    if is_term(x):
        import z3

        return z3.URem(x, z3.BitVecVal(n, 64))
    return x % np.uint64(n)


def lookup(table: Sequence[int], x: Word) -> Word:
    """``table[x]``; ``x`` is below its length, which the caller sees to.

    >>> lookup((7, 8, 9), words([2, 0]))
    array([9, 7], dtype=uint64)
    """
    if not is_term(x):
        return np.array(table, np.uint64)[x.astype(np.intp)]
    import z3

    if len(set(table)) == 1:
        return z3.BitVecVal(table[0], 64)
    half = 1 << ((len(table) - 1).bit_length() - 1)
    return z3.If(z3.ULT(x, half), lookup(table[:half], x), lookup(table[half:], x - half))


def reversed_bits(x: Word, n: int) -> Word:
    """The ``n`` low bits in the other order.

    >>> reversed_bits(words(0b1101), 4)
    array([11], dtype=uint64)
    """
    out = (x & 1) << (n - 1)
    for bit in range(1, n):
        out = out | ((shr(x, bit) & 1) << (n - 1 - bit))
    return out


def swapped16(x: Word) -> Word:
    """The two bytes of a 16-bit word in the other order: how a little-endian machine reads a port of a packet."""
    return ((x & 0xFF) << 8) | (shr(x, 8) & 0xFF)


def swapped32(x: Word) -> Word:
    """The four bytes of a 32-bit word in the other order."""
    return (swapped16(x & LOW16) << 16) | swapped16(shr(x, 16) & LOW16)


def rotated_left(x: Word, n: int, width: int = 64) -> Word:
    """The ``width`` low bits rotated left by ``n``."""
    if width == 64:
        return (x << n) | shr(x, 64 - n)
    return ((x << n) | shr(x, width - n)) & ((1 << width) - 1)
