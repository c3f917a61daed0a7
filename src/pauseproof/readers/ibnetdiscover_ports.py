"""``ibnetdiscover -p``: one row a port, cabled or not.

    CA     7  1 0x00000000000a0002 4x EDR - SW     3  3 0x00000000000b0001 ( 'n1 HCA-1' - 'leaf one' )
    SW     3  2 0x00000000000b0001 4x SDR                                    'leaf one'

The columns are type, LID, port and *port* GUID: nodes of several ports cannot be put together from this file alone, so each
port of an end node is a node of its own here (``guid_is_port``). All ports of a switch carry the GUID of its port 0.

Written by: rdma-core infiniband-diags/ibnetdiscover.c (dump_ports_report).
"""

import re

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.cabling_rows import CablingRows, NodeRow, check_both_ends, link_speed, node_kind, node_name
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.records import CablingRecords
from pauseproof.readers.source import Source

NAME = "ibnetdiscover-p"

_END = rb"(SW|CA|RT|\?\?) +(\d{1,7}) +(\d{1,5}) 0x([0-9A-Fa-f]{16})"
HEAD = re.compile(rb"%s \S+ \S+(?: - |\s+')" % _END)
ROW = re.compile(rb"%s (\S+) (\S+)(?: - %s \( '(.*)' \)|\s+'(.*)')" % (_END, _END))
BETWEEN_NAMES = b"' - '"
SHAPE = "TYPE LID PORT 0xGUID WIDTH SPEED - TYPE LID PORT 0xGUID ( 'NAME' - 'NAME' )"

Found = tuple[int, re.Match[bytes]]


def matches(head: bytes) -> bool:
    """Whether the first line that is no comment is a row of this format."""
    lines = (line for line in first_lines(head, 100) if not line.startswith(b"#"))
    return HEAD.match(next(lines, b"")) is not None


def read(source: Source) -> CablingRecords:
    """The cabling of the file; no LMCs, port GUIDs for nodes. Raises BadInput."""
    problems = Problems(source.path)
    found = []
    for number, line in numbered_lines(source, problems):
        if row := ROW.fullmatch(line):
            found.append((number, row))
        elif line and not line.startswith(b"#"):
            problems.add(number, f"{shown(line)} is not understood; expected {SHAPE}")
    if not found:
        problems.add(0, f"holds no ports; expected rows like {SHAPE}")
    problems.raise_any()
    rows = _rows(found, problems)
    records = rows.records(NAME, guid_is_port=True)
    ends = (records.cable_a, records.cable_a_port, records.cable_b, records.cable_b_port)
    check_both_ends(problems, *ends, records.cable_line)
    problems.raise_any()
    return records


def _rows(found: list[Found], problems: Problems) -> CablingRows:
    rows = CablingRows(problems)
    names, radix = _names(found), _radices(found)
    for number, row in found:
        for kind_word, lid, port, guid_text in (row.group(1, 2, 3, 4), row.group(7, 8, 9, 10)):
            if kind_word is None:
                continue
            guid = int(guid_text, 16)
            name = node_name(names.get(guid, b"")) or f"0x{guid:016x}"
            kind = node_kind(kind_word.decode(), name)
            if guid not in rows.nodes:
                rows.node(guid, NodeRow(kind, radix[guid], name, number))
                rows.port(guid, 0 if kind == NodeKind.SWITCH else int(port), guid, int(lid), number)
            elif rows.nodes[guid].kind != kind:
                rows.node(guid, NodeRow(kind, radix[guid], name, number))  # adds the problem
        if row[7] is not None:
            speed = link_speed(row[5].decode("ascii", "replace"), row[6].decode("ascii", "replace"))
            rows.cable(int(row[4], 16), int(row[3]), int(row[10], 16), int(row[9]), number, speed)
    return rows


def _radices(found: list[Found]) -> dict[int, int]:
    """The largest port number of each GUID: as much of the radix as the file shows."""
    out: dict[int, int] = {}
    for _, row in found:
        for port, guid in ((row[3], row[4]), (row[9], row[10])):
            if guid is not None:
                out[int(guid, 16)] = max(out.get(int(guid, 16), 0), int(port))
    return out


def _names(found: list[Found]) -> dict[int, bytes]:
    """GUID to name. Rows whose two names can be told apart come first; they tell where to cut the others."""
    names: dict[int, bytes] = {}
    doubtful = []
    for _, row in found:
        if row[12] is not None:
            names[int(row[4], 16)] = row[12]
        elif row[11].count(BETWEEN_NAMES) == 1:
            names[int(row[4], 16)], names[int(row[10], 16)] = row[11].split(BETWEEN_NAMES)
        else:
            doubtful.append((int(row[4], 16), int(row[10], 16), row[11]))
    for near, far, both in doubtful:
        cuts = list(_cuts(both))
        fitting = [cut for cut in cuts if names.get(near, cut[0]) == cut[0] and names.get(far, cut[1]) == cut[1]]
        for pair in (fitting or cuts)[:1]:
            names[near], names[far] = names.get(near, pair[0]), names.get(far, pair[1])
    return names


def _cuts(both: bytes) -> list[tuple[bytes, bytes]]:
    parts = both.split(BETWEEN_NAMES)
    return [(BETWEEN_NAMES.join(parts[:i]), BETWEEN_NAMES.join(parts[i:])) for i in range(1, len(parts))]
