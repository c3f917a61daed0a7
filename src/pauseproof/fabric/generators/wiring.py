"""A generated fabric: cables as arrays become a sorted :class:`Fabric`, with what the generator knows about its shape.

Every generator names its switches so that the order of the names is the order of the ids (numbers are padded with zeros),
puts the hosts of a switch on its first ports, and calls host ``i`` of switch ``X`` ``X-hi``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, FabricKind, Ids, NodeKind

MAX_NODES = 1 << 21
MAX_CABLES = 1 << 22


class Cables(NamedTuple):
    """Cable ``i`` joins port ``a_port[i]`` of switch ``a[i]`` with port ``b_port[i]`` of switch ``b[i]``."""

    a: Ids
    a_port: Ids
    b: Ids
    b_port: Ids

    @classmethod
    def of(cls, *columns: NDArray[np.integer] | int) -> "Cables":
        """Four arrays of any shape that broadcast together, flattened."""
        return cls(*(np.ravel(column).astype(np.int32) for column in np.broadcast_arrays(*columns)))

    @classmethod
    def joined(cls, parts: Sequence["Cables"]) -> "Cables":
        """All the cables of several sets."""
        return cls(*(np.concatenate(columns).astype(np.int32) for columns in zip(*parts, strict=True)))


@dataclass(frozen=True)
class Grid:
    """Coordinates of the switches: ``at`` [S, n], ``size`` [n]. ``shape`` says which coordinates of a line are joined."""

    shape: Literal["mesh", "torus", "hyperx"]
    size: tuple[int, ...]
    at: Ids


@dataclass(frozen=True)
class Design:
    """A fabric and its shape: ``tier`` [S] (0 where the hosts are) in a Clos, ``grid`` in a mesh, torus or HyperX."""

    fabric: Fabric
    tier: Ids | None = None
    grid: Grid | None = None


def check_size(switches: int, hosts: int, cables: int) -> None:
    """Raises ValueError before memory is spent on a fabric that no one can have meant."""
    if switches < 1:
        raise ValueError("a fabric needs at least one switch")
    if switches + hosts > MAX_NODES or cables > MAX_CABLES:
        raise ValueError(
            f"this makes {switches} switches, {hosts} hosts and {cables} cables; "
            f"at most {MAX_NODES} nodes and {MAX_CABLES} cables can be generated"
        )


def padded(prefix: str, *counts: int) -> list[str]:
    """Names in the order of their numbers.

    >>> padded("s", 2, 1)
    ['s0-0', 's1-0']
    """
    digits = [[str(i).zfill(len(str(n - 1))) for i in range(n)] for n in counts]
    return [prefix + "-".join(each) for each in product(*digits)]


def wire(name: str, kind: FabricKind, switches: list[str], ports: int, hosts: Ids, cables: Cables) -> Fabric:
    """The fabric of ``switches`` (names in order) with ``hosts[s]`` hosts on the first ports of each, and ``cables``."""
    check_size(len(switches), int(hosts.sum()), int(hosts.sum()) + len(cables.a))
    n, total = len(switches), int(hosts.sum())
    at = np.repeat(np.arange(n, dtype=np.int32), hosts)
    nth = np.arange(total, dtype=np.int32) - np.repeat(np.cumsum(hosts) - hosts, hosts).astype(np.int32)
    host_cables = Cables.of(at, nth + 1, n + np.arange(total), np.ones(total, np.int32))
    a, a_port, b, b_port = Cables.joined([cables, host_cables])
    src, src_port = np.concatenate([a, b]), np.concatenate([a_port, b_port])
    dst, dst_port = np.concatenate([b, a]), np.concatenate([b_port, a_port])
    order = np.argsort(dst.astype(np.int64) * (ports + 1) + dst_port)
    width = len(str(max(int(hosts.max(initial=1)) - 1, 0)))
    tails = [f"-h{i:0{width}d}" for i in range(int(hosts.max(initial=0)))]
    names = switches + [switch + tail for switch, count in zip(switches, hosts.tolist(), strict=True) for tail in tails[:count]]
    return Fabric(
        name=name,
        kind=kind,
        node_name=names,
        node_guid=np.zeros(n + total, np.uint64),
        node_kind=np.repeat(np.array([NodeKind.SWITCH, NodeKind.HOST], np.uint8), [n, total]),
        node_ports=np.repeat(np.array([ports, 1], np.int32), [n, total]),
        link_src=src[order],
        link_src_port=src_port[order],
        link_dst=dst[order],
        link_dst_port=dst_port[order],
    )


def even_hosts(switches: int, hosts: int) -> Ids:
    """``hosts`` on every switch."""
    return np.full(switches, hosts, np.int32)
