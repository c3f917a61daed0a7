"""What each path needs of the links on loops, against a walk of every pair."""

from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import assume, given

from examples import on_some
from pauseproof.repair.acyclic import bits
from pauseproof.repair.demands import LoopingPackets, demands
from pauseproof.routing.packets import Outcome
from pauseproof.routing.walk import pairs, walk_pair
from strategies import PlainCase, plain


@on_some
@given(plain())
def test_edges_are_those_of_the_pairs(case: PlainCase) -> None:
    network, traffic = case.choices, replace(case.traffic, switch_sends=case.traffic.switch_sends & False)
    fabric = network.fabric
    by_path: dict[tuple[int, int], set[tuple[int, int]]] = {}
    looping = False
    for source, d, member in pairs(network, traffic):
        walk = walk_pair(network, traffic, source, d, member)
        looping |= walk.outcome == Outcome.LOOPING
        s = fabric.link(fabric.host(source.id).up).dst
        edges = by_path.setdefault((s, d), set())
        edges |= {(q[0], q2[0]) for q, choices in walk.choices.items() for choice in choices for q2 in choice}
    if looping:
        with pytest.raises(LoopingPackets):
            demands(network, traffic)
        return
    found = demands(network, traffic)
    graph = nx.DiGraph([edge for edges in by_path.values() for edge in edges])
    parts = [c for c in nx.strongly_connected_components(graph) if graph.subgraph(c).number_of_edges()]
    for (s, d), edges in by_path.items():
        needed = {found.edges[e] for e in bits(found.mask.get((s, d), 0))}
        assert needed <= edges
        assert {(a, b) for a, b in edges if any({a, b} <= part for part in parts)} <= needed
    assert set(found.mask) <= set(by_path)
    assert not found.fixed


@on_some
@given(plain())
def test_what_switches_send_cannot_be_moved(case: PlainCase) -> None:
    network, traffic = case.choices, replace(case.traffic, host_sends=case.traffic.host_sends & False)
    traffic = replace(traffic, switch_sends=traffic.switch_sends | True)
    walks = [walk_pair(network, traffic, source, d, member) for source, d, member in pairs(network, traffic)]
    assume(all(walk.outcome != Outcome.LOOPING for walk in walks))
    found = demands(network, traffic)
    edges = {(q[0], q2[0]) for walk in walks for q, choices in walk.choices.items() for choice in choices for q2 in choice}
    assert not found.mask
    assert {found.edges[e] for e in bits(found.fixed)} == set(found.edges) <= edges
