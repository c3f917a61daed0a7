"""The walker on fabrics small enough to walk by hand: a story for every rule."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW, Lanes
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.tables import ChoiceKind, DestinationKind, Route, RowTable
from pauseproof.routing.walk import pairs, walk_known, walk_pair, walk_worst
from stories import DEAD, DROP, LOCAL, UNKNOWN, Story, arrows, counts, line, only, ring_of_three, words
from strategies import Case, Column, PlainCase, anything, destinations_of, plain, sane


def test_a_ring_routed_clockwise_has_the_cyclic_dependency() -> None:
    story = ring_of_three()
    found = story.known()
    assert counts(found) == (6, 0, 0, 0)
    assert story.buffers(found) == words("x>a y>b z>c a>b b>c c>a a>x b>y c>z")
    assert story.dependencies(found) == arrows("x>a=a>b y>b=b>c z>c=c>a a>b=b>c b>c=c>a c>a=a>b a>b=b>y b>c=c>z c>a=a>x")
    assert found == story.worst()


def test_an_entry_that_no_traffic_reaches_makes_no_dependency() -> None:
    story = ring_of_three().senders("x")
    found = story.known()
    assert counts(found) == (2, 0, 0, 0)
    assert story.buffers(found) == words("x>a a>b b>c b>y c>z")


def test_a_host_that_receives_nothing_is_no_destination_but_still_sends() -> None:
    story = line()
    story.traffic = replace(story.traffic, host_receives=np.array([False, True]))
    found = story.known()
    assert counts(found) == (1, 0, 0, 0)
    assert story.buffers(found) == words("x>a a>b b>y")


def test_a_column_that_is_off_or_nobodys_has_no_pairs() -> None:
    story = line()
    story.traffic = replace(story.traffic, destination_on=np.array([True, False]))
    assert counts(story.known()) == (1, 0, 0, 0)
    story = line()
    story.destinations = destinations_of([Column(DestinationKind.NOBODY), story.column("y")])
    assert counts(story.known()) == (1, 0, 0, 0)


def test_a_black_hole_is_unroutable_and_fills_the_buffers_up_to_it() -> None:
    for hole in (DROP, DEAD, LOCAL, Route(ChoiceKind.HASHED, ()), Route(ChoiceKind.DELIVER, ())):
        story = line().at("b", "y", hole)
        found = story.known()
        assert counts(found) == (2, 0, 1, 0)
        assert story.dependencies(found) >= arrows("x>a=a>b")
        assert "b>y" not in story.buffers(found)


def test_a_forwarding_loop_is_looping_and_not_unroutable() -> None:
    story = line("y").at("b", "y", "b>a")
    found = story.known()
    assert counts(found) == (1, 1, 0, 0)
    assert story.dependencies(found) == arrows("x>a=a>b a>b=b>a b>a=a>b")


def test_looping_outranks_unroutable_outranks_unknown_outranks_routed() -> None:
    story = Story("a-b a-b a-c a-d a-x d-y", "y").senders("x").at("b", "y", "b>a").at("d", "y", "d>y")
    assert counts(story.at("a", "y", "a>d").known()) == (1, 0, 0, 0)
    story.at("c", "y", UNKNOWN)
    assert counts(story.at("a", "y", "a>d a>c").known()) == (1, 0, 0, 1)
    story.at("c", "y", DROP)
    assert counts(story.at("a", "y", "a>d a>c").known()) == (1, 0, 1, 0)
    assert counts(story.at("a", "y", "a>b a>c").known()) == (1, 1, 0, 0)


def test_a_loop_back_cable_depends_on_itself() -> None:
    story = Story("a-a a-x a-y", "y")
    there = story.fabric.in_link[0, 2]
    story.at("a", "y", Route(ChoiceKind.HASHED, (int(there),)))
    found = story.known()
    assert counts(found) == (1, 1, 0, 0)
    assert ((there, 0), (there, 0)) in found.dependencies


def test_a_packet_at_the_wrong_host_is_unroutable_and_fills_its_buffer() -> None:
    story = Story("a-x a-y a-z", "y").senders("x").at("a", "y", "a>z")
    found = story.known()
    assert counts(found) == (1, 0, 1, 0)
    assert story.dependencies(found) == arrows("x>a=a>z")


def test_a_switch_column_ends_at_its_own_local_entry_only() -> None:
    story = Story("a-b a-x", "a b").at("a", "a", LOCAL).at("a", "b", "a>b").at("b", "b", LOCAL)
    found = story.known()
    assert counts(found) == (2, 0, 0, 0)
    assert story.buffers(found) == words("x>a a>b")
    assert counts(story.at("a", "b", LOCAL).known()) == (2, 0, 1, 0)
    assert counts(story.at("a", "b", "a>x").known()) == (2, 0, 1, 0)


def test_a_switch_sends_from_its_port_0_which_is_no_buffer() -> None:
    story = line("x a b").senders("ab").at("a", "a", LOCAL).at("b", "b", LOCAL).at("a", "b", "a>b").at("b", "a", "b>a")
    found = story.known()
    assert counts(found) == (4, 0, 0, 0)  # a>x, b>x, a>b, b>a; never to itself
    assert story.buffers(found) == words("a>b b>a a>x")
    assert story.dependencies(found) == arrows("b>a=a>x")


def test_delivery_is_to_the_members_own_link() -> None:
    story = Story("a-b a-x a-y b-z", "xy").at("b", "xy", "b>a")
    story.at("a", "xy", story.choice(ChoiceKind.DELIVER, "a>x a>y"))
    found = story.known()
    assert counts(found) == (4, 0, 0, 0)  # x to y, y to x, z to both
    assert story.dependencies(found) == arrows("x>a=a>y y>a=a>x z>b=b>a b>a=a>x b>a=a>y")
    assert counts(story.at("a", "xy", story.choice(ChoiceKind.DELIVER, "a>x")).known()) == (4, 0, 2, 0)


def test_a_lone_sender_does_not_deliver_to_itself() -> None:
    story = Story("a-x a-y", "xy").senders("x")
    story.at("a", "xy", story.choice(ChoiceKind.DELIVER, "a>x a>y"))
    assert story.dependencies(story.known()) == arrows("x>a=a>y")


def test_two_ports_of_one_node_are_two_hosts_and_no_pair() -> None:
    story = Story("a-x a-y a-z", "x y", nodes={"y": "x"}).at("a", "x", "a>x").at("a", "y", "a>y")
    found = story.known()
    assert counts(found) == (2, 0, 0, 0)  # z to either
    assert story.dependencies(found) == arrows("z>a=a>x z>a=a>y")


def test_two_hosts_on_one_cable_reach_each_other_and_nobody_else() -> None:
    found = Story("x-y a-z", "y z").known()
    assert counts(found) == (4, 0, 3, 0)


def test_parallel_cables_are_different_buffers_and_hashing_gives_singletons() -> None:
    story = Story("a-b a-b a-x b-y", "y").at("a", "y", "a>b a>b'").at("b", "y", "b>y")
    found = story.known()
    assert counts(found) == (1, 0, 0, 0)
    assert story.choices(found, "x>a") == only("a>b", "a>b'")


def test_an_adaptive_entry_is_one_choice_set() -> None:
    story = Story("a-b a-b a-x b-y", "y").at("b", "y", "b>y")
    story.at("a", "y", story.choice(ChoiceKind.ADAPTIVE, "a>b a>b'"))
    found = story.known()
    assert counts(found) == (1, 0, 0, 0)
    assert story.choices(found, "x>a") == only("a>b a>b'")
    assert story.dependencies(found) == arrows("x>a=a>b x>a=a>b' a>b=b>y a>b'=b>y")


def test_multicast_copies_go_to_all_members_but_back() -> None:
    story = Story("a-b a-b a-x a-u b-y", "*xuy")
    story.at("a", "*xuy", story.choice(ChoiceKind.MULTICAST, "a>x a>u a>b"))
    story.at("b", "*xuy", story.choice(ChoiceKind.MULTICAST, "b>a b>y"))
    found = story.senders("xy").known()
    assert counts(found) == (0, 0, 0, 0)
    assert story.choices(found, "x>a") == only("a>u", "a>b")
    assert story.choices(found, "y>b") == only("b>a")
    assert story.choices(found, "b>a") == only("a>x", "a>u")  # not back over the same cable
    assert story.choices(found, "a>b") == only("b>y")
    assert "u>a" not in story.buffers(found)


def test_an_unknown_row_stops_the_known_walk_and_is_anything_in_the_worst() -> None:
    story = Story("a-b a-c a-x b-y", "y").senders("x").at("a", "y", UNKNOWN).at("b", "y", "b>y").at("c", "y", "c>a")
    found = story.known()
    assert counts(found) == (1, 0, 0, 1)
    assert (story.buffers(found), story.dependencies(found)) == (words("x>a"), set())
    worst = story.worst()
    assert counts(worst) == (1, 1, 0, 0)
    assert story.choices(worst, "x>a") == only("a>b", "a>c", "a>x")
    assert story.choices(worst, "c>a") == only("a>b", "a>c", "a>x")
    one = np.array([1], np.int16)
    story.lanes = Lanes(("0", "1"), ("0", "1"), one, one, np.zeros((1, 2), np.int16), None, np.zeros(2, np.int32))
    assert story.buffers(story.known()) == words("1:x>a")
    assert story.choices(story.worst(), "1:x>a") == only(*(f"{v}:{l}" for v in (0, 1) for l in ("a>b", "a>c", "a>x")))


def lanes(story: Story, step: list[list[int]], turn: dict[str, int] | None, host: dict[str, int] | None = None) -> Story:
    """Two labels on two lanes: class 2k+v. ``turn`` names rows by "in=out" links (``"=a>b"`` for a's own); row 0 elsewhere."""
    fabric = story.fabric
    ports = fabric.max_radix + 1
    rows = np.zeros((fabric.n_switches, ports, ports), np.int32)
    for text, row in (turn or {}).items():
        into, out = text.split("=")
        link = fabric.link(story.link[out])
        rows[link.src, fabric.link(story.link[into]).dst_port if into else 0, link.src_port] = row
    host_row = np.array([(host or {}).get(n, 0) for n, _ in sorted(story.host.items(), key=lambda i: i[1])], np.int32)
    label, lane = np.array([(0, 0), (0, 1), (1, 0), (1, 1)], np.int16).T
    story.lanes = Lanes(("0", "1"), ("0", "1"), label, lane, np.array(step, np.int16), None if turn is None else rows, host_row)
    return story


def test_the_lane_depends_on_the_port_that_the_packet_came_by() -> None:
    story = Story("a-b a-x a-z b-y", "y").senders("xz").at("a", "y", "a>b").at("b", "y", "b>y")
    lanes(story, [[0, 3], [1, 3]], {"z>a=a>b": 1})
    found = story.known()
    assert counts(found) == (2, 0, 0, 0)
    assert story.dependencies(found) == arrows("0:x>a=0:a>b 0:z>a=1:a>b 0:a>b=0:b>y 1:a>b=0:b>y")


def test_a_switchs_own_packets_turn_from_port_0() -> None:
    story = lanes(line("y").senders("a"), [[0, 3], [1, 3]], {"=a>b": 1})
    assert story.dependencies(story.known()) == arrows("1:a>b=0:b>y")


def test_a_rewritten_label_is_what_the_next_hop_reads() -> None:
    story = lanes(line("y"), [[0, 3], [2, 2]], {"x>a=a>b": 1})  # label 0 becomes label 1 on lane 0, and later rides lane 1
    assert story.dependencies(story.known()) == arrows("0:x>a=0:a>b 0:a>b=1:b>y")


def test_the_host_chooses_the_first_lane_by_its_own_row() -> None:
    story = lanes(line("y"), [[0, 3], [1, 3]], None, {"x": 1})
    assert story.buffers(story.known()) == words("1:x>a 0:a>b 0:b>y")


def test_a_lossy_turn_drops_and_a_lossy_first_hop_fills_nothing() -> None:
    story = lanes(line("y"), [[0, 3], [LOSSY, 3]], {"x>a=a>b": 1})
    found = story.known()
    assert (counts(found), story.buffers(found)) == ((1, 0, 1, 0), words("0:x>a"))
    assert found == story.worst()
    found = lanes(line("y"), [[0, 3], [LOSSY, 3]], {}, {"x": 1}).known()
    assert (counts(found), found.buffers) == ((1, 0, 1, 0), frozenset())


def test_a_lossy_member_is_left_out_of_an_adaptive_choice() -> None:
    story = Story("a-b a-b a-x b-y", "y").at("b", "y", "b>y")
    story.at("a", "y", story.choice(ChoiceKind.ADAPTIVE, "a>b a>b'"))
    found = lanes(story, [[0, 3], [LOSSY, 3]], {"x>a=a>b": 1}).known()
    assert counts(found) == (1, 0, 1, 0)
    assert story.choices(found, "0:x>a") == only("0:a>b'")
    found = lanes(story, [[0, 3], [LOSSY, 3]], {"x>a=a>b": 1, "x>a=a>b'": 1}).known()
    assert story.choices(found, "0:x>a") == set()


def test_an_unknown_turn_is_not_followed_or_is_any_lane() -> None:
    story = lanes(line("y"), [[0, 3]], {"x>a=a>b": UNKNOWN_ROW})
    found = story.known()
    assert (counts(found), story.buffers(found)) == ((1, 0, 0, 1), words("0:x>a"))
    worst = story.worst()
    assert counts(worst) == (1, 0, 0, 0)
    assert story.choices(worst, "0:x>a") == only("0:a>b", "1:a>b")
    assert story.choices(worst, "1:a>b") == only("0:b>y")


def test_an_adaptive_choice_with_an_unknown_turn_is_not_followed_or_is_hashed() -> None:
    story = Story("a-b a-b a-x b-y", "y").at("b", "y", "b>y")
    story.at("a", "y", story.choice(ChoiceKind.ADAPTIVE, "a>b a>b'"))
    lanes(story, [[0, 3]], {"x>a=a>b": UNKNOWN_ROW})
    assert story.choices(story.known(), "0:x>a") == set()
    assert story.choices(story.worst(), "0:x>a") == only("0:a>b", "1:a>b", "0:a>b'")


def test_an_unknown_first_hop_is_not_sent_or_is_any_lane() -> None:
    story = lanes(line("y"), [[0, 3]], None, {"x": UNKNOWN_ROW})
    found = story.known()
    assert (counts(found), found.buffers) == ((1, 0, 0, 1), frozenset())
    assert story.buffers(story.worst()) == words("0:x>a 1:x>a 0:a>b 0:b>y")


def with_labels(story: Story, x_to_y: int) -> Story:
    labels = np.ones((story.fabric.n_hosts, len(story.columns)), np.uint32)
    labels[story.host["x"], story.columns.index("y")] = x_to_y
    story.traffic = replace(story.traffic, labels=labels)
    return story


@pytest.mark.parametrize(("labels", "first"), [(1, "0:x>a"), (2, "1:x>a"), (3, "0:x>a 1:x>a"), (0, "")])
def test_labels_by_pair_may_be_several_or_unknown(labels: int, first: str) -> None:
    story = with_labels(lanes(line("y"), [[0, 3]], None), labels)
    found = story.known()
    assert {b for b in story.buffers(found) if b.endswith("x>a")} == words(first)
    assert counts(found) == (1, 0, 0, 0 if labels else 1)
    worst = story.worst()
    assert {b for b in story.buffers(worst) if b.endswith("x>a")} == words(first or "0:x>a 1:x>a")
    assert counts(worst) == (1, 0, 0, 0)


def test_switch_sources_and_switch_columns_use_the_one_label() -> None:
    story = lanes(line("y b").at("a", "b", "a>b").at("b", "b", LOCAL).senders("xa"), [[0, 3]], None)
    story.traffic = replace(story.traffic, label=1)
    with_labels(story, 1)
    assert story.dependencies(story.known()) == arrows("0:x>a=0:a>b 0:a>b=0:b>y 1:x>a=1:a>b 1:a>b=1:b>y")
    story.traffic = replace(story.traffic, switch_sends=np.zeros(2, np.bool_))
    assert story.dependencies(story.known()) == arrows("0:x>a=0:a>b 0:a>b=0:b>y 1:x>a=1:a>b")


def test_a_pair_is_looping_only_if_the_label_comes_round_too() -> None:
    story = lanes(Story("a-b a-x a-y", "y").senders("x"), [[2, LOSSY]], None, {})
    story.at("a", "y", "a>b").at("b", "y", "b>a")
    found = story.known()
    assert (counts(found), story.dependencies(found)) == ((1, 0, 1, 0), set())
    lanes(story, [[2, 0]], None)
    assert counts(story.known()) == (1, 1, 0, 0)


def test_one_pair_can_be_asked_about() -> None:
    story = ring_of_three()
    walk = walk_pair(story.network, story.traffic, Source("host", story.host["x"]), 2, story.host["z"])
    assert walk.outcome == Outcome.ROUTED
    assert {story.name[l] for l, _, _ in walk.states} == words("x>a a>b b>c c>z")
    walk = walk_pair(story.network, story.traffic, Source("switch", 1), 2, story.host["z"])
    assert {story.name[l] for l, _, _ in walk.states} == words("b>c c>z")
    story.at("b", "z", UNKNOWN)
    ask = (story.network, story.traffic, Source("host", story.host["x"]), 2, story.host["z"])
    assert walk_pair(*ask).outcome == Outcome.UNKNOWN
    assert walk_pair(*ask, worst=True).outcome == Outcome.LOOPING


def check_invariants(case: Case) -> None:
    """What must hold of every walk, whatever the network."""
    known, worst = walk_known(*case), walk_worst(*case)
    for found in (known, worst):
        assert found.pairs == len(list(pairs(*case)))
        assert found.pairs >= found.looping_pairs + found.unroutable_pairs + found.unknown_pairs
        assert {b for edge in found.dependencies for b in edge} | set(found.choice_sets) <= found.buffers
        assert all(case.network.fabric.link(a[0]).dst == case.network.fabric.link(b[0]).src for a, b in found.dependencies)
        assert all(sets and all(sets) for sets in found.choice_sets.values())
    assert known.buffers <= worst.buffers
    assert known.dependencies <= worst.dependencies
    assert known.looping_pairs <= worst.looping_pairs
    assert worst.unknown_pairs == 0
    if not has_unknowns(case):
        assert known == worst


def has_unknowns(case: Case) -> bool:
    network, traffic = case
    unread = any(kind == ChoiceKind.UNKNOWN for kind, *_ in entries(network)) or (network.lanes.host_row == UNKNOWN_ROW).any()
    maps = network.lanes.turn_row is not None and (network.lanes.turn_row == UNKNOWN_ROW).any()
    return bool(unread or maps or (traffic.labels is not None and (traffic.labels == 0).any()))


@settings(deadline=None)
@given(anything())
def test_any_network_keeps_the_invariants(case: Case) -> None:
    check_invariants(case)


@settings(deadline=None)
@given(sane())
def test_sane_networks_keep_the_invariants(case: Case) -> None:
    check_invariants(case)


def entries(network: Network) -> Iterable[Route]:
    fabric, routes = network.fabric, network.routes
    return [routes.route(s, d) for s in range(fabric.n_switches) for d in range(len(network.destinations))]


@settings(deadline=None)
@given(plain())
def test_the_two_forms_of_a_plain_table_say_the_same(case: PlainCase) -> None:
    assert isinstance(case.rows.routes, RowTable)
    assert entries(case.choices) == entries(case.rows)
    for d in range(len(case.rows.destinations)):
        passed_on = [case.rows.routes.route(s.id, d) for s in case.rows.fabric.switches()]
        links = sorted({l for entry in passed_on if entry.kind == ChoiceKind.HASHED for l in entry.links})
        assert case.rows.routes.links_for(d).tolist() == case.choices.routes.links_for(d).tolist() == links


def coupled(story: Story, coupled_lanes: tuple[tuple[int, ...], ...]) -> Story:
    """Two labels that ride the lanes of their names and wait for others besides, everywhere."""
    lanes = Lanes.identity(story.fabric.n_hosts, ("0", "1"))
    story.lanes = replace(lanes, coupled=(coupled_lanes,))
    return story


def test_a_packet_waits_for_a_coupled_lane_only_where_packets_can_be_in_it() -> None:
    story = coupled(line(), ((1,), ()))
    assert "1:a>b" not in story.buffers(story.known())
    assert story.known().dependencies == line().known().dependencies

    both = coupled(line(), ((1,), ()))
    labels = np.full((both.fabric.n_hosts, len(both.columns)), 0b11, np.uint32)
    both.traffic = replace(both.traffic, labels=labels)
    found = both.known()
    here, there = both.link["x>a"], both.link["a>b"]
    assert {(b, b2) for b, b2 in found.dependencies if b[0] == here} == {
        ((here, 0), (there, 0)),
        ((here, 0), (there, 1)),  # the coupled one
        ((here, 1), (there, 1)),
    }
    assert frozenset({(there, 1)}) in found.choice_sets[here, 0]
    assert found.pairs == line().known().pairs and found.unroutable_pairs == 0


def test_an_adaptive_choice_with_a_coupled_member_counts_as_hashed() -> None:
    story = coupled(Story("a-b a-b a-x b-y", "y"), ((1,), ())).senders("x")
    story.at("a", "y", story.choice(ChoiceKind.ADAPTIVE, "a>b a>b'")).at("b", "y", "b>y")
    here = story.link["x>a"], 0
    sets = {frozenset({(story.link["a>b"], 0)}), frozenset({(story.link["a>b'"], 0)})}
    assert story.known().choice_sets[here] == sets
    story.lanes = replace(story.lanes, coupled=None)
    assert story.known().choice_sets[here] == {frozenset().union(*sets)}
