"""Output of dump_fts, dump_lfts.sh and ibroute: the tables as the switches hold them, one block a switch.

A block is a header with a hexadecimal LID range, two column lines, rows ``0x0003 000 : (Switch portguid 0x...: 'name')`` and a
trailer that counts the rows. ``-n`` leaves the comment out, ``-a`` adds rows "(illegal port)", which are unreachable LIDs.
Known defects of the tools: a LID that is the end of the range and a multiple of 64 is lost; where a switch does not answer,
the 64 rows before are printed once more under the next LIDs.
"""

import re

import numpy as np

from pauseproof.fabric.places import Remark
from pauseproof.readers import fts_defects, lft_trailers
from pauseproof.readers.lft_format import (
    LAST_UNICAST_LID,
    UNREACHABLE,
    Header,
    Line,
    MulticastHeader,
    MulticastTrailer,
    ReadFailed,
    Refused,
    Row,
    Rows,
    Trailer,
    row_or_refusal,
)
from pauseproof.readers.lft_lines import BAD, PIECE, Flags, Pairs, Piece, hex_pairs, hundreds, pair, two_digits
from pauseproof.readers.lft_records import read_blocks, records
from pauseproof.readers.lfts import block_name
from pauseproof.readers.problems import first_lines, shown
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source

NAME = "dump_fts"

_HEADER = re.compile(
    rb"Unicast lids \[0x(?P<first>[0-9a-fA-F]{1,8})-0x(?P<top>[0-9a-fA-F]{1,8})\] of switch .*?"
    rb"(?:Lid (?P<lid>\d{1,9}) )?guid 0x(?P<guid>[0-9a-fA-F]{1,16})(?![0-9a-fA-F])(?P<name>.*)"
)
_TRAILER = re.compile(rb"(\d{1,9}) (?:valid )?(m?)lids dumped\s*")
_ROW = re.compile(rb"0x([0-9a-fA-F]{4,16})\s+(\d{3,9})\s*(: \((?:path #-?\d+ - )?illegal port\)|:.*)?\s*", re.DOTALL)
_OWNER = re.compile(rb"0x\w+\s+\d+\s*: \((?:[A-Za-z ]{1,40}|path #-?\d+ out of \d+:) portguid 0x([0-9a-fA-F]{1,16})")
_NOTHING = re.compile(
    rb"\s*(?:#.*|Lid\s+Out\s+Destination\s*|Port\s+Info\s*|\*\*\* WARNING \*\*\*.*|ib(?:warn|debug|error): .*)?", re.DOTALL
)
_READ_FAILED = re.compile(rb"SubnGet\(LFT\) failed on switch .* Node GUID 0x([0-9a-fA-F]{1,16}) .* AM 0x([0-9a-fA-F]{1,8})\s*")
_LIDS_IN_BLOCK = 64


def matches(head: bytes) -> bool:
    """The first line that holds anything of its own is a header with a hexadecimal range."""
    lines = [line for line in first_lines(head, 200) if not _NOTHING.fullmatch(line) and not _READ_FAILED.fullmatch(line)]
    return bool(lines) and lines[0].startswith((b"Unicast lids [0x", b"Multicast mlids [0x"))


def read(source: Source, *, size: int = PIECE) -> ForwardingRecords:
    """Every unicast block, ``size`` bytes at a time; multicast blocks are passed over with a remark.

    Raises BadInput for other lines, values out of range, contradictory rows.
    """
    reader, finder = read_blocks(source, FTS, size=size)
    remarks: list[Remark] = []
    unknown_from = lft_trailers.unknown_from(reader, remarks, counts_rows=True)
    unknown_lids = fts_defects.lost_top_lids(reader, unknown_from, remarks)
    fts_defects.unread_blocks(reader, unknown_from, remarks)
    fts_defects.repeated_blocks(reader, remarks)
    fts_defects.multicast_passed_over(reader, remarks)
    return records(reader, finder, unknown_from, unknown_lids=unknown_lids, remarks=remarks)


class FtsFormat:
    """The lines of dump_fts."""

    name = NAME
    expected = 'expected "Unicast lids [0x0-0x7] of switch Lid 3 guid 0x... (name):"'
    comments = True

    def rows(self, piece: Piece) -> Rows:
        """Lines that begin like ``0x0003 000 :``, or hold nothing else than ``0x0003 000`` and a blank."""
        pairs = piece.pairs(16)
        lid = hex_pairs(256)[pairs[:, 1]] + hex_pairs(1)[pairs[:, 2]]
        port = hundreds()[pairs[:, 3]] + two_digits()[pairs[:, 4]]
        commented = pairs[:, 5] == pair(" :")
        usual = commented | ((piece.end - piece.start == 11) & (pairs[:, 5] & 0xFF == ord(" ")))
        usual &= (pairs[:, 0] == pair("0x")) & (lid <= LAST_UNICAST_LID) & (port <= UNREACHABLE)
        port[usual & commented & _illegal(piece, pairs)] = UNREACHABLE
        return Rows(np.where(usual, lid, BAD).astype(np.int32), port)

    def line(self, text: bytes) -> Line:
        """Headers, column lines, trailers, messages of the tools, rows with other blanks."""
        if row := _ROW.fullmatch(text):
            return _row(row)
        if text.startswith(b"Unicast lids"):
            return self._header(text)
        if end := _TRAILER.fullmatch(text):
            return MulticastTrailer() if end[2] else Trailer(int(end[1]))
        if text.startswith(b"Multicast mlids"):
            return MulticastHeader()
        if failed := _READ_FAILED.fullmatch(text):
            return ReadFailed(int(failed[1], 16), int(failed[2], 16) * _LIDS_IN_BLOCK)
        if _NOTHING.fullmatch(text):
            return None
        return Refused(f"{shown(text)} is not understood; expected a row \"0x0003 000 : (Switch portguid 0x...: 'name')\"")

    def _header(self, text: bytes) -> Line:
        found = _HEADER.match(text)
        if found is None:
            return Refused(f"{shown(text)} names no switch; {self.expected}")
        first, top = int(found["first"], 16), int(found["top"], 16)
        return Header(int(found["guid"], 16), int(found["lid"] or 0), block_name(found["name"]), first, top)

    def owner(self, text: bytes) -> int:
        """The port GUID in the comment of a row."""
        found = _OWNER.match(text)
        return int(found[1], 16) if found else 0

    def whole_without_newline(self, text: bytes) -> bool:
        """A trailer is whole: nothing can follow in its line."""
        return bool(_TRAILER.fullmatch(text))


FTS = FtsFormat()


def _row(row: re.Match[bytes]) -> Row | Refused:
    illegal = bool(row[3]) and row[3].endswith(b"illegal port)") and row[3].startswith((b": (ill", b": (path"))
    return row_or_refusal(int(row[1], 16), UNREACHABLE if illegal else int(row[2]))


def _illegal(piece: Piece, pairs: Pairs) -> Flags:
    """Rows ``: (illegal port)`` and ``: (path #2 - illegal port)``; other path rows do not end with "t)"."""
    opened = pairs[:, 6] == pair(" (")
    illegal: Flags = opened & ((pairs[:, 7] == pair("il")) | ((pairs[:, 7] == pair("pa")) & (piece.last(2) == ord("t"))))
    return illegal
