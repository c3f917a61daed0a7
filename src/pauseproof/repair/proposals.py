"""Which next hops to withdraw and to add, so that every conflict known so far lacks a membership, as an integer program.

In each entry that some conflict speaks of: one next hop is left at least; a usable link that is none today may become one where
all of today's are withdrawn, and only one may; a next hop of today that is withdrawn costs one.
"""

from collections.abc import Sequence

import numpy as np

from pauseproof.repair.columns import Membership, Memberships
from pauseproof.repair.grid import Bools, Grid
from pauseproof.repair.program import Program


class Proposals:
    """Grows with the conflicts it is told of. ``may_add`` False: next hops are only withdrawn."""

    def __init__(self, grid: Grid, *, may_add: bool) -> None:
        self.grid, self.may_add = grid, may_add
        self.program = Program()
        self.gone: dict[Membership, int] = {}  # today's: yes where it is withdrawn
        self.new: dict[Membership, int] = {}  # others: yes where it is added
        self.entries = set[tuple[int, int]]()
        self.told = 0

    def tell(self, conflicts: Sequence[Memberships]) -> None:
        """All conflicts known; those told before come first."""
        for conflict in conflicts[self.told :]:
            for link, column in sorted(conflict):
                self._entry(self.grid.number[link], self.grid.index[column])
            gone = [self.gone[m] for m in sorted(conflict) if m in self.gone]
            self.program.some(gone, [self.new[m] for m in sorted(conflict) if m in self.new])
        self.told = len(conflicts)

    def propose(self, seconds: float) -> Bools | None:
        """The next hops [X, C] of a cheap change that no conflict forbids; None where none was found."""
        chosen = self.program.propose(seconds)
        if chosen is None:
            return None
        member = self.grid.member.copy()
        for some, there in ((self.gone, False), (self.new, True)):
            for (link, column), variable in some.items():
                if variable in chosen:
                    member[self.grid.number[link], self.grid.index[column]] = there
        return member

    def _entry(self, x: int, c: int) -> None:
        """The variables and rows of the entry that link ``x`` is of, the first time that it is spoken of."""
        s = int(self.grid.src[x])
        if (s, c) in self.entries:
            return
        self.entries.add((s, c))
        today, other = list[int](), list[int]()
        for y in np.flatnonzero(self.grid.src == s).tolist():
            membership = int(self.grid.links[y]), int(self.grid.columns[c])
            if self.grid.member[y, c]:
                self.gone[membership] = self.program.variable(1)
                today.append(self.gone[membership])
            elif self.may_add and self.grid.usable[y]:
                self.new[membership] = self.program.variable(0)
                other.append(self.new[membership])
        self.program.some(other, today)
        for added in other:
            for gone in today:
                self.program.some([gone], [added])
        if len(other) > 1:
            self.program.row((), other, -1)
