"""opensm.fdbs and ibdiagnet's .fdbs: the tables with hop counts, one block a switch, a row for every LID.

A block is ``dump_ucast_routes: Switch 0x...`` (ibdiagnet: ``osm_ucast_mgr_dump_ucast_routes: ...``), a column line, and rows
``0x0004 : 001  : 01   : yes``, ``... : UNREACHABLE``, ``... : HOPS UNKNOWN`` or ``... : No 1 hop path possible via port 1!``.
The format has no trailer: a block is whole when it reaches the last LID of the others, and has a row for each LID before.
"""

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.readers.lft_again import BlockRows
from pauseproof.readers.lft_blocks import BlockReader
from pauseproof.readers.lft_format import (
    LAST_UNICAST_LID,
    UNREACHABLE,
    Header,
    Line,
    Refused,
    Row,
    Rows,
    row_or_refusal,
)
from pauseproof.readers.lft_lines import BAD, I32, I64, PIECE, Flags, Pairs, Piece, hex_pairs, hundreds, pair, two_digits
from pauseproof.readers.lft_records import cut_at, read_blocks, records
from pauseproof.readers.problems import first_lines, shown
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source

NAME = "opensm.fdbs"
WHOLE = -1

_HEADER = re.compile(rb"(?:\w+:\s+)?Switch\s+0x([0-9a-fA-F]{1,16})\s*")
_COLUMNS = re.compile(rb"LID\s*: ?Port\s*: ?Hops\s*: ?Optimal\s*")
_PREAMBLE = re.compile(rb"\s*(?:#.*|File version\s*:.*)?", re.DOTALL)
USUAL = b"0x#### : ###  : ##   : yes"  # digits at #
_ROW = re.compile(
    rb"0x([0-9a-fA-F]{4,16})\s*:\s*"
    rb"(?:UNREACHABLE|(\d{3,9})\s*:\s*(?:HOPS UNKNOWN|\d{2,9}\s*:\s*(?:yes|No [^\n]*!)))\s*",
    re.DOTALL,
)


def matches(head: bytes) -> bool:
    """A switch line, then the column line of unicast tables."""
    lines = [line for line in first_lines(head, 200) if not _PREAMBLE.fullmatch(line)]
    if len(lines) < 2:
        return bool(lines) and b"dump_ucast_routes: Switch 0x" in lines[0]
    return bool(_HEADER.fullmatch(lines[0]) and _COLUMNS.fullmatch(lines[1]))


def read(source: Source, *, size: int = PIECE) -> ForwardingRecords:
    """Every block, ``size`` bytes at a time. Raises BadInput for other lines, values out of range, contradictory rows."""
    reader, finder = read_blocks(source, FDBS, size=size)
    return records(reader, finder, unknown_from(reader), lost_rows=lost_rows(reader, finder))


def unknown_from(reader: BlockReader) -> I32:
    """The first unknown LID of each block, WHOLE where it reaches the last LID of the file and is not cut, [n_blocks]."""
    blocks = reader.found.blocks
    last = max(block.last for block in blocks)
    out = [cut_at(block) if block.last < last or block.last < 0 else WHOLE for block in blocks]
    if reader.found.cut_in.startswith(b"0"):  # a row; the beginning of a header would mean that the last block is whole
        out[-1] = cut_at(blocks[-1])
    return np.array(out, np.int32)


def lost_rows(reader: BlockReader, finder: BlockRows) -> dict[int, I32]:
    """The LIDs before the last of a block that have no row: the dumping tools write one for each LID from 1 on."""
    out = {}
    for b, block in enumerate(reader.found.blocks):
        if block.last < 1 or (block.ascending and block.first <= 1 and block.rows == block.last - block.first + 1):
            continue
        absent = np.ones(block.last + 1, np.bool_)
        absent[0] = False
        for _, lids, _ in finder.rows(b):
            absent[lids] = False
        if absent.any():
            out[b] = np.flatnonzero(absent).astype(np.int32)
    return out


