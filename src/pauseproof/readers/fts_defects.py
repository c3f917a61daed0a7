"""What is known to be wrong with output of dump_fts and ibroute, found again in the blocks that were read."""

import numpy as np

from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.lft_blocks import Block, BlockReader
from pauseproof.readers.lft_format import LAST_UNICAST_LID, UNREACHABLE
from pauseproof.readers.lft_lines import I32, I64
from pauseproof.readers.lft_matrix import U8
from pauseproof.readers.lft_records import about

_LIDS = 64  # of a block as the switch hands it out
_MOST_PLACES = 20


def lost_top_lids(reader: BlockReader, unknown_from: I32, remarks: list[Remark]) -> tuple[int, ...]:
    """The LIDs that are the end of a range, a multiple of 64, and without a row in every block.

    Where other blocks go further, only the block that ends there is cut: ``unknown_from`` is changed for it.
    """
    blocks = reader.found.blocks
    last = max((block.last for block in blocks), default=-1)
    lost: dict[int, list[Block]] = {}
    for b, block in enumerate(blocks):
        top = block.header.top
        if 0 < top <= LAST_UNICAST_LID and top % _LIDS == 0 and block.last < top and block.trailer >= 0:
            lost.setdefault(top, []).append(block)
            if top <= last and unknown_from[b] < 0:
                unknown_from[b] = top
    for top in sorted(lost):
        remarks.append(_lost(reader.source.path, top, lost[top]))
    return tuple(top for top in sorted(lost) if top > last)


def _lost(file: str, top: int, blocks: list[Block]) -> Remark:
    message = (
        f"LID {top} (0x{top:x}) has no entry in the tables of {len(blocks)} switch{'es' * (len(blocks) != 1)}:"
        " dump_fts and ibroute lose the last LID where it is a multiple of 64; it counts as unknown"
    )
    return Remark("dump-fts-top-lid", message, f"LID {top}", (Place(file, blocks[0].line),))


def unread_blocks(reader: BlockReader, unknown_from: I32, remarks: list[Remark]) -> None:
    """Rows that the tool itself says it could not read are unknown, with all that follow them in the table."""
    for line, failed in reader.found.read_failures:
        for b, block in enumerate(reader.found.blocks):
            if block.header.guid == failed.guid:
                known = int(unknown_from[b])
                unknown_from[b] = failed.first if known < 0 else min(known, failed.first)
                message = f"the table of switch {about(block)} was not read from LID {failed.first} on: the tool says so"
                remarks.append(Remark("table-truncated", message, about(block), (Place(reader.source.path, line),)))


def repeated_blocks(reader: BlockReader, remarks: list[Remark]) -> None:
    """64 LIDs that leave a switch just as the 64 before them do, by more than one port: perhaps read again, perhaps regular."""
    ports = reader.matrix.trimmed(max((block.last for block in reader.found.blocks), default=0) + 1)
    found = [(b, int(repeat)) for b in range(len(ports)) for repeat in _repeats(ports[b])[:1]]
    if not found:
        return
    b, first = found[0]
    block = reader.found.blocks[b]
    more = f", and likewise on {len(found) - 1} more switches" if len(found) > 1 else ""
    message = (
        f"switch {about(block)} sends LIDs {first}-{first + _LIDS - 1} just as the 64 before them{more}:"
        " regular routing, or a block that the tool failed to read and printed again"
    )
    places = tuple(Place(reader.source.path, reader.found.blocks[b].line) for b, _ in found[:_MOST_PLACES])
    remarks.append(Remark("repeated-stale-block", message, f"{about(block)}/{first}", places))


def _repeats(ports: U8) -> I64:
    """The first LIDs of 64 entries that equal the 64 before, are not all one port, and are not mostly empty."""
    whole = ports[: len(ports) // _LIDS * _LIDS].reshape(-1, _LIDS)
    same = (whole[1:] == whole[:-1]).all(1) & (whole[1:] != whole[1:, :1]).any(1)
    routed = (whole[1:] != UNREACHABLE).sum(1) >= _LIDS // 2
    return (np.flatnonzero(same & routed) + 1) * _LIDS


def multicast_passed_over(reader: BlockReader, remarks: list[Remark]) -> None:
    """The matrix of multicast LIDs (``-M``) is not read."""
    lines = reader.found.multicast_lines
    if lines:
        message = f"{len(lines)} tables of multicast LIDs were passed over; opensm.mcfdbs is read"
        places = tuple(Place(reader.source.path, line) for line in lines[:_MOST_PLACES])
        remarks.append(Remark("multicast-matrix-skipped", message, reader.source.path, places))
