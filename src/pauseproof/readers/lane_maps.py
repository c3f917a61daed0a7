"""SL-to-VL tables of an InfiniBand fabric, as lanes: labels are SLs 0..15, lanes are VLs, VL 15 is a drop.

Notation: ``k`` an SL, ``r`` one of the distinct rows of 16 VLs, ``t`` a turn (see lane_targets), ``i`` a row as it was read.
Everything is done on whole arrays; a row of sixteen VLs of four bits is one number.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW, Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Remark
from pauseproof.readers.lane_remarks import Chosen, disagreements, folded, missing_hosts, missing_turns
from pauseproof.readers.lane_targets import Int, TargetedRows, target_rows
from pauseproof.readers.records import LaneMapRecords

N_SLS = 16
DROP_VL = 15
NAMES = tuple(map(str, range(N_SLS)))

NO_TABLES = "no SL-to-VL tables were read: each SL is taken to ride the VL of the same number everywhere"
NO_HOST_ROWS = "the SL-to-VL tables are of switches only: hosts are taken to put each SL on the VL of the same number"

U8 = NDArray[np.uint8]
_IDENTITY = np.arange(N_SLS, dtype=np.uint8)


class LanesRead(NamedTuple):
    """The lanes, what was odd about the tables, and what had to be assumed."""

    lanes: Lanes
    remarks: tuple[Remark, ...]
    assumptions: tuple[str, ...]


def lanes_from_records(
    fabric: Fabric,
    records: Sequence[LaneMapRecords],
    host_of_port_guid: Mapping[int, int],
    labels_used: Sequence[int] | None = None,
    *,
    switch_of_port_guid: Mapping[int, int] | None = None,
    largest_sent: int | None = None,
) -> LanesRead:
    """The lanes of ``fabric`` as its SL-to-VL tables say.

    ``labels_used`` are the SLs that any packet carries (SL 0 is always among them; None: all sixteen); the other SLs map
    to LOSSY and must not be asked for. The classes are the (SL, VL) pairs of rows at turns between cabled ports and at
    hosts. Such a turn, or a host, without a row is UNKNOWN_ROW, and so is one for which two files disagree. Without any
    records, and for hosts where only formats without rows of hosts were read, each SL rides the VL of its number: an
    assumption. SLs above ``largest_sent`` can be asked for but ride no path as it is, so that no remark says that they
    share a VL.

    Raises BadInput for rows of switches that are not in the fabric, and of ports beyond a switch's radix.
    """
    labels = np.array(sorted({0, *(range(N_SLS) if labels_used is None else labels_used)}))
    if not records:
        lanes = _lanes(_IDENTITY[None, :], labels, None, np.zeros(fabric.n_hosts, np.int32))
        return LanesRead(lanes, (), (NO_TABLES,))
    rows = target_rows(fabric, records, host_of_port_guid, switch_of_port_guid or {})
    return _assemble(fabric, rows, labels, int(labels[-1]) if largest_sent is None else largest_sent)


def _assemble(fabric: Fabric, rows: TargetedRows, labels: Int, largest_sent: int) -> LanesRead:
    packed, row_of = np.unique(_packed(rows.vl), return_inverse=True)
    distinct = _unpacked(packed)
    alike, kept_of = np.unique(_packed(_only(labels, distinct)), return_inverse=True)
    meaning = kept_of[row_of]  # rows that differ only in SLs that nobody uses mean the same
    turns = Chosen.among(rows.turn, meaning, _needed_turns(fabric))
    hosts = Chosen.among(rows.host, meaning, np.ones(fabric.n_hosts, bool))
    turn_row, host_row = _rows_of(turns, meaning), _rows_of(hosts, meaning)
    remarks = (
        *rows.stray,
        *disagreements(fabric, rows, turns, hosts),
        *missing_turns(fabric, turns),
        *folded(fabric, rows, distinct[row_of[turns.known]], distinct[row_of[hosts.known]], turns, hosts, largest_sent),
    )
    if (rows.turn >= 0).all() and not rows.hosts_too:
        alike, host_row = _with_identity(alike, host_row, labels)
        assumptions: tuple[str, ...] = (NO_HOST_ROWS,)
    else:
        remarks, assumptions = (*remarks, *missing_hosts(fabric, hosts)), ()
    used, (turn_row, host_row) = _renumbered(turn_row, host_row)
    width = fabric.max_radix + 1
    turn_row = turn_row.reshape(fabric.n_switches, width, width)
    return LanesRead(_lanes(_unpacked(alike[used]), labels, turn_row, host_row), remarks, assumptions)


def _lanes(vl: U8, labels: Int, turn_row: NDArray[np.int32] | None, host_row: NDArray[np.int32]) -> Lanes:
    """Lanes over the distinct rows ``vl`` [R, 16]; a class for each (SL, VL) in them, in that order."""
    pair = labels[None, :] * N_SLS + vl[:, labels]
    lossless = vl[:, labels] != DROP_VL
    classes = np.unique(pair[lossless])
    step = np.full((len(vl), N_SLS), LOSSY, np.int16)
    step[:, labels] = np.where(lossless, np.searchsorted(classes, pair), LOSSY)
    label, lane = (part.astype(np.int16) for part in np.divmod(classes, N_SLS))
    return Lanes(NAMES, NAMES, label, lane, step, turn_row, host_row)


def _needed_turns(fabric: Fabric) -> NDArray[np.bool_]:
    """Turns out of a cabled port, from a cabled port or the switch itself; flat, by turn number."""
    into, out = fabric.in_link >= 0, fabric.out_link >= 0
    into[:, 0] = True
    return (into[:, :, None] & out[:, None, :]).ravel()


def _rows_of(chosen: Chosen, meaning: Int) -> NDArray[np.int32]:
    row = np.full(len(chosen.first), UNKNOWN_ROW, np.int32)
    row[chosen.at] = meaning[chosen.known]
    return row


def _with_identity(
    alike: NDArray[np.uint64], host_row: NDArray[np.int32], labels: Int
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The distinct rows with the identity among them, and every host on it."""
    identity = _packed(_only(labels, _IDENTITY[None, :]))
    at = np.flatnonzero(np.append(alike, identity) == identity)[0]
    return (alike if at < len(alike) else np.append(alike, identity)), np.full(len(host_row), at, np.int32)


def _renumbered(*tables: NDArray[np.int32]) -> tuple[Int, list[NDArray[np.int32]]]:
    """The rows that occur in the tables, ascending, and the tables with those rows numbered from 0."""
    largest = max(int(table.max(initial=UNKNOWN_ROW)) for table in tables)
    seen = np.zeros(largest + 1, bool)
    for table in tables:
        seen[table[table != UNKNOWN_ROW]] = True
    number = np.append(np.cumsum(seen) - 1, UNKNOWN_ROW).astype(np.int32)  # UNKNOWN_ROW indexes the last
    return np.flatnonzero(seen), [number[table] for table in tables]


def _only(labels: Int, vl: U8) -> U8:
    """The rows with the SLs that nobody uses blanked."""
    out = np.zeros_like(vl)
    out[:, labels] = vl[:, labels]
    return out


def _packed(vl: U8) -> NDArray[np.uint64]:
    """Sixteen VLs of four bits as one number, SL 0 in the highest."""
    return np.ascontiguousarray((vl[:, ::2] << 4) | vl[:, 1::2]).view(">u8")[:, 0].astype(np.uint64)


def _unpacked(packed: NDArray[np.uint64]) -> U8:
    pairs = packed.astype(">u8")[:, None].view(np.uint8)
    return np.stack((pairs >> 4, pairs & 15), axis=2).reshape(len(packed), N_SLS)
