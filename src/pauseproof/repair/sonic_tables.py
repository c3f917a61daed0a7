"""SONiC's tables on classes, as parts of ``config_db.json``: what each port of a switch does with a profile.

DSCP to traffic class, from there to priority group and queue, PFC priority to the queue that it stops, which have PFC at all.
Where a rewrite depends on the port that a packet came in by, these tables cannot say it; it needs an ACL or TC rule.

Schema: the sonic-yang-models of sonic-buildimage.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.routing.class_hops import Side
from pauseproof.routing.port_classes import Profile


def unlike(names: Sequence[str]) -> list[str]:
    """Names for files, no two alike in any spelling.

    >>> unlike(["leaf/1", "leaf_1", "Leaf_1"])
    ['leaf_1', 'leaf_1.2', 'Leaf_1.3']
    """
    out, seen = [], dict[str, int]()
    for name in names:
        safe = re.sub(r"[^\w-]|^$", "_", name, flags=re.ASCII)
        seen[safe.lower()] = seen.get(safe.lower(), 0) + 1
        out.append(safe if seen[safe.lower()] == 1 else f"{safe}.{seen[safe.lower()]}")
    return out


MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
}


def sonic_tables(fabric: Fabric, s: int, sides: Sequence[Side | None]) -> str:
    """The tables of one switch; ports with the same maps share them. ``sides`` by port; ports not known are left out."""
    tables: dict[str, dict[str, Mapping[str, str]]] = {"DEVICE_METADATA": {"localhost": {"hostname": fabric.node_name[s]}}}
    names: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    for port in np.flatnonzero(fabric.out_link[s] >= 0).tolist():
        side = sides[port]
        if side is None:
            continue
        row = {}
        for field, content in _maps_of(side.profile).items():
            key = (field, tuple(content.items()))
            used = sum(f == field for f, _ in names)
            names.setdefault(key, "PAUSEPROOF" if not used else f"PAUSEPROOF_{used + 1}")
            tables.setdefault(MAPS[field], {})[names[key]] = content
            row[field] = names[key]
        row["pfc_enable"] = ",".join(map(str, sorted({p for paused in side.profile.pauses for p in paused})))
        tables.setdefault("PORT_QOS_MAP", {})[fabric.port_name(s, port)] = row
    return json.dumps(tables, indent=2) + "\n"


def _maps_of(profile: Profile) -> Mapping[str, Mapping[str, str]]:
    def texts(values: Iterable[tuple[int, int]]) -> dict[str, str]:
        return {str(a): str(b) for a, b in values}

    return {
        "dscp_to_tc_map": texts(enumerate(profile.tc_of_dscp)),
        "tc_to_pg_map": texts(enumerate(profile.group_of_tc[:8])),
        "tc_to_queue_map": texts(enumerate(profile.queue_of_tc[:8])),
        "pfc_to_queue_map": texts((p, q) for p, q in enumerate(profile.stops) if q >= 0),
    }
