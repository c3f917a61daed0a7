"""Which devices are switches, and where the hosts are: cabled servers, and uncabled ports with a connected subnet.

A device is a switch where some table of it was read, where its role says so, or where some route of a neighbour has a next
hop behind its cable: without a table of its own, its rows are unknown. Every other cabled device is a server, and each of its
cabled ports a host. An uncabled port of a switch is a host where a connected subnet lies behind it (its own, or that of its
bundle or VLAN), no route uses it as a next hop, and the subnet is not a link to another switch whose cable was not read.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.declared import HostLine
from pauseproof.readers.ethernet_cables import stated_cables
from pauseproof.readers.ethernet_names import Names
from pauseproof.readers.roce_records import CableRecords, RouteKind
from pauseproof.routing.ethernet_devices import Device, Network, Subnet, is_lone

_POINT_TO_POINT = 2  # free bits of a subnet that holds two routers and nobody else

Port = tuple[str, str]  # device, port


class Attached(NamedTuple):
    """A host on a port of a switch whose cable was not read."""

    name: str
    place: Place


@dataclass(frozen=True)
class Cabled:
    """The cables as names: ``far`` gives each cabled port the port at the other end; ``roles`` what cabling files say."""

    far: Mapping[Port, Port]
    roles: Mapping[str, str]

    @classmethod
    def of(cls, records: Sequence[CableRecords], names: Names) -> "Cabled":
        """From all cabling files, by the names in use; of two cables at one port the first counts."""
        far: dict[Port, Port] = {}
        for cable in stated_cables(records, names):
            a, b = cable.ends
            far.setdefault(a, b)
            far.setdefault(b, a)
        return cls(far, {names.device(device): role for record in records for device, role in record.roles.items()})

    def joined(self, more: Sequence[CableRecords]) -> "Cabled":
        """With cables at ports that have none, in names as they are in use."""
        ends = [zip(zip(r.a_device, r.a_port, strict=True), zip(r.b_device, r.b_port, strict=True), strict=True) for r in more]
        return Cabled({**dict(end for some in ends for end in some), **self.far}, self.roles)

    @property
    def devices(self) -> set[str]:
        """Every device with a cable."""
        return {device for device, _ in self.far}


def next_hop_interfaces(device: Device) -> set[str]:
    """Interfaces by which some route of the device forwards to a neighbour."""
    used: set[str] = set()
    for table in device.tables:
        hops = {hop for group in table.groups if group.kind is RouteKind.FORWARD for hop in group.hops}
        names = {hop.interface or _by_subnet(device, hop.address) for hop in hops}
        used.update(device.interfaces.known(name) for name in names if name)
    return used


def _by_subnet(device: Device, address: str) -> str:
    """The interface of a next hop that has an address alone, empty where no connected subnet holds it."""
    subnet = device.subnet_of_text(address.partition("%")[0])
    return "" if subnet is None else subnet.interface


def switch_names(devices: Mapping[str, Device], cabled: Cabled, declared: Sequence[HostLine]) -> set[str]:
    """The devices that are switches."""
    servers = {line.name.text for line in declared}
    found = {name for name, device in devices.items() if device.tables}
    found |= {name for name, role in cabled.roles.items() if role == "switch"}
    found |= {far for far in _behind_next_hops(devices, cabled) if cabled.roles.get(far) != "host"}
    found |= {line.ports[0].node for line in declared if line.ports} & cabled.devices
    return found - servers - {name for name, role in cabled.roles.items() if role == "host" and name not in devices}


def _behind_next_hops(devices: Mapping[str, Device], cabled: Cabled) -> Iterator[str]:
    for name, device in devices.items():
        for interface in next_hop_interfaces(device):
            if device.interfaces.is_vlan(interface):
                continue  # a server may be the neighbour
            for port in device.interfaces.ports(interface):
                if (name, port) in cabled.far:
                    yield cabled.far[name, port][0]


def attached_hosts(devices: Mapping[str, Device], cabled: Cabled, declared: Sequence[HostLine]) -> dict[Port, Attached]:
    """Hosts on uncabled ports: those declared, and one for each port with a connected subnet behind it."""
    out: dict[Port, Attached] = {}
    for line in declared:
        for end in line.ports:
            interfaces = devices[end.node].interfaces if end.node in devices else None
            for port in interfaces.ports(end.port) if interfaces else (end.port,):
                if (end.node, port) not in cabled.far:
                    out[end.node, port] = Attached(line.name.text, end.place)
    shared = _shared_networks(devices)
    for device in devices.values():
        used = next_hop_interfaces(device)
        for subnet in device.subnets:
            name = device.interfaces.known(subnet.interface)
            if not device.interfaces.may_have_hosts(name) or (_is_small(subnet.network) and subnet.network in shared):
                continue
            if name in used and not device.interfaces.is_vlan(name):
                continue
            for port in device.interfaces.ports(name):
                if (device.name, port) not in cabled.far:
                    out.setdefault((device.name, port), Attached(_host_name(device, port), subnet.place))
    return out


def _host_name(device: Device, port: str) -> str:
    """A server on a bundle is one server, whatever the number of its cables."""
    bundle = next((name for name, ports in device.interfaces.bundles.items() if port in ports), "")
    return f"{device.name}:{bundle or port}"


def _is_small(network: Network) -> bool:
    """Room for two routers and nobody else."""
    return network.max_prefixlen - network.prefixlen <= _POINT_TO_POINT


def _shared_networks(devices: Mapping[str, Device]) -> set[Network]:
    """Subnets that more than one device is connected to."""
    count = Counter(network for device in devices.values() for network in {subnet.network for subnet in device.subnets})
    return {network for network, n in count.items() if n > 1}


def uncabled_links(devices: Mapping[str, Device], cabled: Cabled) -> list[Remark]:
    """Links that no input cables: subnets of two addresses that two switches share, and ports that routes lead out of."""
    at: dict[Network, list[tuple[Device, Subnet]]] = defaultdict(list)
    for device in devices.values():
        for subnet in device.subnets:
            if _is_small(subnet.network) and not is_lone(subnet.network):
                at[subnet.network].append((device, subnet))
    out, told = [], set[tuple[str, str]]()
    for network, ends in sorted(at.items(), key=lambda item: str(item[0])):
        loose = [(d.name, s.interface) for d, s in ends if not _is_cabled(d, s.interface, cabled)]
        if len(ends) > 1 and len(loose) == len(ends):
            names = [":".join(end) for end in loose]
            message = f"{' and '.join(names)} share {network}, but no input cables them; where packets on it go is unknown"
            out.append(Remark("uncabled-link", message, " ".join(names), tuple(s.place for _, s in ends)))
            told.update(loose)
    return out + [_loose_end(device, name) for device, name in led_out_of(devices, cabled) if (device.name, name) not in told]


def led_out_of(devices: Mapping[str, Device], cabled: Cabled) -> Iterator[tuple[Device, str]]:
    """Interfaces without a cable that some route uses."""
    for device in devices.values():
        for name in sorted(next_hop_interfaces(device)):
            interfaces = device.interfaces
            if interfaces.may_have_hosts(name) and not interfaces.is_vlan(name) and not _is_cabled(device, name, cabled):
                yield device, name


def _loose_end(device: Device, name: str) -> Remark:
    message = f"routes of {device.name} lead out of {name}, which no input cables; where it leads is unknown"
    places = tuple(subnet.place for subnet in device.subnets if device.interfaces.known(subnet.interface) == name)
    return Remark("uncabled-link", message, f"{device.name}:{name}", places[:1])


def _is_cabled(device: Device, interface: str, cabled: Cabled) -> bool:
    return any((device.name, port) in cabled.far for port in device.interfaces.ports(interface))


def subnets_without_ports(devices: Mapping[str, Device]) -> list[Remark]:
    """VLANs with a subnet whose member ports nobody names: their hosts are not seen."""
    out = []
    for device in devices.values():
        for subnet in device.subnets:
            vlan = device.interfaces.is_vlan(subnet.interface)
            if vlan and not device.interfaces.vlans.get(device.interfaces.known(subnet.interface)):
                message = (
                    f"{device.name} is connected to {subnet.network} by {subnet.interface}, whose member ports were not read;"
                    " hosts there are not covered"
                )
                out.append(Remark("subnet-without-ports", message, f"{device.name}/{subnet.interface}", (subnet.place,)))
    return out
