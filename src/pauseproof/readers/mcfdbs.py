"""opensm.mcfdbs and ibdiagnet's .mcfdbs: the multicast tables, one block a switch.

``Switch 0x<GUID>``, a column line, and rows ``0xC000 : 0x001  0x003``, ports in hex. A block without rows is normal: nobody
joined. ibdiagnet's rows and blocks differ in blanks and in a comment or version line before the first block.
Nothing in the format tells whether rows are missing at the end of the file; only a row cut in the middle is seen.
"""

import re

import numpy as np

from pauseproof.readers.lane_rows import MAX_PORT
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.records import MulticastRecords
from pauseproof.readers.source import Source

NAME = "mcfdbs"

FIRST_MLID, LAST_MLID = 0xC000, 0xFFFE

_HEADER = re.compile(rb"(?:[a-z_]+:\s*)?Switch:?\s+0x([0-9a-fA-F]{1,16})\b")
_COLUMNS = re.compile(rb"LID\s*:\s*Out Port\(s\)$")
_PREAMBLE = re.compile(rb"#|File version\s*:")
_ROW = re.compile(rb"0x([0-9a-fA-F]{1,4})\s*:((?:\s*0x[0-9a-fA-F]{1,3})+)$")
_EXPECTED = "expected '0xC000 : 0x001 0x002 ...', ports in hex"


def matches(head: bytes) -> bool:
    """A switch line followed by the column line of multicast tables."""
    lines = [line for line in first_lines(head, 20) if not _PREAMBLE.match(line)]
    return len(lines) > 1 and bool(_HEADER.match(lines[0])) and bool(_COLUMNS.match(lines[1]))


def read(source: Source) -> MulticastRecords:
    """Every row. Raises BadInput for other lines, values out of range, cut-off and contradictory rows."""
    problems = Problems(source.path)
    found: dict[tuple[int, int], tuple[tuple[int, ...], int]] = {}  # (guid, MLID) -> (ports, line)
    guid = None
    for number, text in numbered_lines(source, problems):
        if header := _HEADER.match(text):
            guid = int(header[1], 16)
        elif text and not _COLUMNS.match(text) and not _PREAMBLE.match(text):
            _take_row(found, guid, number, text, problems)
    if guid is None:
        problems.add(0, "no block was found; expected 'Switch 0x<GUID>' and 'LID    : Out Port(s)'")
    problems.raise_any()
    return MulticastRecords(
        source.path,
        np.array([guid for guid, _ in found], np.uint64),
        np.array([mlid for _, mlid in found], np.int32),
        [ports for ports, _ in found.values()],
        np.array([line for _, line in found.values()], np.int32),
    )


def _take_row(
    found: dict[tuple[int, int], tuple[tuple[int, ...], int]],
    guid: int | None,
    number: int,
    text: bytes,
    problems: Problems,
) -> None:
    row = _ROW.match(text)
    if row is None:
        problems.add(number, f"{shown(text)} is not a row; {_EXPECTED}")
        return
    if guid is None:
        problems.add(number, "a row before any switch; expected 'Switch 0x<GUID>'")
        return
    mlid, ports = int(row[1], 16), tuple(sorted({int(port, 16) for port in row[2].split()}))
    if not FIRST_MLID <= mlid <= LAST_MLID:
        problems.add(number, f"LID 0x{mlid:04x} is no multicast LID; expected 0x{FIRST_MLID:04X}..0x{LAST_MLID:04X}")
    if ports[-1] > MAX_PORT:
        problems.add(number, f"port 0x{ports[-1]:03x} is too large; expected 0x000..0x{MAX_PORT:03x}")
    before = found.setdefault((guid, mlid), (ports, number))
    if before[0] != ports:
        entry = f"MLID 0x{mlid:04x} of switch 0x{guid:016x}"
        problems.add(number, f"the row for {entry} differs from the one in line {before[1]}; expected one row")
