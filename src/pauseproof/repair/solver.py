"""What z3 is asked when a repair is to be smallest. Acyclic graphs are found by cuts: a model is taken, cycles in what it
means are forbidden, and it is asked again; what then has no model has none at all.

Notation: ``e`` an edge, ``v`` a layer or class.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from pauseproof.repair.acyclic import Edge, bits, disjoint_cycles

if TYPE_CHECKING:
    import z3


def layers_of(edges: Sequence[Edge], sets: Sequence[int], fixed: int, k: int, seconds: float) -> list[int] | None:
    """A layer 0..k-1 for each set of edges so that no layer holds a cycle, ``fixed`` being in layer 0.

    An empty list where there is none, None where time is up.
    """
    import z3

    solver = z3.Solver()
    inside = [[z3.Bool(f"s{i}v{v}") for v in range(k)] for i in range(len(sets))]
    used = [[z3.Bool(f"e{e}v{v}") for v in range(k)] for e in range(len(edges))]
    for i, m in enumerate(sets):
        solver.add(z3.Or(*inside[i]))
        for v in range(k):
            solver.add(*(z3.Implies(inside[i][v], used[e][v]) for e in bits(m)))
    solver.add(*(used[e][0] for e in bits(fixed)))
    for v in range(1, k):  # set i is in a layer no higher than i: layers have no names
        solver.add(*(z3.Not(inside[i][v]) for i in range(min(v, len(sets)))) if not fixed else ())
    at = {edge: e for e, edge in enumerate(edges)}

    def meant(model: "z3.ModelRef") -> list[list[Edge]]:
        layer = _first_true(model, inside)
        union = [fixed if v == 0 else 0 for v in range(k)]
        for m, v in zip(sets, layer, strict=True):
            union[v] |= m
        return [[edges[e] for e in bits(m)] for m in union]

    def forbid(cycle: list[Edge]) -> Iterable["z3.BoolRef"]:
        return (z3.Or(*(z3.Not(used[at[edge]][v]) for edge in cycle)) for v in range(k))

    model = acyclic_model(solver, meant, forbid, seconds)
    if model is None:
        return None
    return [] if model is False else _first_true(model, inside)


def _first_true(model: "z3.ModelRef", rows: Sequence[Sequence["z3.BoolRef"]]) -> list[int]:
    import z3

    return [next(v for v, x in enumerate(row) if z3.is_true(model.eval(x))) for row in rows]


def acyclic_model(
    solver: "z3.Solver",
    meant: Callable[["z3.ModelRef"], list[list[Edge]]],
    forbid: Callable[[list[Edge]], Iterable["z3.BoolRef"]],
    seconds: float,
    *assumed: "z3.BoolRef",
) -> "z3.ModelRef | Literal[False] | None":
    """A model where ``assumed`` hold and that means acyclic graphs alone; False: there is none, None: time is up."""
    import z3

    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        solver.set("timeout", max(1, int(left * 1000)))
        answer = solver.check(*assumed)
        if answer == z3.unsat:
            return False
        if answer != z3.sat:
            return None
        model = solver.model()
        cycles = [cycle for graph in meant(model) for cycle in disjoint_cycles(graph)]
        if not cycles:
            return model
        for cycle in cycles:
            solver.add(*forbid(cycle))
    return None
