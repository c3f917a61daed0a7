"""A fabric of two leaves, and SL-to-VL records for it."""

from collections.abc import Sequence

import numpy as np

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.model import Fabric
from pauseproof.readers.lane_maps import LanesRead, lanes_from_records
from pauseproof.readers.records import LaneMapRecords

Vl = tuple[int, ...]
Turns = dict[tuple[int, int, int], Vl]  # (switch id, in, out) -> 16 VLs

IDENTITY: Vl = tuple(range(16))
CABLED = ((1, 2), (1, 2, 3))  # the cabled ports of each switch


def two_leaves() -> Fabric:
    """s0 and s1, radix 4, cabled by their ports 1; a host on port 2 of s0, and on ports 2 and 3 of s1."""
    guids = np.array([0xB0, 0xB1, 0xA0, 0xA2, 0xA4], np.uint64)
    kinds, ports = np.array([0, 0, 1, 1, 1], np.uint8), np.array([4, 4, 1, 1, 1], np.int32)
    cables = np.array([(0, 1, 1, 1), (0, 2, 2, 1), (1, 2, 3, 1), (1, 3, 4, 1)], np.int32).T
    nodes = Nodes(["s0", "s1", "h0", "h1", "h2"], guids, kinds, ports)
    return make_fabric("two leaves", "infiniband", nodes, Cables(*map(np.array, cables)))


FABRIC = two_leaves()
HOST_OF = {0xA1: 0, 0xA3: 1, 0xA5: 2}


def records(turns: Turns, hosts: dict[int, Vl], file: str = "f") -> LaneMapRecords:
    keys, ports = np.array([*turns], np.int32).reshape(-1, 3), {h: guid for guid, h in HOST_OF.items()}
    return LaneMapRecords(
        file,
        FABRIC.node_guid[keys[:, 0]],
        keys[:, 1],
        keys[:, 2],
        np.array([*turns.values()], np.uint8).reshape(-1, 16),
        np.arange(1, len(turns) + 1, dtype=np.int32),
        np.array([ports[h] for h in hosts], np.uint64),
        np.array([*hosts.values()], np.uint8).reshape(-1, 16),
        np.arange(100, 100 + len(hosts), dtype=np.int32),
    )


def every_turn(vl: Vl) -> Turns:
    return {(s, i, o): vl for s in (0, 1) for o in CABLED[s] for i in (0, *CABLED[s])}


def lanes_of(files: Sequence[LaneMapRecords], labels: Sequence[int] | None = None) -> LanesRead:
    return lanes_from_records(FABRIC, files, HOST_OF, labels)


def rules(read: LanesRead) -> list[str]:
    return [remark.rule for remark in read.remarks]


def lane_after_turn(read: LanesRead, s: int, i: int, o: int, sl: int) -> int | None:
    """The VL, None for a drop, KeyError where unknown; the label must not change."""
    after = read.lanes.after_turn(s, i, o, sl)
    assert after is None or after[0] == sl
    return None if after is None else after[1]
