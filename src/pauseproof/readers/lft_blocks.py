"""The blocks of a table dump: which line belongs to which switch, and what is wrong on the way.

Notation: ``b`` a block, ``row`` the line numbers (within a piece) that are rows, ascending; a *segment* is a stretch of rows
between two lines that begin or end a block.
"""

from dataclasses import dataclass, field

import numpy as np

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.lft_format import (
    LAST_UNICAST_LID,
    Header,
    MulticastHeader,
    MulticastTrailer,
    ReadFailed,
    Refused,
    Row,
    Rows,
    TableFormat,
    Trailer,
)
from pauseproof.readers.lft_lines import I32, I64, PIECE, Piece, pieces, single_line, tail
from pauseproof.readers.lft_matrix import PortMatrix, TooSparse
from pauseproof.readers.lft_owners import Owners
from pauseproof.readers.problems import Problems
from pauseproof.readers.source import Source

OUTSIDE, MULTICAST = -1, -2
_ENOUGH = 1000  # problems, after which reading on tells nobody more


@dataclass
class Block:
    """One switch's table while it is read. ``first`` is the LID of its first row, ``last`` its largest, both -1 without rows;
    ``trailer`` is -1 where none came.
    """

    header: Header
    line: int
    offset: int
    first: int = -1
    last: int = -1
    rows: int = 0
    trailer: int = -1
    ascending: bool = True


@dataclass
class Blocks:
    """Everything that was read of a file. ``cut_in`` is what stands after the last newline where that is no whole line."""

    blocks: list[Block] = field(default_factory=list)
    multicast_lines: list[int] = field(default_factory=list)
    read_failures: list[tuple[int, ReadFailed]] = field(default_factory=list)
    cut_in: bytes = b""


class BlockReader:
    """Reads a file piece by piece; ``found``, ``matrix`` and ``owners`` hold what was read so far."""

    def __init__(self, source: Source, format: TableFormat, *, size: int = PIECE) -> None:
        self.source, self.format, self.size = source, format, size
        self.problems = Problems(source.path)
        self.n_problems = 0
        self.matrix = PortMatrix(len(source.data))
        self.owners = Owners(format)
        self.found = Blocks()
        self._current = OUTSIDE

    def read(self) -> None:
        """The whole file. Raises BadInput; contradictory rows are looked for later."""
        offset, line = 0, 1
        for piece in pieces(self.source, size=self.size):
            self._take(piece)
            offset, line = piece.offset + len(piece.data), piece.line + len(piece.start)
            if self.n_problems >= _ENOUGH:
                break
        else:
            self._take_tail(tail(self.source), offset, line)
        if not self.found.blocks and not self.found.multicast_lines:
            self.refuse(0, f"no forwarding table was found; {self.format.expected}")
        self.problems.raise_any()

    def refuse(self, line: int, message: str) -> None:
        """Note a problem."""
        self.n_problems += 1
        self.problems.add(line, message)

    def _take_tail(self, text: bytes, offset: int, line: int) -> None:
        if self.format.whole_without_newline(text.rstrip()):
            self._take(single_line(text.rstrip(), offset, line))
        elif text.strip():
            self.found.cut_in = text

    def _take(self, piece: Piece) -> None:
        rows = self.format.rows(piece)
        bounds, blocks = self._other_lines(piece, rows)
        usual = rows.lid <= LAST_UNICAST_LID
        row = np.flatnonzero(usual)
        lid = rows.lid[row]
        edges = np.concatenate(([0], np.searchsorted(row, bounds), [len(row)]))
        held = self._note_segments(piece, row, lid, edges, np.array([self._current, *blocks]))
        self._current = blocks[-1] if blocks else self._current
        if len(row) and not self.n_problems:
            self._make_room(piece, int(lid.max()))
            self.matrix.flat()[held * self.matrix.width + lid] = rows.port[row]
            self.owners.take(piece, row, lid)
        elif not self.n_problems:
            self._make_room(piece, 0)

    def _make_room(self, piece: Piece, last: int) -> None:
        part = (piece.offset + len(piece.data)) / max(len(self.source.data), 1)
        try:
            self.matrix.grow(len(self.found.blocks), last + 1, part_read=part)
        except TooSparse:
            message = f"{len(self.found.blocks)} blocks up to LID {last}, most of them empty; expected the tables of one subnet"
            raise BadInput.at(Place(self.source.path, piece.line), message) from None

    def _other_lines(self, piece: Piece, rows: Rows) -> tuple[list[int], list[int]]:
        """Read the lines that are no usual rows; where blocks begin or end, and the block that follows there."""
        bounds: list[int] = []
        blocks: list[int] = []
        for i in np.flatnonzero(rows.lid > LAST_UNICAST_LID).tolist():
            line = self.format.line(piece.text(i))
            current = blocks[-1] if blocks else self._current
            if isinstance(line, Row) and current != MULTICAST:
                rows.lid[i], rows.port[i] = line
            elif line is not None:
                following = self._boundary(piece, i, line, current)
                if following != current or isinstance(line, Header):
                    bounds.append(i)
                    blocks.append(following)
            if self.n_problems >= _ENOUGH:
                break
        return bounds, blocks

    def _boundary(self, piece: Piece, i: int, line: object, current: int) -> int:
        """The block that lines after line ``i`` belong to."""
        number = piece.line + i
        match line:
            case Header():
                self.found.blocks.append(Block(line, number, piece.offset + int(piece.start[i])))
                return len(self.found.blocks) - 1
            case MulticastHeader():
                self.found.multicast_lines.append(number)
                return MULTICAST
            case MulticastTrailer() if current == MULTICAST:
                return OUTSIDE
            case Trailer() if current >= 0:
                self.found.blocks[current].trailer = line.number
                return OUTSIDE
            case Trailer() | MulticastTrailer():
                self.refuse(number, f"the end of a table that did not begin; {self.format.expected}")
            case ReadFailed():
                self.found.read_failures.append((number, line))
            case Refused() if current != MULTICAST:
                self.refuse(number, line.message)
        return current

    def _note_segments(self, piece: Piece, row: I64, lid: I32, edges: I64, blocks: I64) -> I64:
        """Count rows, note disorder and rows outside; the block of each row."""
        for lo, hi, b in zip(edges[:-1].tolist(), edges[1:].tolist(), blocks.tolist(), strict=True):
            if lo == hi:
                continue
            if b < 0:
                self.refuse(piece.line + int(row[lo]), f"a row outside any switch's table; {self.format.expected}")
                continue
            block = self.found.blocks[b]
            block.ascending &= int(lid[lo]) > block.last
            block.first = int(lid[lo]) if block.first < 0 else block.first
            block.rows += hi - lo
            block.last = max(block.last, int(lid[hi - 1]))
        self._note_disorder(lid, edges, blocks)
        return np.repeat(blocks, np.diff(edges))

    def _note_disorder(self, lid: I32, edges: I64, blocks: I64) -> None:
        """Rows that do not ascend within a segment: the block is looked through for contradictions afterwards."""
        falling = np.append(False, lid[1:] <= lid[:-1])
        falling[edges[edges < len(falling)]] = False
        for segment in sorted(set((np.searchsorted(edges, np.flatnonzero(falling), "right") - 1).tolist())):
            b = int(blocks[segment])
            if b >= 0:
                block = self.found.blocks[b]
                block.ascending = False
                block.last = max(block.last, int(lid[edges[segment] : edges[segment + 1]].max()))
