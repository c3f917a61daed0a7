"""opensm-subnet.lst, and ibdiagnet's .lst: one line a link and direction (here in two), all numbers hexadecimal.

    { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {name} LID:0007 PN:01 }
    { SW .. } PHY=4x LOG=ACT SPD=25

A fabric has few different ends and many lines: each different end is understood once. Where an end of the lines as they are
cut in bulk (:mod:`pauseproof.readers.subnet_lst_lines`) is not one, the lines are read again one by one.

Written by: opensm/osm_dump.c; read by ibutils, which knows no routers (``Rt``).
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.cabling_rows import CablingRows, NodeRow, check_both_ends, link_speed, node_kind, node_name
from pauseproof.readers.problems import Problems, first_lines, shown
from pauseproof.readers.records import I32, U64, UNKNOWN_LMC, CablingRecords
from pauseproof.readers.source import Source
from pauseproof.readers.subnet_lst_lines import ENDS, HEAD, SHAPE, Lines, in_bulk, one_by_one

NAME = "subnet-lst"

CABLE = re.compile(r"PHY=(\S+) LOG=(\S+)(?: SPD=(\S+))?\s*")
NOT_LINKED = {"DWN", "NOP"}


class Ends(NamedTuple):
    """What the different ends say of their nodes, [E] each."""

    kind: NDArray[np.uint8]
    ports: I32
    node_guid: U64
    port_guid: U64
    name: Sequence[str]
    lid: I32


def matches(head: bytes) -> bool:
    """Whether the first line that is no comment looks like this format."""
    lines = (line for line in first_lines(head, 100) if not line.startswith(b"#"))
    return HEAD.match(next(lines, b"")) is not None


def read(source: Source) -> CablingRecords:
    """The cabling of the file; base LIDs without LMC. Raises BadInput."""
    problems = Problems(source.path)
    found = in_bulk(source)
    ends = _ends(found.texts) if found else None
    if found is None or ends is None:
        found, line = one_by_one(source, problems)
        problems.raise_any()
        ends = _ends(found.texts)
        assert ends is not None, "a line that was read by itself has whole ends"
    else:
        line = np.arange(1, len(found.cable) + 1, dtype=np.int32)
    if not len(line):
        problems.add(0, f"holds no links; expected lines like {SHAPE}")
    return _records(found.lines(), line, ends, problems)


def _ends(texts: Iterable[bytes]) -> Ends | None:
    """Every different end, understood; None where one is not an end."""
    texts = list(texts)
    found = ENDS.findall(b"\n".join(texts))
    if len(found) != len(texts):
        return None
    word, ports, node, port, said, lid = zip(*found, strict=True) if found else ((),) * 6
    name = {text: node_name(text) for text in set(said)}
    kind = {(one, text): node_kind(one.decode(), name[text]) for one, text in set(zip(word, said, strict=True))}
    return Ends(
        np.array([kind[pair] for pair in zip(word, said, strict=True)], np.uint8),
        _numbers(ports).astype(np.int32),
        _numbers(node),
        _numbers(port),
        [name[text] for text in said],
        _numbers(lid).astype(np.int32),
    )


def _numbers(texts: Sequence[bytes]) -> U64:
    return np.array([int(text, 16) for text in texts], np.uint64)


def _records(lines: Lines, line: I32, ends: Ends, problems: Problems) -> CablingRecords:
    """Arrays from lines."""
    linked, speed = _cables(lines.cable, line, problems)
    a, b = ends.node_guid[lines.end_a], ends.node_guid[lines.end_b]
    check_both_ends(problems, a, lines.port_a, b, lines.port_b, line)
    nodes = _nodes(ends, lines, line, problems)
    ports = _end_ports(ends, lines, line)
    problems.raise_any()
    return CablingRecords(
        problems.file,
        NAME,
        **nodes,
        **ports,
        cable_a=a[linked],
        cable_a_port=lines.port_a[linked],
        cable_b=b[linked],
        cable_b_port=lines.port_b[linked],
        cable_speed=speed[linked],
        cable_line=line[linked],
    )


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


def _nodes(ends: Ends, lines: Lines, line: I32, problems: Problems) -> dict[str, Any]:
    """The node arrays; every node in the order of its first line."""
    first_line = np.zeros(len(ends.name), np.int32)
    for column in (lines.end_b, lines.end_a):
        first_line[column[::-1]] = line[::-1]
    order = np.argsort(first_line, kind="stable")
    _, first = np.unique(ends.node_guid[order], return_index=True)
    one = order[np.sort(first)]  # an end of each node
    facts = zip(ends.node_guid.tolist(), ends.kind.tolist(), ends.ports.tolist(), ends.name, strict=True)
    if len(set(facts)) > len(one):
        _contradictions(ends, order.tolist(), first_line, problems)
    return {
        "node_guid": ends.node_guid[one],
        "node_kind": ends.kind[one],
        "node_ports": ends.ports[one],
        "node_name": [ends.name[e] for e in one.tolist()],
        "node_line": first_line[one],
    }


def _contradictions(ends: Ends, order: Sequence[int], first_line: I32, problems: Problems) -> None:
    """Say which nodes are stated in two ways."""
    nodes = CablingRows(problems)
    for e in order:
        row = NodeRow(NodeKind(ends.kind[e]), int(ends.ports[e]), ends.name[e], int(first_line[e]))
        nodes.node(int(ends.node_guid[e]), row)


def _end_ports(ends: Ends, lines: Lines, line: I32) -> dict[str, Any]:
    """The port arrays: port 0 of each switch, the cabled ports of end nodes; one row for each different statement."""
    end, number = np.concatenate([lines.end_a, lines.end_b]), np.concatenate([lines.port_a, lines.port_b])
    number[ends.kind[end] == NodeKind.SWITCH] = 0
    _, row = np.unique(end.astype(np.int64) << 8 | number, return_index=True)
    end, number = end[row], number[row]
    return {
        "port_node": ends.node_guid[end],
        "port_number": number,
        "port_guid": ends.port_guid[end],
        "port_lid": ends.lid[end],
        "port_lmc": np.full(len(row), UNKNOWN_LMC, np.int32),
        "port_line": np.concatenate([line, line])[row],
    }
