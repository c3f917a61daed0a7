"""The shortest loop: by eye, and against a listing of all cycles on random graphs."""

import numpy as np
import pytest
from hypothesis import given

import oracle
from examples import on_many
from graphs import Sets, choice_sets, letters, of_edges
from pauseproof.deadlock import loops
from pauseproof.deadlock.components import cyclic_components
from pauseproof.deadlock.loops import shortest_loop


def loops_of(edges: str) -> list[str]:
    graph = of_edges(edges)
    return [letters(shortest_loop(graph, c)) for c in cyclic_components(graph, np.arange(graph.n_buffers))]


@pytest.mark.parametrize(
    ("edges", "loop"),
    [
        ("aa", "a"),
        ("ab bb ba", "b"),
        ("ab ba bc ca", "ab"),
        ("bd db ac ca ab ba", "ab"),  # the least of those as short
        ("ab bc cd da be ea", "abe"),
        ("ac cb ba bd da", "acb"),  # written along the cycle, not sorted
        ("ab bd da ac cd", "abd"),
        ("ab bc cd de ea bd ec", "cde"),
    ],
)
def test_it_is_the_shortest_and_of_those_the_least(edges: str, loop: str) -> None:
    assert loops_of(edges) == [loop]


def test_each_component_has_its_own() -> None:
    assert loops_of("ab ba ca de ef fd") == ["def", "ab"]


@pytest.mark.parametrize("n", [5, 70, 200])
def test_on_a_long_ring_it_is_the_ring(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_VISITED", 64 * n)
    ring = Sets(n, [(b, frozenset({(b + 1) % n})) for b in range(n)]).graph()
    assert shortest_loop(ring, np.arange(n)) == tuple(range(n))


@pytest.mark.parametrize("most", [1, 64, 1 << 20])
def test_a_short_loop_far_from_the_first_starts_is_found(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_VISITED", most)
    n = 150
    chord = Sets(n, [*((b, frozenset({(b + 1) % n})) for b in range(n)), (143, frozenset({140}))]).graph()
    assert shortest_loop(chord, np.arange(n)) == (140, 141, 142, 143)


@pytest.mark.parametrize("most", [1, 64, 1 << 20])
def test_it_is_the_least_of_all_shortest_cycles(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_VISITED", most)

    @on_many
    @given(choice_sets())
    def holds(drawn: Sets) -> None:
        graph, edges = drawn.graph(), oracle.dependencies(drawn.choices())
        for component in cyclic_components(graph, np.arange(drawn.n)):
            assert shortest_loop(graph, component) == oracle.least_shortest_loop(edges, component.tolist())

    holds()
