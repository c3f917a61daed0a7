"""opensm-path-records.dump: the path records of every source port, written by an event plugin of OpenSM.

A block is ``Channel Adapter 0x<port GUID>, base LID n, "name", port p``, a column line, and rows ``LID : SL : MTU : RATE``
or ``LID : UNREACHABLE``. Keyed by *port* GUID. Blocks of switches hold the SLs of what their own port 0 sends. The sibling
opensm-sw2sw-path-records.dump looks alike, has blocks of switches only, and stands for other pairs: it is refused.
"""

import re

import numpy as np

from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.psl import MAX_SL, MAX_UNICAST_LID
from pauseproof.readers.records import PathLabelRecords
from pauseproof.readers.source import Source

NAME = "path-records"

_HEADER = re.compile(rb"(Switch|Channel Adapter|Router) 0x([0-9a-fA-F]{1,16})\s*,\s*base LID (\d+)\b.*,\s*port (\d+)$")
_COLUMNS = re.compile(rb"#\s*LID\s*:\s*SL\s*:\s*MTU\s*:\s*RATE$")
_ROW = re.compile(rb"0x([0-9a-fA-F]{1,4})\s*:\s*(?:(\d{1,3})\s*:\s*\d+\s*:\s*\d+|(UNREACHABLE))$")
_EXPECTED = "expected '0xLID : SL : MTU : RATE' or '0xLID : UNREACHABLE'"


def matches(head: bytes) -> bool:
    """A block header followed by the column line of path records."""
    lines = first_lines(head, 2)
    return len(lines) == 2 and bool(_HEADER.match(lines[0])) and bool(_COLUMNS.match(lines[1]))


def read(source: Source) -> PathLabelRecords:
    """The rows of all blocks. Raises BadInput for other lines, values out of range, cut-off and contradictory rows."""
    problems = Problems(source.path)
    found: dict[tuple[int, int], tuple[int, int]] = {}  # (guid, LID) -> (SL or -1 where unreachable, line)
    guid, kinds = None, set()
    for number, text in numbered_lines(source, problems):
        if header := _HEADER.match(text):
            guid = int(header[2], 16)
            kinds.add(header[1])
        elif text and not text.startswith(b"#"):
            _take_row(found, guid, number, text, problems)
    if not kinds - {b"Switch"}:
        problems.add(
            0, "no block of a channel adapter or router was found; expected opensm-path-records.dump, not its siblings"
        )
    problems.raise_any()
    return _records(source.path, found)


def _take_row(
    found: dict[tuple[int, int], tuple[int, int]], guid: int | None, number: int, text: bytes, problems: Problems
) -> None:
    row = _ROW.match(text)
    if row is None:
        problems.add(number, f"{shown(text)} is not a row; {_EXPECTED}")
        return
    if guid is None:
        problems.add(number, "a row before any block header; expected 'Channel Adapter 0x<port GUID>, base LID n'")
        return
    lid, sl = int(row[1], 16), -1 if row[3] else int(row[2])
    if not 1 <= lid <= MAX_UNICAST_LID:
        problems.add(number, f"LID 0x{lid:04x} is out of range; expected 0x0001..0x{MAX_UNICAST_LID:04x}")
    if sl > MAX_SL:
        problems.add(number, f"SL {sl} is out of range; expected 0..{MAX_SL}")
    before = found.setdefault((guid, lid), (sl, number))
    if before[0] != sl:
        pair = f"LID 0x{lid:04x} from port 0x{guid:016x}"
        problems.add(number, f"the row for {pair} differs from the one in line {before[1]}; expected one row")


def _records(file: str, found: dict[tuple[int, int], tuple[int, int]]) -> PathLabelRecords:
    rows = [(guid, lid, sl, line) for (guid, lid), (sl, line) in found.items() if sl >= 0]
    guids, lids, sls, lines = zip(*rows, strict=True) if rows else ((), (), (), ())
    return PathLabelRecords(
        file,
        np.array(guids, np.uint64),
        np.array(lids, np.int32),
        np.array(sls, np.uint8),
        np.array(lines, np.int32),
        by_port=True,
        unreachable=frozenset(pair for pair, (sl, _) in found.items() if sl < 0),
    )
