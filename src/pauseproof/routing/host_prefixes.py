"""Which addresses the hosts of a fabric have: the class of each column, and what in it is somebody else's.

Notation: ``h`` a host, ``d`` a column, ``n`` a node of the forest (a prefix).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pauseproof.routing.address_classes import PrefixForest
    from pauseproof.routing.ethernet_devices import Address


@dataclass(frozen=True)
class HostPrefixes:
    """Of a fabric that was read: ``node[d]`` is the prefix whose class column ``d`` stands for, in ``forest``.

    Addresses of longer prefixes, and those in ``own`` (of switches), are not in the class. ``twins[d]`` are further
    prefixes that it stands for: of the same hosts, and routed alike everywhere.
    """

    forest: "PrefixForest"
    node: tuple[int, ...]
    own: "frozenset[Address]" = frozenset()
    twins: tuple[tuple[int, ...], ...] = ()

    def nodes(self, d: int) -> tuple[int, ...]:
        """All prefixes that column ``d`` stands for."""
        return self.node[d], *(self.twins[d] if self.twins else ())

    def families(self, d: int) -> set[int]:
        """Their address families."""
        return {self.forest.address(n)[0] for n in self.nodes(d)}


@dataclass(frozen=True)
class HostAddresses:
    """Of a fabric that was designed: the address of each host that was given one, by host id."""

    given: "Mapping[int, Address]" = field(default_factory=dict)
