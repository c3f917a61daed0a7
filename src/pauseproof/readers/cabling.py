"""InfiniBand cabling files to one fabric, with who owns which LID.

Several files of one fabric (opensm-subnet.lst beside ibnetdiscover's outputs) are merged: what they agree on counts once,
what they do not agree on becomes remarks, and the first file counts. Files of two fabrics are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauseproof.fabric.build import make_fabric
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.readers.cabling_cables import merged_cables
from pauseproof.readers.cabling_identity import by_node_guid
from pauseproof.readers.cabling_lids import merged_lids
from pauseproof.readers.cabling_nodes import merged_nodes
from pauseproof.readers.records import I32, U64, CablingRecords


@dataclass(frozen=True)
class Built:
    """A fabric and what its cabling files say of LIDs.

    ``lid_*`` [p] hold one row for each port that owns LIDs, by (node, port): ``lid_base .. lid_base + 2**lid_lmc - 1``;
    ``lid_lmc`` is UNKNOWN_LMC where no file says, ``lid_port_guid`` 0 likewise. Port 0 is a switch's own. ``lid_place``
    [p, 2] is (index into fabric.files, line). ``oper_vls`` maps (node, port) to the number of data VLs in use.
    """

    fabric: Fabric
    lid_node: I32
    lid_port: I32
    lid_base: I32
    lid_lmc: I32
    lid_port_guid: U64
    lid_place: I32
    oper_vls: dict[tuple[int, int], int]
    remarks: tuple[Remark, ...] = ()


def build_fabric(name: str, records: Sequence[CablingRecords]) -> Built:
    """Merge, check and sort the cabling files of one fabric. Raises BadInput."""
    if not records:
        raise BadInput.at(Place(name), "no cabling; expected ibnetdiscover output, opensm-subnet.lst, .db_csv or .topo")
    remarks: list[Remark] = []
    stated = by_node_guid(records)
    nodes, keys = merged_nodes(stated, remarks)
    lids = merged_lids(stated, nodes, keys, remarks)
    cables = merged_cables(stated, nodes, keys, remarks)
    fabric = make_fabric(name, "infiniband", nodes, cables, tuple(one.file for one in records))
    rank = _ranks(fabric, nodes.guid, nodes.name)
    by_port = np.lexsort((lids.port, rank[lids.node]))
    lids = lids[by_port]
    id_of = dict(zip(keys.tolist(), rank.tolist(), strict=True))
    vls = {(id_of[guid], port): n for one in reversed(stated) for (guid, port), n in one.oper_vls.items() if guid in id_of}
    return Built(
        fabric,
        rank[lids.node],
        lids.port,
        lids.base,
        lids.lmc,
        lids.port_guid,
        lids.place,
        dict(sorted(vls.items())),
        tuple(sorted(remarks, key=lambda remark: (remark.rule, remark.about, remark.message))),
    )


def _ranks(fabric: Fabric, guid: U64, names: Sequence[str]) -> I32:
    """The fabric's node id of each node as merged: by GUID, or by name where there are no GUIDs."""
    rank = np.empty(len(guid), np.int32)
    if (guid == 0).any():
        id_of = {node: i for i, node in enumerate(fabric.node_name)}
        rank[:] = [id_of[node] for node in names]
    else:
        rank[np.argsort(guid)] = np.argsort(fabric.node_guid)
    return rank
