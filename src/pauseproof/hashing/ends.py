"""The two ends of a packet, as users name them: hosts by name, port, GUID, LID or address, and the column that a table sees.

``h1``, ``h1:2`` (port 2 of a node with several), ``0x0002c90300001234`` (a node's GUID), ``lid:12``, ``10.0.1.7``.
"""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import NamedTuple

from pauseproof.fabric.naming import hosts_called
from pauseproof.hashing.addresses import AddressBook, HostAddress, host_addresses
from pauseproof.readers.suggest import expected_one_of
from pauseproof.routing.address_classes import ADDRESS_BITS
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.network import Network

LID = "lid:"


class End(NamedTuple):
    """One end: the host, its address (None: it has none), and the column for packets to it (-1: no table knows it).

    ``any_of`` low bits of the address may be others: it was picked from the subnet behind the port.
    """

    host: int
    address: HostAddress | None
    column: int
    any_of: int = 0


class Ends:
    """Who is meant by a word, in one network, for packets of one family."""

    def __init__(self, network: Network, family: int) -> None:
        self.network, self.family = network, family

    def end(self, word: str) -> End:
        """The end that the word means. Raises ValueError where there is none, or several."""
        if word.startswith(LID):
            return self._of_lid(word)
        try:
            address = ip_address(word)
        except ValueError:
            return self._of_host(self._host(word))
        return self._of_address(address.version, int(address))

    @property
    def book(self) -> AddressBook:
        """The addresses of all hosts."""
        if not hasattr(self, "_book"):
            self._book = host_addresses(self.network, self.family)
        return self._book

    def _host(self, word: str) -> int:
        fabric = self.network.fabric
        found = hosts_called(fabric, word) or self._of_guid(word)
        if not found:
            raise ValueError(f"no host is called {word!r}; {expected_one_of(word, fabric.hosts_by_name)}")
        if len(found) > 1:
            ports = [f"{word}:{fabric.port_name(fabric.host(h).node, fabric.host(h).port)}" for h in found]
            raise ValueError(f"{word!r} has {len(found)} ports; expected one of {', '.join(ports[:8])}")
        return found[0]

    def _of_guid(self, word: str) -> Sequence[int]:
        if not word.startswith("0x") or self.network.fabric.kind != "infiniband":
            return []
        try:
            guid = int(word, 16)
        except ValueError:
            return []
        return [h.id for h in self.network.fabric.hosts() if h.guid == guid]

    def _of_host(self, host: int) -> End:
        column = self.network.destinations.first_column(host)
        if self.network.fabric.kind == "infiniband":
            return End(host, None, column)
        address, given = self.book.of(host), int(self.book.column[host])
        return End(host, address, given if given >= 0 else column, address.free if address else 0)

    def _of_lid(self, word: str) -> End:
        destinations = self.network.destinations
        if self.network.fabric.kind != "infiniband":
            raise ValueError(f"{word!r} is an InfiniBand LID, and this fabric has none; expected a host or an address")
        try:
            name = str(int(word.removeprefix(LID), 0))
        except ValueError:
            raise ValueError(f"{word!r} is no LID; expected {LID}12 or {LID}0xc") from None
        column = list(destinations.names).index(name) if name in destinations.names else -1
        if column < 0 or not destinations.members(column):
            raise ValueError(f"no host has the LID {name}")
        return End(destinations.members(column)[0], None, column)

    def _of_address(self, family: int, number: int) -> End:
        if family != self.family or self.network.fabric.kind == "infiniband":
            raise ValueError(f"{ip_address(number)} is no address of a host here; expected IPv{self.family}, or a host's name")
        address = HostAddress(family, number >> 64, number & (1 << 64) - 1)
        book = self.book
        same = (book.family == family) & (book.high == address.high) & (book.low == address.low)
        if same.any():
            return self._of_host(int(same.argmax()))._replace(address=address, any_of=0)
        column = self._class_of(family, number)
        members = self.network.destinations.members(column) if column >= 0 else ()
        if not members:
            raise ValueError(f"no host has the address {ip_address(number)}")
        return End(members[0], address, column)

    def _class_of(self, family: int, number: int) -> int:
        """The column of the longest prefix that holds the address, -1 where none with hosts does."""
        prefixes = self.network.addresses
        if not isinstance(prefixes, HostPrefixes):
            return -1
        best, longest = -1, -1
        for d, node in enumerate(prefixes.node):
            of, first = prefixes.forest.address(node)
            length = int(prefixes.forest.prefix.length[node])
            inside = of == family and number >> (ADDRESS_BITS[of] - length) == first >> (ADDRESS_BITS[of] - length)
            if inside and length > longest and self.network.destinations.members(d):
                best, longest = d, length
        return best
