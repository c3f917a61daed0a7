"""Multicast trees as columns of the tables: a copy leaves by every port of the entry but the one it came by."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.readers.records import MulticastRecords
from pauseproof.routing.choices import PortChoices, narrowest
from pauseproof.routing.tables import ChoiceKind, DestinationKind, Destinations

NO_TREES = "no multicast tables were read: there is taken to be no multicast"
TREE_SENDERS = "multicast is sent on SL 0 by the hosts on the ports of its tree"

Values = NDArray[np.generic]


def add_multicast(
    fabric: Fabric,
    choices: PortChoices,
    value: Values,
    destinations: Destinations,
    records: Sequence[MulticastRecords],
) -> tuple[Values, Destinations, tuple[str, ...]]:
    """Append one column a multicast LID. Raises BadInput for switches that are not cabled and ports beyond the radix.

    The dumps do not tell where they end, so a row that is not there is unknown. In a whole dump no copy gets as far as one.
    """
    entries = _entries(fabric, records)
    if not entries:
        return value, destinations, (NO_TREES,)
    mlids = sorted({mlid for _, mlid in entries})
    more = np.full((fabric.n_switches, len(mlids)), choices.not_read, np.int64)
    members: list[set[int]] = [set() for _ in mlids]
    for (s, mlid), ports in sorted(entries.items()):
        column = int(np.searchsorted(mlids, mlid))
        more[s, column] = choices.value_of(s, ChoiceKind.MULTICAST, ports)
        links = [int(fabric.out_link[s, p]) for p in ports if p]
        members[column] |= {int(fabric.host_of_link[link]) for link in links if link >= 0 and fabric.host_of_link[link] >= 0}
    dtype = narrowest(max(int(more.max()), choices.not_read))
    widened = np.concatenate((value.astype(dtype, copy=False), more.astype(dtype)), axis=1)
    return widened, _with_trees(destinations, mlids, members), (TREE_SENDERS,)


def _with_trees(destinations: Destinations, mlids: list[int], members: list[set[int]]) -> Destinations:
    member = [h for group in members for h in sorted(group)]
    ends = destinations.member_ptr[-1] + np.cumsum([len(group) for group in members])
    return Destinations(
        [*destinations.names, *(f"0x{mlid:04X}" for mlid in mlids)],
        np.concatenate((destinations.kind, np.full(len(mlids), DestinationKind.MULTICAST, np.uint8))),
        np.concatenate((destinations.owner, np.full(len(mlids), -1, np.int32))),
        np.concatenate((destinations.member_ptr, ends)).astype(np.int64),
        np.concatenate((destinations.member, np.array(member, np.int32))).astype(np.int32),
    )


def _entries(fabric: Fabric, records: Sequence[MulticastRecords]) -> dict[tuple[int, int], tuple[int, ...]]:
    of_guid = dict(zip(fabric.node_guid[: fabric.n_switches].tolist(), range(fabric.n_switches), strict=True))
    entries: dict[tuple[int, int], tuple[int, ...]] = {}
    problems = []
    for record in records:
        rows = zip(record.switch_guid.tolist(), record.mlid.tolist(), record.ports, record.line.tolist(), strict=True)
        for guid, mlid, ports, line in rows:
            s = of_guid.get(guid)
            place = Place(record.file, line)
            if s is None:
                problems.append(Problem(place, f"multicast table for switch 0x{guid:016x}, which the cabling does not have"))
            elif max(ports, default=0) > fabric.node_ports[s]:
                message = f"port {max(ports)} is beyond the radix of {fabric.node_name[s]}; expected 0..{fabric.node_ports[s]}"
                problems.append(Problem(place, message))
            elif entries.setdefault((s, mlid), ports) != ports:
                problems.append(
                    Problem(place, f"two different port sets of {fabric.node_name[s]} for multicast LID 0x{mlid:04X}")
                )
    if problems:
        raise BadInput(problems[:20])
    return entries
