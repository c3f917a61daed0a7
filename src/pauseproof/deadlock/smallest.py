"""The smallest stuck set, asked of z3: among all, one with the fewest buffers.

One boolean a buffer of the greatest stuck set: it is in. A buffer that is in has a choice set all of whose members are in;
somebody is in. Optimize minimises how many. Deciding this is NP-hard, so it has a budget; without an answer in time the
stuck set found greedily stands, and is said not to be proved smallest.
"""

from typing import NamedTuple

from pauseproof.deadlock.stuck import choices_of, stuck_witness
from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import I64


class Smallest(NamedTuple):
    """Each buffer with its choice set, as from ``stuck_witness``; ``optimal`` where no smaller one exists."""

    choices: dict[int, list[int]]
    optimal: bool


def smallest_stuck_set(graph: Dependencies, stuck: I64, *, seconds: float) -> Smallest:
    """The smallest part of the greatest stuck set ``stuck`` (not empty) that is a stuck set by itself."""
    greedy = stuck_witness(graph, stuck)
    inside = set(stuck.tolist())
    sets = {b: [c for c in choices_of(graph, b) if inside.issuperset(c)] for b in sorted(inside)}
    if len(greedy) == 1:
        return Smallest(greedy, True)
    import z3

    solver = z3.Optimize()
    solver.set("timeout", max(1, int(seconds * 1000)))
    is_in = {b: z3.Bool(f"b{b}") for b in sets}
    for b, choices in sets.items():
        solver.add(z3.Implies(is_in[b], z3.Or(*(z3.And(*(is_in[after] for after in choice)) for choice in choices))))
    solver.add(z3.Or(*is_in.values()))
    solver.add(z3.PbLe([(x, 1) for x in is_in.values()], len(greedy)))
    solver.minimize(z3.Sum([z3.If(x, 1, 0) for x in is_in.values()]))
    if solver.check() != z3.sat:
        return Smallest(greedy, False)
    model = solver.model()
    chosen = {b for b, x in is_in.items() if z3.is_true(model.eval(x))}
    taken = {b: min((c for c in sets[b] if chosen.issuperset(c)), key=lambda c: (len(c), c)) for b in sorted(chosen)}
    return Smallest(taken, True)
