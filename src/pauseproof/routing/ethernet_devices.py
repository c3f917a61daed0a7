"""What was read of each device, gathered: its tables, the subnets it is connected to, its own addresses, its interfaces.

A device may have several tables (one file each) that must agree. Its connected subnets are what its tables call connected;
where they name none (tables of BGP routes only), its interface addresses.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Place
from pauseproof.readers.roce_records import AddressRecords, Group, NextHop, RouteKind, RouteRecords
from pauseproof.routing.address_classes import PrefixRows
from pauseproof.routing.interfaces import Interfaces

Network = IPv4Network | IPv6Network
Address = tuple[int, int]  # (family, address)
DEFAULT_VRF = "default"
ADDRESSES = "addresses"  # the format of connected subnets that interface addresses tell of, and no table


class Subnet(NamedTuple):
    """A subnet that a device is connected to by ``interface``."""

    interface: str
    network: Network
    place: Place


@dataclass(frozen=True)
class Device:
    """One device in one VRF. ``addresses`` are interface addresses as (interface, network, address, place)."""

    name: str
    tables: tuple[RouteRecords, ...] = ()
    addresses: tuple[tuple[str, Network, Address, Place], ...] = ()
    interfaces: Interfaces = field(default_factory=Interfaces)

    @cached_property
    def subnets(self) -> tuple[Subnet, ...]:
        """Every connected subnet once, link-local ones and the loopback's left out."""
        found: dict[tuple[str, Network], Subnet] = {}
        for table in (*self.tables, *((self.connected,) if self.connected is not None else ())):
            for row in _rows_of_kind(table, RouteKind.CONNECTED):
                network, place = network_of(table, row), Place(table.file, int(table.line[row]))
                for hop in table.groups[table.group[row]].hops:
                    found.setdefault((hop.interface, network), Subnet(hop.interface, network, place))
        return tuple(subnet for subnet in found.values() if is_global(subnet.network))

    @cached_property
    def connected(self) -> RouteRecords | None:
        """The subnets of the interface addresses as routes, None where the tables name connected subnets themselves."""
        named = any(group.kind is RouteKind.CONNECTED for table in self.tables for group in table.groups)
        if named or not self.addresses or not self.tables:
            return None
        groups: dict[Group, int] = {}
        rows: dict[Network, tuple[int, int]] = {}
        for interface, network, _, place in self.addresses:
            group = Group(RouteKind.CONNECTED, (NextHop("", interface),))
            rows.setdefault(network, (groups.setdefault(group, len(groups)), place.line))
        prefix = PrefixRows.of(list(rows))
        number, line = np.array([*rows.values()], np.int32).reshape(-1, 2).T
        return RouteRecords(self.addresses[0][3].file, ADDRESSES, self.name, DEFAULT_VRF, *prefix, number, tuple(groups), line)

    @cached_property
    def own(self) -> frozenset[Address]:
        """Addresses that are known to be the device's own."""
        local = {
            (network.version, int(network.network_address))
            for table in self.tables
            for row in _rows_of_kind(table, RouteKind.LOCAL)
            if is_lone(network := network_of(table, row))
        }
        lone = {(s.network.version, int(s.network.network_address)) for s in self.subnets if is_lone(s.network)}
        return frozenset(local | lone | {address for _, _, address, _ in self.addresses})

    def may_own(self, address: Address) -> bool:
        """Whether the device has the address, or may have it as far as was read."""
        if address in self.own or not (self.tables or self.addresses):
            return True
        family, number = address
        return not self.addresses and any(
            of == family and number >> free in networks for (of, free), networks in self._by_length.items()
        )

    @cached_property
    def _by_length(self) -> dict[tuple[int, int], set[int]]:
        """Connected subnets by family and free bits, without those bits."""
        out: dict[tuple[int, int], set[int]] = defaultdict(set)
        for subnet in self.subnets:
            free = subnet.network.max_prefixlen - subnet.network.prefixlen
            out[subnet.network.version, free].add(int(subnet.network.network_address) >> free)
        return out

    def subnet_of(self, address: Address) -> Subnet | None:
        """The smallest connected subnet that an address lies in."""
        around = [subnet for subnet in self.subnets if contains(subnet.network, address)]
        return max(around, key=lambda subnet: subnet.network.prefixlen, default=None)

    def subnet_of_text(self, text: str) -> Subnet | None:
        """The same for an address as text; None where it is no address."""
        try:
            address = ip_address(text)
        except ValueError:
            return None
        return self.subnet_of((address.version, int(address)))

    def lookup(self, address: Address) -> Group | None:
        """What the longest match of the first table that has one says of an address."""
        for table in self.tables:
            row = _longest_match(table, address)
            if row is not None:
                return table.groups[int(table.group[row])]
        return None


