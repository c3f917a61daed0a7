"""From the blocks of a file to its records: the same for every format."""

from collections.abc import Mapping, Sequence

import numpy as np

from pauseproof.fabric.places import Remark
from pauseproof.readers.lft_again import BlockRows, refuse_contradictions
from pauseproof.readers.lft_blocks import Block, BlockReader
from pauseproof.readers.lft_format import TableFormat
from pauseproof.readers.lft_lines import I32, PIECE
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source


def read_blocks(source: Source, format: TableFormat, *, size: int = PIECE) -> tuple[BlockReader, BlockRows]:
    """Read a file ``size`` bytes at a time. Raises BadInput for everything that is not of the format."""
    reader = BlockReader(source, format, size=size)
    reader.read()
    blocks = reader.found.blocks
    offsets = [*(block.offset for block in blocks), len(source.data)]
    finder = BlockRows(source, format, offsets, [block.line for block in blocks])
    refuse_contradictions(reader, finder)
    return reader, finder


def records(
    reader: BlockReader,
    finder: BlockRows,
    unknown_from: I32,
    *,
    unknown_lids: tuple[int, ...] = (),
    lost_rows: Mapping[int, I32] | None = None,
    remarks: Sequence[Remark] = (),
) -> ForwardingRecords:
    """The records of what was read; ``lost_rows`` of a format that has a row for every LID."""
    blocks = reader.found.blocks
    last = max([block.last for block in blocks] + list(unknown_lids), default=-1)
    width = max(last + 1, 1)
    return ForwardingRecords(
        file=reader.source.path,
        format=reader.format.name,
        switch_guid=np.array([block.header.guid for block in blocks], np.uint64),
        switch_lid=np.array([block.header.lid for block in blocks], np.int32),
        switch_name=[block.header.name for block in blocks],
        block_line=np.array([block.line for block in blocks], np.int32),
        out_port=reader.matrix.trimmed(width),
        unknown_from=unknown_from,
        unknown_lids=unknown_lids,
        owner_guid=reader.owners.up_to(width),
        row_finder=finder,
        every_lid=lost_rows is not None,
        lost_rows=lost_rows or {},
        remarks=tuple(remarks),
    )


def cut_at(block: Block) -> int:
    """The first LID of a block that is cut off: the one after its last row; 0 where its rows are not in order."""
    return block.last + 1 if block.ascending else 0


def about(block: Block) -> str:
    """The switch of a block, as findings name it."""
    return f"0x{block.header.guid:016x}" if block.header.guid else f"LID {block.header.lid}"
