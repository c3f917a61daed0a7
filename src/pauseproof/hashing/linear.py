"""Hashes of many packets, fast: linear ones as an exclusive-or of what each piece of the header contributes, from tables.

The tables are made from the function's own definition, through its GF(2) matrix, so there is one definition and no second.
A value is ``constant ^ A[src] ^ B[dst] ^ C[sport] ^ ...``: contributions of whole columns can be kept per host and combined for
every pair, which is what link loads of 10^8 flows need.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.algebra import Word, like, shr, words
from pauseproof.hashing.function import HashFunction, Wrapped
from pauseproof.hashing.gf2 import Form, all_bits, form, zeros
from pauseproof.hashing.headers import Headers

_PIECE = 16  # bits that one table takes at once: 65,536 entries stay in the cache of a core
_ROWS = 1 << 16  # packets at a time, so that intermediate arrays do too
_PART = 1 << 14  # the same of functions that write down more


@dataclass(frozen=True)
class LinearHash(Wrapped):
    """The same values as ``function``, for packets of one family."""

    family: int

    linear = True

    @cached_property
    def form(self) -> Form:
        """Over all header bits of its fields; the others do not matter."""
        return form(self.function, zeros(self.family), all_bits(self.function, self.family))

    @property
    def constant(self) -> int:
        """What the seed comes to."""
        return self.form.constant

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that contribute."""
        return tuple(self._tables)

    @cached_property
    def _images(self) -> dict[str, list[tuple[int, int]]]:
        """Column -> (bit, what it contributes)."""
        out: dict[str, list[tuple[int, int]]] = {}
        for j, (column, bit) in enumerate(self.form.free):
            image = sum((row >> j & 1) << i for i, row in enumerate(self.form.rows))
            if image:
                out.setdefault(column, []).append((bit, image))
        return out

    @cached_property
    def _tables(self) -> dict[str, list[tuple[int, NDArray[np.uint32]]]]:
        """Column -> (first bit of a piece, what each value of the piece contributes)."""
        return {column: list(_piecewise(images)) for column, images in self._images.items()}

    def value(self, h: Headers) -> Word:
        """The value for each packet."""
        if h.symbolic:
            return self._term(h)
        n = len(h)
        out = np.empty(n, np.uint64)
        for start in range(0, n, _ROWS):
            rows = slice(start, min(start + _ROWS, n))
            out[rows] = self.contribution(h.rows(rows), self.columns)
            out[rows] ^= np.uint64(self.constant)
        return out

    def contribution(self, h: Headers, columns: Iterable[str]) -> NDArray[np.uint64]:
        """What these columns contribute, without the constant: values are the exclusive-or of all contributions and it."""
        out: NDArray[np.uint64] = words(0)
        for column in columns:
            for first, table in self._tables.get(column, ()):
                x = getattr(h, column)
                piece = (x >> np.uint64(first) if first else x) & np.uint64((1 << _PIECE) - 1)
                out = out ^ table[piece.astype(np.intp)]
        return out

    def _term(self, h: Headers) -> Word:
        """As a z3 term: one product of a bit and a constant for each bit that matters."""
        out = like(h.sip_low, self.constant)
        for column, images in self._images.items():
            x = getattr(h, column)
            for bit, image in images:
                out = out ^ (-(shr(x, bit) & 1) & image)
        return out


def _piecewise(images: list[tuple[int, int]]) -> Iterable[tuple[int, NDArray[np.uint32]]]:
    for first in sorted({bit - bit % _PIECE for bit, _ in images}):
        table = np.zeros(1, np.uint32)
        own = dict(images)
        for bit in range(first, first + _PIECE):
            table = np.concatenate([table, table ^ np.uint32(own.get(bit, 0))])
        yield first, table


@dataclass(frozen=True)
class InParts(Wrapped):
    """The same values as ``function``, of so many packets at a time that all it writes down stays in the cache of a core."""

    linear = False

    def value(self, h: Headers) -> Word:
        """The value for each packet."""
        if h.symbolic or len(h) <= _PART:
            return self.function.value(h)
        parts = (h.rows(slice(start, start + _PART)) for start in range(0, len(h), _PART))
        return np.concatenate([self.function.value(part) for part in parts])


@lru_cache(maxsize=4096)
def fast(function: HashFunction, family: int) -> HashFunction:
    """The quick form of a function: by tables where it is linear, else in parts."""
    return LinearHash(function, family) if function.linear else InParts(function)