def _longest_match(table: RouteRecords, address: Address) -> int | None:
    family, number = address
    free = (32 if family == 4 else 128) - table.length.astype(np.int64)
    here = np.flatnonzero((table.family == family) & (free >= 0))
    high, low = np.uint64(number >> 64), np.uint64(number & 0xFFFFFFFFFFFFFFFF)
    differs_high = _shifted(table.high[here] ^ high, free[here] - 64)
    differs_low = _shifted(table.low[here] ^ low, free[here])
    around = here[(differs_high == 0) & ((free[here] >= 64) | (differs_low == 0))]
    return int(around[np.argmax(table.length[around])]) if len(around) else None


def _shifted(bits: NDArray[np.uint64], count: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Each half without its ``count`` low bits; nothing is left of one that is free altogether."""
    out: NDArray[np.uint64] = np.where(count >= 64, np.uint64(0), bits >> np.clip(count, 0, 63).astype(np.uint64))
    return out


def contains(network: Network, address: Address) -> bool:
    """Whether an address lies in a network of its family."""
    family, number = address
    free = network.max_prefixlen - network.prefixlen
    return network.version == family and number >> free == int(network.network_address) >> free


def is_lone(network: Network) -> bool:
    """One address alone."""
    return network.prefixlen == network.max_prefixlen


def is_global(network: Network) -> bool:
    """Neither link-local, nor multicast, nor of the loopback: something that hosts send to."""
    return not (network.is_link_local or network.is_multicast or network.is_loopback)


def network_of(table: RouteRecords, row: int) -> Network:
    """The prefix of one row."""
    address, length = int(table.high[row]) << 64 | int(table.low[row]), int(table.length[row])
    return (
        IPv4Network((address, length), strict=False) if table.family[row] == 4 else IPv6Network((address, length), strict=False)
    )


def _rows_of_kind(table: RouteRecords, kind: RouteKind) -> Iterator[int]:
    groups = {g for g, group in enumerate(table.groups) if group.kind is kind}
    yield from (row for row, g in enumerate(table.group.tolist()) if g in groups)


def gather(
    routes: Sequence[RouteRecords],
    addresses: Sequence[AddressRecords],
    interfaces: Mapping[str, Interfaces],
    vrf: str,
) -> dict[str, Device]:
    """Every device that some dump speaks of, by name, in the order of names."""
    tables: dict[str, list[RouteRecords]] = defaultdict(list)
    own: dict[str, list[tuple[str, Network, Address, Place]]] = defaultdict(list)
    for table in routes:
        if table.vrf == vrf:
            tables[table.device].append(table)
    for record in addresses:
        own[record.device].extend(_addresses(record, vrf))
    names = {table.device for table in routes} | own.keys() | interfaces.keys()
    return {
        name: Device(name, tuple(tables.get(name, ())), tuple(own.get(name, ())), interfaces.get(name, Interfaces()))
        for name in sorted(names)
    }


def _addresses(record: AddressRecords, vrf: str) -> Iterator[tuple[str, Network, Address, Place]]:
    columns = zip(record.family.tolist(), record.high.tolist(), record.low.tolist(), record.length.tolist(), strict=True)
    for i, (family, high, low, length) in enumerate(columns):
        if not record.vrf or (record.vrf[i] or DEFAULT_VRF) == vrf:
            address, network = high << 64 | low, IPv4Network if family == 4 else IPv6Network
            place = Place(record.file, int(record.line[i]))
            yield record.interface[i], network((address, length), strict=False), (family, address), place
