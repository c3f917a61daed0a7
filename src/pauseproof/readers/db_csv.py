"""ibdiagnet2's .db_csv: sections between START_X and END_X, each with a header line that names its columns.

    START_LINKS
    NodeGuid1,PortNum1,NodeGuid2,PortNum2
    0x00000000000b0001,3,0x00000000000a0001,1
    END_LINKS

Versions differ in their columns, so columns are found by name; ``N/A`` stands for a value that could not be had. Node
descriptions may hold commas and quotes, written as they are. Every cable is stated once; a cut-off file lacks an END_.

Source: NVIDIA's ibdiagnet manual, "ibdiagnet Dump Files"; encodings of OpVLs, width and speed as in PortInfo (IBTA vol. 1).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.cabling_rows import UNKNOWN_SPEED, CablingRows, NodeRow, link_speed, node_kind, node_name
from pauseproof.readers.problems import Problems, shown
from pauseproof.readers.records import UNKNOWN_LMC, CablingRecords
from pauseproof.readers.source import Source

NAME = "db-csv"

START = re.compile(rb"^START_([A-Z0-9_]+)[ \t\r]*$", re.MULTILINE)
KIND_WORDS = {"1": "CA", "2": "SW", "3": "RT"}
DATA_VLS = {"1": 1, "2": 2, "3": 4, "4": 8, "5": 15}  # OpVLs
WIDTH = {"1": "1x", "2": "4x", "4": "8x", "8": "12x", "16": "2x"}  # LinkWidthActv
LANE = {"1": "SDR", "2": "DDR", "4": "QDR", "256": "FDR", "512": "EDR", "1024": "HDR", "2048": "NDR", "65536": "FDR10"}
NODE_COLUMNS = ("NodeDesc", "NumPorts", "NodeType", "NodeGUID")
PORT_COLUMNS = ("NodeGuid", "PortGuid", "PortNum", "LID")
LINK_COLUMNS = ("NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2")


class Refused(ValueError):
    """A value that is not what its column wants."""


def matches(head: bytes) -> bool:
    """Whether a section starts in the head."""
    return START.search(head) is not None


def read(source: Source) -> CablingRecords:
    """The cabling of the file, with LMCs and operational VLs where it has them. Raises BadInput."""
    problems = Problems(source.path)
    sections = _sections(bytes(source.data), problems)
    rows = CablingRows(problems)
    switches = {row.number("NodeGUID") for row in _rows(sections, "SWITCHES", ("NodeGUID",), problems, needed=False)}
    for row in _rows(sections, "NODES", NODE_COLUMNS, problems):
        _node(row, rows, switches)
    facts = _Ports()
    for row in _rows(sections, "PORTS", PORT_COLUMNS, problems):
        facts.add(row, rows)
    facts.switch_ports(rows)
    for row in _rows(sections, "LINKS", LINK_COLUMNS, problems):
        ends = row.number("NodeGuid1"), row.number("PortNum1"), row.number("NodeGuid2"), row.number("PortNum2")
        _cable(row, ends, rows, facts)
    return replace(rows.records(NAME), oper_vls=facts.oper_vls)


@dataclass(frozen=True)
class _Section:
    first_line: int  # of the header
    lines: list[bytes]


@dataclass(frozen=True)
class _Row:
    """One row; columns by name, in any case."""

    line: int
    value: dict[str, str]
    problems: Problems

    def text(self, column: str) -> str:
        """The value, empty where the version has no such column or no value."""
        found = self.value.get(column.lower(), "")
        return "" if found == "N/A" else found

    def number(self, column: str, absent: int = -1) -> int:
        """The value as a number, decimal or 0x; a problem where it is neither."""
        text = self.text(column)
        if not text:
            return absent
        try:
            found = int(text, 0) if text[:2].lower() == "0x" else int(text)
        except ValueError:
            found = -1
        if not 0 <= found < 1 << 64 or (found > 0x7FFFFFFF and "guid" not in column.lower()):
            self.problems.add(self.line, f"{column} is {shown(text.encode())}; expected a number or N/A")
            return absent
        return found


def _sections(data: bytes, problems: Problems) -> dict[str, _Section]:
    """The sections that cabling needs."""
    out: dict[str, _Section] = {}
    for found in START.finditer(data):
        name = found[1].decode()
        if name not in ("NODES", "PORTS", "LINKS", "SWITCHES"):
            continue
        end = re.compile(rb"^END_%s[ \t\r]*$" % found[1], re.MULTILINE).search(data, found.end())
        line = data.count(b"\n", 0, found.start()) + 1
        if end is None:
            problems.add(line, f"the section {name} is cut off; expected END_{name}")
        elif name in out:
            problems.add(line, f"a second section {name}, the first is in line {out[name].first_line - 1}")
        else:
            out[name] = _Section(line + 1, data[found.end() + 1 : end.start()].splitlines())
    problems.raise_any()
    return out


def _rows(
    sections: dict[str, _Section], name: str, columns: tuple[str, ...], problems: Problems, *, needed: bool = True
) -> Iterator[_Row]:
    """The rows of one section. Lacking columns are a problem; further ones are not."""
    section = sections.get(name)
    if section is None or not section.lines:
        if needed:
            problems.add(0, f"has no section {name}; expected START_{name} ... END_{name}")
        return
    header = [column.strip().lower() for column in section.lines[0].decode("utf-8", "replace").split(",")]
    if lacking := [column for column in columns if column.lower() not in header]:
        problems.add(section.first_line, f"the section {name} has no column {', '.join(lacking)}")
        return
    name_at = header.index("nodedesc") if "nodedesc" in header else -1
    for number, line in enumerate(section.lines[1:], start=section.first_line + 1):
        cells = _cells(line, len(header), name_at)
        if len(cells) == len(header):
            yield _Row(number, dict(zip(header, cells, strict=True)), problems)
        elif line.strip():
            problems.add(number, f"{len(cells)} values in a row of {name}; its header names {len(header)} columns")


def _cells(line: bytes, width: int, name_at: int) -> list[str]:
    """The values of a row. Only the description may hold commas: what is left and right of it is split first."""
    text = line.rstrip(b"\r").decode("utf-8", "backslashreplace")
    if name_at < 0 or text.count(",") <= width - 1:
        cells = text.split(",")
    else:
        left = text.split(",", name_at)
        cells = left[:-1] + left[-1].rsplit(",", width - 1 - name_at)
    if cells and len(cells) == width + 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def _unquoted(text: str) -> str:
    """A description without its quotes; quotes inside may stand doubled, or as they are.

    >>> _unquoted('"n1, "x""'), _unquoted('"say ""hi"" twice"')
    ('n1, "x"', 'say "hi" twice')
    """
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    inner = text[1:-1]
    return inner.replace('""', '"') if '"' not in inner.replace('""', "") else inner


def _node(row: _Row, rows: CablingRows, switches: set[int]) -> None:
    guid, ports = row.number("NodeGUID"), row.number("NumPorts")
    if guid <= 0 or ports < 0:
        row.problems.add(row.line, "a node without NodeGUID or NumPorts; expected both")
        return
    name = node_name(_unquoted(row.text("NodeDesc")).encode()) or f"0x{guid:016x}"
    type_ = row.text("NodeType")
    word = KIND_WORDS.get(type_, "SW" if guid in switches and not type_ else "")
    if not word or (guid in switches and word != "SW"):
        row.problems.add(
            row.line, f"NodeType is {shown(type_.encode())}; expected 1 (CA), 2 (switch) or 3 (router), as in SWITCHES"
        )
        return
    rows.node(guid, NodeRow(node_kind(word, name), ports, name, row.line))


class _Ports:
    """What PORTS says: speeds and VLs for the cables, and the LIDs of switches, which stand at port 0 or at every port."""

    def __init__(self) -> None:
        self.speed: dict[tuple[int, int], float] = {}
        self.oper_vls: dict[tuple[int, int], int] = {}
        self._switch: dict[int, tuple[int, int, int, int, int]] = {}

    def add(self, row: _Row, rows: CablingRows) -> None:
        """One row of the section."""
        node, port = row.number("NodeGuid"), row.number("PortNum")
        if node not in rows.nodes or port < 0:
            row.problems.add(row.line, "a port of a node that NODES does not have; expected its NodeGuid there")
            return
        self.speed[node, port] = link_speed(WIDTH.get(row.text("LinkWidthActv"), ""), LANE.get(row.text("LinkSpeedActv"), ""))
        if vls := DATA_VLS.get(row.text("OpVLs")):
            self.oper_vls[node, port] = vls
        lid, lmc = row.number("LID", 0), row.number("LMC", UNKNOWN_LMC)
        guid = max(row.number("PortGuid"), 0)
        if rows.nodes[node].kind != NodeKind.SWITCH:
            rows.port(node, port, guid, lid, row.line, lmc)
        elif node not in self._switch or (port == 0 and lid) or not self._switch[node][1]:
            self._switch[node] = (guid, lid, row.line, lmc if port == 0 else UNKNOWN_LMC, port)

    def switch_ports(self, rows: CablingRows) -> None:
        """Port 0 of every switch."""
        for node, (guid, lid, line, lmc, _) in self._switch.items():
            rows.port(node, 0, guid, lid, line, lmc)


def _cable(row: _Row, ends: tuple[int, int, int, int], rows: CablingRows, facts: _Ports) -> None:
    a, a_port, b, b_port = ends
    if min(ends) < 0 or a not in rows.nodes or b not in rows.nodes:
        row.problems.add(row.line, "a link that lacks an end, or to a node that NODES does not have; expected both there")
        return
    speeds = [facts.speed.get(end, UNKNOWN_SPEED) for end in ((a, a_port), (b, b_port))]
    rows.cable(a, a_port, b, b_port, row.line, next((s for s in speeds if s == s), UNKNOWN_SPEED))
