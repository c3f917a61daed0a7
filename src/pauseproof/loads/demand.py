"""Flows added up where they enter the fabric: bytes for each (phase, receiver, first switch), since they go the same ways.

Notation: ``p`` a phase, ``h`` a host, ``g`` the host that bytes are for, ``s`` the switch where they enter, ``l`` a link.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.flows import Flows, Traffic, blocks_of
from pauseproof.loads.next_hops import NextHops

I64 = NDArray[np.int64]
Bytes = NDArray[np.float64]
DENSE = 1 << 25  # cells that are simply counted in an array
PENDING = 1 << 24  # rows that wait to be added up


@dataclass(frozen=True)
class Demand:
    """What enters, [n], ascending by (phase, receiver, switch); the switch is that at the far end of the sender's link.

    ``up`` [P, H]: bytes that each host sends into the fabric. ``beside`` [P]: bytes that stay on their node. ``astray`` [P]:
    bytes that hosts send over a cable to another end node, which are lost unless they are for it.
    """

    phase: I64
    receiver: I64
    switch: I64
    bytes: Bytes
    up: Bytes
    beside: Bytes
    arrived: Bytes
    astray: Bytes


@dataclass
class Gathering:
    """Adds blocks of flows up. ``phases`` may grow from block to block."""

    hops: NextHops
    phases: int = 1
    _dense: Bytes = field(default_factory=lambda: np.zeros(0))  # by key, while there are not too many
    _keys: list[I64] = field(default_factory=list)
    _bytes: list[Bytes] = field(default_factory=list)
    _pending: int = 0

    def __post_init__(self) -> None:
        h = self.hops.fabric.n_hosts
        self.up: Bytes = np.zeros((self.phases, h))
        self.beside, self.arrived, self.astray = np.zeros((3, self.phases))

    def add(self, flows: Flows) -> None:
        """Add a block."""
        fabric, p = self.hops.fabric, flows.phase.astype(np.int64)
        self._grow(int(p.max(initial=-1)) + 1)
        local = fabric.host_node[flows.src] == fabric.host_node[flows.dst]
        self.beside += np.bincount(p[local], flows.bytes[local], self.phases)
        p, src, dst, amount = p[~local], flows.src[~local], flows.dst[~local], flows.bytes[~local]
        h = fabric.n_hosts
        self.up += np.bincount(p * h + src, amount, self.phases * h).reshape(self.phases, h)
        first = fabric.link_dst[fabric.host_up[src]].astype(np.int64)
        cabled = first >= fabric.n_switches
        if cabled.any():
            other = fabric.host_of_link[fabric.host_up[src]]
            right = cabled & self.hops.takes(self.hops.first_column[dst], dst.astype(np.int64), other)
            self.arrived += np.bincount(p[right], amount[right], self.phases)
            self.astray += np.bincount(p[cabled & ~right], amount[cabled & ~right], self.phases)
            p, dst, amount, first = p[~cabled], dst[~cabled], amount[~cabled], first[~cabled]
        self.enter(p, dst, first, amount)

    def enter(self, phase: I64 | Ids, receiver: I64 | Ids, switch: I64, amount: Bytes) -> None:
        """Bytes that are at a switch, wherever they come from; ``phase`` is below ``phases``."""
        fabric = self.hops.fabric
        key = (phase.astype(np.int64) * fabric.n_hosts + receiver) * fabric.n_switches + switch
        cells = self.phases * fabric.n_hosts * fabric.n_switches
        if cells > DENSE:
            self._collect(key, amount)
            return
        if len(self._dense) < cells:
            self._dense = np.pad(self._dense, (0, cells - len(self._dense)))
        np.add.at(self._dense, key, amount)

    def _grow(self, phases: int) -> None:
        if phases > self.phases:
            more = phases - self.phases
            self.up = np.pad(self.up, ((0, more), (0, 0)))
            self.beside, self.arrived, self.astray = (np.pad(a, (0, more)) for a in (self.beside, self.arrived, self.astray))
            self.phases = phases

    def _collect(self, key: I64, amount: Bytes) -> None:
        key, amount = _summed(key, amount)
        self._keys.append(key)
        self._bytes.append(amount)
        self._pending += len(key)
        if self._pending > PENDING and len(self._keys) > 1:
            self._merge()

    def _merge(self) -> None:
        key, amount = _summed(np.concatenate(self._keys), np.concatenate(self._bytes))
        self._keys, self._bytes, self._pending = [key], [amount], len(key)

    def demand(self) -> Demand:
        """Everything that was added."""
        found = np.flatnonzero(self._dense)
        key, amount = _summed(np.concatenate([found, *self._keys]), np.concatenate([self._dense[found], *self._bytes]))
        target, switch = np.divmod(key, max(self.hops.fabric.n_switches, 1))
        phase, receiver = np.divmod(target, max(self.hops.fabric.n_hosts, 1))
        return Demand(phase, receiver, switch, amount, self.up, self.beside, self.arrived, self.astray)


def _summed(key: I64, amount: Bytes) -> tuple[I64, Bytes]:
    """The distinct keys, ascending, with the sums of their amounts."""
    if not len(key):
        return key, amount
    order = np.argsort(key, kind="stable")
    key, amount = key[order], amount[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    return key[first], np.add.reduceat(amount, first)


def demand_of(hops: NextHops, traffic: Iterable[Traffic], phases: int = 1) -> Demand:
    """All flows, of at least so many phases, added up where they enter the fabric."""
    gathering = Gathering(hops, phases)
    for block in blocks_of(part if isinstance(part, Flows) else part.with_one_qp() for part in traffic):
        gathering.add(block)
    return gathering.demand()
