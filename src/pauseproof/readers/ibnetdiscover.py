"""ibnetdiscover's topology file: a block a node, a line a cabled port.

    switchguid=0xb0001(b0001)
    Switch  4 "S-00000000000b0001"          # "leaf one" enhanced port 0 lid 3 lmc 0
    [3]     "H-00000000000a0001"[1](a0002)  # "n1 HCA-1" lid 7 4xEDR

LIDs, LMCs and speeds stand in what looks like comments. A switch has its LID on its node line, an end node on its port lines.
``-f`` adds `` s=1 w=2 v=4`` (v is VLCap, not the number of VLs in use), ``-g`` adds chassis headings, ``[ext 3]`` after ports,
and repeats the switches of a chassis. Every cable is stated at both ends, every node has a block.

Written by: rdma-core infiniband-diags/ibnetdiscover.c.
"""

import re
from dataclasses import dataclass

import numpy as np

from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.cabling_rows import CablingRows, NodeRow, check_both_ends, link_speed, node_kind, node_name
from pauseproof.readers.problems import Problems, numbered_lines, shown
from pauseproof.readers.records import UNKNOWN_LMC, CablingRecords
from pauseproof.readers.source import Source

NAME = "ibnetdiscover"

_HEX = rb"[0-9A-Fa-f]{1,16}"
NODE = re.compile(rb'(Switch|Ca|Rt|Hca)\s*(\d{1,5})\s*"[SHR]-([0-9A-Fa-f]{16})"\s*(?:#\s?(.*))?')
PORT = re.compile(
    rb"\[(\d{1,5})\](?:\[ext \d+\])?\s*(?:\((%s)\))?\s*"
    rb'"[SHR]-([0-9A-Fa-f]{16})"\[(\d{1,5})\](?:\[ext \d+\])?\s*(?:\((%s)\))?\s*(?:#\s?(.*))?' % (_HEX, _HEX)
)
KEY = re.compile(rb"(switch|ca|rt)guid=0x(%s)(?:\((%s)\))?(?:\s*#.*)?" % (_HEX, _HEX))
PASSED_OVER = re.compile(rb"(?:vendid|devid|sysimgguid)=0x[0-9A-Fa-f]+.*|#.*|Chassis \d+.*|Non-Chassis Nodes|Hostname:.*|")
NO_ANSWER = re.compile(rb"(?:src/\S+\.c:\d+; |ibwarn: |ibpanic: ).*")  # what it writes to stderr, saved with the rest
SWITCH_LID = re.compile(rb'"?(.*?)"?(?: (?:enhanced|base))? port 0 lid (\d{1,7})(?: lmc (\d))?')
END_NODE_NAME = re.compile(rb'"?(.*?)"?(?: \(scp\))?')
END_NODE_LID = re.compile(rb"lid (\d{1,7})(?: lmc (\d))? ")
SPEED = re.compile(rb'.*" lid \d{1,7} (\d{1,2}x|\?\?)(\S+)')

OURS = re.compile(rb'^(?:# Topology file: generated |(?:Switch|Ca|Rt)\s*\d+\s*"[SHR]-|(?:switch|ca|rt)guid=0x)', re.MULTILINE)
DIFF = re.compile(rb'^[<>] (?:vendid=|switchguid=|caguid=|Switch\s+\d|Ca\s+\d|\[\d+\]|.*"[SHR]-[0-9A-Fa-f]{16}")', re.MULTILINE)
LIST = re.compile(rb"^(?:Switch|Ca|Router)\s+: 0x[0-9A-Fa-f]{16} ports \d+ ", re.MULTILINE)


def matches(head: bytes) -> bool:
    """Whether the head has this format's words at the beginning of lines."""
    return any(pattern.search(head) for pattern in (OURS, DIFF, LIST))


