"""What each path needs of the links that lie on loops, when every path keeps one lane from its source to its end.

A *demand* is all that the hosts of one switch send to one column: a table knows no more of a packet than that. Two
successive links of its paths are an *edge*. Were all packets in one lane, the edges of all demands would be the dependencies;
a cycle of any selection of demands is one of these, and so only the edges inside their cyclic components count.

Notation: ``s`` a switch, ``d`` a column, ``l`` a link, ``m`` a set of edges as the bits of a number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.repair.acyclic import Edge, on_cycles
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind
from pauseproof.routing.traffic import Traffic

PASSED_ON = (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)


class LoopingPackets(ValueError):
    """Packets of a column come to a switch twice: they close a loop in whatever lane they are."""


@dataclass(frozen=True)
class Demands:
    """``edges`` are those that count, between links; ``mask`` gives the edges of each (switch, column) that has any."""

    edges: tuple[Edge, ...]
    mask: dict[tuple[int, int], int]
    fixed: int  # the edges of packets whose label nobody chooses: of switches, to switches, and of multicast


def demands(network: Network, traffic: Traffic) -> Demands:
    """Every demand of the traffic. Raises LoopingPackets."""
    table = network.routes
    if not isinstance(table, ChoiceTable):
        raise TypeError(f"demands are read from a ChoiceTable, not a {type(table).__name__}")
    return _Paths(network, traffic, table).demands()


@dataclass(frozen=True)
class _Paths:
    network: Network
    traffic: Traffic
    table: ChoiceTable

    @cached_property
    def choice(self) -> NDArray[np.int64]:
        """[S, D]: the choice of every entry."""
        rows = [of[value] for of, value in zip(self.table.choice_of, self.table.value.astype(np.int64), strict=True)]
        return np.array(rows, np.int64).reshape(self.table.value.shape)

    @cached_property
    def members(self) -> list[tuple[int, ...]]:
        """By choice: the links between switches among its members."""
        link_dst, n = self.network.fabric.link_dst, self.network.fabric.n_switches
        out = []
        for x, kind in enumerate(self.table.kind.tolist()):
            links = self.table.link[self.table.ptr[x] : self.table.ptr[x + 1]] if kind in PASSED_ON else ()
            out.append(tuple(l for l in map(int, links) if link_dst[l] < n))
        return out

    @cached_property
    def ends_at(self) -> Ids:
        """By link: the switch at its end."""
        return self.network.fabric.link_dst

    def demands(self) -> Demands:
        used: dict[int, set[int]] = {}
        columns = [d for d in range(len(self.network.destinations)) if self._counts(d)]
        starts = {d: self._starts(d) for d in columns}
        for d in columns:
            for a, b in self._edges(d, starts[d]):
                used.setdefault(a, set()).add(b)
        for a, b in self._copied():
            used.setdefault(a, set()).add(b)
        edges = tuple(sorted((a, b) for a, targets in on_cycles(used).items() for b in targets))
        bit = {edge: 1 << i for i, edge in enumerate(edges)}
        mask, fixed = dict[tuple[int, int], int](), 0
        for d in columns:
            beyond = self._beyond(d, bit, starts[d])
            for s, free in starts[d].items():
                if m := beyond[s]:
                    mask[s, d] = m if free else 0
                    fixed |= 0 if free else m
        for edge in self._copied():
            fixed |= bit.get(edge, 0)
        return Demands(edges, {key: m for key, m in mask.items() if m}, fixed | self._of_switches(bit, columns))

    def _counts(self, d: int) -> bool:
        destinations, on = self.network.destinations, bool(self.traffic.destination_on[d])
        receives = any(self.traffic.host_receives[g] for g in destinations.members(d))
        return on and (
            (destinations.kind[d] == DestinationKind.HOST and receives) or destinations.kind[d] == DestinationKind.SWITCH
        )

    def _starts(self, d: int) -> dict[int, bool]:
        """The switches whose hosts send to ``d``; whether a label can be chosen for that."""
        fabric, destinations = self.network.fabric, self.network.destinations
        nodes = {int(fabric.host_node[g]) for g in destinations.members(d) if self.traffic.host_receives[g]}
        free = bool(destinations.kind[d] == DestinationKind.HOST)
        out = {}
        for s, senders in self._senders.items():
            if not free or len(nodes) > 1 or any(node not in nodes for node in senders):
                out[s] = free
        return out

    @cached_property
    def _senders(self) -> dict[int, set[int]]:
        """By switch: the nodes of its hosts that send."""
        fabric, out = self.network.fabric, dict[int, set[int]]()
        for h in np.flatnonzero(self.traffic.host_sends).tolist():
            s = int(fabric.link_dst[fabric.host_up[h]])
            if s < fabric.n_switches:
                out.setdefault(s, set()).add(int(fabric.host_node[h]))
        return out

    def _next(self, s: int, d: int) -> tuple[int, ...]:
        return self.members[int(self.choice[s, d])]

    def _edges(self, d: int, starts: dict[int, bool]) -> Iterator[Edge]:
        """All pairs of successive links for ``d`` beyond ``starts`` and the switches that send themselves."""
        met = set(starts) | self._loud(d)
        todo = sorted(met)
        while todo:
            s = todo.pop()
            for a in self._next(s, d):
                t = int(self.ends_at[a])
                yield from ((a, b) for b in self._next(t, d))
                if t not in met:
                    met.add(t)
                    todo.append(t)

    def _loud(self, d: int) -> set[int]:
        """The switches that send to ``d`` themselves."""
        sends: set[int] = set(np.flatnonzero(self.traffic.switch_sends).tolist())
        return sends - {int(self.network.destinations.owner[d])}

    def _beyond(self, d: int, bit: dict[Edge, int], starts: dict[int, bool]) -> dict[int, int]:
        """By switch: the edges that count of the packets that are there for ``d``. Raises LoopingPackets."""
        done: dict[int, int] = {}
        for start in sorted(set(starts) | self._loud(d)):
            stack, open_ = [start], set[int]()
            while stack:
                s = stack[-1]
                if s in done:
                    stack.pop()
                    continue
                after = [int(self.ends_at[a]) for a in self._next(s, d)]
                waiting = [t for t in after if t not in done]
                if s not in open_ and waiting:
                    open_.add(s)
                    if any(t in open_ for t in waiting):
                        raise LoopingPackets(f"packets for {self.network.destinations.names[d]} come to a switch twice")
                    stack += waiting
                    continue
                if waiting:
                    raise LoopingPackets(f"packets for {self.network.destinations.names[d]} come to a switch twice")
                open_.discard(s)
                done[s] = self._join(s, d, bit, done)
                stack.pop()
        return done

    def _join(self, s: int, d: int, bit: dict[Edge, int], done: dict[int, int]) -> int:
        m = 0
        for a in self._next(s, d):
            t = int(self.ends_at[a])
            m |= done[t]
            for b in self._next(t, d):
                m |= bit.get((a, b), 0)
        return m

    def _of_switches(self, bit: dict[Edge, int], columns: list[int]) -> int:
        """The edges of packets that switches send themselves."""
        m = 0
        for d in columns if self.traffic.switch_sends.any() else ():
            beyond = self._beyond(d, bit, {})
            for s in self._loud(d):
                m |= beyond[s]
        return m

    def _copied(self) -> Iterator[Edge]:
        """Pairs of successive links of multicast packets."""
        fabric, destinations = self.network.fabric, self.network.destinations
        for d in np.flatnonzero((destinations.kind == DestinationKind.MULTICAST) & self.traffic.destination_on).tolist():
            met = {int(fabric.host_up[h]) for h in destinations.members(d) if self.traffic.host_sends[h]}
            todo = sorted(met)
            while todo:
                a = todo.pop()
                t = int(fabric.link_dst[a])
                if t >= fabric.n_switches:
                    continue
                x = int(self.choice[t, d])
                links = self.table.link[self.table.ptr[x] : self.table.ptr[x + 1]].tolist()
                for b in links:
                    if b != int(fabric.reverse[a]):
                        yield a, b
                        if b not in met:
                            met.add(b)
                            todo.append(b)
