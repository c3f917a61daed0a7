"""The fabric as it is cabled: nodes, and the two directed links of every cable.

A *node* is a switch or an end node; switches come first, each group in the order of GUID (InfiniBand) or name (RoCE).
A *link* is one direction of a cable; links are numbered in the order of (receiving node, receiving port), which makes
the link's id also the order of the ingress buffers at its far end. A *host* is one cabled port of an end node.

Notation: ``n`` a node, ``s`` a switch (``s < n_switches``), ``p`` a port number (1..radix; 0 is a switch's own port),
``l`` a link, ``h`` a host. All id arrays are int32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Place

Ids = NDArray[np.int32]
FabricKind = Literal["infiniband", "roce"]


class NodeKind(IntEnum):
    """What a node is; the order is the order of node ids."""

    SWITCH = 0
    HOST = 1
    AGGREGATION = 2  # a SHARP aggregation node: cabled like a host, sends no ordinary traffic
    ROUTER = 3  # an end node of this subnet; what lies behind it is not seen


@dataclass(frozen=True, slots=True)
class Switch:
    """A view of one switch, made on demand."""

    id: int
    name: str
    guid: int
    radix: int


@dataclass(frozen=True, slots=True)
class Host:
    """A view of one host: one cabled port of an end node. ``up`` is its link into the fabric, ``down`` the link to it."""

    id: int
    node: int
    port: int
    name: str
    guid: int
    kind: NodeKind
    up: int
    down: int


@dataclass(frozen=True, slots=True)
class Link:
    """A view of one directed link, made on demand."""

    id: int
    src: int
    src_port: int
    dst: int
    dst_port: int


@dataclass(frozen=True)
class Fabric:
    """The cabling. Build it with :func:`pauseproof.fabric.build.make_fabric`, which checks and sorts.

    Shapes: ``node_*`` [N], ``link_*`` [L]. ``link_place`` [L, 2] is (index into ``files``, line).
    ``speed`` is Gb/s and ``length`` metres, both NaN where not known.
    """

    name: str
    kind: FabricKind
    node_name: Sequence[str]
    node_guid: NDArray[np.uint64]
    node_kind: NDArray[np.uint8]
    node_ports: Ids
    link_src: Ids
    link_src_port: Ids
    link_dst: Ids
    link_dst_port: Ids
    files: tuple[str, ...] = ()
    link_place: Ids | None = None
    speed: NDArray[np.float32] | None = None
    length: NDArray[np.float32] | None = None
    port_names: dict[int, Sequence[str]] = field(default_factory=dict)  # node -> names of ports 0.. where not numbers

    @cached_property
    def n_switches(self) -> int:
        """Switches are nodes 0..n_switches-1."""
        return int(np.count_nonzero(self.node_kind == NodeKind.SWITCH))

    @property
    def n_nodes(self) -> int:
        """Switches and end nodes."""
        return len(self.node_name)

    @property
    def n_links(self) -> int:
        """Two per cable."""
        return len(self.link_src)

    @cached_property
    def reverse(self) -> Ids:
        """``reverse[l]`` is the other direction of the same cable, [L]."""
        out = np.empty(self.n_links, np.int32)
        out[np.lexsort((self.link_src_port, self.link_src))] = np.arange(self.n_links, dtype=np.int32)
        return out

    @cached_property
    def max_radix(self) -> int:
        """The largest port number of any switch."""
        return int(self.node_ports[: self.n_switches].max(initial=0))

    @cached_property
    def out_link(self) -> Ids:
        """``out_link[s, p]`` is the link that leaves switch ``s`` by port ``p``, -1 where no cable is; [S, max_radix+1]."""
        return self._at_port(self.link_src, self.link_src_port)

    @cached_property
    def in_link(self) -> Ids:
        """``in_link[s, p]`` is the link that arrives at switch ``s`` on port ``p``, -1 where no cable is; [S, max_radix+1]."""
        return self._at_port(self.link_dst, self.link_dst_port)

    def _at_port(self, node: Ids, port: Ids) -> Ids:
        table = np.full((self.n_switches, self.max_radix + 1), -1, np.int32)
        at_switch = np.flatnonzero(node < self.n_switches)
        table[node[at_switch], port[at_switch]] = at_switch
        return table

    @cached_property
    def host_up(self) -> Ids:
        """``host_up[h]``: the link from host ``h`` into the fabric, [H]; hosts in the order of (node, port)."""
        return self.reverse[self.host_down]

    @cached_property
    def host_down(self) -> Ids:
        """``host_down[h]``: the link that ends at host ``h``, [H]."""
        return np.flatnonzero(self.link_dst >= self.n_switches).astype(np.int32)

    @cached_property
    def host_node(self) -> Ids:
        """``host_node[h]``: the end node that host ``h`` is a port of, [H]."""
        return self.link_dst[self.host_down]

    @cached_property
    def host_of_link(self) -> Ids:
        """``host_of_link[l]``: the host at the receiving end of ``l``, -1 where that is a switch, [L]."""
        out = np.full(self.n_links, -1, np.int32)
        out[self.host_down] = np.arange(len(self.host_down), dtype=np.int32)
        return out

    @property
    def n_hosts(self) -> int:
        """Cabled ports of end nodes."""
        return len(self.host_down)

    def port_name(self, node: int, port: int) -> str:
        """The port as the operator calls it: a number on InfiniBand, a name where names were read."""
        names = self.port_names.get(node)
        return str(port) if names is None else names[port]

    def switch(self, s: int) -> Switch:
        """The switch with id ``s``."""
        return Switch(s, self.node_name[s], int(self.node_guid[s]), int(self.node_ports[s]))

    def switches(self) -> Iterator[Switch]:
        """Every switch, in id order."""
        return map(self.switch, range(self.n_switches))

    def host(self, h: int) -> Host:
        """The host with id ``h``."""
        down, node = int(self.host_down[h]), int(self.host_node[h])
        return Host(
            h,
            node,
            int(self.link_dst_port[down]),
            self.node_name[node],
            int(self.node_guid[node]),
            NodeKind(self.node_kind[node]),
            int(self.host_up[h]),
            down,
        )

    def hosts(self) -> Iterator[Host]:
        """Every host, in id order."""
        return map(self.host, range(self.n_hosts))

    @cached_property
    def every_host(self) -> tuple[Host, ...]:
        """The views of all hosts, made once: for whoever looks at them many times."""
        return tuple(self.hosts())

    @cached_property
    def hosts_by_name(self) -> dict[str, tuple[int, ...]]:
        """The hosts of every end node, by its name, in the order of their ports."""
        out: dict[str, tuple[int, ...]] = {}
        for h, node in enumerate(self.host_node.tolist()):
            out[self.node_name[node]] = (*out.get(self.node_name[node], ()), h)
        return out

    @cached_property
    def every_link(self) -> tuple[Link, ...]:
        """The views of all links, made once."""
        return tuple(self.links())

    def link(self, link: int) -> Link:
        """The directed link with id ``link``."""
        return Link(
            link,
            int(self.link_src[link]),
            int(self.link_src_port[link]),
            int(self.link_dst[link]),
            int(self.link_dst_port[link]),
        )

    def links(self) -> Iterator[Link]:
        """Every directed link, in id order."""
        return map(self.link, range(self.n_links))

    def place_of_link(self, link: int) -> Place | None:
        """Where the cable of ``link`` was read."""
        if self.link_place is None or self.link_place[link, 0] < 0:
            return None
        return Place(self.files[int(self.link_place[link, 0])], int(self.link_place[link, 1]))

    def identity(self, node: int) -> str:
        """The name that is the same in every input format: the GUID on InfiniBand, else the device name."""
        guid = int(self.node_guid[node])
        return f"0x{guid:016x}" if guid else self.node_name[node]
