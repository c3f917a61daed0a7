"""Kind ``turns``: the fewest turns forbidden.

A *turn* is a pair of links that packets take one after the other: into a switch, and out of it. Some of the turns in use are
forbidden, and routes are computed again to avoid them. What stays allowed, the turns in use that are not forbidden and those
of the new routes, closes no loop of links, whatever the lanes; so every routing within it is free, now and later. Ref: C.
Glass, L. Ni, "The turn model for adaptive routing", ISCA 1992.

Notation: ``x``, ``y`` inner links; a turn is ``(x, y)``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pauseproof.deadlock.answers import Analysis
from pauseproof.repair import routes
from pauseproof.repair.alternative import Alternative, Budget, Change, NotOffered
from pauseproof.repair.feedback import fewest_feedback
from pauseproof.repair.grid import TOO_LARGE, Bools, Grid, grid_of
from pauseproof.repair.insertion import Insertion
from pauseproof.repair.short_loops import Pair
from pauseproof.routing.ask import Asked

UNIT = "turns forbidden"


@dataclass(frozen=True)
class Allowed:
    """Routes within what stays allowed, and the turns in use today that are not."""

    member: Bools
    forbidden: tuple[Pair, ...]


def alternatives(asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
    """One alternative, or why there is none."""
    grid = grid_of(asked)
    today = grid.in_use
    if grid.too_large:
        return [NotOffered("turns", TOO_LARGE)]
    if not today:
        return [NotOffered("turns", "no packet goes from one switch to another over a third")]
    feedback = fewest_feedback(list(today), budget.share(2))
    tried = _tried(grid, today, feedback.few or frozenset(), budget)
    best = min(tried, key=lambda one: (len(one.forbidden), grid.withdrawn(one.member)), default=None)
    if best is None:
        return [NotOffered("turns", "no turns were found without which all pairs stay connected and nothing loops")]
    cost = len(best.forbidden)
    chosen = routes.alternative(asked, "turns", grid.entries(best.member), cost, min(cost, feedback.bound), UNIT)
    said = tuple(_change(asked, grid, turn) for turn in best.forbidden)
    return [Alternative(**{**vars(chosen), "changes": (*said, *chosen.changes)})]


def _tried(grid: Grid, today: Mapping[Pair, int], few: frozenset[Pair], budget: Budget) -> Iterator[Allowed]:
    """Without the turns that a fewest set forbids, where all columns have a way then; else with a spanning tree kept free."""
    insertion = Insertion(grid)
    kept_first = sorted(today, key=lambda turn: (turn in few, -today[turn], turn))
    for member, graph in insertion.planned(kept_first, budget):
        yield Allowed(member, tuple(turn for turn in sorted(today) if not graph.add(*turn)))


def _change(asked: Asked, grid: Grid, turn: Pair) -> Change:
    fabric = asked.network.fabric
    into, out = (fabric.link(int(grid.links[x])) for x in turn)
    s = into.dst
    came, goes = fabric.port_name(s, into.dst_port), fabric.port_name(s, out.src_port)
    name = fabric.node_name
    sentence = (
        f"{name[s]}: nothing that comes in by port {came} (from {name[into.src]}) leaves by port {goes} (to {name[out.dst]})"
    )
    return Change(sentence, {"action": "forbid", "switch": fabric.identity(s), "in": came, "out": goes})


def loadable(asked: Asked, alternative: Alternative) -> Mapping[str, str]:
    """The files of ``routes``, and the turns as lines."""
    turns = [change.sentence for change in alternative.changes if change.machine["action"] == "forbid"]
    lines = "".join("".join(c if c.isprintable() else "?" for c in turn) + "\n" for turn in turns)
    return {**routes.loadable(asked, alternative), "turns.txt": lines}
