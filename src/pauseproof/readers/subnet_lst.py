"""opensm-subnet.lst, and ibdiagnet's .lst: one line a link and direction (here in two), all numbers hexadecimal.

    { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {name} LID:0007 PN:01 }
    { SW .. } PHY=4x LOG=ACT SPD=25

An *end* is what stands between the braces, up to its port number. A fabric has few different ends and many lines, so lines
are split in bulk and each different end is understood once. Names may hold braces, or whatever else: where the bulk split
does not give two whole ends, the lines are read again one by one.

Written by: opensm/osm_dump.c; read by ibutils, which knows no routers (``Rt``).
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.cabling_rows import CablingRows, NodeRow, check_both_ends, link_speed, node_kind, node_name
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.records import I32, UNKNOWN_LMC, CablingRecords
from pauseproof.readers.source import Source

NAME = "subnet-lst"

_TYPE = rb"(?:CA|SW|R[Tt])(?:-SM)?"
_IDS = rb"SystemGUID:[0-9A-Fa-f]{16} NodeGUID:([0-9A-Fa-f]{16}) PortGUID:([0-9A-Fa-f]{16})"
_REST = rb" VenID:[0-9A-Fa-f]+ DevID:[0-9A-Fa-f]+ Rev:[0-9A-Fa-f]+ \{(.*?)\} LID:([0-9A-Fa-f]{1,4})"
_PORT = rb" PN:([0-9A-Fa-f]{1,2}) \}"
_CABLE = rb"(PHY=.*)"
HEAD = re.compile(rb"\{ %s Ports:" % _TYPE)
END = re.compile(rb"(%s) Ports:([0-9A-Fa-f]{1,2}) %s%s" % (_TYPE, _IDS, _REST))
_BARE_END = re.sub(rb"\((?!\?)", rb"(?:", END.pattern)
LINE = re.compile(rb"^\{ (.*)%s \{ (.*)%s %s$" % (_PORT, _PORT, _CABLE), re.MULTILINE)
STRICT_LINE = re.compile(rb"\{ (%s)%s \{ (%s)%s %s" % (_BARE_END, _PORT, _BARE_END, _PORT, _CABLE))
CABLE = re.compile(r"PHY=(\S+) LOG=(\S+)(?: SPD=(\S+))?\s*")
NOT_LINKED = {"DWN", "NOP"}

Row = tuple[bytes, bytes, bytes, bytes, bytes]  # end, port, end, port, cable
SHAPE = "{ CA|SW|Rt Ports:.. NodeGUID:.. PortGUID:.. {name} LID:.. PN:.. } { .. } PHY=.. LOG=.. SPD=.."


class End(NamedTuple):
    """What one end says of its node."""

    kind: NodeKind
    ports: int
    node_guid: int
    port_guid: int
    name: str
    lid: int


def matches(head: bytes) -> bool:
    """Whether the first line that is no comment looks like this format."""
    lines = (line for line in first_lines(head, 100) if not line.startswith(b"#"))
    return HEAD.match(next(lines, b"")) is not None


def read(source: Source) -> CablingRecords:
    """The cabling of the file; base LIDs without LMC. Raises BadInput."""
    problems = Problems(source.path)
    data = bytes(source.data)
    rows: list[Row] = LINE.findall(data)
    line = np.arange(1, len(rows) + 1, dtype=np.int32)
    ends = _ends(rows) if len(rows) == data.count(b"\n") and data.endswith(b"\n") else None
    if ends is None:
        rows, line = _one_by_one(source, problems)
        problems.raise_any()
        ends = _ends(rows) or {}
    if not rows:
        problems.add(0, f"holds no links; expected lines like {SHAPE}")
    return _records(rows, line, ends, problems)


def _ends(rows: list[Row]) -> dict[bytes, End] | None:
    """Every different end, understood; None where one is not an end."""
    out = {}
    for text in dict.fromkeys(chain((row[0] for row in rows), (row[2] for row in rows))):
        found = END.fullmatch(text)
        if found is None:
            return None
        kind, ports, node, port, name_text, lid = found.groups()
        name = node_name(name_text)
        kind_of = node_kind(kind.decode(), name)
        out[text] = End(kind_of, int(ports, 16), int(node, 16), int(port, 16), name, int(lid, 16))
    return out


def _one_by_one(source: Source, problems: Problems) -> tuple[list[Row], I32]:
    rows: list[Row] = []
    lines: list[int] = []
    for number, line in numbered_lines(source, problems):
        if not line or line.startswith(b"#"):
            continue
        if found := STRICT_LINE.fullmatch(line):
            rows.append((found[1], found[2], found[3], found[4], found[5]))
            lines.append(number)
        else:
            problems.add(number, f"{shown(line)} is not understood; expected {SHAPE}")
    return rows, np.array(lines, np.int32)


def _records(rows: list[Row], line: I32, ends: dict[bytes, End], problems: Problems) -> CablingRecords:
    """Arrays from rows: ``end_a[i]`` and ``end_b[i]`` index the different ends."""
    index = {text: e for e, text in enumerate(ends)}
    texts_a, ports_a, texts_b, ports_b, cables = zip(*rows, strict=True) if rows else ((),) * 5
    end_a, end_b = (np.array([index[text] for text in texts], np.int32) for texts in (texts_a, texts_b))
    port_a, port_b = (_ports(texts) for texts in (ports_a, ports_b))
    linked, speed = _cables(cables, line, problems)
    guid = np.array([end.node_guid for end in ends.values()], np.uint64)
    a, b = guid[end_a], guid[end_b]
    check_both_ends(problems, a, port_a, b, port_b, line)
    nodes = _nodes(list(ends.values()), end_a, end_b, line, problems)
    ports = _end_ports(list(ends.values()), end_a, end_b, port_a, port_b, line)
    problems.raise_any()
    return CablingRecords(
        problems.file,
        NAME,
        **nodes,
        **ports,
        cable_a=a[linked],
        cable_a_port=port_a[linked],
        cable_b=b[linked],
        cable_b_port=port_b[linked],
        cable_speed=speed[linked],
        cable_line=line[linked],
    )


def _ports(texts: Sequence[bytes]) -> I32:
    number = {text: int(text, 16) for text in set(texts)}
    return np.array([number[text] for text in texts], np.int32)


def _cables(texts: Sequence[bytes], line: I32, problems: Problems) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Whether each line states a link that is up, and its speed."""
    known: dict[bytes, tuple[bool, float]] = {}
    for text in dict.fromkeys(texts):
        found = CABLE.fullmatch(text.decode("ascii", "replace"))
        if found is None:
            problems.add(int(line[texts.index(text)]), f"{shown(text)} is not understood; expected PHY=.. LOG=.. SPD=..")
            continue
        lane = found[3] or ""
        known[text] = found[2] not in NOT_LINKED, link_speed(found[1], lane)
    problems.raise_any()
    facts = [known[text] for text in texts]
    return np.array([up for up, _ in facts], bool), np.array([speed for _, speed in facts], np.float32)


