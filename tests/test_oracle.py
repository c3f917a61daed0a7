"""The oracle on graphs small enough to check by eye."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import (
    component_sizes,
    cyclic_components,
    dependencies,
    from_least,
    greatest_stuck_set,
    least_shortest_loop,
    shortest_loop_length,
)


def singletons(text: str) -> dict[str, set[frozenset[str]]]:
    """``"ab bc"``: a may only go to b, b only to c."""
    out: dict[str, set[frozenset[str]]] = {}
    for edge in text.split():
        out.setdefault(edge[0], set()).add(frozenset(edge[1]))
    return out


@pytest.mark.parametrize(
    ("edges", "stuck"),
    [
        ("ab bc", ""),  # c is delivered
        ("ab bc ca", "abc"),
        ("aa", "a"),
        ("ab bc cb", "abc"),  # a can hold a packet for b
        ("ab bc cb cd", "abc"),  # not all of c's packets go to d
        ("ab ba cd", "ab"),
    ],
)
def test_with_singletons_whatever_reaches_a_loop_is_stuck(edges: str, stuck: str) -> None:
    assert greatest_stuck_set(singletons(edges)) == set(stuck)


def test_an_adaptive_choice_needs_all_its_members_stuck() -> None:
    loop = singletons("bc ca")
    assert greatest_stuck_set({**loop, "a": {frozenset("bx")}}) == set()
    assert greatest_stuck_set({**loop, "a": {frozenset("bc")}}) == set("abc")
    assert greatest_stuck_set({**loop, "a": {frozenset("bx"), frozenset("b")}}) == set("abc")


def test_dependencies_are_the_members_of_choice_sets() -> None:
    assert dependencies({"a": {frozenset("bc")}, "b": {frozenset("c"), frozenset("d")}}) == {
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("b", "d"),
    }


def test_components_are_those_with_a_cycle_a_self_dependency_counts() -> None:
    edges = singletons("xy yx aa ab bc cd db ef")
    assert cyclic_components(dependencies(edges)) == [set("a"), set("bcd"), set("xy")]
    assert component_sizes(dependencies(edges)) == [1, 3, 2]
    assert component_sizes([("a", "b"), ("b", "c")]) == []


def test_the_loop_is_a_shortest_one_and_of_those_the_least() -> None:
    edges = dependencies(singletons("ab bc cd da be ea"))  # abcd and abe
    assert shortest_loop_length(edges, set("abcde")) == 3
    assert least_shortest_loop(edges, set("abcde")) == ("a", "b", "e")
    edges = dependencies(singletons("ab bd da ac cd dc"))  # abd, acd; and dc, cd, which is shorter
    assert least_shortest_loop(edges, set("abcd")) == ("c", "d")
    edges = dependencies(singletons("ab bd da ac cd"))
    assert least_shortest_loop(edges, set("abcd")) == ("a", "b", "d")
    edges = dependencies(singletons("bb ab ba aa"))
    assert least_shortest_loop(edges, set("ab")) == ("a",)


def test_a_loop_is_written_from_its_least_buffer() -> None:
    assert from_least([(2, 0), (1, 1), (1, 0)]) == ((1, 0), (2, 0), (1, 1))


small_graph = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12)


@given(small_graph)
def test_with_singletons_a_stuck_set_is_the_same_as_a_cycle(edges: set[tuple[int, int]]) -> None:
    stuck = greatest_stuck_set({a: {frozenset({y}) for x, y in edges if x == a} for a, _ in edges})
    components = cyclic_components(edges)
    assert bool(stuck) == bool(components)
    assert set().union(*components) <= stuck


@given(small_graph)
def test_the_least_shortest_loop_is_the_least_of_all_orders_that_are_loops(edges: set[tuple[int, int]]) -> None:
    for component in cyclic_components(edges):
        orders = [p for n in range(1, len(component) + 1) for p in permutations(sorted(component), n)]
        loops = [p for p in orders if p[0] == min(p) and all((p[i - 1], p[i]) in edges for i in range(len(p)))]
        assert least_shortest_loop(edges, component) == min(loops, key=lambda p: (len(p), p))


@given(
    st.dictionaries(
        st.integers(0, 5), st.sets(st.frozensets(st.integers(0, 6), min_size=1, max_size=3), min_size=1, max_size=2)
    )
)
def test_the_greatest_stuck_set_is_the_union_of_all_stuck_sets(choices: dict[int, set[frozenset[int]]]) -> None:
    every = [{b for b in range(6) if bits >> b & 1} for bits in range(64)]
    stuck = [s for s in every if all(any(c <= s for c in choices.get(b, ())) for b in s)]
    assert greatest_stuck_set(choices) == set().union(*stuck)
