"""Port numbers by block and LID, in a matrix that grows with the file.

The number of rows is foretold from the part of the file that was read, and pages not written to cost nothing. A file that
would need far more cells than it has bytes is refused.
"""

import numpy as np
from numpy.typing import NDArray

from pauseproof.readers.lft_format import UNREACHABLE

U8 = NDArray[np.uint8]
_FREE_CELLS = 1 << 28
_CELLS_PER_BYTE = 32


class TooSparse(ValueError):
    """More cells than a file of this size can mean."""


class PortMatrix:
    """``blocks`` rows of ``width`` cells, UNREACHABLE where nothing was set."""

    def __init__(self, file_size: int) -> None:
        self.blocks = 0
        self.width = 1
        self._limit = max(_FREE_CELLS, _CELLS_PER_BYTE * file_size)
        self._cells: U8 = np.empty((0, 1), np.uint8)

    def grow(self, blocks: int, width: int, *, part_read: float) -> None:
        """Room for so many blocks and LIDs, when ``part_read`` (0..1) of the file was read."""
        old = self.blocks, self.width
        if blocks * max(width, self.width) > self._limit:
            raise TooSparse
        if width > self.width or blocks > len(self._cells):
            if width > self.width:
                self.width = width if self.blocks <= 2 else width + width // 4
            self._move(self._room(blocks, part_read), old)
        self._cells[old[0] : blocks] = UNREACHABLE
        self.blocks = blocks

    def _room(self, blocks: int, part_read: float) -> int:
        foretold = int(blocks / max(part_read, 1e-9) * 1.02) + 2
        return max(blocks, len(self._cells), foretold if foretold * self.width <= self._limit else blocks * 3 // 2)

    def _move(self, room: int, old: tuple[int, int]) -> None:
        before, self._cells = self._cells, np.empty((room, self.width), np.uint8)
        self._cells[: old[0], old[1] :] = UNREACHABLE
        self._cells[: old[0], : old[1]] = before[: old[0], : old[1]]

    def flat(self) -> U8:
        """All cells in one row: cell (b, lid) is at ``b * width + lid``."""
        return self._cells.reshape(-1)

    def trimmed(self, width: int) -> U8:
        """The cells of the first ``width`` LIDs, contiguous, [blocks, width]."""
        if width > self.width:
            self.grow(self.blocks, width, part_read=1.0)
        return np.ascontiguousarray(self._cells[: self.blocks, :width])
