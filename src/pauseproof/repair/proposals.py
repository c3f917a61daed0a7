"""The cheapest change of next hops that known conflicts allow, asked of z3 (Optimize).

One boolean a membership (link, column), true where the link is a next hop. In each entry that some conflict speaks of: one
next hop is left at least; a usable link that is none today may become one where all of today's are withdrawn, and only one
may; a next hop of today that is withdrawn costs one. Of each conflict one membership is missing.
"""

from collections.abc import Sequence
from typing import Any

from pauseproof.repair.columns import Membership, Memberships
from pauseproof.repair.grid import Bools, Grid


class Proposals:
    """Grows with the conflicts it is told of. ``may_add`` False: next hops are only withdrawn."""

    def __init__(self, grid: Grid, *, may_add: bool) -> None:
        import z3

        self.grid, self.may_add = grid, may_add
        self.solver: Any = z3.Optimize()
        self.is_in: dict[Membership, Any] = {}
        self.entries = set[tuple[int, int]]()
        self.told = 0
        self.cost: Any = None

    def cheapest(self, conflicts: Sequence[Memberships], seconds: float) -> tuple[int, Bools] | str:
        """The cost of the cheapest, and the next hops [X, C]; "hopeless" where there is none, "budget" where z3 gives up."""
        import z3

        for conflict in conflicts[self.told :]:
            for link, column in sorted(conflict):
                self._entry(self.grid.number[link], self.grid.index[column])
            self.solver.add(z3.Or(*(z3.Not(self.is_in[m]) for m in sorted(conflict))))
        self.told = len(conflicts)
        self.solver.set("timeout", max(1, int(seconds * 1000)))
        answer = self.solver.check()
        if answer == z3.unsat:
            return "hopeless"
        if answer != z3.sat:
            return "budget"
        model = self.solver.model()
        member = self.grid.member.copy()
        for (link, column), variable in self.is_in.items():
            member[self.grid.number[link], self.grid.index[column]] = z3.is_true(model.eval(variable, model_completion=True))
        return int((self.grid.member & ~member).sum()), member

    def _entry(self, x: int, c: int) -> None:
        """The booleans and rules of the entry that link ``x`` is of, the first time that it is spoken of."""
        import z3

        s = int(self.grid.src[x])
        if (s, c) in self.entries:
            return
        self.entries.add((s, c))
        today, other = list[Any](), list[Any]()
        for y in (self.grid.src == s).nonzero()[0].tolist():
            membership = int(self.grid.links[y]), int(self.grid.columns[c])
            variable = z3.Bool(f"{membership[0]}/{membership[1]}")
            if self.grid.member[y, c]:
                today.append(variable)
            elif self.may_add and self.grid.usable[y]:
                other.append(variable)
            else:
                continue
            self.is_in[membership] = variable
        self.solver.add(z3.Or(*today, *other))
        for variable in other:
            self.solver.add(*(z3.Implies(variable, z3.Not(before)) for before in today))
        if len(other) > 1:
            self.solver.add(z3.AtMost(*other, 1))
        for variable in today:
            self.solver.add_soft(variable, 1)
