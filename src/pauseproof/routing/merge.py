"""The tables of one fabric from all dumps of them: agreeing ones are one table, disagreeing rows are unknown.

A row that one dump lost (cut off, or a defect of the tool) is taken from another that has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Problem, Remark
from pauseproof.readers.records import ForwardingRecords
from pauseproof.routing.choices import PortChoices, narrowest

I64 = NDArray[np.int64]
Values = NDArray[np.uint16]  # of one switch, [D]


@dataclass
class MergedTables:
    """``value`` [S, D] in the values of :class:`PortChoices`; ``source`` [S] the (record, block) pairs behind each switch."""

    value: NDArray[np.generic]
    source: list[list[tuple[ForwardingRecords, int]]]
    remarks: list[Remark]

    def place(self, switch: int, lid: int) -> Place | None:
        """The row of ``lid`` in the first dump of this switch's table."""
        for record, block in self.source[switch]:
            return record.line_of(block, lid)
        return None


def merge_tables(
    fabric: Fabric, choices: PortChoices, tables: Sequence[ForwardingRecords], lids: I64, switch_of_lid: dict[int, int]
) -> MergedTables:
    """Merge ``tables`` for the columns ``lids``. Raises BadInput for switches not cabled and ports beyond the radix."""
    blocks = _blocks_by_switch(fabric, tables, switch_of_lid)
    unread = np.full((fabric.n_switches, len(lids)), choices.not_read, narrowest(choices.not_read))
    merged = MergedTables(unread, blocks, [])
    problems: list[Problem] = []
    for s, found in enumerate(blocks):
        rows = [_rows(choices, record, block, lids) for record, block in found]
        problems += _beyond_radix(fabric, choices, s, found, rows, lids)
        if rows:
            merged.value[s] = _agree(merged, fabric, choices, s, found, rows, lids)
    if problems:
        raise BadInput(problems[:20])
    merged.remarks += _missing(fabric, blocks) + _cut(fabric, blocks) + _lost(fabric, choices, merged, lids)
    return merged


def _blocks_by_switch(
    fabric: Fabric, tables: Sequence[ForwardingRecords], switch_of_lid: dict[int, int]
) -> list[list[tuple[ForwardingRecords, int]]]:
    guids = fabric.node_guid[: fabric.n_switches]
    out: list[list[tuple[ForwardingRecords, int]]] = [[] for _ in range(fabric.n_switches)]
    problems = []
    of_guid = dict(zip(guids.tolist(), range(fabric.n_switches), strict=True))
    for record in tables:
        for block, (guid, lid) in enumerate(zip(record.switch_guid.tolist(), record.switch_lid.tolist(), strict=True)):
            s = of_guid.get(guid) if guid else switch_of_lid.get(lid)
            if s is None:
                name = f"0x{guid:016x}" if guid else f"LID {lid}"
                place = Place(record.file, int(record.block_line[block]))
                problems.append(
                    Problem(place, f"table for switch {name}, which the cabling does not have; expected a cabled switch")
                )
            else:
                out[s].append((record, block))
    if problems:
        raise BadInput(problems[:20])
    return out


def _rows(choices: PortChoices, record: ForwardingRecords, block: int, lids: I64) -> Values:
    """The block's values for the columns; ports as read, even beyond the radix (values above ``not_read`` then)."""
    width = record.out_port.shape[1]
    inside = lids < width
    port = record.out_port[block, np.minimum(lids, max(width - 1, 0))] if width else np.zeros(len(lids), np.uint8)
    value = port.astype(np.uint16)
    value[port > choices.fabric.max_radix] = 0xFFFF
    value[port == record.no_row] = choices.no_row
    value[~inside] = choices.not_read if record.every_lid else choices.no_row
    if block in record.lost_rows:
        value[np.isin(lids, record.lost_rows[block])] = choices.not_read
    cut = int(record.unknown_from[block])
    if cut >= 0:
        value[lids >= cut] = choices.not_read
    if record.unknown_lids:
        value[np.isin(lids, record.unknown_lids)] = choices.not_read
    return value


