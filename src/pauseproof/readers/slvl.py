"""ibdiagnet's .slvl: one row a turn, ``0x<switch GUID> in out 0xAB 0xCD ...``.

Eight bytes hold the VLs of SLs 0..15, the high nibble that of the even SL; VL 15 is a drop. Hosts have no rows. A file
cut exactly between two rows is read as far as it goes; the missing rows are unknown later.
"""

import re

from pauseproof.readers.lane_rows import MAX_PORT, LaneRows
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.records import LaneMapRecords
from pauseproof.readers.source import Source

NAME = "slvl"

_ROW = re.compile(rb"0x([0-9a-fA-F]{1,16})\s+(\d{1,3})\s+(\d{1,3})((?:\s+0x[0-9a-fA-F]{2}){8})$")
_EXPECTED = "expected '0x<switch GUID> in out' and eight bytes 0xAB, two VLs each"


def matches(head: bytes) -> bool:
    """The first line that is not a comment is such a row."""
    lines = [line for line in first_lines(head, 20) if not line.startswith(b"#")]
    return bool(lines) and bool(_ROW.match(lines[0]))


def read(source: Source) -> LaneMapRecords:
    """The rows of all switches. Raises BadInput for anything else, for a cut-off row, and for contradictory rows."""
    problems, rows = Problems(source.path), LaneRows()
    values_of: dict[bytes, bytes] = {}
    for number, text in numbered_lines(source, problems):
        if not text or text.startswith(b"#"):
            continue
        row = _ROW.match(text.lstrip())
        if row is None:
            problems.add(number, f"{shown(text)} is not a row; {_EXPECTED}")
            continue
        guid, in_port, out_port = int(row[1], 16), int(row[2]), int(row[3])
        if max(in_port, out_port) > MAX_PORT:
            problems.add(number, f"port {max(in_port, out_port)} is too large; expected 0..{MAX_PORT}")
        if row[4] not in values_of:
            values_of[row[4]] = bytes(int(nibble, 16) for byte in row[4].split() for nibble in (byte[2:3], byte[3:4]))
        rows.add_turn(guid, in_port, out_port, values_of[row[4]], number)
    if not rows.line:
        problems.add(0, f"no row was found; {_EXPECTED}")
    return rows.records(source.path, problems)
