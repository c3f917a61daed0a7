"""The engine is held to the reference walker on random networks: buffers, choice sets, dependencies, and pair counts.

``PAUSEPROOF_EXAMPLES=5000 pytest tests/dependency/test_states.py`` asks for more examples than the usual 300.
"""

import os
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings

from oracle import cyclic_components
from pauseproof.dependency.graph import Dependencies, dependencies
from pauseproof.dependency.outcomes import outcomes
from pauseproof.dependency.states import explore
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import Walked, walk_known, walk_worst
from strategies import Case, PlainCase, anything, plain, sane

Buffer = tuple[int, int]
on_many = settings(max_examples=int(os.environ.get("PAUSEPROOF_EXAMPLES", "300")), deadline=None)


def buffers_of(graph: Dependencies) -> set[Buffer]:
    return {graph.link_lane(b) for b in range(graph.n_buffers)}


def edges_of(graph: Dependencies) -> set[tuple[Buffer, Buffer]]:
    return {(graph.link_lane(a), graph.link_lane(int(b))) for a in range(graph.n_buffers) for b in graph.successors_of(a)}


def choice_sets_of(graph: Dependencies) -> dict[Buffer, frozenset[frozenset[Buffer]]]:
    """The engine's choice sets, spelled out."""
    out: dict[Buffer, set[frozenset[Buffer]]] = {}
    for a, b, committed in zip(graph.source.tolist(), graph.target.tolist(), graph.committed.tolist(), strict=True):
        if committed:
            out.setdefault(graph.link_lane(a), set()).add(frozenset({graph.link_lane(b)}))
    for i, a in enumerate(graph.set_owner.tolist()):
        members = graph.set_member[graph.set_ptr[i] : graph.set_ptr[i + 1]].tolist()
        out.setdefault(graph.link_lane(a), set()).add(frozenset(map(graph.link_lane, members)))
    return {b: frozenset(sets) for b, sets in out.items()}


def check_graph(graph: Dependencies, walked: Walked) -> None:
    assert buffers_of(graph) == walked.buffers
    assert edges_of(graph) == walked.dependencies
    assert choice_sets_of(graph) == walked.choice_sets


def check(network: Network, traffic: Traffic, walk: Callable[[Network, Traffic], Walked], *, worst: bool) -> None:
    """The engine and the walker say the same. Of the worst case only the graph is asked for, not what becomes of pairs."""
    walked = walk(network, traffic)
    found = explore(network, traffic, worst=worst)
    graph = dependencies(found)
    check_graph(graph, walked)
    in_lossy = network.lanes.lossy_lane is not None  # packets go round in buffers that nobody waits for
    for may_loop in {True, in_lossy or bool(cyclic_components(walked.dependencies))}:
        counts = outcomes(found, may_loop=may_loop)
        assert counts.pairs == walked.pairs
        if not worst:
            assert counts.looping_pairs == walked.looping_pairs
            assert counts.unroutable_pairs == walked.unroutable_pairs
            assert counts.unknown_pairs == walked.unknown_pairs


def check_both(case: Any) -> None:
    network, traffic = case
    check(network, traffic, walk_known, worst=False)
    check(network, traffic, walk_worst, worst=True)


@on_many
@given(anything())
def test_on_any_network_the_engine_finds_what_the_walker_finds(case: Case) -> None:
    check_both(case)


@on_many
@given(sane())
def test_on_sane_networks_the_engine_finds_what_the_walker_finds(case: Case) -> None:
    check_both(case)


@on_many
@given(plain())
def test_on_plain_networks_the_engine_finds_what_the_walker_finds(case: PlainCase) -> None:
    check_both((case.choices, case.traffic))
