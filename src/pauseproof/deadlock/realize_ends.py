"""The ends of flows: which addresses each host may send from, and receives on in each column.

An *endpoint* is a host with one address of it, low bits of which may be *free*; ``column`` is the one that packets for the
address are in, -1 where that is any of the host's. All endpoints are of one address family.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.plan import I64, Bools
from pauseproof.hashing.addresses import HostAddress, addresses_of_prefixes, host_addresses, main_family
from pauseproof.hashing.headers import Headers
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.network import Network
from pauseproof.routing.tables import DestinationKind

Hole = tuple[int, int]


@dataclass(frozen=True)
class Endpoints:
    """Arrays [E]; ``holes`` [E] are ranges of addresses that are not the host's although its free bits would give them.

    ``sport`` is the UDP source port of all packets, -1 where it is any that RoCEv2 may use.
    """

    family: int
    host: I64
    node: I64
    column: I64
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    free: I64
    holes: Sequence[tuple[Hole, ...]]
    sport: int = -1

    def __len__(self) -> int:
        return len(self.host)

    def of(self, end: int) -> tuple[int, int]:
        """The address of one endpoint, in halves."""
        return int(self.high[end]), int(self.low[end])

    def sending(self, hosts: Sequence[int]) -> I64:
        """All endpoints of these hosts."""
        return np.flatnonzero(np.isin(self.host, hosts))

    def receiving(self, columns: I64, members: I64) -> I64:
        """The endpoints of (column, member) pairs, in the order of endpoints."""
        n = int(self.host.max(initial=-1)) + 2
        wanted = (self.column + 1) * n + self.host
        at = np.isin(wanted, np.concatenate(((columns + 1) * n + members, members)))
        return np.flatnonzero(at)

    def unaddressed(self, hosts: Sequence[int], columns: I64, members: I64) -> bool:
        """Whether some of the hosts, or of the (column, member) pairs, have no endpoint."""
        some = np.isin(self.host, members) & ((self.column < 0) | np.isin(self.column, columns))
        have = set(zip(self.column[some].tolist(), self.host[some].tolist(), strict=True))
        missing = any(
            (d, g) not in have and (-1, g) not in have for d, g in zip(columns.tolist(), members.tolist(), strict=True)
        )
        return missing or not set(hosts) <= set(self.host.tolist())

    def allowed(self, h: Headers, source: int, destination: int) -> Bools:
        """Which of some packets between two endpoints have addresses that are theirs."""
        out = np.ones(len(h), np.bool_)
        for end, high, low in ((source, h.sip_high, h.sip_low), (destination, h.dip_high, h.dip_low)):
            if self.holes[end] and self.free[end]:
                high, low = (np.broadcast_to(x, len(h)).tolist() for x in (high, low))
                numbers = [a << 64 | b for a, b in zip(high, low, strict=True)]
                out &= [not any(first <= x <= last for first, last in self.holes[end]) for x in numbers]
        return out


def families_of(network: Network, columns: I64) -> list[tuple[int, I64]]:
    """The families of addresses of the fabric, each with the columns that its packets are for."""
    if not isinstance(network.addresses, HostPrefixes):
        return [(main_family(network), columns)]
    prefixes, kind = network.addresses, network.destinations.kind
    of = [prefixes.families(d) if kind[d] == DestinationKind.HOST else {4, 6} for d in columns.tolist()]
    to_hosts = [families for d, families in zip(columns.tolist(), of, strict=True) if kind[d] == DestinationKind.HOST]
    every = sorted(set[int]().union(*to_hosts)) or [4]
    return [(f, columns[[f in families for families in of]]) for f in every]


def has_other_addresses(network: Network, family: int) -> bool:
    """Whether some host of a topology file has an address of another family."""
    if isinstance(network.addresses, HostPrefixes) or network.fabric.kind == "infiniband":
        return False
    return bool((host_addresses(network, family).family == 0).any())


def endpoints_of(network: Network, family: int, columns: I64) -> Endpoints:
    """The endpoints of one family; on InfiniBand there are none."""
    fabric = network.fabric
    if fabric.kind == "infiniband":
        return _made(network, family, [])
    if isinstance(network.addresses, HostPrefixes):
        some = set(columns.tolist())
        found = addresses_of_prefixes(network, network.addresses, family)
        return _made(network, family, [(h, d, one) for h, d, one in found if d in some])
    book = host_addresses(network, family)
    hosts = np.flatnonzero(book.family == family)
    node = fabric.host_node.astype(np.int64)[hosts]
    free = book.free[hosts].astype(np.int64)
    return Endpoints(
        family,
        hosts,
        node,
        np.full(len(hosts), -1),
        book.high[hosts],
        book.low[hosts],
        free,
        [()] * len(hosts),
        network.hashes.sport,
    )


def _made(network: Network, family: int, found: Sequence[tuple[int, int, HostAddress]]) -> Endpoints:
    host = np.array([h for h, _, _ in found], np.int64)
    return Endpoints(
        family,
        host,
        network.fabric.host_node.astype(np.int64)[host],
        np.array([d for _, d, _ in found], np.int64),
        np.array([one.high for _, _, one in found], np.uint64),
        np.array([one.low for _, _, one in found], np.uint64),
        np.array([one.free for _, _, one in found], np.int64),
        [one.holes for _, _, one in found],
        network.hashes.sport,
    )
