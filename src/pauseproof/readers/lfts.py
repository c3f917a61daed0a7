"""opensm-lfts.dump: the tables as OpenSM computed them, one block a switch, rows of unreachable LIDs left out.

A block is a header with a decimal LID range, rows ``0x0003 000 # Switch portguid 0x...: 'name'``, and a trailer that repeats
the end of the range. Port 255 is what a switch holds for "discard". Blank lines and lines that begin with # mean nothing.
"""

import re

import numpy as np

from pauseproof.fabric.places import Remark
from pauseproof.readers import lft_trailers
from pauseproof.readers.lft_format import (
    LAST_UNICAST_LID,
    UNREACHABLE,
    Header,
    Line,
    Refused,
    Rows,
    Trailer,
    row_or_refusal,
)
from pauseproof.readers.lft_lines import BAD, PIECE, Piece, hex_pairs, hundreds, pair, two_digits
from pauseproof.readers.lft_records import read_blocks, records
from pauseproof.readers.problems import first_lines, shown
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source

NAME = "opensm-lfts.dump"

_HEADER = re.compile(
    rb"Unicast lids(?: \[(?P<first>\d{1,9})-(?P<top>\d{1,9})\])?.*?(?: Lid (?P<lid>\d{1,9}))?"
    rb" guid 0x(?P<guid>[0-9a-fA-F]{1,16})(?![0-9a-fA-F])(?P<name>.*)"
)
_TRAILER = re.compile(rb"(\d{1,9}) lids dumped\s*")
_ROW = re.compile(rb"0x([0-9a-fA-F]{4,16})\s+(\d{3,9})\s*(?:#.*)?", re.DOTALL)
_OWNER = re.compile(rb"0x\w+\s+\d+\s*#\s*[A-Za-z ]{1,40} portguid 0x([0-9a-fA-F]{1,16})")
_NOTHING = re.compile(rb"\s*(?:#.*)?", re.DOTALL)
_QUOTED = re.compile(rb"\s*\(\s*'?(.*?)'?\s*\)\s*:?\s*", re.DOTALL)


def matches(head: bytes) -> bool:
    """The first line that is no comment is a header with a decimal range, or none."""
    lines = [line for line in first_lines(head, 200) if not line.startswith(b"#")]
    return bool(lines) and lines[0].startswith(b"Unicast lids") and not lines[0].startswith(b"Unicast lids [0x")


def read(source: Source, *, size: int = PIECE) -> ForwardingRecords:
    """Every block, ``size`` bytes at a time. Raises BadInput for other lines, values out of range, contradictory rows."""
    reader, finder = read_blocks(source, LFTS, size=size)
    remarks: list[Remark] = []
    unknown_from = lft_trailers.unknown_from(reader, remarks, counts_rows=False)
    return records(reader, finder, unknown_from, remarks=remarks)


def block_name(text: bytes) -> str:
    """The switch's name after the GUID of a header: what stands in brackets, and in quotes within.

    >>> block_name(b" ('leaf (1)'):")
    'leaf (1)'
    """
    found = _QUOTED.fullmatch(text)
    return found[1].decode("utf-8", "replace") if found else ""


class LftsFormat:
    """The lines of opensm-lfts.dump."""

    name = NAME
    expected = "expected \"Unicast lids [0-7] of switch Lid 3 guid 0x... ('name'):\""
    comments = True

    def rows(self, piece: Piece) -> Rows:
        """Lines that begin like ``0x0003 000 #``."""
        pairs = piece.pairs(12)
        lid = hex_pairs(256)[pairs[:, 1]] + hex_pairs(1)[pairs[:, 2]]
        port = hundreds()[pairs[:, 3]] + two_digits()[pairs[:, 4]]
        usual = (pairs[:, 0] == pair("0x")) & (pairs[:, 5] == pair(" #"))
        usual &= (lid <= LAST_UNICAST_LID) & (port <= UNREACHABLE)
        return Rows(np.where(usual, lid, BAD).astype(np.int32), port)

    def line(self, text: bytes) -> Line:
        """Headers, trailers, and rows without comment."""
        if row := _ROW.fullmatch(text):
            return row_or_refusal(int(row[1], 16), int(row[2]))
        if text.startswith(b"Unicast lids"):
            return self._header(text)
        if end := _TRAILER.fullmatch(text):
            return Trailer(int(end[1]))
        if _NOTHING.fullmatch(text):
            return None
        return Refused(f"{shown(text)} is not understood; expected a row \"0x0003 000 # Switch portguid 0x...: 'name'\"")

    def _header(self, text: bytes) -> Line:
        found = _HEADER.match(text)
        if found is None:
            return Refused(f"{shown(text)} names no switch; {self.expected}")
        top, first, lid = (int(found[key] or -1) for key in ("top", "first", "lid"))
        return Header(int(found["guid"], 16), max(lid, 0), block_name(found["name"]), first, top)

    def owner(self, text: bytes) -> int:
        """The port GUID in the comment of a row."""
        found = _OWNER.match(text)
        return int(found[1], 16) if found else 0

    def whole_without_newline(self, text: bytes) -> bool:
        """A trailer is whole: nothing can follow in its line."""
        return bool(_TRAILER.fullmatch(text))


LFTS = LftsFormat()
