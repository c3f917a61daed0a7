"""opensm-path-records.dump: the path records of every source port, written by an event plugin of OpenSM.

A block is ``Channel Adapter 0x<port GUID>, base LID n, "name", port p``, a column line, and rows ``LID : SL : MTU : RATE``
or ``LID : UNREACHABLE``. Keyed by *port* GUID. Blocks of switches hold the SLs of what their own port 0 sends. The sibling
opensm-sw2sw-path-records.dump looks alike, has blocks of switches only, and stands for other pairs: it is refused.
"""

import re
from array import array

import numpy as np
from numpy.typing import NDArray

from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.psl import MAX_SL, MAX_UNICAST_LID
from pauseproof.readers.records import PathLabelRecords
from pauseproof.readers.source import Source

NAME = "path-records"

_UNREACHABLE = 255
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
    problems, rows = Problems(source.path), _Rows()
    known: dict[bytes, int] = {}  # a row's text -> what it says; texts repeat from block to block
    for number, text in numbered_lines(source, problems):
        says = known.get(text)
        if says is None:
            if header := _HEADER.match(text):
                rows.start_block(int(header[2], 16), header[1])
                continue
            if not text or text.startswith(b"#"):
                continue
            says = known[text] = _parsed(text, number, problems)
        rows.says.append(says)
        rows.line.append(number)
    if rows.says and not (rows.start and rows.start[0] == 0):
        problems.add(rows.line[0], "a row before any block header; expected 'Channel Adapter 0x<port GUID>, base LID n'")
    if not rows.kinds - {b"Switch"}:
        problems.add(
            0, "no block of a channel adapter or router was found; expected opensm-path-records.dump, not its siblings"
        )
    return _records(source.path, *rows.columns(), problems)


class _Rows:
    """``says[i]`` is ``LID * 256 + SL``, SL 255 standing for unreachable; a block is its GUID and its first row."""

    def __init__(self) -> None:
        self.says, self.line = array("q"), array("q")
        self.start, self.guid = list[int](), list[int]()
        self.kinds: set[bytes] = set()

    def start_block(self, guid: int, kind: bytes) -> None:
        self.start.append(len(self.says))
        self.guid.append(guid)
        self.kinds.add(kind)

    def columns(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """GUID (0 before the first block), LID, SL and line of each row."""
        sizes = np.diff([0, *self.start, len(self.says)])
        lid, sl = np.divmod(np.array(self.says, np.int64), 256)
        return np.repeat(np.array([0, *self.guid], np.uint64), sizes), lid, sl, np.array(self.line, np.int64)


def _parsed(text: bytes, number: int, problems: Problems) -> int:
    row = _ROW.match(text)
    if row is None:
        problems.add(number, f"{shown(text)} is not a row; {_EXPECTED}")
        return _UNREACHABLE
    lid, sl = int(row[1], 16), _UNREACHABLE if row[3] else int(row[2])
    if not 1 <= lid <= MAX_UNICAST_LID:
        problems.add(number, f"LID 0x{lid:04x} is out of range; expected 0x0001..0x{MAX_UNICAST_LID:04x}")
    if sl > MAX_SL and not row[3]:
        problems.add(number, f"SL {sl} is out of range; expected 0..{MAX_SL}")
    return lid * 256 + min(sl, _UNREACHABLE)


def _records(
    file: str,
    guid: NDArray[np.uint64],
    lid: NDArray[np.int64],
    sl: NDArray[np.int64],
    line: NDArray[np.int64],
    problems: Problems,
) -> PathLabelRecords:
    order = np.lexsort((line, lid, guid))
    again = (np.diff(guid[order]) == 0) & (np.diff(lid[order]) == 0)
    for at in np.flatnonzero(again & (np.diff(sl[order]) != 0)):
        before, here = order[at], order[at + 1]
        pair = f"LID 0x{lid[here]:04x} from port 0x{guid[here]:016x}"
        problems.add(int(line[here]), f"the row for {pair} differs from the one in line {line[before]}; expected one row")
    problems.raise_any()
    first = np.sort(order[np.concatenate((np.ones(min(len(order), 1), bool), ~again))])
    reached, lost = first[sl[first] != _UNREACHABLE], first[sl[first] == _UNREACHABLE]
    return PathLabelRecords(
        file,
        guid[reached],
        lid[reached].astype(np.int32),
        sl[reached].astype(np.uint8),
        line[reached].astype(np.int32),
        by_port=True,
        unreachable=frozenset(zip(guid[lost].tolist(), lid[lost].tolist(), strict=True)),
    )
