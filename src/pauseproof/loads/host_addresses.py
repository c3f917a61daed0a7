"""Which hosts may have an IP address: those of the column in which the tables put it."""

from collections.abc import Callable, Sequence

from pauseproof.routing.host_prefixes import HostAddresses, HostPrefixes
from pauseproof.routing.network import Network

Address = tuple[int, int]  # 4 or 6, and the number
HostsAt = Callable[[Address], Sequence[int]]


def hosts_at(network: Network) -> HostsAt:
    """A function from an address to the hosts that may have it: none, one, or all of a subnet."""
    if isinstance(network.addresses, HostAddresses):
        return _given(network.addresses)
    return _of_columns(network.addresses, network)


def _given(addresses: HostAddresses) -> HostsAt:
    hosts = {address: (h,) for h, address in addresses.given.items()}
    return lambda address: hosts.get(address, ())


def _of_columns(prefixes: HostPrefixes, network: Network) -> HostsAt:
    column = {node: d for d, node in enumerate(prefixes.node)}

    def find(address: Address) -> Sequence[int]:
        d = -1 if address in prefixes.own else column.get(prefixes.forest.node_of(*address), -1)
        return () if d < 0 else network.destinations.members(d)

    return find


def nobody(address: Address) -> Sequence[int]:
    """No address is known."""
    return ()
