"""SONiC configurations for tests: a small T1 and two ToRs that bounce packets for each other's servers, in their own words.

``config()`` writes a config_db.json shaped like those that SONiC renders; keyword arguments replace tables.
"""

import json
from typing import Any

import numpy as np

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.readers.config_db import read
from pauseproof.readers.roce_records import ConfigDb
from texts import source_of

TCS = range(8)
DSCPS = range(64)
IDENTITY = {str(p): str(p) for p in range(8)}


def numbers(of: dict[int, int], domain: range, default: int) -> dict[str, str]:
    """A map of a configuration, as text."""
    return {str(key): str(of.get(key, default)) for key in domain}


PLAIN_TC = numbers({3: 3, 4: 4}, DSCPS, 1)
UPLINK_TC = numbers({2: 2, 3: 3, 4: 4, 6: 6}, DSCPS, 1)
GROUPS = numbers({2: 2, 3: 3, 4: 4, 6: 6}, TCS, 0)


def qos_row(maps: str, pfc: str) -> dict[str, str]:
    """A row of PORT_QOS_MAP."""
    same = {"tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE", "pfc_to_queue_map": "AZURE"}
    return {"dscp_to_tc_map": maps, **same, "pfc_enable": pfc, "pfcwd_sw_enable": "3,4"}


def config(device: str, ports: dict[str, dict[str, str]], **tables: Any) -> str:
    """A configuration with these rows of PORT_QOS_MAP."""
    given = {
        "DEVICE_METADATA": {"localhost": {"hostname": device, "type": "ToRRouter"}},
        "DSCP_TO_TC_MAP": {"AZURE": PLAIN_TC, "AZURE_UPLINK": UPLINK_TC},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": GROUPS, "AZURE_TUNNEL": numbers({3: 2, 4: 6}, TCS, 0)},
        "TC_TO_QUEUE_MAP": {"AZURE": IDENTITY, "AZURE_TUNNEL": numbers({3: 2, 4: 6}, TCS, 1)},
        "TC_TO_DSCP_MAP": {"AZURE_TUNNEL": numbers({3: 2, 4: 6}, TCS, 0)},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": IDENTITY},
        "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE"}, **ports},
    }
    return json.dumps({**given, **tables}, indent=1)


def configs(*texts: str) -> list[ConfigDb]:
    """The configurations as they are read."""
    return [one for text in texts for one in read(source_of(text, "config_db.json")) if isinstance(one, ConfigDb)]


REMAPPED = {
    "dscp_mode": "pipe",
    "encap_tc_to_dscp_map": "AZURE_TUNNEL",
    "encap_tc_to_queue_map": "AZURE_TUNNEL",
    "decap_dscp_to_tc_map": "AZURE",
    "decap_tc_to_pg_map": "AZURE_TUNNEL",
}


def tor(name: str, peer: str, *, remap: bool = True, **tables: Any) -> str:
    """A ToR with an uplink Ethernet0 and a server on Ethernet4, whose peer serves the other server."""
    uplink = qos_row("AZURE_UPLINK", "2,3,4,6") if remap else qos_row("AZURE", "3,4")
    ports = {"Ethernet0": uplink, "Ethernet4": qos_row("AZURE", "3,4")}
    more = REMAPPED if remap else {"dscp_mode": "uniform"}
    tunnel = {"MuxTunnel0": {"tunnel_type": "IPINIP", "dst_ip": f"10.1.0.{ord(name[0])}", **more}}
    return config(name, ports, TUNNEL=tunnel, PEER_SWITCH={peer: {"address_ipv4": f"10.1.0.{ord(peer[0])}"}}, **tables)


def t1(*, bounce: bool = True, **tables: Any) -> str:
    """The T1: Ethernet0 to UT, Ethernet4 to LT, Ethernet8 to a host; ``bounce``: it knows the bounced classes."""
    row = qos_row("AZURE_UPLINK", "2,3,4,6") if bounce else qos_row("AZURE", "3,4")
    return config("T1", {"Ethernet0": row, "Ethernet4": row, "Ethernet8": qos_row("AZURE", "3,4")}, **tables)


def named_fabric(cables: str) -> Fabric:
    """``"T1:Ethernet0-UT:Ethernet0 UT:Ethernet4-sa"``: a node without a port is a host. Radices are as needed."""
    ends = [[(name, port) for name, _, port in (end.partition(":") for end in cable.split("-"))] for cable in cables.split()]
    hosts = {name for pair in ends for name, port in pair if not port}
    names = sorted({name for pair in ends for name, _ in pair}, key=lambda name: (name in hosts, name))
    used = {name: [""] for name in names}
    for name, port in (end for pair in ends for end in pair):
        used[name].append(port or "0")
    nodes = Nodes(
        names,
        np.zeros(len(names), np.uint64),
        np.array([NodeKind.HOST if name in hosts else NodeKind.SWITCH for name in names], np.uint8),
        np.array([len(used[name]) - 1 for name in names], np.int32),
        port_names={i: used[name] for i, name in enumerate(names)},
    )
    a, b = (np.array([names.index(pair[side][0]) for pair in ends], np.int32) for side in (0, 1))
    pa, pb = (np.array([used[pair[x][0]].index(pair[x][1] or "0") for pair in ends], np.int32) for x in (0, 1))
    return make_fabric("named", "roce", nodes, Cables(a, pa, b, pb))


DUAL_TOR = "T1:Ethernet0-UT:Ethernet0 T1:Ethernet4-LT:Ethernet0 T1:Ethernet8-x UT:Ethernet4-sa LT:Ethernet4-sb"
