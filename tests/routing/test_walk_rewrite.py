"""Packets that a switch sends on in another column: tunnels and floods, bonds that any port of a server takes."""

from dataclasses import replace

import networkx as nx
import numpy as np

from pauseproof.routing.packets import LabelIn, Outcome, Source
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from pauseproof.routing.walk import Walked, walk_pair
from stories import DROP, Story, counts
from strategies import Column, destinations_of


def loops(story: Story, found: Walked) -> list[list[str]]:
    components = nx.strongly_connected_components(nx.DiGraph(story.dependencies(found)))
    return sorted(sorted(c) for c in components if len(c) > 1)


def dual_tor() -> Story:
    """T1 ``a`` hashes to ToRs ``b`` (active for u) and ``c`` (for v); each sends the other's packets over in a tunnel."""
    story = Story("a-x a-b a-c b-u c-v", "u v")
    columns = [Column(DestinationKind.HOST, members=(story.host[h],)) for h in "uvuv"]
    story.destinations = destinations_of(columns)
    link = story.link

    def to(links: str, column: int = -1) -> Route:
        return Route(ChoiceKind.HASHED, tuple(link[name] for name in links.split()), (), column)

    story.routes = [
        [to("a>b a>c"), to("a>b a>c"), to("a>b"), to("a>c")],
        [to("b>u"), to("b>a", 3), to("b>u"), DROP],
        [to("c>a", 2), to("c>v"), DROP, to("c>v")],
    ]
    story.traffic = replace(story.traffic, destination_on=np.array([True, True, False, False]))
    return story.senders("x")


def test_bounced_packets_follow_the_tunnel_s_column_to_the_active_switch() -> None:
    story = dual_tor()
    found = story.known()
    assert counts(found) == (2, 0, 0, 0)
    assert loops(story, found) == [["a>b", "a>c", "b>a", "c>a"]]
    walk = walk_pair(story.network, story.traffic, Source("host", story.host["x"]), 1, story.host["v"])
    labels = {story.name[l]: k for l, _, k in walk.states}
    assert labels == {"x>a": 0, "a>b": 0, "b>a": LabelIn(0, 3), "a>c": labels["a>c"], "c>v": labels["c>v"]}


def test_without_another_column_they_go_round_for_ever() -> None:
    story = dual_tor()
    story.routes = [[route._replace(column=-1) for route in row] for row in story.routes]
    assert counts(story.known()) == (2, 2, 0, 0)


def test_a_packet_taken_out_of_the_tunnel_is_in_its_own_column_again() -> None:
    story = dual_tor()
    story.routes[2][3] = story.routes[2][3]._replace(column=1)
    walk = walk_pair(story.network, story.traffic, Source("host", story.host["x"]), 1, story.host["v"])
    ends = {k for l, _, k in walk.states if story.name[l] == "c>v"}
    assert walk.outcome == Outcome.ROUTED
    assert ends == {0}
    assert not any(isinstance(k, LabelIn) for k in ends)


def test_tables_keep_the_column() -> None:
    story = dual_tor()
    table = ChoiceTable.from_routes(story.routes)
    assert table.rewrite is not None
    assert [[table.route(s, d) for d in range(4)] for s in range(3)] == story.routes
    story.routes = [[route._replace(column=-1) for route in row] for row in story.routes]
    assert ChoiceTable.from_routes(story.routes).rewrite is None


def flooding(flood: bool) -> Story:
    """SIGCOMM 2016: ToRs ``a`` (dead u) and ``b`` (dead v) under leaves ``c`` and ``d``; x sends to v by c, y to u by d."""
    story = Story("a-c a-d b-c b-d a-x a-u b-y b-v", "*xv *yu")
    story.destinations = destinations_of([*(story.column(c) for c in story.columns), *[Column(DestinationKind.NOBODY)] * 2])

    def everywhere(s: str, column: int) -> Route:
        links = tuple(sorted(link for name, link in story.link.items() if name.startswith(f"{s}>")))
        return Route(ChoiceKind.MULTICAST, links, (), column) if flood else DROP

    nothing = [DROP, DROP]
    to_b = [story.choice(ChoiceKind.HASHED, link) for link in ("a>c", "c>b")]
    to_a = [story.choice(ChoiceKind.HASHED, link) for link in ("b>d", "d>a")]
    story.routes = [
        [to_b[0], everywhere("a", 3), *nothing],
        [everywhere("b", 2), to_a[0], *nothing],
        [to_b[1], DROP, *nothing],
        [DROP, to_a[1], *nothing],
    ]
    story.traffic = replace(story.traffic, destination_on=np.array([True, True, False, False]))
    return story.senders("xy")


def test_flooding_of_unresolved_addresses_closes_the_loop_of_four() -> None:
    story = flooding(True)
    found = story.known()
    assert loops(story, found) == [["a>c", "b>d", "c>b", "d>a"]]
    assert ("c>b", "b>c") not in story.dependencies(found)
    assert not any(a == "b>d" and b == "d>b" for a, b in story.dependencies(found))


def test_dropping_them_leaves_none() -> None:
    story = flooding(False)
    assert loops(story, story.known()) == []


def test_each_port_of_a_bond_takes_the_packets_of_all() -> None:
    story = Story("a-b a-x a-u b-v", "uv", nodes={"u": "s", "v": "s"})
    story.at("a", "uv", story.choice(ChoiceKind.DELIVER, "a>u"))
    story.at("b", "uv", story.choice(ChoiceKind.DELIVER, "b>v"))
    found = story.senders("x").known()
    assert counts(found) == (2, 0, 0, 0)
    assert story.buffers(found) == {"x>a", "a>u"}


def test_two_hosts_of_one_switch_take_their_own_packets_only() -> None:
    story = Story("a-x a-u a-v", "uv").at("a", "uv", "a>u a>v")
    assert counts(story.senders("x").known()) == (2, 0, 2, 0)
