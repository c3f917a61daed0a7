"""The theorem files speak of the fabrics they name: real turns of small fabrics are among theirs, and have no loop."""

import re
from collections.abc import Callable, Iterator
from itertools import product
from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import greatest_stuck_set
from proofs import grids, instances, smt2
from proofs.instances import Buffer, Node, Turn

Family = Callable[[Random], Iterator[Turn]]
FAMILIES: list[Family] = [
    instances.bounce_lanes_clos,
    instances.global_lane_dragonfly,
    instances.updown_any_graph,
    instances.updown_folded_clos,
    grids.dateline_ring,
    grids.dateline_torus,
    grids.dimension_order_mesh,
    grids.escape_lane_mesh,
]
SEEDS = st.integers(0, 10_000)


def name(family: Family) -> str:
    return family.__name__


def with_facts(text: list[str], turn: Turn) -> str:
    *before, check = text
    return "\n".join([*before, *(f"(assert {fact})" for fact in turn.facts), check])


@pytest.mark.parametrize("family", FAMILIES, ids=name)
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_a_fabric_of_the_family_has_no_loop(family: Family, seed: int) -> None:
    graph = nx.DiGraph((turn.now, turn.then) for turn in family(Random(seed)))
    assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("family", FAMILIES, ids=name)
@settings(max_examples=4, deadline=None)
@given(seed=SEEDS)
def test_the_theorem_speaks_of_the_turns_of_the_family(family: Family, seed: int) -> None:
    random = Random(seed)
    rule_alone = smt2.without_claim(smt2.read(name(family)))
    met = list(family(random))
    for turn in random.sample(met, min(20, len(met))):
        assert smt2.z3_answer(with_facts(rule_alone, turn)) == "sat", turn


@pytest.mark.parametrize("family", FAMILIES, ids=name)
def test_the_facts_of_a_turn_can_contradict_the_rule(family: Family) -> None:
    rule_alone = smt2.without_claim(smt2.read(name(family)))
    mixed_up = [Turn(t.now, t.then, tuple(map(swapped, t.facts))) for t in family(Random(1))]
    assert "unsat" in {smt2.z3_answer(with_facts(rule_alone, turn)) for turn in mixed_up[:60]}


def swapped(fact: str) -> str:
    """A fact of x told of y, one of y told of x."""
    return re.sub(r"\b[xy]\b", lambda role: {"x": "y", "y": "x"}[role[0]], fact)


def adaptive_mesh(sizes: list[int], commits: bool) -> dict[Buffer, set[frozenset[Buffer]]]:
    """Every buffer that a packet can be in, with its choice sets: lane 1 any way towards d, lane 0 dimension order."""
    switches = list(product(*map(range, sizes)))
    sets: dict[Buffer, set[frozenset[Buffer]]] = {}
    for d in switches:
        seen: set[Buffer] = set()
        to_visit: list[Buffer] = [((*s, "host"), s, 0) for s in switches]
        while to_visit:
            now = to_visit.pop()
            choice = members(now[1], d)
            sets.setdefault(now, set()).update({frozenset({b}) for b in choice} if commits else {choice} - {frozenset()})
            to_visit.extend(choice - seen)
            seen |= choice
    return sets


def members(s: Node, d: Node) -> frozenset[Buffer]:
    """Where a packet for switch ``d`` may go from ``s``; nowhere from a host."""
    if grids.is_host(s):
        return frozenset()
    ways = grids.towards(s, d)
    delivered = {(s, (*d, "host"), 0)}
    return frozenset({(s, n, 1) for _, n in ways} | {(s, ways[0][1], 0)} if ways else delivered)


@settings(max_examples=8, deadline=None)
@given(sizes=st.lists(st.integers(2, 3), min_size=2, max_size=3))
def test_a_reselecting_mesh_with_an_escape_lane_peels_away_and_a_committing_one_does_not(sizes: list[int]) -> None:
    assert not greatest_stuck_set(adaptive_mesh(sizes, commits=False))
    assert {lane for _, _, lane in greatest_stuck_set(adaptive_mesh(sizes, commits=True))} == {0, 1}
