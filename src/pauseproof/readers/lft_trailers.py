"""Which blocks are whole, in formats whose blocks end with a trailer ("15 lids dumped")."""

import numpy as np

from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.lft_blocks import Block, BlockReader
from pauseproof.readers.lft_lines import I32
from pauseproof.readers.lft_records import about, cut_at

WHOLE = -1


def unknown_from(reader: BlockReader, remarks: list[Remark], *, counts_rows: bool) -> I32:
    """The first unknown LID of each block, WHOLE where its trailer was read and agrees with it, [n_blocks].

    ``counts_rows``: the trailer's number is that of the rows, else it is the last LID of the header.
    """
    out = np.full(len(reader.found.blocks), WHOLE, np.int32)
    for b, block in enumerate(reader.found.blocks):
        if block.trailer < 0:
            out[b] = cut_at(block)
        elif why := _doubt(block, counts_rows):
            out[b] = 0
            remarks.append(_doubtful(reader.source.path, block, why))
    return out


def _doubt(block: Block, counts_rows: bool) -> str:
    """Why the block, though it ends with a trailer, does not hold what it says."""
    expected = block.rows if counts_rows else block.header.top
    if expected >= 0 and block.trailer != expected:
        held = f"has {block.rows} rows" if counts_rows else f"begins with LIDs up to {block.header.top}"
        return f"{held} and ends with the number {block.trailer}: lines are lost or mixed up"
    if block.header.first > 1:
        return f"was dumped only from LID {block.header.first} on"
    return ""


def _doubtful(file: str, block: Block, why: str) -> Remark:
    message = f"the table of switch {about(block)} {why}; all its rows count as unknown"
    return Remark("table-truncated", message, about(block), (Place(file, block.line),))
