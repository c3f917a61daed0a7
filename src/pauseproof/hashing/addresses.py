"""What addresses the hosts of a fabric have, for headers: one for each, and which of its bits may be others.

A host of a fabric that was read has its declared address, else any address of its class: the connected subnet behind its
port, without longer prefixes that tables treat otherwise, without addresses of switches, and without those that name the subnet
and all of it. The k-th server of a class is given the k-th address of it; its low bits are *free*, but for *holes*. Hosts of a
topology file have the address that it gives, else one by a rule: host ``k`` of the ``i``-th switch with hosts has
10.0.0.0 + i * 2^b + k + 1, where ``b`` is 8, or as many bits as the switch with the most hosts needs.

Notation: ``h`` a host, ``d`` a column, ``n`` a node of the forest of prefixes (a class of addresses).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.places import BadInput, Place
from pauseproof.routing.address_classes import ADDRESS_BITS
from pauseproof.routing.host_prefixes import HostAddresses, HostPrefixes
from pauseproof.routing.network import Network
from pauseproof.routing.tables import DestinationKind

Range = tuple[int, int]  # first and last address
TEN, BLOCK_BITS, ROOM_BITS = 10 << 24, 8, 24
_LOW = (1 << 64) - 1


class HostAddress(NamedTuple):
    """One host's: ``free`` low bits may be others, but the address must not fall into ``holes`` (inclusive, ascending)."""

    family: int
    high: int
    low: int
    free: int = 0
    holes: tuple[Range, ...] = ()

    @property
    def number(self) -> int:
        """All bits."""
        return self.high << 64 | self.low


@dataclass(frozen=True)
class AddressBook:
    """Of all hosts, arrays [H]: ``family`` is 0 where a host has no address, ``column`` the one that the address lies in.

    ``holes_of`` gives the holes of a column's class.
    """

    family: NDArray[np.uint8]
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    free: NDArray[np.uint8]
    column: Ids
    holes_of: Mapping[int, tuple[Range, ...]] = field(default_factory=dict)

    def of(self, h: int) -> HostAddress | None:
        """The address of one host, None where it has none."""
        if not self.family[h]:
            return None
        holes = self.holes_of.get(int(self.column[h]), ())
        return HostAddress(int(self.family[h]), int(self.high[h]), int(self.low[h]), int(self.free[h]), holes)


class _Class(NamedTuple):
    """The addresses of a class: those of the prefix that are in no hole."""

    first: int
    bits: int  # free ones
    family: int
    holes: tuple[Range, ...]

    def address(self, k: int) -> int:
        """The k-th address, from the first again where there are fewer."""
        size = 1 << self.bits
        room = size - sum(last - first + 1 for first, last in self.holes)
        at = self.first + (k % room if room else 0)
        for first, last in self.holes:
            if first > at:
                break
            at += last - first + 1
        return at


def host_addresses(network: Network, family: int = 4) -> AddressBook:
    """An address of ``family`` for each host that may have one."""
    if isinstance(network.addresses, HostPrefixes):
        return _of_prefixes(network, network.addresses, family)
    return _by_rule(network.fabric, network.addresses, family)


def main_family(network: Network) -> int:
    """4 where some host has, or may have, an IPv4 address; else 6."""
    addresses = network.addresses
    if isinstance(addresses, HostAddresses):
        given = {family for family, _ in addresses.given.values()}
        return 6 if given == {6} and len(addresses.given) == network.fabric.n_hosts else 4
    families = {addresses.forest.address(addresses.node[d])[0] for d in _host_columns(network)}
    return 6 if families == {6} else 4


def addresses_in(network: Network, d: int) -> dict[int, HostAddress]:
    """By host: the address that each member of column ``d`` has there."""
    if isinstance(network.addresses, HostPrefixes):
        return _Classes(network, network.addresses).of_column(d)
    book = _by_rule(network.fabric, network.addresses, main_family(network))
    return {h: found for h in network.destinations.members(d) if (found := book.of(h)) is not None}


def addresses_of_prefixes(network: Network, prefixes: HostPrefixes, family: int) -> list[tuple[int, int, HostAddress]]:
    """(host, column, address) for every prefix of ``family`` that a column stands for."""
    classes = _Classes(network, prefixes)
    of = [(d, n) for d in _host_columns(network) for n in prefixes.nodes(d) if prefixes.forest.address(n)[0] == family]
    return [(h, d, one) for d, n in of for h, one in classes.of_prefix(d, n).items()]


def endpoints(network: Network, family: int) -> tuple[NDArray[np.intp], AddressBook]:
    """Every address of ``family`` of every host: the hosts [E], and a book of the addresses with these rows."""
    if not isinstance(network.addresses, HostPrefixes):
        return np.arange(network.fabric.n_hosts), host_addresses(network, family)
    found = addresses_of_prefixes(network, network.addresses, family)
    words = np.array([one[:4] for _, _, one in found], np.uint64).reshape(-1, 4)
    families, high, low, free = (words[:, i].copy() for i in range(4))
    column = np.array([d for _, d, _ in found], np.int32)
    holes: dict[int, tuple[Range, ...]] = {}
    for _, d, one in found:  # those of one prefix lie in no other
        holes[d] = tuple(sorted({*holes.get(d, ()), *one.holes}))
    book = AddressBook(families.astype(np.uint8), high, low, free.astype(np.uint8), column, holes)
    return np.array([h for h, _, _ in found], np.intp), book


