"""The destinations of an Ethernet fabric: the classes of addresses that hosts have, each at the switch that its hosts are on.

A host without declared addresses may have any address of the subnets of its port: of each class that its switch matches to
such a connected subnet. Single addresses that switches own are nobody else's. The hosts of one class on one switch share a
column; a server with several ports in a class (a bond, on one switch or on two) has a column of its own, whose packets
any of its ports takes.

Notation: ``h`` a host, ``s`` a switch, ``n`` a node of the forest (a class), ``d`` a column.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.readers.roce_records import RouteKind
from pauseproof.routing.address_classes import I64
from pauseproof.routing.ethernet_devices import Address, Device, is_global
from pauseproof.routing.ethernet_rows import Tables
from pauseproof.routing.tables import DestinationKind, Destinations

Bools = NDArray[np.bool_]


class Column(NamedTuple):
    """One destination: packets to the addresses of class ``node``, for ``members``; ``on`` where traffic begins there.

    ``twins`` are further classes that it stands for.
    """

    node: int
    members: tuple[int, ...]
    name: str
    kind: DestinationKind = DestinationKind.HOST
    on: bool = True
    twins: tuple[int, ...] = ()


def hosts_at(fabric: Fabric) -> dict[int, dict[str, int]]:
    """The host on each port of each switch, by the port's name."""
    out: dict[int, dict[str, int]] = defaultdict(dict)
    for h, link in enumerate(fabric.host_up.tolist()):
        s = int(fabric.link_dst[link])
        if s < fabric.n_switches:
            out[s][fabric.port_name(s, int(fabric.link_dst_port[link]))] = h
    return out


def class_members(
    fabric: Fabric,
    devices: Sequence[Device | None],
    tables: Tables,
    declared: Mapping[int, Collection[int]],
) -> dict[int, list[int]]:
    """The hosts that may have an address of each class. ``declared`` gives hosts by the nodes of their addresses."""
    known = {h for hosts in declared.values() for h in hosts}
    own = {address for device in devices if device is not None for address in device.own}
    members: dict[int, set[int]] = defaultdict(set)
    for s, host_of in hosts_at(fabric).items():
        device = devices[s]
        if device is None or not tables.of_switch[s]:
            continue
        row_of = tables.row_of(tables.of_switch[s][0])
        for row, hosts in _connected_rows(device, tables, tables.of_switch[s][0], host_of):
            for n in _classes_of(tables, row_of, row, own):
                members[n] |= hosts - known
    for n, named in declared.items():
        members[n] |= set(named)
    return {n: sorted(hosts) for n, hosts in sorted(members.items()) if hosts}


def _connected_rows(
    device: Device, tables: Tables, numbers: Sequence[int], host_of: Mapping[str, int]
) -> list[tuple[int, set[int]]]:
    """(row, hosts) of the connected subnets of one table that hosts lie behind."""
    out = []
    for i in numbers:
        record = tables.records[i]
        for g, group in enumerate(record.groups):
            if group.kind is RouteKind.CONNECTED:
                ports = {port for hop in group.hops for port in device.interfaces.ports(hop.interface)}
                if hosts := {host_of[port] for port in ports if port in host_of}:
                    out += [(int(tables.start[i]) + r, hosts) for r in np.flatnonzero(record.group == g).tolist()]
    return out


def _classes_of(tables: Tables, row_of: I64, row: int, own: Collection[Address]) -> list[int]:
    """The classes inside a connected subnet whose match at the switch is that subnet's row."""
    forest, n = tables.forest, int(tables.node[row])
    if not is_global(forest.network(n)):
        return []
    inside: I64 = np.arange(n, int(forest.end[n]))
    matched = inside[forest.longest_match(row_of, inside) == row]
    return [m for m in matched.tolist() if not forest.is_empty(m) and not (forest.is_lone(m) and forest.address(m) in own)]


def columns_of(
    fabric: Fabric,
    tables: Tables,
    members: Mapping[int, Sequence[int]],
    alone: Bools,
    muxed: Collection[int] = (),
) -> list[Column]:
    """One column for each class and switch, for each server with several ports, and for each host that must be ``alone``.

    In the classes ``muxed`` a server takes packets by one of its ports at a time: each port has a column.
    """
    several = np.bincount(fabric.host_node, minlength=fabric.n_nodes) > 1
    out = []
    for n, hosts in members.items():
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for h in hosts:
            node, s = int(fabric.host_node[h]), int(fabric.link_dst[fabric.host_up[h]])
            own = n not in muxed and (several[node] or alone[h])
            groups[(1, node) if own else (0, s)].append(h)
        for (_, node), group in sorted(groups.items()):
            name = tables.forest.name(n) + (f" at {fabric.node_name[node]}" if len(groups) > 1 else "")
            out.append(Column(n, tuple(group), name))
    return out


def destinations_of(columns: Sequence[Column]) -> Destinations:
    """The columns as the engines read them."""
    n = len(columns)
    sizes = [len(column.members) for column in columns]
    return Destinations(
        [column.name for column in columns],
        np.array([column.kind for column in columns], np.uint8),
        np.full(n, -1, np.int32),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.array([h for column in columns for h in column.members], np.int32),
    )
