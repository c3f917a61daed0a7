"""Classes that rise at turns, turns that make lossy: no fewer do, by trying every set of rules on the walk of every pair."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
from hypothesis import given, settings

from examples import on_some
from oracle import cyclic_components
from pauseproof.repair.classes import fewest_classes
from pauseproof.repair.flows import Flow, Turn, flows_of, lossless_part, raised, turn_of, turns_on_loops
from pauseproof.repair.lossy import fewest_turns
from pauseproof.repair.lossy_bound import packing
from pauseproof.routing.packets import State
from pauseproof.routing.walk import PairWalk, pairs, walk_known, walk_pair
from repair.tree_routes import tree_routed
from strategies import Case, PlainCase, plain

MOST_TURNS = 9  # 2^9 sets of rules are tried


def walks(case: Case) -> list[PairWalk]:
    return [walk_pair(*case, source, d, member) for source, d, member in pairs(*case)]


def first_states(walk: PairWalk) -> set[State]:
    after = {q2 for choices in walk.choices.values() for choice in choices for q2 in choice}
    return set(walk.states) - after


def classes_naively(
    walked: list[PairWalk], rules: Collection[tuple[int, Turn]], most: int
) -> list[set[tuple[object, object]]] | None:
    """The dependencies of each class; None where a packet rises beyond the last."""
    out: list[set[tuple[object, object]]] = [set() for _ in range(most)]
    for walk in walked:
        met = set[tuple[State, int]]()
        todo = [(q, 0) for q in first_states(walk)]
        while todo:
            q, c = todo.pop()
            if (q, c) in met:
                continue
            met.add((q, c))
            for after in (q2 for choice in walk.choices[q] for q2 in choice):
                rises = (c, ((q[0], q[1]), after[0])) in rules
                if rises and c + 1 == most:
                    return None
                if not rises:
                    out[c].add((q[:2], after[:2]))
                todo.append((after, c + rises))
    return out


def acyclic(graphs: list[set[tuple[object, object]]]) -> bool:
    return all(nx.is_directed_acyclic_graph(nx.DiGraph(list(graph))) for graph in graphs)


def subsets(turns: Collection[Turn], most: int) -> Iterator[tuple[Turn, ...]]:
    for size in range(most + 1):
        yield from combinations(sorted(turns), size)


def lossless_naively(walked: list[PairWalk], lossy: Collection[Turn]) -> set[tuple[object, object]]:
    out = set[tuple[object, object]]()
    for walk in walked:
        met, todo = set[State](), list(first_states(walk))
        while todo:
            q = todo.pop()
            for after in (q2 for choice in walk.choices[q] for q2 in choice):
                if ((q[0], q[1]), after[0]) not in lossy:
                    out.add((q[:2], after[:2]))
                    if after not in met:
                        met.add(after)
                        todo.append(after)
    return out


@on_some
@given(plain())
def test_flows_hold_the_loops_and_nothing_that_is_not_there(case: PlainCase) -> None:
    network, traffic = case.choices, case.traffic
    known = walk_known(network, traffic)
    committed = {(b, b2) for b, sets in known.choice_sets.items() for choice in sets for b2 in choice}
    parts = cyclic_components(committed)
    inside = {(a, b) for a, b in committed if any({a, b} <= part for part in parts)}
    through_hosts = traffic.coupled is not None and traffic.coupled.any()
    found = lossless_part(flows_of(network, traffic), set())
    assert found <= committed
    assert through_hosts or inside <= found
    ports = network.fabric.max_radix + 1
    turns = np.zeros((network.fabric.n_switches, ports, ports), np.int32)
    by_turn = replace(network, lanes=replace(network.lanes, turn_row=turns))  # the same lanes, so put that packets are walked
    assert lossless_part(flows_of(by_turn, traffic), set()) == found


@on_some
@given(tree_routed())
def test_no_fewer_classes_do(case: Case) -> None:
    flows, walked = flows_of(*case), walks(case)
    found = fewest_classes(flows, set(), 8, 20.0)
    assert found is not None and found.classes == found.bound
    graphs = classes_naively(walked, found.rules, found.classes)
    assert graphs is not None and acyclic(graphs)
    assert (found.classes == 1) == acyclic([lossless_naively(walked, ())])
    turns = {turn_of(q, after) for flow in flows for q, after in flow.steps()}
    if found.classes > 2 and len(turns) <= MOST_TURNS:
        for some in subsets(turns, len(turns)):
            graphs = classes_naively(walked, {(0, turn) for turn in some}, 2)
            assert graphs is None or not acyclic(graphs)


@settings(parent=on_some, max_examples=60)
@given(tree_routed())
def test_no_fewer_turns_do(case: Case) -> None:
    flows, walked = flows_of(*case), walks(case)
    turns, bound = fewest_turns(flows, 20.0)
    assert len(turns) == bound
    assert acyclic([lossless_naively(walked, turns)])
    candidates = turns_on_loops(flows)
    assert turns <= candidates
    assert bool(bound) <= packing(flows, candidates, float("inf")) <= bound
    if len(candidates) <= 16 and bound <= 3:
        assert not any(acyclic([lossless_naively(walked, some)]) for some in subsets(candidates, bound - 1))


def line_of(n: int) -> list[Flow]:
    """Packets that go once around a ring of ``n`` links and on over all but one of them again."""
    states = [(i % n, 0, 0) for i in range(n)]
    return [
        Flow((d,), (states[d],), {states[(d + i) % n]: (states[(d + i + 1) % n],) for i in range(n - 1)} | {states[d - 1]: ()})
        for d in range(n)
    ]


def test_around_a_ring_packets_rise_once() -> None:
    for n in (3, 4, 7):
        found = fewest_classes(line_of(n), set(), 8, 10.0)
        assert found is not None and (found.classes, found.bound) == (2, 2)
        graphs, beyond = raised(line_of(n), set(found.rules), 2)
        assert not beyond and all(len(graph) < n for graph in graphs)
        assert fewest_turns(line_of(n), 10.0)[1] == 1


def test_packets_that_circle_need_more_classes_than_there_are() -> None:
    states = [(i, 0, 0) for i in range(3)]
    circling = [Flow((0,), (states[0],), {states[i]: (states[(i + 1) % 3],) for i in range(3)})]
    assert fewest_classes(circling, set(), 3, 10.0) is None


def test_the_bounces_come_first_where_they_are_as_good() -> None:
    flows = line_of(4)
    every = {turn_of(q, after) for flow in flows for q, after in flow.steps() if after[0] == 2}
    found = fewest_classes(flows, every, 8, 10.0)
    assert found is not None and found.bounces and {turn for _, turn in found.rules} == every
