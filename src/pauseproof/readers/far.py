"""ibdiagnet's .far: linear tables with adaptive groups. Untested on real files: written from descriptions of the format.

Blocks of ``Switch 0x<GUID> ...``, then ``Groups Definition:`` with rows ``group subgroup whbf port,port,..`` and ``LFT
Definition:`` with rows ``0xLID static-port state group``, state one of Static, Free, Bounded, HBF. A group's ports are those
of all its subgroups. A switch with more than one table (pLFT, chosen by in-port or VL) is refused: it is not modelled.
Anything unexpected is refused too, rather than guessed.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from pauseproof.readers.lane_rows import MAX_PORT
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.psl import MAX_UNICAST_LID
from pauseproof.readers.records import AdaptiveRecords
from pauseproof.readers.source import Source

NAME = "far"

STATES = ("Static", "Free", "Bounded", "HBF")
NO_PORT = 255

_PREAMBLE = re.compile(rb"#|File version\s*:")
_SWITCH = re.compile(rb"Switch:?\s+0x([0-9a-fA-F]{1,16})\b")
_GROUPS = re.compile(rb"Groups Definition\s*:$")
_LFT = re.compile(rb"LFT Definition\s*:$")
_TABLE = re.compile(rb"PLFT_NUM\s*:\s*(\d+)(?:\s*,\s*top\s*:\s*0x([0-9a-fA-F]{1,4}))?$")
_DECORATION = re.compile(rb"-+$|Group\s+Sub ?Group\s+WHBF\s+Ports$|LID\s+Static ?Port\s+Lid ?State\s+Group$", re.IGNORECASE)
_GROUP_ROW = re.compile(rb"(\d{1,5})\s+(\d{1,5})\s+(?:\d{1,5}|-)\s+(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*,?$")
_LFT_ROW = re.compile(rb"0x([0-9a-fA-F]{1,4})\s+(\d{1,3}|-)\s+([A-Za-z]+)\s+(\d{1,5}|-)$")


def matches(head: bytes) -> bool:
    """A switch line followed by its groups."""
    lines = [line for line in first_lines(head, 20) if not _PREAMBLE.match(line)]
    return len(lines) > 1 and bool(_SWITCH.match(lines[0])) and bool(_GROUPS.match(lines[1]))


@dataclass
class _Block:
    guid: int
    line: int
    parts: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)  # (group, subgroup) -> ports
    rows: dict[int, tuple[int, str, int, int]] = field(default_factory=dict)
    section: str = ""
    tables: int = 0
    top: int = -1

    def groups(self) -> dict[int, tuple[int, ...]]:
        together: dict[int, set[int]] = {}
        for (group, _), ports in self.parts.items():
            together.setdefault(group, set()).update(ports)
        return {group: tuple(sorted(ports)) for group, ports in sorted(together.items())}


def read(source: Source) -> AdaptiveRecords:
    """One block a switch; the last is ``complete`` where it reaches its own top LID, or that of the others.

    Raises BadInput for anything not described above, values out of range, undefined groups and contradictory rows.
    """
    problems, blocks = Problems(source.path), list[_Block]()
    for number, text in numbered_lines(source, problems):
        text = text.lstrip()
        if not text or _PREAMBLE.match(text):
            continue
        if switch := _SWITCH.match(text):
            blocks.append(_Block(int(switch[1], 16), number))
        elif not blocks:
            problems.add(number, f"{shown(text)} is not understood; expected 'Switch 0x<GUID>' first")
        else:
            _take_line(blocks[-1], number, text, problems)
    _check_blocks(blocks, problems)
    problems.raise_any()
    return AdaptiveRecords(
        source.path,
        np.array([block.guid for block in blocks], np.uint64),
        np.array([block.line for block in blocks], np.int32),
        [block.groups() for block in blocks],
        [block.rows for block in blocks],
        _complete(blocks),
    )


def _take_line(block: _Block, number: int, text: bytes, problems: Problems) -> None:
    if _GROUPS.match(text):
        block.section = "groups"
    elif _LFT.match(text):
        block.section, block.tables = "lft", block.tables + 1
        if block.tables > 1:
            problems.add(number, "a second table of this switch; tables chosen by in-port or VL (pLFT) are not modelled")
    elif table := _TABLE.match(text):
        block.top = int(table[2], 16) if table[2] else -1
        if int(table[1]):
            problems.add(number, f"table {int(table[1])} of this switch; tables other than 0 (pLFT) are not modelled")
    elif not _DECORATION.match(text):
        {"groups": _take_group, "lft": _take_row, "": _take_nothing}[block.section](block, number, text, problems)


def _take_nothing(block: _Block, number: int, text: bytes, problems: Problems) -> None:
    problems.add(number, f"{shown(text)} is not understood; expected 'Groups Definition:' or 'LFT Definition:'")


def _take_group(block: _Block, number: int, text: bytes, problems: Problems) -> None:
    row = _GROUP_ROW.match(text)
    if row is None:
        problems.add(number, f"{shown(text)} is not a group; expected 'group subgroup whbf port,port,...'")
        return
    ports = tuple(sorted({int(port) for port in row[3].split(b",")}))
    if ports[-1] > MAX_PORT:
        problems.add(number, f"port {ports[-1]} is too large; expected 0..{MAX_PORT}")
    if block.parts.setdefault((int(row[1]), int(row[2])), ports) != ports:
        problems.add(number, f"group {int(row[1])}, subgroup {int(row[2])} has other ports above; expected one row")


def _take_row(block: _Block, number: int, text: bytes, problems: Problems) -> None:
    row = _LFT_ROW.match(text)
    if row is None:
        problems.add(number, f"{shown(text)} is not a row; expected '0xLID static-port state group'")
        return
    lid, state = int(row[1], 16), row[3].decode()
    port, group = (-1 if row[i] == b"-" else int(row[i]) for i in (2, 4))
    if port == NO_PORT:
        port = -1
    if not 1 <= lid <= MAX_UNICAST_LID and not (lid == 0 and port == -1):
        problems.add(number, f"LID 0x{lid:04x} is out of range; expected 0x0001..0x{MAX_UNICAST_LID:04x}")
    if port > MAX_PORT:
        problems.add(number, f"port {port} is too large; expected 0..{MAX_PORT}, {NO_PORT} or '-' for none")
    if state not in STATES:
        problems.add(number, f"{shown(row[3])} is no state of a LID; expected one of {', '.join(STATES)}")
    entry = (port, state, -1 if state == "Static" else group, number)
    before = block.rows.setdefault(lid, entry)
    if before[:3] != entry[:3]:
        problems.add(number, f"the row for LID 0x{lid:04x} differs from the one in line {before[3]}; expected one row")


def _check_blocks(blocks: list[_Block], problems: Problems) -> None:
    if not blocks:
        problems.add(0, "no switch was found; expected 'Switch 0x<GUID>' and 'Groups Definition:'")
    seen: dict[int, int] = {}
    for block in blocks:
        if seen.setdefault(block.guid, block.line) != block.line:
            problems.add(block.line, f"switch 0x{block.guid:016x} also has a block in line {seen[block.guid]}; expected one")
        if not block.tables:
            problems.add(block.line, "this switch has no 'LFT Definition:'; expected groups and then a table")
        groups = {group for group, _ in block.parts}
        for lid, (_, state, group, line) in block.rows.items():
            if state != "Static" and group not in groups:
                problems.add(
                    line, f"LID 0x{lid:04x} is {state} in group {group}, which is not defined; expected one of its groups"
                )


def _complete(blocks: list[_Block]) -> list[bool]:
    """A block that another follows is whole; so is the last, where it reaches its top or the largest LID of the others."""
    if not blocks:
        return []
    *others, last = blocks
    expected = last.top if last.top >= 0 else max((max(block.rows, default=0) for block in others), default=MAX_UNICAST_LID)
    return [True] * len(others) + [max(last.rows, default=-1) >= expected]
