"""Dumps of Ethernet switches to a :class:`Network`: who is a switch, where the hosts are, what every table says of them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

import numpy as np

from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.readers.declared import Declarations
from pauseproof.readers.ethernet_cabling import ethernet_fabric
from pauseproof.readers.ethernet_names import names_in_use
from pauseproof.readers.roce_records import AddressRecords, CableRecords, ConfigDb, RouteRecords
from pauseproof.readers.suggest import expected_one_of
from pauseproof.routing.address_classes import PrefixRows
from pauseproof.routing.ask import HOSTS
from pauseproof.routing.choice_bits import rows_of_choices
from pauseproof.routing.ethernet_columns import Column, class_members, columns_of, destinations_of
from pauseproof.routing.ethernet_devices import DEFAULT_VRF, Device, gather
from pauseproof.routing.ethernet_entries import Entries
from pauseproof.routing.ethernet_hosts import (
    Cabled,
    attached_hosts,
    subnets_without_ports,
    switch_names,
    uncabled_links,
)
from pauseproof.routing.ethernet_rows import Tables, tables_of
from pauseproof.routing.interfaces import Interfaces, interfaces_of
from pauseproof.routing.network import Network
from pauseproof.routing.next_hops import NextHops, Ports
from pauseproof.routing.traffic import Traffic

ONE_CLASS = "all traffic rides one lossless priority: no QoS configuration was read"
HASHED = "switches hash each flow to one next hop of its group"
RESOLVED = "every host's address is resolved: no lossless packet is flooded"
ON_SUBNETS = "a host may have any address of the connected subnets of its switch port"
_LANE = ("lossless",)
_SHOWN = 5


@dataclass(frozen=True)
class EthernetRecords:
    """What was read of one Ethernet fabric, by kind."""

    cables: Sequence[CableRecords] = ()
    routes: Sequence[RouteRecords] = ()
    addresses: Sequence[AddressRecords] = ()
    configs: Sequence[ConfigDb] = ()
    declarations: Sequence[Declarations] = ()

    @property
    def declared(self) -> Declarations:
        """What was declared. Raises BadInput where two files declare."""
        if len(self.declarations) > 1:
            first, second = self.declarations[:2]
            raise BadInput.at(Place(second.file), f"a second declaration beside {first.file}; expected one")
        return self.declarations[0] if self.declarations else Declarations("")


def ethernet_network(records: EthernetRecords, name: str) -> Network:
    """Assemble the network. Raises BadInput where nothing can be decided."""
    declared = records.declared
    vrf = chosen_vrf(records, declared)
    devices = gather(records.routes, records.addresses, _interfaces(records, declared), vrf)
    aliases = _aliases(records)
    cabled = Cabled.of(records.cables, names_in_use(records.cables, devices.keys() | aliases.keys(), aliases))
    _check_names(records, devices, cabled, name)
    switches = switch_names(devices, cabled, declared.hosts)
    hosts = attached_hosts(devices, cabled, declared.hosts)
    built = ethernet_fabric(
        name, records.cables, switches=switches, extra_ports={}, hosts={p: h.name for p, h in hosts.items()}
    )
    fabric = built.fabric
    if not fabric.n_hosts:
        message = "no port leads to a host; expected cabled servers, uncabled ports with a connected subnet, or `hosts:`"
        raise BadInput.at(Place(records.routes[0].file), message)
    of_switch = [devices.get(fabric.node_name[s]) for s in range(fabric.n_switches)]
    tables, columns = _columns(fabric, of_switch, declared)
    ports = Ports(fabric)
    entries = Entries(fabric, of_switch, tables, columns, NextHops(ports, devices))
    filled = entries.filled().without_twins()
    table, destinations = filled.table(), destinations_of(filled.columns)
    routes = rows_of_choices(table, destinations, fabric) or table
    return Network(
        fabric,
        destinations,
        routes,
        Lanes.identity(fabric.n_hosts, _LANE),
        {HOSTS: _everyone(fabric, len(destinations))},
        _assumptions(records, vrf),
        (
            *built.remarks,
            *uncabled_links(devices, cabled),
            *subnets_without_ports(devices),
            *tables_missing(fabric, of_switch, records),
            *entries.remarks,
            *entries.hops.remarks(),
        ),
        sum(1 for device in of_switch if device is not None and device.tables),
        notes={"weights": entries.hops.weights, "vrf": vrf, "ttl": declared.ttl},
    )


def chosen_vrf(records: EthernetRecords, declared: Declarations) -> str:
    """The VRF that the verdict is about: what is declared, else the default one, else the only one. Raises BadInput."""
    found = sorted({record.vrf for record in records.routes})
    if declared.vrf:
        if found and declared.vrf not in found:
            message = f"no table of VRF {declared.vrf!r} was read; {expected_one_of(declared.vrf, found)}"
            raise BadInput.at(Place(declared.file), message)
        return declared.vrf
    if DEFAULT_VRF in found or not found:
        return DEFAULT_VRF
    if len(found) > 1:
        message = f"tables of VRFs {', '.join(found)}, none of them the default one; name one by `vrf:` in pauseproof.yaml"
        raise BadInput.at(Place(records.routes[0].file), message)
    return found[0]


def _interfaces(records: EthernetRecords, declared: Declarations) -> dict[str, Interfaces]:
    names = {config.device for config in records.configs} | {device for device, _ in (*declared.lags, *declared.vlans)}
    out = {}
    for name in names:
        bundles, vlans = (
            {interface: tuple(w.text for w in words) for (device, interface), words in lines.items() if device == name}
            for lines in (declared.lags, declared.vlans)
        )
        out[name] = interfaces_of(tuple(c for c in records.configs if c.device == name), Interfaces(bundles, vlans))
    return out


def _aliases(records: EthernetRecords) -> dict[str, dict[str, str]]:
    """Device -> alias -> port, from the PORT tables of configurations."""
    return {
        config.device: {row["alias"]: port for port, row in config.tables.get("PORT", {}).items() if row.get("alias")}
        for config in records.configs
    }


def _check_names(records: EthernetRecords, devices: Mapping[str, Device], cabled: Cabled, name: str) -> None:
    """Refuse what cannot be one fabric: no tables, no cables, or not one name in common."""
    if not records.routes:
        place = Place(records.cables[0].file if records.cables else name)
        raise BadInput.at(place, "cabling, but no forwarding tables; expected show ip route json, ip -j route, or their like")
    if not records.cables:
        place = Place(records.routes[0].file)
        raise BadInput.at(place, "forwarding tables, but no cabling; expected LLDP output, layer1_topology.json, or their like")
    with_tables = sorted(name for name, device in devices.items() if device.tables)
    known = sorted(cabled.devices)
    if not cabled.devices.intersection(with_tables):
        message = (
            f"tables of {_few(with_tables)}, but the cabling speaks of {_few(known)}; expected the same names"
            " (a dump is named by its file, up to the first dot)"
        )
        raise BadInput.at(Place(records.routes[0].file), message)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "") if names else "nothing"


def _columns(fabric: Fabric, devices: Sequence[Device | None], declared: Declarations) -> tuple[Tables, list[Column]]:
    texts = [word.text for line in declared.hosts for word in line.addresses]
    tables, nodes = tables_of(devices, PrefixRows.of([ip_network(text) for text in texts]))
    node_of = {ip_address(text): int(n) for text, n in zip(texts, nodes.tolist(), strict=True)}
    host_of: dict[str, list[int]] = defaultdict(list)
    for host in fabric.hosts():
        host_of[host.name].append(host.id)
    own: dict[int, Collection[int]] = {}
    for line in declared.hosts:
        for word in line.addresses:
            own[node_of[ip_address(word.text)]] = host_of[line.name.text]
    members = class_members(fabric, devices, tables, own)
    return tables, columns_of(fabric, tables, members, np.zeros(fabric.n_hosts, np.bool_))


def _everyone(fabric: Fabric, n_columns: int) -> Traffic:
    hosts, none = np.ones(fabric.n_hosts, np.bool_), np.zeros(fabric.n_switches, np.bool_)
    return Traffic(HOSTS, hosts, hosts, none, np.ones(n_columns, np.bool_))


def _assumptions(records: EthernetRecords, vrf: str) -> tuple[str, ...]:
    others = sorted({record.vrf for record in records.routes} - {vrf})
    only = (f"only VRF {vrf} is covered; also read: {', '.join(others)}",) if others else ()
    return (ONE_CLASS, HASHED, RESOLVED, ON_SUBNETS, *only)


def tables_missing(fabric: Fabric, devices: Sequence[Device | None], records: EthernetRecords) -> list[Remark]:
    """Switches without a table, and tables that were cut off."""
    out = []
    for s, device in enumerate(devices):
        if device is None or not device.tables:
            name = fabric.node_name[s]
            out.append(Remark("table-missing", f"{name} is cabled, but no table of it was read; its rows are unknown", name))
    for record in records.routes:
        if not record.complete:
            message = f"the table of {record.device} ends before its last row; prefixes behind the cut are unknown"
            out.append(Remark("table-truncated", message, f"{record.device}/{record.vrf}", (Place(record.file),)))
    return out
