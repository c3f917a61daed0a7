"""guid2lid: OpenSM's own record of which LIDs each port has, ``0x<port GUID> 0x<first LID> 0x<last LID>``.

It is the only OpenSM file that tells the LMC: a port has 2**LMC LIDs, aligned to that number.
"""

import re

import numpy as np

from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.psl import MAX_UNICAST_LID
from pauseproof.readers.records import LidRangeRecords
from pauseproof.readers.source import Source

NAME = "guid2lid"

MAX_LIDS = 128  # LMC is three bits

_ROW = re.compile(rb"0x([0-9a-fA-F]{1,16})\s+0x([0-9a-fA-F]{1,4})\s+0x([0-9a-fA-F]{1,4})$")
_EXPECTED = "expected '0x<port GUID> 0x<first LID> 0x<last LID>'"

Row = tuple[int, int, int, int]  # guid, first, last, line


def matches(head: bytes) -> bool:
    """The first line that is not a comment is such a row."""
    lines = [line for line in first_lines(head, 20) if not line.startswith(b"#")]
    return bool(lines) and bool(_ROW.match(lines[0]))


def read(source: Source) -> LidRangeRecords:
    """One row a port. Raises BadInput for other lines, ranges that no LMC gives, and LIDs that two ports claim."""
    problems, rows = Problems(source.path), list[Row]()
    for number, text in numbered_lines(source, problems):
        if not text or text.startswith(b"#"):
            continue
        if row := _ROW.match(text):
            rows.append((int(row[1], 16), int(row[2], 16), int(row[3], 16), number))
            _check_range(rows[-1], problems)
        else:
            problems.add(number, f"{shown(text)} is not a row; {_EXPECTED}")
    if not rows:
        problems.add(0, f"no row was found; {_EXPECTED}")
    rows = _check_repeats(rows, problems)
    problems.raise_any()
    guid, first, last, line = zip(*rows, strict=True)
    return LidRangeRecords(
        source.path, np.array(guid, np.uint64), np.array(first, np.int32), np.array(last, np.int32), np.array(line, np.int32)
    )


def _check_range(row: Row, problems: Problems) -> None:
    _, first, last, line = row
    count = last - first + 1
    if not 1 <= first <= last <= MAX_UNICAST_LID:
        problems.add(
            line, f"0x{first:04x}..0x{last:04x} is no range of LIDs; expected 0x0001..0x{MAX_UNICAST_LID:04x}, ascending"
        )
    elif count > MAX_LIDS or count & (count - 1) or first % count:
        problems.add(
            line, f"{count} LIDs from 0x{first:04x} are what no LMC gives; expected 1, 2, 4, .. 128, aligned to as many"
        )


def _check_repeats(rows: list[Row], problems: Problems) -> list[Row]:
    """One row a GUID; a GUID with two ranges, or a LID with two GUIDs, is contradictory."""
    unique: dict[int, Row] = {}
    for row in rows:
        before = unique.setdefault(row[0], row)
        if before[1:3] != row[1:3]:
            problems.add(row[3], f"port 0x{row[0]:016x} has other LIDs in line {before[3]}; expected one row a port")
    widest: Row | None = None
    for row in sorted(unique.values(), key=lambda row: row[1:]):
        if widest and row[1] <= widest[2]:
            problems.add(
                row[3], f"LID 0x{row[1]:04x} belongs to port 0x{widest[0]:016x} in line {widest[3]}; expected one owner"
            )
        if widest is None or row[2] > widest[2]:
            widest = row
    return list(unique.values())
