"""Cyclic components: by eye, and against networkx on random graphs."""

import numpy as np
import pytest
from hypothesis import given

import oracle
from examples import on_many
from graphs import Sets, choice_sets, letters, of_edges
from pauseproof.deadlock.components import cyclic_components
from pauseproof.deadlock.stuck import peel


@pytest.mark.parametrize(
    ("edges", "components"),
    [
        ("ab bc", []),
        ("ab bc cb", ["bc"]),
        ("aa ab", ["a"]),
        ("ab ba bc cd dc", ["ab", "cd"]),
        ("ab ba bc cd de ec", ["cde", "ab"]),  # the largest first
        ("a(bc) ba", ["ab"]),  # a cycle that adaptive routing can leave is one all the same
    ],
)
def test_the_components_are_those_with_a_cycle(edges: str, components: list[str]) -> None:
    graph = of_edges(edges)
    assert [letters(c.tolist()) for c in cyclic_components(graph, np.arange(graph.n_buffers))] == components


def test_without_suspects_there_are_none() -> None:
    assert cyclic_components(of_edges("ab ba"), np.zeros(0, np.int64)) == ()


@on_many
@given(choice_sets())
def test_the_components_are_those_of_networkx(drawn: Sets) -> None:
    graph = drawn.graph()
    found = [c.tolist() for c in cyclic_components(graph, np.arange(drawn.n))]
    wanted = [sorted(c) for c in oracle.cyclic_components(oracle.dependencies(drawn.choices()))]
    assert found == sorted(wanted, key=lambda c: (-len(c), c[0]))


@on_many
@given(choice_sets(most=1))
def test_with_singletons_the_stuck_set_holds_every_component(drawn: Sets) -> None:
    graph = drawn.graph()
    of_all = cyclic_components(graph, np.arange(drawn.n))
    of_stuck = cyclic_components(graph, peel(graph).stuck)
    assert [c.tolist() for c in of_all] == [c.tolist() for c in of_stuck]
