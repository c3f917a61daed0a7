"""Every packet of a witness is real: the naive walker, sent the same packet, finds it waiting where the witness says."""

import numpy as np
from hypothesis import given

from examples import on_some
from pauseproof.deadlock.witness import Hop, Packet, packets
from pauseproof.dependency.graph import Dependencies, dependencies
from pauseproof.dependency.states import explore
from pauseproof.routing.tables import ChoiceKind
from real_packets import check_real
from stories import LOCAL, Story, line, ring_of_three
from strategies import Case, PlainCase, anything, plain, sane


def hops_of(graph: Dependencies) -> list[Hop]:
    """Every choice set of every buffer."""
    name = graph.link_lane
    edges = zip(graph.source.tolist(), graph.target.tolist(), graph.committed.tolist(), strict=True)
    hops = [Hop(*name(a), *name(b)) for a, b, committed in edges if committed]
    for i, owner in enumerate(graph.set_owner.tolist()):
        first, *others = map(name, graph.set_member[graph.set_ptr[i] : graph.set_ptr[i + 1]].tolist())
        hops.append(Hop(*name(owner), *first, tuple(others)))
    return hops


def check_every_choice(case: Case) -> None:
    """Up to a dozen of them."""
    found = explore(*case)
    hops = hops_of(dependencies(found))
    hops = hops[:: max(1, len(hops) // 12)]
    for hop, packet in zip(hops, packets(found, hops), strict=True):
        assert packet is not None
        check_real(*case, hop, packet)


@on_some
@given(anything())
def test_on_any_network_each_choice_has_a_real_packet(case: Case) -> None:
    check_every_choice(case)


@on_some
@given(sane())
def test_on_sane_networks_each_choice_has_a_real_packet(case: Case) -> None:
    check_every_choice(case)


@on_some
@given(plain())
def test_on_plain_networks_each_choice_has_a_real_packet(case: PlainCase) -> None:
    check_every_choice(Case(case.choices, case.traffic))


Told = tuple[int, int, int, int, int]


def told(packet: Packet | None) -> Told | None:
    """(host, switch, column, member, label)."""
    return None if packet is None else (packet.host, packet.switch, packet.column, packet.member, packet.label)


def ask(story: Story, *hops: str) -> list[Told | None]:
    """Packets for hops ``"a>b=b>c"``, on lane 0."""
    ends = [hop.split("=") for hop in hops]
    wanted = [Hop(story.link[here], 0, story.link[there], 0) for here, there in ends]
    return [told(packet) for packet in packets(explore(story.network, story.traffic), wanted)]


def test_on_a_ring_each_turn_is_carried_by_the_host_behind_it() -> None:
    story = ring_of_three()
    host = story.host
    assert ask(story, "a>b=b>c", "b>c=c>a", "c>a=a>x") == [
        (host["x"], -1, story.columns.index("z"), host["z"], 0),
        (host["y"], -1, story.columns.index("x"), host["x"], 0),
        (host["z"], -1, story.columns.index("x"), host["x"], 0),
    ]


def test_where_no_packet_takes_the_turn_there_is_none() -> None:
    story = ring_of_three().senders("x")
    assert ask(story, "a>b=b>c", "b>c=c>a", "c>a=a>b") == [
        (story.host["x"], -1, story.columns.index("z"), story.host["z"], 0),
        None,
        None,
    ]


def test_a_switch_sends_too() -> None:
    story = line("y").senders("a")
    assert ask(story, "a>b=b>y") == [(-1, story.switch["a"], 0, story.host["y"], 0)]


def test_what_is_for_a_switch_is_for_no_host() -> None:
    story = Story("a-b b-c a-x", "c").senders("x").at("a", "c", "a>b").at("b", "c", "b>c").at("c", "c", LOCAL)
    assert ask(story, "a>b=b>c") == [(story.host["x"], -1, 0, -1, 0)]


def test_a_copy_of_a_tree_is_sent_by_a_member() -> None:
    story = Story("a-b a-x b-y", "*xy")
    for s, links in (("a", "a>b a>x"), ("b", "b>a b>y")):
        story.at(s, "*xy", story.choice(ChoiceKind.MULTICAST, links))
    assert ask(story, "x>a=a>b", "a>b=b>y", "a>b=b>a") == [*[(story.host["x"], -1, 0, -1, 0)] * 2, None]


def test_nobody_sends_to_its_own_node() -> None:
    """Both ports of one node send and receive: the packet that carries the hop comes from another node."""
    story = Story("a-b a-x b-y a-z", "x y", nodes={"x": "u", "y": "u"})
    story.at("a", "y", "a>b").at("b", "y", "b>y").at("a", "x", "a>x")
    assert ask(story, "a>b=b>y") == [(story.host["z"], -1, 1, story.host["y"], 0)]
    assert np.unique(story.fabric.host_node[[story.host["x"], story.host["y"]]]).size == 1
