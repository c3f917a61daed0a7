"""The ``addresses`` of a topology file: what each host is called in a header.

``h1: 10.0.0.1`` is the address of a host, ``"s0-h*": 10.0.1.0/24`` a subnet: the ports that the pattern matches have its
addresses from the second on, one after the other; a host with several ports may have a list of as many addresses. A later
line overrides an earlier one.
"""

from ipaddress import IPv4Network, IPv6Network, ip_network
from itertools import groupby

import numpy as np

from pauseproof.readers.native_lines import AddressLine, NativeFile
from pauseproof.routing.ethernet_devices import Address
from pauseproof.routing.host_prefixes import HostAddresses
from pauseproof.routing.native_names import Names


def given_addresses(native: NativeFile, names: Names) -> HostAddresses:
    """The addresses of hosts. What cannot be is noted as a problem of ``names``."""
    given: dict[int, Address] = {}
    if native.addresses and native.kind == "infiniband":
        names.wrong(native.addresses[0].host, "addresses are for kind roce: InfiniBand's destinations are LIDs")
    for _, lines in groupby(native.addresses, key=lambda line: line.host.place):
        given.update(_of_key(list(lines), names))
    _refuse_twins(native, given, names)
    return HostAddresses(dict(sorted(given.items())))


def _of_key(lines: list[AddressLine], names: Names) -> dict[int, Address]:
    """The addresses that one key gives, by host id."""
    fabric = names.fabric
    nodes = names.nodes((lines[0].host,), "host", fabric.n_switches, fabric.n_nodes)
    hosts = np.flatnonzero(np.isin(fabric.host_node, nodes)).tolist()
    networks = [ip_network(line.address.text) for line in lines]
    if len(lines) == 1 and networks[0].num_addresses > 1:
        return _along(networks[0], hosts, lines[0], names)
    if nodes and len(hosts) != len(lines):
        names.wrong(lines[0].host, f"{len(lines)} addresses for {len(hosts)} ports; expected one for each, or a subnet")
    for line, network in zip(lines, networks, strict=True):
        if network.num_addresses > 1:
            names.wrong(line.address, "a subnet in a list; expected addresses, one for each port")
    return {h: (n.version, int(n.network_address)) for h, n in zip(hosts, networks, strict=False)}


def _along(network: IPv4Network | IPv6Network, hosts: list[int], line: AddressLine, names: Names) -> dict[int, Address]:
    room = network.num_addresses - (2 if network.version == 4 and network.num_addresses > 2 else 1)
    if len(hosts) > room:
        names.wrong(line.address, f"{network} has room for {room} hosts, and {len(hosts)} are meant")
    return {h: (network.version, int(network.network_address) + 1 + k) for k, h in enumerate(hosts)}


def _refuse_twins(native: NativeFile, given: dict[int, Address], names: Names) -> None:
    """Two hosts with one address cannot be told apart."""
    by_address: dict[Address, int] = {}
    for h, address in given.items():
        other = by_address.setdefault(address, h)
        if other != h and names.fabric.host_node[other] != names.fabric.host_node[h]:
            a, b = (names.fabric.host(one).name for one in (other, h))
            names.wrong(native.addresses[-1].host, f"{a} and {b} have the same address; expected one for each host")
