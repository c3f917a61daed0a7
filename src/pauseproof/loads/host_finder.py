"""Which host of a fabric a word means: a node's name, a name and a port, a GUID, an IP address or a GID.

A GID that holds no IPv4 address ends with the GUID of a port; a port's GUID is taken to be that of its node plus the number of
the port, or that of the node itself, as HCAs are made.
"""

import ipaddress
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.naming import hosts_called
from pauseproof.fabric.places import Problem
from pauseproof.loads.host_addresses import Address, HostsAt, nobody
from pauseproof.readers.native_lines import Word
from pauseproof.readers.natural_order import natural_order
from pauseproof.readers.suggest import expected_one_of

GUID = re.compile(r"0x[0-9a-fA-F]{1,16}")


@dataclass
class HostFinder:
    """Looks words up in ``fabric`` and notes those that mean no host, or none that can send."""

    fabric: Fabric
    hosts_at: HostsAt = nobody
    problems: list[Problem] = field(default_factory=list)

    @property
    def by_name(self) -> Mapping[str, Sequence[int]]:
        """The hosts of every end node, by its name."""
        return self.fabric.hosts_by_name

    @cached_property
    def names(self) -> list[str]:
        """The end nodes that can send, as people count them."""
        kinds = self.fabric.node_kind
        senders = {n for n in self.fabric.host_node.tolist() if kinds[n] == NodeKind.HOST}
        return sorted({self.fabric.node_name[n] for n in senders}, key=natural_order)

    @cached_property
    def switches(self) -> frozenset[str]:
        """The names of all switches."""
        return frozenset(self.fabric.node_name[: self.fabric.n_switches])

    @cached_property
    def _by_guid(self) -> dict[int, list[int]]:
        out = defaultdict(list)
        for h, node in enumerate(self.fabric.host_node.tolist()):
            if guid := int(self.fabric.node_guid[node]):
                out[guid].append(h)
        return dict(out)

    def wrong(self, word: Word, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(word.place, message))

    def host(self, word: Word) -> int:
        """The one host that a word means, -1 where it means none or several: a problem then."""
        found = self._found(word.text)
        if len(found) == 1:
            return self.sender(word, found[0])
        if found:
            ends = ", ".join(self.end(h) for h in found[:8])
            self.wrong(
                word, f"{word.text!r} may be {len(found)} hosts: {ends}{', ...' if len(found) > 8 else ''}; name one of them"
            )
        elif self._address(word.text) is not None:
            self.wrong(word, f"no host of the fabric is known to have the address {word.text!r}; expected a host by its name")
        else:
            self.wrong(word, f"{word.text!r} is no host of the fabric; {self._near_name(word.text)}")
        return -1

    def _near_name(self, text: str) -> str:
        name, _, port = text.rpartition(":")
        if name in self.by_name:
            return f"{name} has no cabled port {port!r}: {expected_one_of(port, [self._port(h) for h in self.by_name[name]])}"
        return expected_one_of(text, self.by_name)

    def sender(self, word: Word, h: int) -> int:
        """``h``, or -1 and a problem where it is no host that runs jobs."""
        kind = NodeKind(self.fabric.node_kind[self.fabric.host_node[h]])
        if kind is not NodeKind.HOST:
            self.wrong(word, f"{word.text!r} is no host that runs a job: it is {_KINDS[kind]}")
            return -1
        return h

    def _found(self, text: str) -> Sequence[int]:
        if (called := hosts_called(self.fabric, text)) or text.rpartition(":")[0] in self.by_name:
            return called
        if GUID.fullmatch(text):
            return self._of_guid(int(text, 16))
        address = self._address(text)
        if address is None:
            return []
        if found := self.hosts_at(address):
            return found
        return self._of_guid(address[1] & (1 << 64) - 1) if address[0] == 6 else []

    def _of_guid(self, guid: int) -> list[int]:
        if found := self._by_guid.get(guid):
            return found
        return [h for h in self._near(guid) if self._node_guid(h) + self._number(h) == guid]

    def _node_guid(self, h: int) -> int:
        return int(self.fabric.node_guid[self.fabric.host_node[h]])

    def _near(self, guid: int) -> list[int]:
        return [h for back in range(1, 5) for h in self._by_guid.get(guid - back, ())]

    def _number(self, h: int) -> int:
        return int(self.fabric.link_dst_port[self.fabric.host_down[h]])

    def end(self, h: int) -> str:
        """A host as messages name it, and as words may: NODE:PORT."""
        return f"{self.fabric.node_name[int(self.fabric.host_node[h])]}:{self._port(h)}"

    def _port(self, h: int) -> str:
        return self.fabric.port_name(int(self.fabric.host_node[h]), self._number(h))

    @staticmethod
    def _address(text: str) -> Address | None:
        """An IP address, or a GID: IPv4-mapped ones are IPv4."""
        try:
            found = ipaddress.ip_address(text)
        except ValueError:
            return None
        if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        return found.version, int(found)


_KINDS = {
    NodeKind.SWITCH: "a switch",
    NodeKind.AGGREGATION: "an aggregation node",
    NodeKind.ROUTER: "a router",
}
