"""opensm-sl2vl.dump: the SL-to-VL tables that OpenSM programmed, one block a port GUID.

A switch's block has a row ``in out : vl0 .. vl15`` for every turn to a connected out-port; the block of a channel adapter
or router has a single row, ``0 0`` today and with the port's number as out-port before 2012. Values are already masked by
the operational VLs; 15 is a drop. A block lies between two separator lines, so that a cut is seen; a file whose end was
cut off exactly between two blocks is read as far as it goes, and its missing rows are unknown later.
"""

import re
from dataclasses import replace

from pauseproof.readers.lane_rows import MAX_PORT, MAX_VL, N_SLS, LaneRows
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.records import LaneMapRecords
from pauseproof.readers.source import Source

NAME = "sl2vl"

_HEADER = re.compile(rb"(Switch|Channel Adapter|Router) 0x([0-9a-fA-F]{1,16})\s*,\s*base LID (\d+)\s*,")
_COLUMNS = re.compile(rb"#\s*in\s+out\s*:(\s+\d+)+$")
_SEPARATOR = re.compile(rb"#-+$")
_EXPECTED = f"expected in-port, out-port, ':', and {N_SLS} VLs of 0..{MAX_VL}"


def matches(head: bytes) -> bool:
    """A block header followed by the column line of SLs."""
    lines = first_lines(head, 2)
    return len(lines) == 2 and bool(_HEADER.match(lines[0])) and bool(_COLUMNS.match(lines[1]))


def read(source: Source) -> LaneMapRecords:
    """The rows of all blocks. Raises BadInput for anything that is not such a dump, cut or contradictory."""
    problems = Problems(source.path)
    reading = _Reading(problems)
    for number, text in numbered_lines(source, problems):
        reading.line(number, text)
    reading.end_block()
    if not reading.blocks:
        problems.add(0, "no block was found; expected 'Switch 0x..., base LID n, \"name\"' and its rows")
    return replace(reading.rows.records(source.path, problems), hosts_too=True)


class _Reading:
    """Where the reader is: the block, how many separators it has had, and the row texts seen before."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.rows = LaneRows()
        self.blocks = 0
        self.guid: int | None = None
        self.is_switch = False
        self.header_line = self.separators = self.block_rows = 0
        self.values_of: dict[bytes, bytes | None] = {}
        self.ports_of: dict[bytes, tuple[int, ...] | None] = {}

    def line(self, number: int, text: bytes) -> None:
        """Take in one line."""
        if not text:
            return
        if text[0] == 35:  # '#'
            self.separators += bool(_SEPARATOR.match(text))
        elif text[0] <= 57 or text[0] == 32:  # a digit, or blanks before one
            self.row(number, text)
        elif header := _HEADER.match(text):
            self.end_block()
            self.blocks += 1
            self.guid, self.is_switch = int(header[2], 16), header[1] == b"Switch"
            self.header_line, self.separators, self.block_rows = number, 0, 0
        else:
            self.problems.add(number, f"{shown(text)} is not understood; expected a block header or a row of VLs")

    def row(self, number: int, text: bytes) -> None:
        """Take in one row; equal texts are parsed once."""
        left, _, right = text.partition(b":")
        if left not in self.ports_of:
            self.ports_of[left] = _numbers(left, 2, MAX_PORT)
        if right not in self.values_of:
            numbers = _numbers(right, N_SLS, MAX_VL)
            self.values_of[right] = None if numbers is None else bytes(numbers)
        ports, values = self.ports_of[left], self.values_of[right]
        self.block_rows += 1
        if ports is None or values is None:
            self.problems.add(number, f"{shown(text)} is not a row; {_EXPECTED}")
        elif self.guid is None:
            self.problems.add(number, "a row before any block header; expected 'Switch 0x..., base LID n'")
        elif self.is_switch:
            self.rows.add_turn(self.guid, ports[0], ports[1], values, number)
        elif ports[0] != 0:
            self.problems.add(number, f"in-port {ports[0]} in the block of an end node; expected 0")
        else:
            self.rows.add_host(self.guid, values, number)

    def end_block(self) -> None:
        """The block ends here: was it whole?"""
        if self.guid is None:
            return
        if self.separators == 1:
            self.problems.add(self.header_line, "this block is cut off; expected a line '#---...' after its rows")
        elif not self.block_rows and (not self.separators or not self.is_switch):
            self.problems.add(self.header_line, "this block has no rows; expected at least one")


def _numbers(text: bytes, count: int, largest: int) -> tuple[int, ...] | None:
    words = text.split()
    if len(words) != count or not all(word.isdigit() and len(word) <= 3 for word in words):
        return None
    numbers = tuple(map(int, words))
    return numbers if max(numbers) <= largest else None
