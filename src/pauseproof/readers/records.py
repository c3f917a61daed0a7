"""What readers hand on: the facts of one file, as arrays, each with its line. Nothing here is checked against another file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Place, Remark

U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]

NO_ROW = 0xFFFF  # no entry, or an explicit "unreachable": a drop where the table is complete
UNKNOWN_LMC = -1


@dataclass(frozen=True)
class CablingRecords:
    """One InfiniBand cabling file. Node arrays [n], port arrays [p], cable arrays [c]; a cable may occur twice.

    ``node_kind`` holds NodeKind values. A port's ``port_lmc`` is UNKNOWN_LMC where the format has none; ``port_lid`` 0
    where none is assigned. Port 0 of a switch carries its LID. ``speed`` is Gb/s (all lanes), NaN where not known.
    ``node_guid`` may be a port GUID where the format has no node GUIDs (``ibnetdiscover -p``): ``guid_is_port`` says so.
    A format with names only (ibutils .topo) numbers its nodes: ``guid_is_name`` says that ``node_name`` is the identity and
    that the numbers mean nothing outside the file.
    """

    file: str
    format: str
    node_guid: U64
    node_kind: NDArray[np.uint8]
    node_ports: I32
    node_name: Sequence[str]
    node_line: I32
    port_node: U64
    port_number: I32
    port_guid: U64
    port_lid: I32
    port_lmc: I32
    port_line: I32
    cable_a: U64
    cable_a_port: I32
    cable_b: U64
    cable_b_port: I32
    cable_speed: NDArray[np.float32]
    cable_line: I32
    guid_is_port: bool = False
    guid_is_name: bool = False
    oper_vls: dict[tuple[int, int], int] = field(default_factory=dict)  # (node guid, port) -> number of data VLs
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class ForwardingRecords:
    """Unicast tables of one file, one block a switch.

    ``out_port`` [n_blocks, max LID + 1] holds port numbers, NO_ROW where a LID has none (dtype uint8 with 0xFF as NO_ROW
    where every port number fits, else uint16). ``unknown_from[i]`` is the first LID of block ``i`` that was cut off, -1
    where the block is whole; ``unknown_lids`` are LIDs that a known defect of the dumping tool lost in every block.
    ``switch_guid`` 0 means that the block names only ``switch_lid``. ``owner_guid`` [max LID + 1] is the port GUID that the
    comments give for a LID, 0 where none. ``every_lid`` says that the format has a row for every LID of the subnet, so that one
    without a row was lost: ``lost_rows`` are such LIDs by block, and all beyond the last column are too. Line numbers of
    single rows are found again on demand: ``line_of(block, lid)``.
    """

    file: str
    format: str
    switch_guid: U64
    switch_lid: I32
    switch_name: Sequence[str]
    block_line: I32
    out_port: NDArray[np.uint8] | NDArray[np.uint16]
    unknown_from: I32
    unknown_lids: tuple[int, ...] = ()
    owner_guid: U64 | None = None
    row_finder: "RowFinder | None" = None
    every_lid: bool = False
    lost_rows: Mapping[int, I32] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()

    @property
    def no_row(self) -> int:
        """The value of ``out_port`` that stands for "no row"."""
        return int(np.iinfo(self.out_port.dtype).max)

    def line_of(self, block: int, lid: int) -> Place:
        """The place of one row; the block's header where the row is not there."""
        line = self.row_finder.line_of(block, lid) if self.row_finder else 0
        return Place(self.file, line or int(self.block_line[block]))


class RowFinder:
    """Finds the line of one row again, by reading its block once more."""

    def line_of(self, block: int, lid: int) -> int:
        """The line, counted from 1, of the row for ``lid`` in ``block``; 0 where there is none."""
        raise LookupError((block, lid))


@dataclass(frozen=True)
class LaneMapRecords:
    """SL-to-VL tables of one file: ``vl`` [n, 16], 15 = drop. Host rows carry the *port* GUID, in- and out-port 0.

    ``hosts_too`` says that the format has a row for every host: a host without one is unknown, not on a default.
    """

    file: str
    switch_guid: U64
    in_port: I32
    out_port: I32
    vl: NDArray[np.uint8]
    line: I32
    host_port_guid: U64
    host_vl: NDArray[np.uint8]
    host_line: I32
    hosts_too: bool = False
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class PathLabelRecords:
    """Path SLs of one file: source GUID (of the node, or of the port: ``by_port``), destination LID, SL. Arrays [n]."""

    file: str
    source_guid: U64
    destination_lid: I32
    sl: NDArray[np.uint8]
    line: I32
    by_port: bool = False
    unreachable: frozenset[tuple[int, int]] = frozenset()  # (source guid, lid) that the SM itself calls unreachable
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class MulticastRecords:
    """Multicast tables of one file: entry ``i`` is (switch, MLID) with ``ports[i]``, sorted."""

    file: str
    switch_guid: U64
    mlid: I32
    ports: Sequence[tuple[int, ...]]
    line: I32
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class LidRangeRecords:
    """guid2lid: the LIDs ``first..last`` belong to the port with this GUID. Arrays [n]."""

    file: str
    port_guid: U64
    first: I32
    last: I32
    line: I32
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class AdaptiveRecords:
    """Adaptive tables of one file (ibdiagnet .far), one block a switch.

    ``groups[i]`` maps a group number of block ``i`` to its ports; ``rows[i]`` maps a LID to (static port or -1, state,
    group or -1, line), state one of Static, Free, Bounded, HBF.
    """

    file: str
    switch_guid: U64
    block_line: I32
    groups: Sequence[dict[int, tuple[int, ...]]]
    rows: Sequence[dict[int, tuple[int, str, int, int]]]
    complete: Sequence[bool]
    remarks: tuple[Remark, ...] = ()


Records = (
    CablingRecords
    | ForwardingRecords
    | LaneMapRecords
    | PathLabelRecords
    | MulticastRecords
    | LidRangeRecords
    | AdaptiveRecords
)
