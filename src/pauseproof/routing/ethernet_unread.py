"""What lies behind switches whose tables were not read: subnets that other tables lead to them for, and hosts there.

A switch without a table may have hosts that nobody else speaks of. Where a neighbour has a route all of whose next hops lead
to it, or to others without a table, for a prefix that no table calls connected, one host stands for all that may be there: it
may have any address of these prefixes (of many, the first ``MOST``), and send to everybody. What its switch does is unknown; so
no verdict of freedom rests on its silence.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from pauseproof.fabric.places import Place
from pauseproof.readers.roce_records import Group, RouteKind
from pauseproof.routing.ethernet_devices import Device, Network, is_global, is_lone, network_of
from pauseproof.routing.ethernet_hosts import Attached, Cabled

PORT = "unread"  # the name of a port that no dump names
MOST = 256  # prefixes of one switch: behind a router to the world there may be a million


def unread_subnets(devices: Mapping[str, Device], cabled: Cabled, switches: Collection[str]) -> dict[str, list[Network]]:
    """By switch without a table of some address family, the prefixes that lie behind it as far as its neighbours say."""
    silent = {f: {name for name in switches if name not in devices or not _tells_of(devices[name], f)} for f in (4, 6)}
    if not any(silent.values()):
        return {}
    connected = {subnet.network for device in devices.values() for subnet in device.subnets}
    found: dict[str, set[Network]] = defaultdict(set)
    for device in devices.values():
        for name, network in _led_to(device, cabled, silent):
            if network not in connected and network.prefixlen and not is_lone(network) and is_global(network):
                found[name].add(network)
    return {name: sorted(found[name], key=str)[:MOST] for name in sorted(found)}


def _tells_of(device: Device, family: int) -> bool:
    return any((table.family == family).any() for table in device.tables)


def _led_to(device: Device, cabled: Cabled, silent: Mapping[int, Collection[str]]) -> Iterator[tuple[str, Network]]:
    """(switch, prefix) of the routes that lead to silent switches alone."""
    for table in device.tables:
        for g, group in enumerate(table.groups):
            names = _neighbours(device, group, cabled) if group.kind is RouteKind.FORWARD else set()
            if names and any(names.issubset(some) for some in silent.values()):
                networks = [network_of(table, row) for row in np.flatnonzero(table.group == g).tolist()]
                told = [network for network in networks if names.issubset(silent[network.version])]
                yield from ((name, network) for name in sorted(names) for network in told)


def _neighbours(device: Device, group: Group, cabled: Cabled) -> set[str]:
    """The neighbours behind all next hops; among them "" where one is not known."""
    names = set[str]()
    for hop in group.hops:
        subnet = None if hop.interface else device.subnet_of_text(hop.address)
        interface = hop.interface or (subnet.interface if subnet is not None else "")
        names |= {cabled.far.get((device.name, port), ("", ""))[0] for port in device.interfaces.ports(interface)}
    return names


def unread_hosts(subnets: Mapping[str, Collection[Network]]) -> dict[tuple[str, str], Attached]:
    """A host for each switch that has such subnets."""
    return {(name, PORT): Attached(f"{name}:{PORT}", Place(name)) for name in subnets}
