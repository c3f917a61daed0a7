"""The lines of a large table dump, decoded many at a time.

A file is taken in pieces that end at a newline. The fixed front of every line is fetched as pairs of bytes, and each pair is
looked up in a table of 65,536 entries, which checks and decodes it at once. Lines that do not have the expected shape are
left to the format's regular expressions, one by one.

Notation: ``i`` a line of a piece, ``pair[i, j]`` the bytes 2j and 2j+1 of that line as a little-endian number.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.source import Source

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
Pairs = NDArray[np.uint16]
Flags = NDArray[np.bool_]

PIECE = 1 << 20  # bytes; a piece and what is computed of it stay in the second-level cache
LONGEST_LINE = 1 << 16
BAD = 1 << 20  # what a lookup gives for a pair that is not of the expected kind; sums with it stay above every limit
_RELEASE = 32 << 20  # mapped pages are given back after so many bytes


@dataclass(frozen=True)
class Piece:
    """Whole lines of a file. ``data`` [n] bytes; ``start``, ``end`` [lines] delimit each line without its line end.

    ``offset`` is where ``data`` lies in the file, ``line`` the number of the first line.
    """

    data: U8
    offset: int
    line: int
    start: I64
    end: I64

    def text(self, i: int) -> bytes:
        """Line ``i``."""
        return self.data[self.start[i] : self.end[i]].tobytes()

    def last(self, back: int) -> U8:
        """The byte of each line that is ``back`` before its end, [lines]; any byte where the line is shorter."""
        return self.data[np.maximum(self.end - back, 0)]

    def pairs(self, width: int) -> Pairs:
        """The first ``width`` (even) bytes of every line as pairs, [lines, width/2]; zeros where the piece ends before."""
        out = np.zeros(len(self.start), f"V{width}")
        room = len(self.data) - width
        if room >= 0:
            fit = int(np.searchsorted(self.start, room, "right"))
            window = np.ndarray((room + 1,), out.dtype, self.data, 0, (1,))
            out[:fit] = window[self.start[:fit]]
        return out.view("<u2").reshape(len(out), width // 2)


def pair(text: str) -> int:
    """Two characters as they stand in :data:`Pairs`.

    >>> hex(pair("0x"))
    '0x7830'
    """
    return int.from_bytes(text.encode(), "little")


@cache
def hex_pairs(scale: int) -> I32:
    """Lookup of two hex digits of either case, times ``scale``; BAD elsewhere."""
    digits = {**_values(b"0123456789abcdef"), **_values(b"0123456789ABCDEF")}
    return _lookup(digits, 16 * scale, digits, scale)


@cache
def hundreds() -> I32:
    """Lookup of a blank and one digit: the hundreds of a three-digit number; BAD elsewhere."""
    return _lookup({ord(" "): 0}, 0, _values(b"0123456789"), 100)


@cache
def two_digits() -> I32:
    """Lookup of two decimal digits; BAD elsewhere."""
    return _lookup(_values(b"0123456789"), 10, _values(b"0123456789"), 1)


def _values(digits: bytes) -> dict[int, int]:
    return {letter: value for value, letter in enumerate(digits)}


def _lookup(first: dict[int, int], first_scale: int, second: dict[int, int], second_scale: int) -> I32:
    table = np.full((256, 256), BAD, np.int32)  # [second byte, first byte]
    values = np.add.outer(np.array([*second.values()]) * second_scale, np.array([*first.values()]) * first_scale)
    table[np.ix_([*second], [*first])] = values
    return table.reshape(-1)


def pieces(source: Source, start: int = 0, stop: int | None = None, *, line: int = 1, size: int = PIECE) -> Iterator[Piece]:
    """The whole lines of ``source`` between two offsets, about ``size`` bytes at a time.

    A last line without newline is not among them. Raises BadInput where a line is longer than any table's.
    """
    data = source.data
    stop = len(data) if stop is None else stop
    ends_in_cr = b"\r\n" in data[start : start + 4096]
    released = start
    while start < stop:
        end = _line_end(source, start, min(start + size, stop), stop, line)
        if end == start:
            return
        piece = _piece(np.frombuffer(data, np.uint8, end - start, start), start, line, ends_in_cr)
        yield piece
        start, line = end, line + len(piece.start)
        if start - released >= _RELEASE:
            released = _release(data, released, start)


def tail(source: Source) -> bytes:
    """What follows the last newline."""
    data = source.data
    return bytes(data[max(data.rfind(b"\n", len(data) - min(len(data), LONGEST_LINE)) + 1, len(data) - LONGEST_LINE) :])


def single_line(text: bytes, offset: int, line: int) -> Piece:
    """One line as a piece of its own: a last line that is whole although no newline follows."""
    return _piece(np.frombuffer(text + b"\n", np.uint8), offset, line, ends_in_cr=False)


def _line_end(source: Source, start: int, end: int, stop: int, line: int) -> int:
    """One past the last newline before ``end``, or past the next one after it; ``start`` where there is none."""
    at = source.data.rfind(b"\n", start, end)
    if at < 0:
        at = source.data.find(b"\n", end, min(end + LONGEST_LINE, stop))
    if at < 0 and stop - end > LONGEST_LINE:
        message = f"a line of more than {LONGEST_LINE} bytes; expected the text of a forwarding table"
        raise BadInput.at(Place(source.path, line), message)
    return at + 1 if at >= 0 else start


def _piece(data: U8, offset: int, line: int, ends_in_cr: bool) -> Piece:
    newline = np.flatnonzero(data == 10)
    start = np.empty_like(newline)
    start[:1] = 0
    start[1:] = newline[:-1] + 1
    end = newline
    if ends_in_cr:
        end = newline - ((newline > start) & (data[newline - 1] == 13))
    return Piece(data, offset, line, start, end)


def _release(data: bytes | mmap.mmap, start: int, end: int) -> int:
    """Give mapped pages that were read back to the system, so that memory stays bounded; where from next time."""
    page = mmap.ALLOCATIONGRANULARITY
    start, end = start // page * page, end // page * page
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED, start, end - start)
    return end
