"""Small integer programs over yes and no: the cheapest choice that meets every row. HiGHS proposes, nothing rests on it.

Floating point proves nothing, so what is claimed is computed otherwise. A lower bound: for any multipliers ``m >= 0`` of the
rows ``a v >= b``, every choice costs at least ``m b + sum of min(0, cost - m a)``; the multipliers are those of the relaxed
program, rounded to whole numbers of small units, and the sum is made of whole numbers. That no choice is cheaper than one
known, or that there is none at all: z3 (Optimize), within a budget. Notation: ``v`` a variable, ``r`` a row.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

UNIT = 1 << 16


@dataclass
class Program:
    """``cost`` [n] of a yes to each variable. A row: the yeses of ``plus`` less those of ``minus`` are at least ``least``."""

    cost: list[int] = field(default_factory=list)
    plus: list[tuple[int, ...]] = field(default_factory=list)
    minus: list[tuple[int, ...]] = field(default_factory=list)
    least: list[int] = field(default_factory=list)

    def variable(self, cost: int) -> int:
        """A new variable."""
        self.cost.append(cost)
        return len(self.cost) - 1

    def row(self, plus: Iterable[int], minus: Iterable[int], least: int) -> None:
        """A new row."""
        self.plus.append(tuple(plus))
        self.minus.append(tuple(minus))
        self.least.append(least)

    def some(self, yes: Iterable[int], no: Iterable[int] = ()) -> None:
        """One of ``yes`` is a yes, or one of ``no`` a no.

        >>> program = Program()
        >>> a, b = program.variable(2), program.variable(1)
        >>> program.some([a, b])
        >>> program.propose(10), program.bound(), program.cheapest(10)
        (frozenset({1}), 1, 1)
        """
        no = tuple(no)
        self.row(yes, no, 1 - len(no))

    def price(self, chosen: Iterable[int]) -> int:
        """What a choice costs."""
        return sum(self.cost[v] for v in chosen)

    def propose(self, seconds: float) -> frozenset[int] | None:
        """A choice that meets the rows, cheap as far as one can tell; None where none was found."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        if not self.cost:
            return None if any(least > 0 for least in self.least) else frozenset()
        options = {"time_limit": max(0.01, seconds)}
        rows = [LinearConstraint(self._matrix(), self.least, np.inf)] if self.least else []
        answer = milp(self.cost, constraints=rows, integrality=np.ones(len(self.cost)), bounds=Bounds(0, 1), options=options)
        return None if answer.x is None else frozenset(np.flatnonzero(answer.x > 0.5).tolist())

    def bound(self, seconds: float = np.inf) -> int:
        """A lower bound on what any choice costs; 0 where time is up."""
        from scipy.optimize import linprog

        if not self.least or not self.cost:
            return 0
        matrix = self._matrix()
        answer = linprog(
            self.cost, A_ub=-matrix, b_ub=-np.array(self.least), bounds=(0, 1), method="highs", options={"time_limit": seconds}
        )
        if answer.status != 0:
            return 0
        multipliers = np.rint(np.maximum(-answer.ineqlin.marginals, 0) * UNIT).astype(np.int64)
        left = np.array(self.cost, np.int64) * UNIT - matrix.astype(np.int64).T @ multipliers
        total = int(multipliers @ np.array(self.least, np.int64)) + int(np.minimum(left, 0).sum())
        return max(0, -(-total // UNIT))

    def cheapest(self, seconds: float) -> int | Literal["none", "unknown"]:
        """What the cheapest choice costs, by z3; "none" where there is none, "unknown" where time is up."""
        import z3

        solver = z3.Optimize()
        solver.set("timeout", max(1, int(seconds * 1000)))
        said = [z3.Bool(f"v{v}") for v in range(len(self.cost))]
        for plus, minus, least in zip(self.plus, self.minus, self.least, strict=True):
            terms = [said[v] for v in plus] + [z3.Not(said[v]) for v in minus]
            needed = least + len(minus)
            if needed > 0:
                solver.add(z3.Or(*terms) if needed == 1 else z3.PbGe([(term, 1) for term in terms], needed))
        for v, cost in enumerate(self.cost):
            if cost:
                solver.add_soft(z3.Not(said[v]), cost)
        answer = solver.check()
        if answer != z3.sat:
            return "none" if answer == z3.unsat else "unknown"
        model = solver.model()
        return self.price(v for v, one in enumerate(said) if z3.is_true(model.eval(one)))

    def _matrix(self) -> Any:
        from scipy.sparse import csr_array

        rows = [
            (r, v, sign) for sign, some in ((1, self.plus), (-1, self.minus)) for r, of_row in enumerate(some) for v in of_row
        ]
        r, v, sign = np.array(rows, np.int64).reshape(-1, 3).T
        return csr_array((sign.astype(np.float64), (r, v)), shape=(len(self.least), len(self.cost)))
