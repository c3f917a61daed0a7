"""What z3 is asked about flows: rules with so many classes, or so many lossy turns, that leave no loop.

One boolean for each rule; one for each state of a flow in each class, that packets can be there; one for each dependency in
each class. Where packets are and no rule is, they go on and the dependency is there. Cycles are forbidden as they are met.
"""

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pauseproof.repair.acyclic import Edge
from pauseproof.repair.flows import Dependency, Flow, Rule, Turn, dependency_of, lossless_part, raised, turn_of
from pauseproof.repair.solver import acyclic_model
from pauseproof.routing.packets import Buffer, State

if TYPE_CHECKING:
    import z3


class _Encoding:
    """The flows as clauses: rules raise, those of the last class meeting none; or packets drop out at some of ``lossy``."""

    def __init__(self, flows: Sequence[Flow], classes: int, lossy: set[Turn] | None = None) -> None:
        import z3

        self.z3, self.flows, self.classes, self.lossy = z3, flows, classes, lossy
        self.solver = z3.Solver()
        self.rules: dict[Rule, z3.BoolRef] = {}
        self.waits: dict[tuple[int, Dependency], z3.BoolRef] = {}
        self.number: dict[Buffer, int] = {}
        for i, flow in enumerate(flows):
            here = {(q, c): z3.Bool(f"f{i}s{j}c{c}") for j, q in enumerate(sorted(flow.after)) for c in range(classes)}
            self.solver.add(*(here[q, 0] for q in flow.starts))
            for q, after in flow.steps():
                for c in range(classes):
                    self._step(here, q, after, c)
        self.buffer = {i: b for b, i in self.number.items()}

    def _step(self, here: "dict[tuple[State, int], z3.BoolRef]", q: State, after: State, c: int) -> None:
        z3, turn, pair = self.z3, turn_of(q, after), dependency_of(q, after)
        for b in pair:
            self.number.setdefault(b, len(self.number))
        waits = self.waits.setdefault((c, pair), z3.Bool(f"d{self.number[pair[0]]}to{self.number[pair[1]]}c{c}"))
        if c == self.classes - 1 if self.lossy is None else turn not in self.lossy:
            self.solver.add(z3.Implies(here[q, c], z3.And(here[after, c], waits)))
            return
        rule = self.rules.setdefault((c, turn), z3.Bool(f"r{len(self.rules)}"))
        self.solver.add(z3.Implies(z3.And(here[q, c], z3.Not(rule)), z3.And(here[after, c], waits)))
        if self.lossy is None:
            self.solver.add(z3.Implies(z3.And(here[q, c], rule), here[after, c + 1]))

    def chosen(self, model: "z3.ModelRef") -> set[Rule]:
        """The rules of a model."""
        return {rule for rule, x in self.rules.items() if self.z3.is_true(model.eval(x))}

    def meant(self, model: "z3.ModelRef") -> list[list[Edge]]:
        """The dependencies of each class under those rules."""
        rules = self.chosen(model)
        if self.lossy is not None:
            graphs = [lossless_part(self.flows, {turn for _, turn in rules})]
        else:
            graphs, _ = raised(self.flows, rules, self.classes)
        return [sorted((self.number[a], self.number[b]) for a, b in graph) for graph in graphs]

    def forbid(self, cycle: Sequence[Edge]) -> "Iterable[z3.BoolRef]":
        """No class holds all of a cycle."""
        pairs = [(self.buffer[a], self.buffer[b]) for a, b in cycle]
        for c in range(self.classes):
            if all((c, pair) in self.waits for pair in pairs):
                yield self.z3.Or(*(self.z3.Not(self.waits[c, pair]) for pair in pairs))


def rules_of(flows: Sequence[Flow], classes: int, seconds: float) -> set[Rule] | None:
    """Rules that raise packets so that no class holds a loop; empty where there are none, None where time is up.

    ``flows`` must hold a loop.
    """
    asked = _Encoding(flows, classes)
    model = acyclic_model(asked.solver, asked.meant, asked.forbid, seconds)
    if model is None:
        return None
    return set() if model is False else asked.chosen(model)


def fewest_lossy(flows: Sequence[Flow], some: set[Turn], known: set[Turn], bound: int, seconds: float) -> tuple[set[Turn], int]:
    """The fewest of ``some`` turns that must be lossy so that no loop is left, and a lower bound, at least ``bound``.

    ``known`` are such turns.
    """
    until = time.monotonic() + seconds
    asked = _Encoding(flows, 1, some)
    z3 = asked.z3
    while bound < len(known):
        few = z3.Bool(f"at_most_{bound}")
        asked.solver.add(z3.Implies(few, z3.PbLe([(x, 1) for x in asked.rules.values()], bound)))
        model = acyclic_model(asked.solver, asked.meant, asked.forbid, until - time.monotonic(), few)
        if model is None:
            break
        if model is not False:
            return {turn for _, turn in asked.chosen(model)}, bound
        bound += 1
    return known, bound
