from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.deadlock.answers import Buffer, Loop
from pauseproof.deadlock.realize import Decided, Flow
from pauseproof.deadlock.realize_loops import edges_of, realize, without
from pauseproof.deadlock.realize_ways import Dependency
from pauseproof.dependency.graph import assemble

FLOW = Flow(0, -1, 0, 1, 0, None, ())


class Told:
    """Answers by list; ``arcs`` are runs of buffers of a ring that one packet passes."""

    def __init__(self, answers: dict[Dependency, bool | None], arcs: Sequence[Sequence[Buffer]] = ()) -> None:
        self.answers, self.arcs, self.asked = answers, arcs, list[Dependency]()

    def decide(self, e: Dependency, through: tuple[Buffer, ...] = ()) -> Decided:
        self.asked.append(e)
        if through:
            run = (*reversed(through), *e)
            joined = any(_within(run, arc) for arc in self.arcs)
            return Decided(joined, FLOW if joined else None)
        answer = self.answers.get(e, True)
        return Decided(answer, FLOW if answer else None, why="" if answer is not None else "not known")


def _within(run: Sequence[Buffer], arc: Sequence[Buffer]) -> bool:
    return any(tuple(arc[i : i + len(run)]) == tuple(run) for i in range(len(arc)))


def ring(n: int, chords: Sequence[tuple[int, int]] = ()) -> tuple[object, list[Buffer]]:
    edges = sorted({*((i, (i + 1) % n) for i in range(n)), *chords})
    source, target = np.array(edges, np.int64).T
    return assemble(1, np.arange(n), source, target, np.full(len(edges), -1)), [(i, 0) for i in range(n)]


def test_a_loop_without_one_of_its_dependencies_is_gone() -> None:
    graph, buffers = ring(4)
    found = realize(graph, [Loop(tuple(buffers), 4)], Told({(buffers[2], buffers[3]): False}))  # type: ignore[arg-type]
    assert (found.loops, found.stuck, list(found.deleted)) == ((), False, [(buffers[2], buffers[3])])
    assert [one.routable for one in found.broken] == [False]


def test_another_loop_of_the_component_is_found() -> None:
    graph, b = ring(5, [(2, 0)])
    found = realize(graph, [Loop((b[0], b[1], b[2]), 5)], Told({(b[2], b[0]): False}))  # type: ignore[arg-type]
    assert [one.loop.buffers for one in found.loops] == [tuple(b)]
    assert found.loops[0].routable


def test_a_loop_that_is_routable_is_preferred_to_a_shorter_one_that_is_not_known() -> None:
    graph, b = ring(5, [(2, 0)])
    found = realize(graph, [Loop((b[0], b[1], b[2]), 5)], Told({(b[2], b[0]): None}))  # type: ignore[arg-type]
    assert [(len(one.loop.buffers), one.routable) for one in found.loops] == [(5, True)]
    found = realize(graph, [], Told({(b[2], b[0]): None, (b[3], b[4]): None}))  # type: ignore[arg-type]
    assert [(len(one.loop.buffers), one.routable) for one in found.loops] == [(3, None)]


@given(st.integers(2, 7), st.lists(st.tuples(st.integers(0, 6), st.integers(1, 5)), max_size=5))
def test_the_fewest_packets_cover_the_loop(n: int, runs: list[tuple[int, int]]) -> None:
    graph, b = ring(n)
    arcs = [[b[(first + i) % n] for i in range(count + 1)] for first, count in runs if count < n]
    (loop,) = realize(graph, [], Told({}, arcs)).loops  # type: ignore[arg-type]
    sets = [{(arc[i], arc[i + 1]) for i in range(len(arc) - 1)} for arc in arcs] + [{e} for e in edges_of(b)]
    sizes = (k for k in range(1, n + 1) if any(len(set().union(*some)) == n for some in combinations(sets, k)))
    assert len(loop.carriers) == next(sizes)
    assert loop.fewest


def test_a_member_of_a_larger_set_stays_a_member() -> None:
    graph = assemble(1, np.arange(3), np.array([0, 0, 0]), np.array([1, 1, 2]), np.array([-1, 0, 0]))
    left = without(graph, [((0, 0), (1, 0))])
    assert (left.n_dependencies, left.committed.tolist()) == (2, [False, False])
    with pytest.raises(KeyError):
        without(graph, [((9, 0), (1, 0))])
