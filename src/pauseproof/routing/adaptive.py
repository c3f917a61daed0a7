"""Adaptive groups (ibdiagnet .far) laid over the unicast tables.

A row in state Static leaves by its static port; in every other state by any port of its group, and by the static port too,
which traffic without adaptive routing takes. Whether the choice stays open until the packet leaves is not in the file.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Problem, Remark
from pauseproof.readers.records import AdaptiveRecords
from pauseproof.routing.choices import PortChoices, narrowest
from pauseproof.routing.merge import MergedTables
from pauseproof.routing.tables import ChoiceKind

I64 = NDArray[np.int64]
Values = NDArray[np.generic]


def add_adaptive(
    fabric: Fabric,
    choices: PortChoices,
    merged: MergedTables,
    records: Sequence[AdaptiveRecords],
    lids: I64,
) -> tuple[Values, tuple[Remark, ...]]:
    """The tables with groups in place. Raises BadInput for switches that are not cabled, ports and groups that do not exist."""
    if not records:
        return merged.value, ()
    value = merged.value.astype(np.int64)
    of_guid = dict(zip(fabric.node_guid[: fabric.n_switches].tolist(), range(fabric.n_switches), strict=True))
    column_of = dict(zip(lids.tolist(), range(len(lids)), strict=True))
    problems: list[Problem] = []
    remarks: list[Remark] = []
    read: set[int] = set()
    for record in records:
        for i, guid in enumerate(record.switch_guid.tolist()):
            s = of_guid.get(guid)
            if s is None:
                place = Place(record.file, int(record.block_line[i]))
                problems.append(Problem(place, f"table for switch 0x{guid:016x}, which the cabling does not have"))
                continue
            read.add(s)
            if not merged.source[s] and record.complete[i]:
                value[s] = choices.no_row
            for lid, row in record.rows[i].items():
                if lid in column_of:
                    _lay(fabric, choices, record, i, s, lid, row, value, column_of[lid], problems, remarks)
    if problems:
        raise BadInput(problems[:20])
    merged.remarks[:] = [
        r for r in merged.remarks if r.rule != "table-missing" or r.about not in {fabric.identity(s) for s in read}
    ]
    return value.astype(narrowest(int(value.max(initial=0)))), tuple(remarks)


def _lay(
    fabric: Fabric,
    choices: PortChoices,
    record: AdaptiveRecords,
    block: int,
    s: int,
    lid: int,
    row: tuple[int, str, int, int],
    value: I64,
    column: int,
    problems: list[Problem],
    remarks: list[Remark],
) -> None:
    """Put one row in place."""
    static, state, group, line = row
    place = Place(record.file, line)
    group_ports = record.groups[block].get(group, ()) if group >= 0 else ()
    if state != "Static" and not group_ports:
        problems.append(Problem(place, f"LID {lid} uses group {group}, which this switch does not define"))
        return
    ports = {*group_ports, *([static] if static >= 0 else [])} if state != "Static" else {static}
    if ports and max(ports) > fabric.node_ports[s]:
        message = f"port {max(ports)} is beyond the radix of {fabric.node_name[s]}; expected 0..{fabric.node_ports[s]}"
        problems.append(Problem(place, message))
        return
    if state != "Static":
        value[s, column] = choices.value_of(s, ChoiceKind.ADAPTIVE, ports)
    elif value[s, column] in (choices.not_read, choices.no_row, static):
        value[s, column] = static if static >= 0 else choices.no_row
    else:
        value[s, column] = choices.not_read
        message = (
            f"the adaptive table of {fabric.node_name[s]} and its plain table disagree on LID {lid}; this row counts as unknown"
        )
        remarks.append(Remark("table-disagreement", message, f"{fabric.identity(s)}/{lid}", (place,)))
