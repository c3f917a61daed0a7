"""Nodes, ports and cables of one file, gathered row by row, and the words that all cabling formats share.

A node may be stated several times (``ibnetdiscover -g`` repeats the switches of a chassis): equal statements are one. Formats
that state every cable at both of its ends show where lines were lost: see :func:`check_both_ends`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.problems import Problems
from pauseproof.readers.records import I32, U64, UNKNOWN_LMC, CablingRecords

LANE_SPEED = {  # Gb/s of one lane, as IBTA names them and as OpenSM writes them
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.0, "FDR": 14.0, "EDR": 25.0, "HDR": 50.0, "NDR": 100.0, "XDR": 200.0,
    "2.5": 2.5, "5": 5.0, "10": 10.0, "14": 14.0, "25": 25.0, "50": 50.0, "100": 100.0, "200": 200.0,
}  # fmt: skip
WIDTHS = {"1x": 1, "2x": 2, "4x": 4, "8x": 8, "12x": 12}
UNKNOWN_SPEED = float("nan")


def link_speed(width: str, lane: str) -> float:
    """Gb/s of all lanes together, NaN where a word is not known.

    >>> link_speed("4x", "EDR"), link_speed("4x", "??")
    (100.0, nan)
    """
    return WIDTHS.get(width.lower(), UNKNOWN_SPEED) * LANE_SPEED.get(lane.upper(), UNKNOWN_SPEED)


def node_name(text: bytes) -> str:
    r"""A node description as text: without trailing blanks, which some tools cut; bytes that are not UTF-8 as ``\xff``."""
    return text.decode("utf-8", "backslashreplace").rstrip(" \t\r\0")


def node_kind(word: str, name: str) -> NodeKind:
    """The kind of a node from its type word (SW, CA, RT or longer, any case) and its description."""
    if word[:1].upper() == "S":
        return NodeKind.SWITCH
    if word[:1].upper() == "R":
        return NodeKind.ROUTER
    return NodeKind.AGGREGATION if "aggregation node" in name.lower() else NodeKind.HOST


class NodeRow(NamedTuple):
    """One node as a file states it."""

    kind: NodeKind
    ports: int
    name: str
    line: int


@dataclass
class CablingRows:
    """What was gathered of one file so far."""

    problems: Problems
    nodes: dict[int, NodeRow] = field(default_factory=dict)
    ports: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    cables: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)

    def node(self, guid: int, row: NodeRow) -> None:
        """A node; a second statement must agree with the first."""
        first = self.nodes.setdefault(guid, row)
        if first[:3] != row[:3]:
            told = f"{first.kind.name.lower()} {first.name!r} with {first.ports} ports"
            self.problems.add(row.line, f"the node 0x{guid:016x} is stated differently in line {first.line}, as a {told}")

    def port(self, node: int, number: int, port_guid: int, lid: int, line: int, lmc: int = UNKNOWN_LMC) -> None:
        """A port with its LID; port 0 of a switch carries the switch's."""
        self.ports.append((node, number, port_guid, lid, lmc, line))

    def cable(self, a: int, a_port: int, b: int, b_port: int, line: int, speed: float = UNKNOWN_SPEED) -> None:
        """A cable, stated from ``a``."""
        self.cables.append((a, a_port, b, b_port, line))
        self.speeds.append(speed)

    def node_arrays(self) -> dict[str, Any]:
        """The node arrays of the records."""
        rows = self.nodes.values()
        return {
            "node_guid": np.array(list(self.nodes), np.uint64),
            "node_kind": np.array([row.kind for row in rows], np.uint8),
            "node_ports": np.array([row.ports for row in rows], np.int32),
            "node_name": [row.name for row in rows],
            "node_line": np.array([row.line for row in rows], np.int32),
        }

    def records(self, format: str, *, guid_is_port: bool = False, guid_is_name: bool = False) -> CablingRecords:
        """The file's records; raises BadInput where problems were found."""
        self.problems.raise_any()
        port = _columns(self.ports, 6)
        cable = _columns(self.cables, 5)
        return CablingRecords(
            self.problems.file,
            format,
            **self.node_arrays(),
            port_node=port[0],
            port_number=_narrow(port[1]),
            port_guid=port[2],
            port_lid=_narrow(port[3]),
            port_lmc=np.array([row[4] for row in self.ports], np.int32),
            port_line=_narrow(port[5]),
            cable_a=cable[0],
            cable_a_port=_narrow(cable[1]),
            cable_b=cable[2],
            cable_b_port=_narrow(cable[3]),
            cable_speed=np.array(self.speeds, np.float32),
            cable_line=_narrow(cable[4]),
            guid_is_port=guid_is_port,
            guid_is_name=guid_is_name,
        )


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> list[U64]:
    if not rows:
        return [np.empty(0, np.uint64)] * width
    return [np.array([value & 0xFFFFFFFFFFFFFFFF for value in column], np.uint64) for column in zip(*rows, strict=True)]


def _narrow(column: U64) -> I32:
    return column.astype(np.int32)


def check_both_ends(problems: Problems, a: U64, a_port: I32, b: U64, b_port: I32, line: I32) -> None:
    """Add a problem for each cable that is stated from one end only: the file lost lines, or was cut off between two."""
    low, high, forward = _oriented(a, a_port, b, b_port)
    order = np.lexsort((*high, *low))
    keys = [column[order] for column in (*low, *high)]
    first = np.ones(len(order), bool)
    first[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    start = np.flatnonzero(first)
    if not len(start):
        return
    both = np.logical_or.reduceat(forward[order], start) & np.logical_or.reduceat(~forward[order], start)
    for i in line[order[start[~both]]].tolist():
        problems.add(
            i, "this cable is stated at one of its ends only; expected both, as this format has them: the file lost lines"
        )


def _oriented(a: U64, a_port: I32, b: U64, b_port: I32) -> tuple[tuple[U64, I32], tuple[U64, I32], NDArray[np.bool_]]:
    """The lower and the higher end of every statement, and whether it was made from the lower one."""
    forward = (a < b) | ((a == b) & (a_port <= b_port))
    low = np.where(forward, a, b), np.where(forward, a_port, b_port)
    high = np.where(forward, b, a), np.where(forward, b_port, a_port)
    return low, high, forward