def _beyond_radix(
    fabric: Fabric,
    choices: PortChoices,
    s: int,
    found: list[tuple[ForwardingRecords, int]],
    rows: list[Values],
    lids: I64,
) -> list[Problem]:
    radix = int(fabric.node_ports[s])
    problems = []
    for (record, block), value in zip(found, rows, strict=True):
        bad = np.flatnonzero((value > radix) & (value != choices.no_row) & (value != choices.not_read))
        for i in bad[:3].tolist():
            lid = int(lids[i])
            port = int(record.out_port[block, lid])
            message = f"LID {lid} leaves {fabric.node_name[s]} by port {port}, which it does not have; expected 0..{radix}"
            problems.append(Problem(record.line_of(block, lid), message))
    return problems


def _agree(
    merged: MergedTables,
    fabric: Fabric,
    choices: PortChoices,
    s: int,
    found: list[tuple[ForwardingRecords, int]],
    rows: list[Values],
    lids: I64,
) -> Values:
    value, disputed = rows[0], np.zeros(len(lids), np.bool_)
    for i, other in enumerate(rows[1:], 1):
        known = (value != choices.not_read) & (other != choices.not_read)
        differ = np.flatnonzero(known & (value != other))
        value = np.where(value == choices.not_read, other, value)
        if len(differ):
            disputed[differ] = True
            merged.remarks.append(_disagreement(fabric, s, found[0], found[i], lids[differ]))
    return np.where(disputed, np.uint16(choices.not_read), value)


def _disagreement(
    fabric: Fabric, s: int, a: tuple[ForwardingRecords, int], b: tuple[ForwardingRecords, int], lids: I64
) -> Remark:
    lid = int(lids[0])
    more = f" and {len(lids) - 1} more" if len(lids) > 1 else ""
    return Remark(
        "table-disagreement",
        f"two dumps disagree on the out-port of {fabric.node_name[s]} for LID {lid}{more}; these rows count as unknown",
        f"{fabric.identity(s)}/{lid}",
        (a[0].line_of(a[1], lid), b[0].line_of(b[1], lid)),
    )


def _missing(fabric: Fabric, blocks: list[list[tuple[ForwardingRecords, int]]]) -> list[Remark]:
    return [
        Remark("table-missing", f"no forwarding table of switch {fabric.node_name[s]} was read", fabric.identity(s))
        for s, found in enumerate(blocks)
        if not found
    ]


def _lost(fabric: Fabric, choices: PortChoices, merged: MergedTables, lids: I64) -> list[Remark]:
    """Rows that no dump has, in tables that are not cut off: one remark a switch."""
    out = []
    for s, found in enumerate(merged.source):
        blocks = [(record, b) for record, b in found if record.every_lid and record.unknown_from[b] < 0]
        lost = np.flatnonzero(merged.value[s] == choices.not_read) if blocks else lids[:0]
        lost = np.array([i for i in lost.tolist() if all(_is_lost(record, b, int(lids[i])) for record, b in blocks)], np.int64)
        if len(lost):
            record, b = blocks[0]
            more = f" and {len(lost) - 1} more LIDs" if len(lost) > 1 else ""
            message = f"the table of {fabric.node_name[s]} has no row for LID {lids[lost[0]]}{more}: lost, and unknown"
            place = Place(record.file, int(record.block_line[b]))
            out.append(Remark("table-truncated", message, f"{fabric.identity(s)}/{lids[lost[0]]}", (place,)))
    return out


def _is_lost(record: ForwardingRecords, block: int, lid: int) -> bool:
    return lid >= record.out_port.shape[1] or (block in record.lost_rows and lid in record.lost_rows[block])


def _cut(fabric: Fabric, blocks: list[list[tuple[ForwardingRecords, int]]]) -> list[Remark]:
    out = []
    for s, found in enumerate(blocks):
        if found and all(record.unknown_from[block] >= 0 for record, block in found):
            record, block = found[0]
            lid = max(int(r.unknown_from[b]) for r, b in found)
            message = f"the table of {fabric.node_name[s]} is cut off: LIDs from {lid} on are unknown"
            out.append(
                Remark("table-truncated", message, fabric.identity(s), (Place(record.file, int(record.block_line[block])),))
            )
    return out