def read(source: Source) -> CablingRecords:
    """The cabling of the file. Raises BadInput, also for ``--diff`` output and lists of nodes."""
    _refuse_relatives(source)
    problems = Problems(source.path)
    blocks = _Blocks(CablingRows(problems))
    for number, line in numbered_lines(source, problems):
        blocks.line(number, line)
    rows = blocks.rows
    if not rows.cables:
        problems.add(0, 'holds no cables; expected lines like [1] "S-00000000000b0001"[2] below a node')
    for _, _, far, _, number in rows.cables:
        if far not in rows.nodes:
            problems.add(number, f"the node 0x{far:016x} has no block of its own; expected one: the file lost lines")
    problems.raise_any()
    records = rows.records(NAME)
    ends = (records.cable_a, records.cable_a_port, records.cable_b, records.cable_b_port)
    check_both_ends(problems, *ends, records.cable_line)
    problems.raise_any()
    return records


def _refuse_relatives(source: Source) -> None:
    place = Place(source.path)
    if DIFF.search(source.head):
        raise BadInput.at(place, "is the output of ibnetdiscover --diff; expected a whole fabric: ibnetdiscover > FILE")
    if LIST.search(source.head):
        raise BadInput.at(
            place, "is a list of nodes (ibnetdiscover -l, -S, -H or -R) without cables; expected ibnetdiscover > FILE"
        )


@dataclass
class _Blocks:
    """Follows the blocks of a file; ``guid`` is the node whose block it is in, 0 before the first."""

    rows: CablingRows
    guid: int = 0
    kind: NodeKind = NodeKind.HOST
    port_guid: int = 0  # of a switch, from the key line before its node line

    def line(self, number: int, line: bytes) -> None:
        """The next line of the file."""
        if found := PORT.fullmatch(line):
            self._port(number, found)
        elif found := NODE.fullmatch(line):
            self._node(number, found)
        elif found := KEY.fullmatch(line):
            self.guid = 0
            self.port_guid = int(found[3], 16) if found[3] else 0
        elif NO_ANSWER.fullmatch(line):
            said = (
                "a device did not answer, so the cabling is incomplete: discover again, or take this line out to check the rest"
            )
            self.rows.problems.add(number, f"{shown(line)}: {said}")
        elif not PASSED_OVER.fullmatch(line):
            self.rows.problems.add(
                number, f"{shown(line)} is not understood; expected a node, a port or a key of ibnetdiscover"
            )

    def _node(self, number: int, found: re.Match[bytes]) -> None:
        word, ports, guid, comment = found.groups()
        self.guid = int(guid, 16)
        name, lid, lmc = b"", 0, UNKNOWN_LMC
        if word == b"Switch" and (said := SWITCH_LID.fullmatch(comment or b"")):
            name, lid = said[1], int(said[2])
            lmc = int(said[3]) if said[3] else UNKNOWN_LMC
        elif word != b"Switch" and (said := END_NODE_NAME.fullmatch(comment or b"")):
            name = said[1]
        elif comment:
            self.rows.problems.add(
                number, f"{shown(comment)} is not understood; expected a name" + ", lid and lmc" * (word == b"Switch")
            )
        text = node_name(name) or f"0x{self.guid:016x}"
        self.kind = node_kind("CA" if word == b"Hca" else word.decode(), text)
        self.rows.node(self.guid, NodeRow(self.kind, int(ports), text, number))
        if self.kind == NodeKind.SWITCH:
            self.rows.port(self.guid, 0, self.port_guid or self.guid, lid, number, lmc)
        self.port_guid = 0

    def _port(self, number: int, found: re.Match[bytes]) -> None:
        port, port_guid, far, far_port, _, comment = found.groups()
        if not self.guid:
            self.rows.problems.add(number, "a port outside a block; expected a Switch, Ca or Rt line before it")
            return
        if self.kind != NodeKind.SWITCH:
            said = END_NODE_LID.match(comment or b"")
            if comment and not said:
                self.rows.problems.add(number, f"{shown(comment)} is not understood; expected lid and lmc of the port")
            lid, lmc = (int(said[1]), int(said[2]) if said[2] else UNKNOWN_LMC) if said else (0, UNKNOWN_LMC)
            self.rows.port(self.guid, int(port), int(port_guid or b"0", 16), lid, number, lmc)
        words = SPEED.match(comment or b"")
        speed = link_speed(words[1].decode(), words[2].decode("ascii", "replace")) if words else np.nan
        self.rows.cable(self.guid, int(port), int(far, 16), int(far_port), number, speed)