class FdbsFormat:
    """The lines of .fdbs."""

    name = NAME
    expected = 'expected "dump_ucast_routes: Switch 0x..."'
    comments = False

    def rows(self, piece: Piece) -> Rows:
        """The four forms of rows; most are ``0x0004 : 001  : 01   : yes``, the others are looked at apart."""
        pairs = piece.pairs(32)
        lid = hex_pairs(256)[pairs[:, 1]] + hex_pairs(1)[pairs[:, 2]]
        port = hundreds()[pairs[:, 4]] + two_digits()[pairs[:, 5]]
        words = pairs.view("<u8")
        routed = _as_in_a_row(words, 1) & (port <= UNREACHABLE)
        counted = two_digits()[pairs[:, 8]] < BAD
        optimal = routed & counted & _as_in_a_row(words, 2) & (pairs[:, 12] == pair("es")) & (piece.end - piece.start == 26)
        usual = optimal.copy()
        rest = np.flatnonzero(~optimal)
        if len(rest):
            usual[rest] = _rest(piece, pairs, port, routed, rest)
        usual &= _as_in_a_row(words, 0) & (lid <= LAST_UNICAST_LID)
        return Rows(np.where(usual, lid, BAD).astype(np.int32), port)

    def line(self, text: bytes) -> Line:
        """Headers, column lines, and rows with other blanks."""
        if row := _ROW.fullmatch(text):
            return _row(int(row[1], 16), row[2])
        if header := _HEADER.fullmatch(text):
            return Header(int(header[1], 16))
        if _COLUMNS.fullmatch(text) or _PREAMBLE.fullmatch(text):
            return None
        return Refused(f'{shown(text)} is not understood; expected a row "0x0004 : 001  : 01   : yes"')

    def owner(self, text: bytes) -> int:
        """The format has no comments."""
        return 0

    def whole_without_newline(self, text: bytes) -> bool:
        """A whole row is no beginning of a longer one."""
        return bool(_ROW.fullmatch(text))


FDBS = FdbsFormat()


def _row(lid: int, port: bytes | None) -> Row | Refused:
    return row_or_refusal(lid, UNREACHABLE if port is None else int(port))


def _as_in_a_row(words: NDArray[np.uint64], at: int) -> Flags:
    """Lines whose eight bytes at word ``at`` are those of a usual row, whatever stands for its digits."""
    usual = USUAL[8 * at : 8 * at + 8]
    fixed = int.from_bytes(bytes(0 if letter == ord("#") else 0xFF for letter in usual), "little")
    out: Flags = (words[:, at] & np.uint64(fixed)) == np.uint64(int.from_bytes(usual, "little") & fixed)
    return out


def _is(pairs: Pairs, at: int, text: str) -> Flags:
    """Lines that have ``text`` at pair ``at``."""
    found: Flags = pairs[:, at] == pair(text[:2])
    for k in range(2, len(text), 2):
        found &= pairs[:, at + k // 2] == pair(text[k : k + 2])
    return found


def _hops(pairs: Pairs) -> Flags:
    """Lines with a hop count of two digits."""
    counted: Flags = two_digits()[pairs[:, 8]] < BAD
    return counted & _is(pairs, 9, "   :")


def _rest(piece: Piece, pairs: Pairs, port: I32, routed: Flags, rest: I64) -> Flags:
    """Which of the lines ``rest`` are rows of the three rarer forms; sets their ports."""
    piece = replace(piece, start=piece.start[rest], end=piece.end[rest])
    pairs, routed, length = pairs[rest], routed[rest], piece.end - piece.start
    unreachable = _is(pairs, 4, " UNREACHABLE") & (length == 20)
    port[rest[unreachable]] = UNREACHABLE
    no_hops = routed & _is(pairs, 8, "HOPS UNKNO") & (length == 28)
    no_hops &= (piece.last(2) == ord("W")) & (piece.last(1) == ord("N"))
    detour = routed & _hops(pairs) & _is(pairs, 11, " No ") & (piece.last(1) == ord("!"))
    rows: Flags = unreachable | no_hops | detour
    return rows