def _nodes(ends: list[End], end_a: I32, end_b: I32, line: I32, problems: Problems) -> dict[str, Any]:
    """The node arrays; every node in the order of its first line."""
    first_line = np.zeros(len(ends), np.int32)
    for column in (end_b, end_a):
        first_line[column[::-1]] = line[::-1]
    nodes = CablingRows(problems)
    for e in np.argsort(first_line, kind="stable").tolist():
        end = ends[e]
        nodes.node(end.node_guid, NodeRow(end.kind, end.ports, end.name, int(first_line[e])))
    return nodes.node_arrays()


def _end_ports(ends: list[End], end_a: I32, end_b: I32, port_a: I32, port_b: I32, line: I32) -> dict[str, Any]:
    """The port arrays: port 0 of each switch, the cabled ports of end nodes; one row for each different statement."""
    switch = np.array([end.kind == NodeKind.SWITCH for end in ends], bool)
    end, number = np.concatenate([end_a, end_b]), np.concatenate([port_a, port_b])
    number[switch[end]] = 0
    _, row = np.unique(end.astype(np.int64) << 8 | number, return_index=True)
    end, number = end[row], number[row]
    facts = np.array([(e.node_guid, e.port_guid, e.lid) for e in ends], np.uint64).reshape(-1, 3)[end]
    return {
        "port_node": facts[:, 0],
        "port_number": number,
        "port_guid": facts[:, 1],
        "port_lid": facts[:, 2].astype(np.int32),
        "port_lmc": np.full(len(row), UNKNOWN_LMC, np.int32),
        "port_line": np.concatenate([line, line])[row],
    }
