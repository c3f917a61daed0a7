"""Reading one block again: for the line of a row, and for rows of one LID that contradict each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pauseproof.readers.lft_blocks import BlockReader
from pauseproof.readers.lft_format import LAST_UNICAST_LID, Row, TableFormat
from pauseproof.readers.lft_lines import I32, I64, pieces
from pauseproof.readers.records import RowFinder
from pauseproof.readers.source import Source


@dataclass(frozen=True)
class BlockRows(RowFinder):
    """Finds rows again. ``offsets`` [n_blocks + 1]: where each block begins, and the file ends; ``lines``: on which line."""

    source: Source
    format: TableFormat
    offsets: Sequence[int]
    lines: Sequence[int]

    def line_of(self, block: int, lid: int) -> int:
        """The line of the first row for ``lid`` in ``block``; 0 where there is none."""
        for line, lids, _ in self.rows(block):
            at = np.flatnonzero(lids == lid)
            if len(at):
                return int(line[at[0]])
        return 0

    def rows(self, block: int) -> Iterator[tuple[I64, I32, I32]]:
        """The rows of a block, some at a time: lines in the file, LIDs, ports."""
        start, stop = self.offsets[block], self.offsets[block + 1]
        for piece in pieces(self.source, start, stop, line=self.lines[block]):
            rows = self.format.rows(piece)
            for i in np.flatnonzero(rows.lid > LAST_UNICAST_LID).tolist():
                line = self.format.line(piece.text(i))
                if isinstance(line, Row):
                    rows.lid[i], rows.port[i] = line
            at = np.flatnonzero(rows.lid <= LAST_UNICAST_LID)
            yield at + piece.line, rows.lid[at], rows.port[at]


def refuse_contradictions(reader: BlockReader, finder: BlockRows) -> None:
    """Look through the blocks whose LIDs do not ascend. Raises BadInput where a LID has two rows that differ."""
    for b, block in enumerate(reader.found.blocks):
        if not block.ascending:
            _contradictions(reader, finder, b)
    reader.problems.raise_any()


def _contradictions(reader: BlockReader, finder: BlockRows, b: int) -> None:
    seen = np.full(LAST_UNICAST_LID + 1, -1, np.int32)
    for line, lid, port in finder.rows(b):
        before = seen[lid]
        seen[lid[::-1]] = port[::-1]  # of several rows in one piece the first counts
        first = np.where(before >= 0, before, seen[lid])
        seen[lid] = first
        for i in np.flatnonzero(first != port)[:100].tolist():
            ports = f"port {port[i]} here, port {first[i]} before"
            reader.refuse(
                int(line[i]), f"a second row for LID 0x{lid[i]:04x} that differs: {ports}; expected one row for a LID"
            )
