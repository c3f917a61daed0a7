"""Storms: by eye on a few buffers, and against a naive fixed point on random fabrics."""

import numpy as np
from hypothesis import given

from examples import on_many
from pauseproof.deadlock.analysis import whole_graph
from pauseproof.deadlock.storms import hosts_blocked, storms, triggers
from pauseproof.routing.walk import Walked, walk_known
from strategies import Case, sane


def naive(walked: Walked, at_host: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Add, one by one, buffers that have a choice set among those that are blocked already."""
    blocked = at_host & walked.buffers
    while more := {
        b for b, sets in walked.choice_sets.items() if b not in blocked and any(choice <= blocked for choice in sets)
    }:
        blocked |= more
    return blocked


@on_many
@given(sane())
def test_a_storm_blocks_what_a_naive_fixed_point_says(case: Case) -> None:
    fabric = case.network.fabric
    walked = walk_known(case.network, case.traffic)
    graph = whole_graph(case.network, case.traffic)
    for block in storms(graph, fabric, range(fabric.n_hosts)):
        for h, blocked in zip(block.hosts.tolist(), block.blocked, strict=True):
            down, lanes = fabric.host(h).down, len(case.network.lanes.lane_names)
            expected = naive(walked, {(down, v) for v in range(lanes)})
            assert {graph.link_lane(b) for b in np.flatnonzero(blocked).tolist()} == expected
            links = {link for link, _ in expected}
            stopped = hosts_blocked(graph, fabric, blocked)
            assert [bool(x) for x in stopped] == [fabric.host(g).up in links for g in range(fabric.n_hosts)]


@on_many
@given(sane())
def test_triggers_block_all_of_a_part_and_nobody_else_does(case: Case) -> None:
    fabric = case.network.fabric
    walked = walk_known(case.network, case.traffic)
    graph = whole_graph(case.network, case.traffic)
    if not graph.n_buffers:
        return
    part = [0, graph.n_buffers // 2]
    found = triggers(graph, fabric, part, range(fabric.n_hosts))
    names = {graph.link_lane(b) for b in part}
    lanes = len(case.network.lanes.lane_names)
    for h in range(fabric.n_hosts):
        at_host = {(fabric.host(h).down, v) for v in range(lanes)}
        assert (h in found) == (names <= naive(walked, at_host))
        if h in found:
            assert found[h] == steps(walked, names, at_host & walked.buffers)


def steps(walked: Walked, start: set[tuple[int, int]], ends: set[tuple[int, int]]) -> int:
    """Dependencies on the shortest way, breadth first."""
    met, n = set(start), 0
    while not met & ends:
        met |= {b for a, b in walked.dependencies if a in met}
        n += 1
    return n
