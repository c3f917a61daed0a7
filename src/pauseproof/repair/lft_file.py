"""Forwarding tables as OpenSM loads them: the format of opensm-lfts.dump, for ``opensm -R file -U FILE``.

Every row of every switch is written, changed or not: the engine takes nothing from elsewhere. Rows without a path are left out,
as OpenSM does when it dumps. No port GUIDs are given, so OpenSM takes the LIDs as they stand. Ref: opensm osm_dump.c,
osm_ucast_file.c.
"""

import re
from collections.abc import Iterator

from pauseproof.fabric.model import NodeKind
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind, Route

_UNSAFE = re.compile(r"[^ -~]|['\"\\]")  # a name stands in quotes, on one line
_KINDS = {NodeKind.SWITCH: "Switch", NodeKind.ROUTER: "Router"}


def lft_file(network: Network) -> str:
    """All tables; empty where they cannot be said so: a row with several ports, or one that was not read."""
    fabric, rows = network.fabric, list(_unicast(network))
    lid_of = {int(network.destinations.owner[d]): lid for d, lid in reversed(rows) if network.destinations.owner[d] >= 0}
    top = max((lid for _, lid in rows), default=0)
    lines: list[str] = []
    for s in range(fabric.n_switches):
        name = _UNSAFE.sub("?", fabric.node_name[s])
        guid = int(fabric.node_guid[s])
        lines.append(f"Unicast lids [0-{top}] of switch Lid {lid_of.get(s, 0)} guid 0x{guid:016x} ('{name}'):")
        for d, lid in rows:
            port = _port(network, network.routes.route(s, d))
            if port is None:
                return ""
            if port >= 0:
                lines.append(f"0x{lid:04x} {port:03d} # {_owner(network, d)}")
        lines.append(f"{top} lids dumped")
    return "\n".join(lines) + "\n"


def _unicast(network: Network) -> Iterator[tuple[int, int]]:
    """(column, LID) of all but multicast groups."""
    for d, name in enumerate(network.destinations.names):
        if network.destinations.kind[d] != DestinationKind.MULTICAST:
            yield d, int(name)


def _port(network: Network, route: Route) -> int | None:
    """The port of a row, -1 where it has none; None where one port does not say it."""
    if route.kind == ChoiceKind.LOCAL:
        return 0
    if route.kind in (ChoiceKind.DROP, ChoiceKind.DEAD_PORT):
        return -1
    if len(route.links) != 1 or route.rows or route.column >= 0:
        return None
    return int(network.fabric.link_src_port[route.links[0]])


def _owner(network: Network, d: int) -> str:
    fabric, owner = network.fabric, int(network.destinations.owner[d])
    hosts = network.destinations.members(d)
    if owner < 0 and not hosts:
        return "unknown node and type"
    node = owner if owner >= 0 else int(fabric.host_node[hosts[0]])
    kind = _KINDS.get(NodeKind(fabric.node_kind[node]), "Channel Adapter")
    return f"{kind}: '{_UNSAFE.sub('?', fabric.node_name[node])}'"
