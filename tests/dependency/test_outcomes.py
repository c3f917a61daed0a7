"""Where packets end badly, and round which links they go: held to the naive walker's states. Counts are told in test_states."""

from collections import defaultdict

import networkx as nx
from hypothesis import given

from examples import on_some
from pauseproof.dependency.outcomes import Fault, Outcomes, outcomes
from pauseproof.dependency.states import explore
from pauseproof.routing.packets import Outcome, Packets, Source
from pauseproof.routing.tables import ChoiceKind, ChoiceTable
from pauseproof.routing.walk import pairs, walk_pair
from stories import DEAD, DROP, Story, ring_of_three
from strategies import Case, PlainCase, anything, plain, sane

Loops = dict[tuple[int, ...], list[int]]


def loops_by_walking(case: Case) -> Loops:
    """By column: the links of states on a cycle, or between two cycles, of any pair's packets."""
    after: dict[int, nx.DiGraph] = defaultdict(nx.DiGraph)
    for source, d, member in pairs(*case):
        walk = walk_pair(*case, source, d, member)
        after[d].add_edges_from((q, q2) for q, sets in walk.choices.items() for choice in sets for q2 in choice)
    found: Loops = {}
    for d, graph in sorted(after.items()):
        on = {q for part in nx.strongly_connected_components(graph) for q in part if len(part) > 1 or graph.has_edge(q, q)}
        before, behind = on.union(*(nx.ancestors(graph, q) for q in on)), on.union(*(nx.descendants(graph, q) for q in on))
        if links := tuple(sorted({q[0] for q in before & behind})):
            found.setdefault(links, []).append(d)
    return found


def ends_by_walking(case: Case) -> set[tuple[int, int]]:
    """(node, column) where a packet that has come over a link may be dropped, or is at a wrong host."""
    network, traffic = case
    found = set()
    for source, d, member in pairs(network, traffic):
        for q in walk_pair(network, traffic, source, d, member).states:
            # a walk from the state on: what the far end of its link does with it
            if ends_there(case, d, member, q):
                found.add((network.fabric.link(q[0]).dst, d))
    return found


def ends_there(case: Case, d: int, member: int | None, q: tuple[int, int, int]) -> bool:
    return Packets(case.network, case.traffic, d, member, False).arrive(q).ends == Outcome.UNROUTABLE


def check(case: Case, found: Outcomes) -> None:
    if isinstance(case.network.routes, ChoiceTable) and case.network.routes.rewrite is not None:
        return  # faults and loops are named by the column that the tables see there, which the walker's pairs do not tell
    assert {links: sorted(columns) for links, columns in found.loops.items()} == loops_by_walking(case)
    walked = ends_by_walking(case)
    by_place = {(fault.node, fault.column) for fault in found.faults}
    assert walked <= by_place
    at_first = {(node, d) for node, d in by_place - walked}
    senders = {s.id for s in case.network.fabric.switches() if case.traffic.switch_sends[s.id]}
    homes = {case.network.fabric.link(h.up).dst for h in case.network.fabric.hosts() if case.traffic.host_sends[h.id]}
    assert {node for node, _ in at_first} <= senders | homes
    assert all((fault.link >= 0) == (fault.node >= case.network.fabric.n_switches) for fault in found.faults)
    assert bool(found.faults) <= bool(found.unroutable_pairs + found.looping_pairs)


@on_some
@given(anything())
def test_on_any_network_faults_and_loops_are_where_the_walker_meets_them(case: Case) -> None:
    check(case, outcomes(explore(*case), may_loop=True))


@on_some
@given(sane())
def test_on_sane_networks_faults_and_loops_are_where_the_walker_meets_them(case: Case) -> None:
    check(case, outcomes(explore(*case), may_loop=True))


@on_some
@given(plain())
def test_on_plain_networks_faults_and_loops_are_where_the_walker_meets_them(case: PlainCase) -> None:
    chosen = Case(case.choices, case.traffic)
    check(chosen, outcomes(explore(*chosen), may_loop=True))


def of(story: Story) -> Outcomes:
    return outcomes(explore(story.network, story.traffic), may_loop=True)


def test_a_routed_ring_has_no_faults() -> None:
    found = of(ring_of_three())
    assert (found.pairs, found.unroutable_pairs, found.looping_pairs, found.unknown_pairs) == (6, 0, 0, 0)
    assert (found.faults, found.loops) == (set(), {})


def test_each_way_of_losing_packets_is_located() -> None:
    story = ring_of_three().at("c", "x", DROP).at("b", "z", DEAD).at("a", "y", "a>x").senders("yxz")
    found = of(story)
    s, d = story.switch, story.columns.index
    x = story.fabric.host(story.host["x"])
    assert found.faults == {
        Fault(s["c"], d("x"), -1),
        Fault(s["b"], d("z"), -1),
        Fault(x.node, d("y"), x.down),
    }
    assert found.unroutable_pairs == 6  # also x to y itself: handed back
    assert found.loops == {}


def test_packets_that_go_round_are_told_by_the_links() -> None:
    story = ring_of_three().at("c", "z", "c>a").at("a", "z", "a>b")
    found = of(story)
    assert (found.looping_pairs, found.unroutable_pairs) == (2, 0)
    round_trip = tuple(sorted(story.link[l] for l in ("a>b", "b>c", "c>a")))
    assert found.loops == {round_trip: [story.columns.index("z")]}


def test_a_promise_of_no_cycle_is_believed() -> None:
    story = ring_of_three().at("c", "z", "c>a").at("a", "z", "a>b")
    assert outcomes(explore(story.network, story.traffic), may_loop=False).looping_pairs == 0


def test_an_adaptive_detour_may_loop_and_may_arrive() -> None:
    story = Story("a-b a-x b-y", "y").at("b", "y", "b>a").senders("x")
    story.at("a", "y", story.choice(ChoiceKind.ADAPTIVE, "a>b a>x"))
    found = of(story)
    assert (found.looping_pairs, found.unroutable_pairs) == (1, 0)  # looping counts first
    assert (
        walk_pair(story.network, story.traffic, Source("host", story.host["x"]), 0, story.host["y"]).outcome is Outcome.LOOPING
    )
    assert len(found.faults) == 1  # and at a it can go back to x, a wrong host
