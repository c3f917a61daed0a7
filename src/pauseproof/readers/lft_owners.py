"""Who owns a LID, as the comments of the rows say. A LID is looked up where it occurs first, not again in every block."""

import numpy as np

from pauseproof.readers.lft_format import LAST_UNICAST_LID, TableFormat
from pauseproof.readers.lft_lines import I32, I64, Piece
from pauseproof.readers.records import U64

_LOOKS = 3  # a row may be without comment in one block and not in the next


class Owners:
    """``guid`` [49152]: the port GUID that a LID belongs to, 0 where no comment told."""

    def __init__(self, format: TableFormat) -> None:
        self._format = format
        self.guid: U64 = np.zeros(LAST_UNICAST_LID + 1, np.uint64)
        self._looks = np.zeros(LAST_UNICAST_LID + 1, np.uint8)

    def take(self, piece: Piece, line: I64, lid: I32) -> None:
        """Look at the rows ``lid``, which are the lines ``line`` of the piece, where a LID has no owner yet."""
        if not self._format.comments:
            return
        open_ = np.flatnonzero(self._looks[lid] < _LOOKS)
        if not len(open_):
            return
        first = np.full(LAST_UNICAST_LID + 1, -1, np.int64)
        first[lid[open_[::-1]]] = line[open_[::-1]]
        for at in np.flatnonzero(first >= 0).tolist():
            owner = self._format.owner(piece.text(int(first[at])))
            self.guid[at] = owner
            self._looks[at] = _LOOKS if owner else self._looks[at] + 1

    def up_to(self, width: int) -> U64 | None:
        """The owners of the LIDs below ``width``; None where the file told of none."""
        return self.guid[:width].copy() if self.guid.any() else None
