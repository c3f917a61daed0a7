"""Which turn of the fabric, or which host, each row of the SL-to-VL tables is of.

Notation: ``t`` a turn, the number ``(s * W + in) * W + out`` with ``W`` the largest radix plus one; ``i`` a row as read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place, Problem, Remark
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.records import LaneMapRecords

Int = NDArray[np.int64]


@dataclass(frozen=True)
class TargetedRows:
    """The rows of all files, one after the other: a row is of ``turn[i]`` or of ``host[i]``, the other being -1.

    Both are -1 for the row of a host port that is not cabled; ``stray`` tells of those. ``hosts_too``: a file's format has
    rows of hosts, so that a host without one is unknown.
    """

    files: Sequence[str]
    file: Int
    line: Int
    turn: Int
    host: Int
    vl: NDArray[np.uint8]
    stray: tuple[Remark, ...]
    hosts_too: bool = False

    def place(self, i: int) -> Place:
        """Where row ``i`` was read."""
        return Place(self.files[int(self.file[i])], int(self.line[i]))


def target_rows(
    fabric: Fabric,
    records: Sequence[LaneMapRecords],
    host_of_port_guid: Mapping[int, int],
    switch_of_port_guid: Mapping[int, int],
) -> TargetedRows:
    """Find each row's turn or host. Raises BadInput for switches that are not cabled, and ports beyond the radix."""
    node_of = dict(zip(fabric.node_guid.tolist(), range(fabric.n_nodes), strict=True)) | dict(switch_of_port_guid)
    problems, stray, parts = list[Problem](), list[Remark](), []
    for number, one in enumerate(records):
        node = _nodes(one, node_of, problems)
        problems += _beyond_radix(fabric, one, node)
        owner = np.array([host_of_port_guid.get(guid, -1) for guid in one.host_port_guid.tolist()], np.int64)
        stray += _stray_hosts(one, owner)
        turn, host = _turns(fabric, one, node), _hosts_of_nodes(fabric, node, one.out_port)
        parts.append(
            (
                np.full(len(turn) + len(owner), number),
                np.concatenate((one.line, one.host_line)).astype(np.int64),
                np.concatenate((turn, np.full(len(owner), -1))),
                np.concatenate((host, owner)),
                np.concatenate((one.vl, one.host_vl)),
            )
        )
    refuse_if(problems)
    file, line, turn, host, vl = (np.concatenate(column) for column in zip(*parts, strict=True))
    hosts_too = any(one.hosts_too for one in records)
    return TargetedRows([one.file for one in records], file, line, turn, host, vl, tuple(stray), hosts_too)


def _nodes(one: LaneMapRecords, node_of: Mapping[int, int], problems: list[Problem]) -> Int:
    """The node of each switch row, -1 where it is not in the fabric; rows of one switch lie together."""
    guid = one.switch_guid
    first = np.flatnonzero(np.concatenate((np.ones(min(len(guid), 1), bool), guid[1:] != guid[:-1])))
    node = np.array([node_of.get(g, -1) for g in guid[first].tolist()], np.int64)
    unknown = {int(guid[i]): int(i) for i in first[node < 0][::-1]}
    for g, i in unknown.items():
        message = f"switch 0x{g:016x} is not in the topology; expected tables of the switches that are cabled"
        problems.append(Problem(Place(one.file, int(one.line[i])), message))
    return np.repeat(node, np.diff(np.append(first, len(guid))))


def _beyond_radix(fabric: Fabric, one: LaneMapRecords, node: Int) -> list[Problem]:
    """One problem a node."""
    largest, radix = np.maximum(one.in_port, one.out_port), fabric.node_ports[node]
    beyond = np.flatnonzero((node >= 0) & (largest > radix))[::-1]
    first = dict(zip(node[beyond].tolist(), beyond.tolist(), strict=True))
    return [
        Problem(
            Place(one.file, int(one.line[i])),
            f"port {largest[i]} of {fabric.node_name[n]} is beyond its radix; expected 0..{radix[i]}",
        )
        for n, i in first.items()
    ]


def _turns(fabric: Fabric, one: LaneMapRecords, node: Int) -> Int:
    width = fabric.max_radix + 1
    turn = (node * width + one.in_port) * width + one.out_port
    return np.where((node >= 0) & (node < fabric.n_switches), turn, -1)


def _hosts_of_nodes(fabric: Fabric, node: Int, out_port: NDArray[np.int32]) -> Int:
    """For rows that name an end node and a port of it: the host; -1 for switches and where no cable is."""
    host = np.full(len(node), -1, np.int64)
    at = np.flatnonzero(node >= fabric.n_switches)
    if len(at):
        ports = fabric.link_dst_port[fabric.host_down]
        host_at = {end: h for h, end in enumerate(zip(fabric.host_node.tolist(), ports.tolist(), strict=True))}
        host[at] = [host_at.get(end, -1) for end in zip(node[at].tolist(), out_port[at].tolist(), strict=True)]
    return host


def _stray_hosts(one: LaneMapRecords, owner: Int) -> list[Remark]:
    stray = np.flatnonzero(owner < 0)
    if not len(stray):
        return []
    guid = f"0x{int(one.host_port_guid[stray[0]]):016x}"
    message = f"{len(stray)} SL-to-VL rows are of host ports that are not cabled, the first of {guid}; they are left out"
    return [Remark("sl2vl-missing", message, guid, (Place(one.file, int(one.host_line[stray[0]])),))]
