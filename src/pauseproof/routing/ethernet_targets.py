"""Which addresses are asked about: those of hosts, declared ones too, and the end points of tunnels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW, Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.routing.address_classes import PrefixRows
from pauseproof.routing.ethernet_columns import Column, class_members, columns_of, hosts_at
from pauseproof.routing.ethernet_devices import Address, Device
from pauseproof.routing.ethernet_records import EthernetRecords
from pauseproof.routing.ethernet_rows import Tables, tables_of
from pauseproof.routing.ethernet_tunnels import standby_networks, text_of
from pauseproof.routing.ethernet_unread import PORT
from pauseproof.routing.interfaces import Interfaces
from pauseproof.routing.tables import DestinationKind


@dataclass(frozen=True)
class Targets:
    """The tables, and the columns: of hosts, then one for each outer address of a tunnel (no traffic begins there).

    ``muxed`` are the nodes of addresses that servers have on SONiC's mux ports: each has a column for each position of its mux.
    """

    tables: Tables
    columns: list[Column]
    muxed: frozenset[int]


def targets_of(
    fabric: Fabric,
    devices: Sequence[Device | None],
    records: EthernetRecords,
    lanes: Lanes,
    end_points: Sequence[Address],
    unread: Mapping[str, Sequence[IPv4Network | IPv6Network]],
) -> Targets:
    """Every column that is needed; ``unread`` are the subnets behind switches without a table, by their names.

    Raises BadInput where a declared host is on no port.
    """
    mux = _mux_addresses(fabric, records)
    addressed = {**_unread_addresses(fabric, unread), **mux, **_declared_addresses(fabric, devices, records)}
    outer = [ip_network(text_of(address)) for address in end_points]
    tables, nodes = tables_of(devices, PrefixRows.of([*addressed, *outer, *standby_networks(records.declared)]))
    at = nodes.tolist()
    members = class_members(fabric, devices, tables, dict(zip(at[: len(addressed)], addressed.values(), strict=True)))
    muxed = frozenset(n for n, network in zip(at, addressed, strict=False) if network in mux)
    columns = columns_of(fabric, tables, members, awkward_hosts(fabric, lanes), muxed)
    for n, network in zip(at[len(addressed) : len(addressed) + len(outer)], outer, strict=True):
        columns.append(Column(n, (), str(network.network_address), DestinationKind.NOBODY, on=False))
    return Targets(tables, columns, muxed)


def _declared_addresses(
    fabric: Fabric, devices: Sequence[Device | None], records: EthernetRecords
) -> dict[IPv4Network | IPv6Network, set[int]]:
    """The hosts at each declared address."""
    at, problems = hosts_at(fabric), list[Problem]()
    switch = {fabric.node_name[s]: s for s in range(fabric.n_switches)}
    out: dict[IPv4Network | IPv6Network, set[int]] = defaultdict(set)
    for line in records.declared.hosts:
        hosts = set[int]()
        for end in line.ports:
            s = switch.get(end.node, -1)
            device = devices[s] if s >= 0 else None
            ports = (Interfaces() if device is None else device.interfaces).ports(end.port)
            found = {at[s][port] for port in ports if port in at.get(s, {})}
            if not found:
                message = f"{end.node}:{end.port} leads to no host; expected a port of a switch that {line.name.text} is on"
                problems.append(Problem(end.place, message))
            hosts |= found
        for word in line.addresses:
            out[ip_network(word.text)] |= hosts
    refuse_if(problems)
    return {network: hosts for network, hosts in out.items() if hosts}


def _unread_addresses(
    fabric: Fabric, unread: Mapping[str, Sequence[IPv4Network | IPv6Network]]
) -> dict[IPv4Network | IPv6Network, set[int]]:
    at = hosts_at(fabric)
    out: dict[IPv4Network | IPv6Network, set[int]] = defaultdict(set)
    for s in range(fabric.n_switches):
        for network in unread.get(fabric.node_name[s], ()):
            out[network].add(at[s][PORT])
    return out


def _mux_addresses(fabric: Fabric, records: EthernetRecords) -> dict[IPv4Network | IPv6Network, set[int]]:
    """The servers on SONiC's mux ports: MUX_CABLE gives their addresses."""
    at = hosts_at(fabric)
    switch = {fabric.node_name[s]: s for s in range(fabric.n_switches)}
    out: dict[IPv4Network | IPv6Network, set[int]] = defaultdict(set)
    for config in records.configs:
        for port, row in config.tables.get("MUX_CABLE", {}).items():
            host = at.get(switch.get(config.device, -1), {}).get(port)
            for text in (row.get("server_ipv4", ""), row.get("server_ipv6", "")):
                if host is not None and text:
                    out[_server(text, Place(config.file, config.lines.get(("MUX_CABLE", port), 0)))].add(host)
    return out


def _server(text: str, place: Place) -> IPv4Network | IPv6Network:
    try:
        return ip_network(str(ip_address(text.partition("/")[0])))
    except ValueError:
        raise BadInput.at(place, f"{text!r} is no address of a server; expected one as 192.168.0.2/32") from None


def awkward_hosts(fabric: Fabric, lanes: Lanes) -> NDArray[np.bool_]:
    """[H]: hosts that need columns of their own, for the lane map of some turn to them is lossy or unknown."""
    out = np.zeros(fabric.n_hosts, np.bool_)
    if lanes.turn_row is None:
        return out
    lossy = np.append((lanes.step == LOSSY).any(axis=1), True)  # the last answers for UNKNOWN_ROW, which is -1
    assert UNKNOWN_ROW == -1
    for h, link in enumerate(fabric.host_down.tolist()):
        s, out_port = int(fabric.link_src[link]), int(fabric.link_src_port[link])
        if s < fabric.n_switches:
            into = np.append(0, np.flatnonzero(fabric.in_link[s] >= 0))
            out[h] = lossy[lanes.turn_row[s, into, out_port]].any()
    return out
