"""The SLs of paths from the rows of all files: a set where one file has several rows for a path, as for both ports of a node.

Files that differ on a path do not complete each other: they are of different moments, or one was meant to take the place of
the other. Then the path has the SLs of both, which is safe for a verdict, and the files are named. A file by node and one by
port agree where the port's SLs are among those of its node.

Notation: ``h`` a host, ``d`` a column; ``labels`` [H, D] as bits, 0 where no row says.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.records import PathLabelRecords
from pauseproof.routing.lids import LidOwners, Ports
from pauseproof.routing.tables import Destinations

Labels = NDArray[np.uint32]
I64 = NDArray[np.int64]
Found = tuple[Labels | None, tuple[Remark, ...]]


def path_labels(
    fabric: Fabric, ports: Ports, owners: LidOwners, destinations: Destinations, records: Sequence[PathLabelRecords]
) -> Found:
    """The labels, None without any record, and a remark for each file that contradicts one before it."""
    if not records:
        return None, ()
    shape, remarks = (fabric.n_hosts, len(destinations)), list[Remark]()
    labels, by_port = np.zeros(shape, np.uint32), np.zeros(shape, np.bool_)
    for i, record in enumerate(records):
        row, host, column = _paths(fabric, ports, owners, record)
        mine = labels if i == 0 else np.zeros(shape, np.uint32)
        np.bitwise_or.at(mine, (host, column), np.uint32(1) << record.sl[row].astype(np.uint32))
        if i:
            differ = _contradicted(labels, by_port, mine, record.by_port)
            if differ.any():
                remarks += _told(fabric, destinations, _Paths(fabric, ports, owners, records), i, differ)
            labels |= mine
        by_port[host, column] = record.by_port
    return labels, tuple(remarks)


def _contradicted(labels: Labels, by_port: NDArray[np.bool_], mine: Labels, mine_by_port: bool) -> NDArray[np.bool_]:
    """[H, D]: both say something, and not the same; a port's SLs may be some of its node's."""
    port, node = np.where(by_port, labels, mine), np.where(by_port, mine, labels)
    wrong = np.where(by_port == mine_by_port, labels != mine, (port & ~node) != 0)
    out: NDArray[np.bool_] = (labels != 0) & (mine != 0) & wrong
    return out


class _Paths:
    """Finds the rows of one path again."""

    def __init__(self, fabric: Fabric, ports: Ports, owners: LidOwners, records: Sequence[PathLabelRecords]) -> None:
        self.fabric, self.ports, self.owners, self.records = fabric, ports, owners, records

    def place(self, i: int, h: int, d: int) -> Place | None:
        """The first row of file ``i`` for a path."""
        row, host, column = _paths(self.fabric, self.ports, self.owners, self.records[i])
        at = np.flatnonzero((host == h) & (column == d))
        return Place(self.records[i].file, int(self.records[i].line[row[at[0]]])) if len(at) else None


def _told(fabric: Fabric, destinations: Destinations, paths: _Paths, i: int, differ: NDArray[np.bool_]) -> Iterator[Remark]:
    h, d = (int(index[0]) for index in np.nonzero(differ))
    later = paths.place(i, h, d)
    earlier = next(place for j in range(i) if (place := paths.place(j, h, d)))
    assert later is not None
    name, lid, n = fabric.host(h).name, destinations.names[d], int(np.count_nonzero(differ))
    more = f" and {n - 1:,} more path{'s' * (n > 2)}" if n > 1 else ""
    message = (
        f"two inputs disagree on the SL of the path from {name} to LID {lid}{more}; these paths are taken to have the SLs of"
        " both: an old file beside the one that takes its place?"
    )
    yield Remark("table-disagreement", message, f"{fabric.identity(int(fabric.host_node[h]))}/{lid}", (earlier, later))


def _paths(fabric: Fabric, ports: Ports, owners: LidOwners, record: PathLabelRecords) -> tuple[I64, I64, I64]:
    """(row, host, column) for every host that a row to a LID of the subnet speaks of."""
    column = np.minimum(np.searchsorted(owners.lid, record.destination_lid), len(owners.lid) - 1)
    known = np.flatnonzero(owners.lid[column] == record.destination_lid)
    row, host = _senders(fabric, ports, record, known)
    return row, host, column[row]


def _senders(fabric: Fabric, ports: Ports, record: PathLabelRecords, rows: I64) -> tuple[I64, I64]:
    """(row, host) for every host that a row speaks of: the one of its port GUID, or all ports of its node."""
    if record.by_port:
        host = np.array([ports.host_of_guid.get(g, -1) for g in record.source_guid[rows].tolist()], np.int64)
        return rows[host >= 0], host[host >= 0]
    guids = fabric.node_guid[fabric.host_node]
    order = np.argsort(guids, kind="stable")
    first = np.searchsorted(guids[order], record.source_guid[rows])
    count = np.searchsorted(guids[order], record.source_guid[rows], side="right") - first
    i = np.repeat(np.arange(len(rows)), count)
    return rows[i], order[first[i] + np.arange(len(i)) - (np.cumsum(count) - count)[i]]
