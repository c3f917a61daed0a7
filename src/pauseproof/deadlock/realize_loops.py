"""From decided dependencies to loops: what is unroutable is deleted, and the cyclic components are found again.

Small components are decided dependency by dependency. In large ones only the dependencies of the shortest loop are, again and
again: where one is unroutable it is deleted and another loop looked for, until a loop is left whose dependencies all are
routable, or none is. Either way a loop that is reported is one of the graph without what was deleted.

The witness of a loop is the fewest packets that carry all its dependencies. A packet that stays on the loop carries an *arc* of
it, and if it can carry an arc it carries each part of it; so the longest arcs from each buffer on, and a greedy cover begun at
each, give the fewest. (A packet that leaves the loop and comes back could carry two arcs: that is not tried.)
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from pauseproof.deadlock.answers import Buffer, Loop
from pauseproof.deadlock.components import cyclic_components
from pauseproof.deadlock.loops import shortest_loop
from pauseproof.deadlock.realize import Decided, Flow
from pauseproof.deadlock.realize_ways import Dependency
from pauseproof.deadlock.stuck import peel
from pauseproof.dependency.graph import Dependencies, assemble
from pauseproof.dependency.plan import I64

MOST_DECIDED = 1000  # dependencies of all components together; beyond that, those of loops alone

Decide = Callable[[Dependency], Decided]


class Decider(Protocol):
    """Decides dependencies, one at a time."""

    def decide(self, e: Dependency, through: tuple[Buffer, ...] = ()) -> Decided:
        """Does a packet carry ``e``, having come through these buffers, the last one first?"""


class Carrier(NamedTuple):
    """A flow, and which dependencies of a loop it carries: ``carries`` of them from the one of buffer ``first`` on."""

    flow: Flow
    first: int
    carries: int


@dataclass(frozen=True)
class RealizedLoop:
    """A loop with what was decided of each of its dependencies. ``carriers`` where all are routable; ``fewest`` where no fewer
    packets that stay on the loop carry them all."""

    loop: Loop
    decided: tuple[Decided, ...]
    carriers: tuple[Carrier, ...] = ()
    fewest: bool = False

    @property
    def routable(self) -> bool | None:
        """All dependencies are; one is not; else None."""
        values = [one.routable for one in self.decided]
        return False if False in values else None if None in values else True


@dataclass(frozen=True)
class Realized:
    """``left`` is the graph without what was ``deleted``; ``loops`` are of it, one a cyclic component, largest first;
    ``broken`` are loops of the graph as it was that lost a dependency; ``decided`` counts dependencies, of ``asked``."""

    left: Dependencies
    components: tuple[I64, ...]
    loops: tuple[RealizedLoop, ...]
    broken: tuple[RealizedLoop, ...]
    deleted: dict[Dependency, Decided]
    decided: dict[Dependency, Decided]
    asked: int

    @property
    def stuck(self) -> bool:
        """Whether a stuck set is left."""
        return len(peel(self.left).stuck) > 0


def realize(graph: Dependencies, loops: Sequence[Loop], realizer: Decider) -> Realized:
    """Decide, delete, and look again. ``loops`` are those of the graph as it is."""
    decided: dict[Dependency, Decided] = {}

    def decide(e: Dependency) -> Decided:
        if e not in decided:
            decided[e] = realizer.decide(e)
        return decided[e]

    asked = _inner(graph, cyclic(graph))
    if len(asked) <= MOST_DECIDED:
        for e in asked:
            decide(e)
    broken = [RealizedLoop(loop, tuple(map(decide, edges_of(loop.buffers)))) for loop in loops]
    left = without(graph, _false(decided))
    components, found = cyclic(left), list[RealizedLoop]()
    while len(found) < len(components):
        component = components[len(found)]
        loop = _loop_of(left, component, decide)
        if loop is None:  # something was deleted
            left = without(graph, _false(decided))
            components, found = cyclic(left), []
        else:
            found.append(loop)
    whole = tuple(_with_carriers(loop, realizer) for loop in found)
    deleted = {e: decided[e] for e in sorted(_false(decided))}
    return Realized(left, components, whole, tuple(b for b in broken if b.routable is False), deleted, decided, len(asked))


def edges_of(buffers: Sequence[Buffer]) -> list[Dependency]:
    """The dependencies of a loop, each buffer on the next."""
    return list(zip(buffers, (*buffers[1:], buffers[0]), strict=True))


def _false(decided: dict[Dependency, Decided]) -> set[Dependency]:
    return {e for e, one in decided.items() if one.routable is False}


def cyclic(graph: Dependencies) -> tuple[I64, ...]:
    """The cyclic components of dependencies that are choice sets by themselves, as buffer indices."""
    alone = graph.committed_only() if len(graph.set_owner) else graph
    return cyclic_components(alone, peel(graph).stuck)


def _inner(graph: Dependencies, components: Iterable[I64]) -> list[Dependency]:
    """The committed dependencies within the components."""
    label = np.full(graph.n_buffers, -1)
    for i, component in enumerate(components):
        label[component] = i
    source = graph.source
    inside = graph.committed & (label[source] >= 0) & (label[source] == label[graph.target])
    name = graph.link_lane
    return [(name(a), name(b)) for a, b in zip(source[inside].tolist(), graph.target[inside].tolist(), strict=True)]


def without(graph: Dependencies, deleted: Iterable[Dependency]) -> Dependencies:
    """The graph without these dependencies as choice sets by themselves; as members of larger sets they stay."""
    ids = {b: i for i, b in enumerate(map(graph.link_lane, range(graph.n_buffers)))} if deleted else {}
    n = max(graph.n_buffers, 1)
    gone = np.array([ids[a] * n + ids[b] for a, b in deleted], np.int64)
    source = graph.source
    kept = graph.committed & ~np.isin(source * n + graph.target, gone)
    count = np.diff(graph.set_ptr)
    return assemble(
        graph.n_lanes,
        graph.buffers,
        np.concatenate((source[kept], np.repeat(graph.set_owner, count))),
        np.concatenate((graph.target[kept], graph.set_member)),
        np.concatenate((np.full(int(kept.sum()), -1), np.repeat(np.arange(len(count)), count))),
    )


def _loop_of(left: Dependencies, component: I64, decide: Decide) -> RealizedLoop | None:
    """A loop of the component, all of whose dependencies are routable where one is found; None where one was refuted."""
    doubtful, first = set[Dependency](), None
    while True:
        sure = without(left, doubtful)
        rest = [c for c in cyclic(sure) if np.isin(c, component).all()]
        if not rest:
            return first
        buffers = tuple(map(sure.link_lane, shortest_loop(sure.committed_only(), rest[0])))
        edges = edges_of(buffers)
        loop = RealizedLoop(Loop(buffers, len(component)), tuple(map(decide, edges)))
        if loop.routable is False:
            return None
        if loop.routable:
            return loop
        first = first or loop
        doubtful |= {e for e, one in zip(edges, loop.decided, strict=True) if one.routable is None}


def _with_carriers(loop: RealizedLoop, realizer: Decider) -> RealizedLoop:
    if not loop.routable:
        return loop
    carriers, fewest = fewest_carriers(loop, realizer)
    decided = list(loop.decided)
    for carrier in carriers:
        for i in range(carrier.first, carrier.first + carrier.carries):
            at = i % len(decided)
            decided[at] = decided[at]._replace(flow=carrier.flow)
    return RealizedLoop(loop.loop, tuple(decided), carriers, fewest)


def fewest_carriers(loop: RealizedLoop, realizer: Decider) -> tuple[tuple[Carrier, ...], bool]:
    """The fewest packets found that carry the loop, each staying on it, and whether no fewer do."""
    arcs, exact = _longest_arcs(loop, realizer)
    n = len(arcs)
    best: list[Carrier] | None = None
    for start in range(n):
        cover, done = list[Carrier](), 0
        while done < n:
            arc = arcs[(start + done) % n]
            cover.append(arc)
            done += arc.carries
        if best is None or len(cover) < len(best):
            best = cover
    return tuple(best or ()), exact


def _longest_arcs(loop: RealizedLoop, realizer: Decider) -> tuple[list[Carrier], bool]:
    """From each buffer on, the longest arc that some packet was found to carry; whether no longer ones are carried."""
    buffers = loop.loop.buffers
    n, exact, count = len(buffers), True, 1
    out: list[Carrier] = []
    for first in range(n):
        flow = loop.decided[first].flow
        assert flow is not None
        best = Carrier(flow, first, 1)
        count = max(count - 1, 1)
        while count <= n:
            last = first + count - 1
            through = tuple(buffers[i % n] for i in range(last - 1, first - 1, -1))
            found = realizer.decide((buffers[last % n], buffers[(last + 1) % n]), through)
            if not found.routable or found.flow is None:
                exact &= found.routable is not None
                break
            best = Carrier(found.flow, first, count)
            count += 1
        out.append(best)
        count = best.carries
    return out, exact
