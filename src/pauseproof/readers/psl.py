"""Path SLs in ibdiagnet's form: ``0x<source node GUID> <destination LID, decimal> <SL>``, millions of lines.

Lines are parsed by numpy, some at a time, as columns of bytes; the few that are not of the usual shape go through a
regular expression one by one. Keyed by *node* GUID: both ports of one adapter share their rows, so two rows of one (GUID,
LID) with different SLs are a set, and nothing is contradictory here. A file cut exactly between two rows is read as far
as it goes: a pair without a row is unknown later.
"""

import re

import numpy as np
from numpy.typing import NDArray

from pauseproof.readers.problems import Problems, first_lines, shown
from pauseproof.readers.records import PathLabelRecords
from pauseproof.readers.source import Source

NAME = "psl"

MAX_UNICAST_LID = 0xBFFF
MAX_SL = 15

_ROW = re.compile(rb"\s*0x([0-9a-fA-F]{1,16})\s+(\d{1,9})\s+(\d{1,9})\s*$")
_EXPECTED = "expected '0x<node GUID> <LID, decimal> <SL>'"
_GUID_WIDTH = 18  # 0x and sixteen digits
_TAIL_WIDTH = 9  # five digits, a blank, two digits, and one more to see that nothing follows
_AT_ONCE = 1 << 18

Bytes = NDArray[np.uint8]
Rows = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]


def matches(head: bytes) -> bool:
    """The first line that is not a comment is such a row."""
    lines = [line for line in first_lines(head, 20) if not line.startswith(b"#")]
    return bool(lines) and bool(_ROW.match(lines[0]))


def read(source: Source) -> PathLabelRecords:
    """Every row, in the order of the file. Raises BadInput for rows of another shape, and for LIDs and SLs out of range."""
    problems = Problems(source.path)
    text = np.frombuffer(source.data, np.uint8)
    ends = np.flatnonzero(text == 10)
    after_last = int(ends[-1]) + 1 if len(ends) else 0
    if bytes(text[after_last:]).strip():
        problems.add(len(ends) + 1, "the file is cut off in this line; expected a newline at its end")
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    parts = [
        _some_lines(text, starts[at : at + _AT_ONCE], ends[at : at + _AT_ONCE], at + 1, problems)
        for at in range(0, len(ends), _AT_ONCE)
    ]
    guid, lid, sl, line = (np.concatenate(column) for column in zip(*parts, strict=True)) if parts else _NOTHING
    _check_range(problems, "LID", lid, 1, MAX_UNICAST_LID, line)
    _check_range(problems, "SL", sl, 0, MAX_SL, line)
    if not len(line):
        problems.add(0, f"no row was found; {_EXPECTED}")
    problems.raise_any()
    return PathLabelRecords(source.path, guid, lid.astype(np.int32), sl.astype(np.uint8), line.astype(np.int32))


_NOTHING = (np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


def _some_lines(
    text: Bytes, start: NDArray[np.int64], end: NDArray[np.int64], first_line: int, problems: Problems
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(guid, lid, sl, line) of the lines ``text[start[i]:end[i]]``."""
    end = end - ((end > start) & (text[end - 1] == 13))  # a carriage return
    usual, (guid, lid, sl) = _usual_rows(text, start, end)
    for i in np.flatnonzero(~usual):
        line = bytes(text[start[i] : end[i]])
        if row := _ROW.match(line):
            guid[i], lid[i], sl[i], usual[i] = int(row[1], 16), int(row[2]), int(row[3]), True
        elif line.strip() and not line.lstrip().startswith(b"#"):
            problems.add(first_line + int(i), f"{shown(line)} is not a row; {_EXPECTED}")
    return guid[usual], lid[usual], sl[usual], first_line + np.flatnonzero(usual)


def _usual_rows(text: Bytes, start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Rows]:
    """Which lines are ``0x``, sixteen digits, and two numbers one blank apart; and their values (others: arbitrary)."""
    length = end - start
    usual = (length >= _GUID_WIDTH + 4) & (length <= _GUID_WIDTH + _TAIL_WIDTH)
    width = _GUID_WIDTH + 1 + _TAIL_WIDTH
    piece = np.concatenate((text[start[0] : end[-1] + 1], np.full(width, 10, np.uint8)))
    row = np.lib.stride_tricks.sliding_window_view(piece, width)[start - start[0]]
    usual &= (row[:, 0] == 48) & (row[:, 1] == 120) & (row[:, _GUID_WIDTH] == 32)
    guid, all_hex = _hexadecimal(row[:, 2:_GUID_WIDTH])
    tail = row[:, _GUID_WIDTH + 1 :]
    lid, lid_width = _decimal(tail, np.zeros(len(tail), np.int64), 5)
    at_blank = np.take_along_axis(tail, lid_width[:, None], 1)[:, 0] == 32
    sl, sl_width = _decimal(tail, lid_width + 1, 2)
    whole = _GUID_WIDTH + 2 + lid_width + sl_width == length
    return usual & all_hex & at_blank & whole & (lid_width > 0) & (sl_width > 0), (guid, lid, sl)


def _hexadecimal(digits: Bytes) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    nibble = _NIBBLE[digits]
    packed = np.ascontiguousarray((nibble[:, ::2] << 4) | (nibble[:, 1::2] & 15))
    return packed.view(">u8")[:, 0].astype(np.uint64), (nibble != _NO_NIBBLE).all(axis=1)


_NO_NIBBLE = 0xFF
_NIBBLE = np.full(256, _NO_NIBBLE, np.uint8)
for _digits in (b"0123456789abcdef", b"0123456789ABCDEF"):
    _NIBBLE[np.frombuffer(_digits, np.uint8)] = np.arange(16)


def _decimal(row: Bytes, first: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number at ``row[i, first[i]:]`` and how many digits it has, at most ``most``."""
    value, width = np.zeros(len(row), np.int64), np.zeros(len(row), np.int64)
    going = np.ones(len(row), bool)
    for k in range(most):
        digit = np.take_along_axis(row, np.minimum(first + k, row.shape[1] - 1)[:, None], 1)[:, 0].astype(np.int64) - 48
        going &= (digit >= 0) & (digit <= 9)
        value, width = np.where(going, value * 10 + digit, value), width + going
    return value, width


def _check_range(problems: Problems, what: str, value: NDArray[np.int64], lo: int, hi: int, line: NDArray[np.int64]) -> None:
    for i in np.flatnonzero((value < lo) | (value > hi)):
        problems.add(int(line[i]), f"{what} {value[i]} is out of range; expected {lo}..{hi}")