def _host_columns(network: Network) -> list[int]:
    destinations = network.destinations
    some = np.diff(destinations.member_ptr) > 0
    here: list[int] = np.flatnonzero(some & (destinations.kind == DestinationKind.HOST)).tolist()
    return here


def _of_prefixes(network: Network, prefixes: HostPrefixes, family: int) -> AddressBook:
    n, classes, holes = network.fabric.n_hosts, _Classes(network, prefixes), dict[int, tuple[Range, ...]]()
    columns = np.zeros((n, 4), np.uint64)  # family, high, low, free
    column = np.full(n, -1, np.int32)
    for d in _host_columns(network):
        if prefixes.forest.address(prefixes.node[d])[0] == family:
            for h, found in classes.of_column(d).items():
                if column[h] < 0:
                    columns[h], column[h], holes[d] = (found.family, found.high, found.low, found.free), d, found.holes
    families, high, low, free = columns.T
    return AddressBook(families.astype(np.uint8), high.copy(), low.copy(), free.astype(np.uint8), column, holes)


class _Classes:
    """The classes of a network that was read, and which server of its class each end node is."""

    def __init__(self, network: Network, prefixes: HostPrefixes) -> None:
        self.network, self.prefixes = network, prefixes
        self.server: dict[int, dict[int, int]] = defaultdict(dict)
        for d in _host_columns(network):
            order = self.server[prefixes.node[d]]
            for h in network.destinations.members(d):
                order.setdefault(int(network.fabric.host_node[h]), len(order))
        self._known: dict[int, _Class] = {}

    def of_column(self, d: int) -> dict[int, HostAddress]:
        """The address of each member, in the first prefix of the column."""
        return self.of_prefix(d, self.prefixes.node[d])

    def of_prefix(self, d: int, n: int) -> dict[int, HostAddress]:
        """The address of each member, in one prefix of the column."""
        of = self._known.setdefault(n, _class_of(self.prefixes, n))
        out = {}
        for h in self.network.destinations.members(d):
            number = of.address(self.server[self.prefixes.node[d]].get(int(self.network.fabric.host_node[h]), 0))
            out[h] = HostAddress(of.family, number >> 64, number & _LOW, of.bits, of.holes)
        return out


def _class_of(prefixes: HostPrefixes, n: int) -> _Class:
    """The class of a prefix."""
    forest = prefixes.forest
    family, first = forest.address(n)
    bits = ADDRESS_BITS[family] - int(forest.prefix.length[n])
    last = first + (1 << bits) - 1
    found = [(number, number) for of, number in prefixes.own if of == family and first <= number <= last and bits]
    found += [(first, first), *([(last, last)] if family == 4 else [])] if bits > 1 else []
    m, end = n + 1, int(forest.end[n])
    while m < end:
        inside = forest.address(m)[1]
        found.append((inside, inside + (1 << ADDRESS_BITS[family] - int(forest.prefix.length[m])) - 1))
        m = int(forest.end[m])
    return _Class(first, bits, family, _merged(found))


def _merged(ranges: list[Range]) -> tuple[Range, ...]:
    """Ascending ranges that do not touch.

    >>> _merged([(5, 6), (0, 1), (2, 2), (6, 9)])
    ((0, 2), (5, 9))
    """
    out: list[Range] = []
    for first, last in sorted(ranges):
        if out and first <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(last, out[-1][1])
        else:
            out.append((first, last))
    return tuple(out)


def _by_rule(fabric: Fabric, addresses: HostAddresses, family: int) -> AddressBook:
    """Given addresses, and those of the rule, which pass by the given ones."""
    number = _ruled(fabric)
    families = np.full(fabric.n_hosts, 4, np.uint8)
    high, low = np.zeros(fabric.n_hosts, np.uint64), number.copy()
    taken = {address for of, address in addresses.given.values() if of == 4}
    if taken:
        for h in np.flatnonzero(np.isin(number, np.array(sorted(taken), np.uint64))).tolist():
            low[h] = _next_free(int(number[h]), taken | set(low.tolist()))
    for h, (of, address) in addresses.given.items():
        families[h], high[h], low[h] = of, address >> 64, address & _LOW
    families[families != family] = 0
    none = np.zeros(fabric.n_hosts, np.uint8)
    return AddressBook(families, high, low, none, np.full(fabric.n_hosts, -1, np.int32))


def _next_free(number: int, taken: set[int]) -> int:
    while number in taken:
        number += 1
    return number


def _ruled(fabric: Fabric) -> NDArray[np.uint64]:
    """[H]: the address of each host by the rule. Raises BadInput where there are too many."""
    at = fabric.link_dst[fabric.host_up].astype(np.int64)
    switches, which, count = np.unique(at, return_inverse=True, return_counts=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    k = np.empty(len(at), np.int64)
    k[order] = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
    bits = max(BLOCK_BITS, int(count.max(initial=0) + 1).bit_length())
    if len(switches) << bits > 1 << ROOM_BITS:
        bits = int(count.max(initial=0) + 1).bit_length()
    if len(switches) << bits > 1 << ROOM_BITS:
        message = f"{len(at)} hosts on {len(switches)} switches have no room in 10.0.0.0/8; expected `addresses:` for them"
        raise BadInput.at(Place(fabric.name or "addresses"), message)
    out: NDArray[np.uint64] = (TEN + (which.reshape(-1).astype(np.int64) << bits) + k + 1).astype(np.uint64)
    return out
