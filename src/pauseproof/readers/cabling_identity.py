"""Brings the nodes of several cabling files to one identity: the node GUID.

``ibnetdiscover -p`` names end nodes by port GUID: the other files say which node such a port belongs to. A .topo has names
only: beside other files each of its names must be a node's name there.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pauseproof.fabric.places import Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.records import U64, CablingRecords


def by_node_guid(records: Sequence[CablingRecords]) -> list[CablingRecords]:
    """The same records, with node GUIDs wherever a file among them tells. Raises BadInput where names do not fit."""
    whole = [one for one in records if not one.guid_is_port and not one.guid_is_name]
    if not whole:
        refuse_if(_names_beside_ports(records))
        return _numbered_alike(records) if records[0].guid_is_name else list(records)
    return [_named(one, whole) if one.guid_is_name else _ported(one, whole) if one.guid_is_port else one for one in records]


def _names_beside_ports(records: Sequence[CablingRecords]) -> list[Problem]:
    if len({one.guid_is_name for one in records}) < 2:
        return []
    said = "has names and no GUIDs, the other cabling is by port GUID; expected a file with both: ibnetdiscover, or subnet.lst"
    return [Problem(Place(one.file), said) for one in records if one.guid_is_name]


def _numbered_alike(records: Sequence[CablingRecords]) -> list[CablingRecords]:
    """Several files with names only: one number for each name."""
    number: dict[str, int] = {}
    out = []
    for one in records:
        order = np.argsort(one.node_guid)
        new = [number.setdefault(one.node_name[i], len(number) + 1) for i in order.tolist()]
        out.append(_renamed(one, one.node_guid[order], np.array(new, np.uint64)))
    return out


def _ported(one: CablingRecords, whole: Sequence[CablingRecords]) -> CablingRecords:
    """Port GUIDs replaced by those of their nodes."""
    port = np.concatenate([other.port_guid for other in whole])
    node = np.concatenate([other.port_node for other in whole])
    port, first = np.unique(port, return_index=True)
    return _renamed(one, port[port != 0], node[first][port != 0])


def _named(one: CablingRecords, whole: Sequence[CablingRecords]) -> CablingRecords:
    """Numbers replaced by the GUIDs of the nodes of the same names."""
    guid_of: dict[str, set[int]] = {}
    for other in whole:
        for name, guid in zip(other.node_name, other.node_guid.tolist(), strict=True):
            guid_of.setdefault(name, set()).add(guid)
    found = [guid_of.get(name, set()) for name in one.node_name]
    refuse_if(
        [
            Problem(
                Place(one.file, line),
                f"{name!r} is the name of {len(guids) or 'no'} node{'s' * (len(guids) != 1)} in the other cabling;"
                " expected one, since this file has no GUIDs",
            )
            for name, line, guids in zip(one.node_name, one.node_line.tolist(), found, strict=True)
            if len(guids) != 1
        ]
    )
    order = np.argsort(one.node_guid)
    guids = np.array([min(found[i]) for i in order.tolist()], np.uint64)
    return replace(_renamed(one, one.node_guid[order], guids), guid_is_name=False)


def _renamed(one: CablingRecords, old: U64, new: U64) -> CablingRecords:
    """``old`` [k], ascending, replaced by ``new`` [k] wherever nodes are named; others stay."""

    def look_up(values: U64) -> U64:
        at = np.minimum(np.searchsorted(old, values), max(len(old) - 1, 0))
        return np.where(old[at] == values, new[at], values) if len(old) else values

    vls = {guid: int(look_up(np.array([guid], np.uint64))[0]) for guid, _ in one.oper_vls}
    return replace(
        one,
        node_guid=look_up(one.node_guid),
        port_node=look_up(one.port_node),
        cable_a=look_up(one.cable_a),
        cable_b=look_up(one.cable_b),
        oper_vls={(vls[guid], port): count for (guid, port), count in one.oper_vls.items()},
    )
