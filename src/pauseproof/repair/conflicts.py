"""Sets of memberships that no safe network has all together: they close a loop, or cut off a pair that must be kept.

Loops are found shortest first, and with each the memberships that it rests on are struck out before the next is looked for, so
that the loops found in one network rest on disjoint memberships: each must lose one, and so their number is a lower bound on
the number of memberships that any repair takes away (a packing). Notation: ``b`` a buffer, ``q`` a state.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pauseproof.repair.alternative import Budget
from pauseproof.repair.columns import ColumnFlow, Hop, Membership, Memberships, path
from pauseproof.repair.grid import I64
from pauseproof.repair.short_loops import on_loops, short_loops
from pauseproof.routing.packets import Buffer, State

Reach = Mapping[State, tuple[State, Hop] | None]


class Support(NamedTuple):
    """A state and a hop of one flow that make a dependency."""

    flow: int
    state: State
    hop: Hop


class Loops:
    """The loops of buffers of some flows, found one after the other, with disjoint memberships."""

    def __init__(self, flows: Sequence[ColumnFlow]) -> None:
        self.flows = flows
        self.gone = set[Membership]()
        every = [{hop.membership for hops in flow.hops.values() for hop in hops} for flow in flows]
        self.uses = [frozenset(m for m in some if m) for some in every]
        self.reach: dict[int, Reach] = {}
        self.supports: dict[tuple[Buffer, Buffer], list[Support]] = {}
        for i, flow in enumerate(flows):
            for b, after, q, hop in flow.waits:
                self.supports.setdefault((b, after), []).append(Support(i, q, hop))

    def disjoint(self, budget: Budget, most: int) -> Iterator[Memberships]:
        """Conflicts, no membership in two of them."""
        self._only_cyclic()
        found = 0
        while (budget.left or not found) and found < most and (loops := self._shortest()):
            for loop in loops:
                conflict = self._conflict(loop)
                if conflict is not None:
                    yield conflict
                    found += 1
                if conflict == frozenset():
                    return  # nothing that may change is part of it
            self._only_cyclic()

    def _only_cyclic(self) -> None:
        """Forget dependencies that lie on no loop."""
        cyclic = on_loops(*self._arrays()).tolist()
        self.supports = {edge: some for (edge, some), kept in zip(self.supports.items(), cyclic, strict=True) if kept}

    def _arrays(self) -> tuple[I64, I64]:
        self.buffers = sorted({b for edge in self.supports for b in edge})
        number = {b: i for i, b in enumerate(self.buffers)}
        ends = np.array([(number[b], number[after]) for b, after in self.supports], np.int64).reshape(-1, 2)
        return ends[:, 0], ends[:, 1]

    def _shortest(self) -> list[list[tuple[Buffer, Buffer]]]:
        """Shortest loops that share no dependency, as their dependencies."""
        loops = short_loops(*self._arrays())
        return [[(self.buffers[a], self.buffers[b]) for a, b in loop] for loop in loops]

    def _conflict(self, loop: Sequence[tuple[Buffer, Buffer]]) -> Memberships | None:
        """What the loop rests on; None where some dependency of it is gone by now."""
        found = set[Membership]()
        for edge in loop:
            rests = self._rests_on(edge, found)
            if rests is None:
                self.supports.pop(edge, None)
                return None
            found |= rests
        self.gone |= found
        for i in [i for i in self.reach if not self.uses[i].isdisjoint(found)]:
            del self.reach[i]
        return frozenset(found)

    def _rests_on(self, edge: tuple[Buffer, Buffer], known: set[Membership]) -> Memberships | None:
        """The memberships of the support that adds fewest to ``known``; supports that are gone are forgotten."""
        alive: list[Support] = []
        best: Memberships | None = None
        for support in self.supports.get(edge, ()):
            if support.hop.membership in self.gone or support.state not in self._reach(support.flow):
                continue
            alive.append(support)
            if len(alive) <= _TRIED:
                rests = path(self._reach(support.flow), support.state) | {support.hop.membership} - {None}
                if best is None or len(rests - known) < len(best - known):
                    best = frozenset(m for m in rests if m)
        if edge in self.supports:
            self.supports[edge] = alive
        return best

    def _reach(self, i: int) -> Reach:
        if i not in self.reach:
            self.reach[i] = self.flows[i].reach(self.gone)
        return self.reach[i]


_TRIED = 8  # packets looked at for one dependency
