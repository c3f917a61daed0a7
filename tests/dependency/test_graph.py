"""The graph on stories, and as users get it. That it is the right graph on any network is told in test_states."""

import numpy as np
from hypothesis import given

from examples import on_some
from graphs import Sets, choice_sets, of_edges
from pauseproof.dependency.graph import Dependencies, dependencies
from pauseproof.dependency.states import explore
from pauseproof.routing.tables import ChoiceKind
from stories import Story, arrows, line, ring_of_three, words
from strategies import Case, anything


def graph_of(story: Story) -> Dependencies:
    return dependencies(explore(story.network, story.traffic))


def named(story: Story, graph: Dependencies) -> set[tuple[str, str]]:
    return {(story.say(a), story.say(b)) for a, b in graph.to_networkx().edges}


def test_a_ring_in_words() -> None:
    story = ring_of_three()
    graph = graph_of(story)
    assert {story.say(graph.link_lane(b)) for b in range(graph.n_buffers)} == words("x>a y>b z>c a>b b>c c>a a>x b>y c>z")
    assert named(story, graph) == arrows("x>a=a>b y>b=b>c z>c=c>a a>b=b>c b>c=c>a c>a=a>b a>b=b>y b>c=c>z c>a=a>x")
    assert graph.n_dependencies == 9
    assert graph.committed.all()


def test_a_host_sends_nothing_to_itself_so_its_link_waits_for_no_more_than_it_must() -> None:
    story = line("x y").senders("x")
    assert named(story, graph_of(story)) == arrows("x>a=a>b a>b=b>y")


def test_in_networkx_buffers_are_pairs_and_edges_say_whether_the_packet_is_committed() -> None:
    story = Story("a-b a-c b-c a-x c-z", "z").at("c", "z", "c>z").at("b", "z", "b>c").senders("x")
    story.at("a", "z", story.choice(ChoiceKind.ADAPTIVE, "a>b a>c"))
    graph = graph_of(story).to_networkx()
    told = {(story.say(a), story.say(b)): committed for a, b, committed in graph.edges(data="committed")}
    assert told == {
        ("x>a", "a>b"): False,
        ("x>a", "a>c"): False,
        ("a>b", "b>c"): True,
        ("a>c", "c>z"): True,
        ("b>c", "c>z"): True,
    }
    only = graph_of(story).committed_only()
    assert named(story, only) == {edge for edge, committed in told.items() if committed}
    assert only.n_buffers == graph_of(story).n_buffers
    assert len(only.set_owner) == 0


def test_without_traffic_there_is_nothing() -> None:
    graph = graph_of(line().senders(""))
    assert (graph.n_buffers, graph.n_dependencies) == (0, 0)
    assert graph.committed_only().n_buffers == 0
    assert len(graph.to_networkx()) == 0


def test_a_choice_set_of_one_is_no_set_and_the_same_edge_twice_is_one() -> None:
    graph = Sets(3, [(0, frozenset({1})), (0, frozenset({1})), (0, frozenset({1, 2}))]).graph()
    assert graph.n_dependencies == 2
    assert graph.committed.tolist() == [True, False]
    assert graph.set_owner.tolist() == [0]
    assert graph.set_member.tolist() == [1, 2]
    assert of_edges("ab ac").committed.all()


@on_some
@given(choice_sets())
def test_everything_is_sorted_and_nothing_is_lost(drawn: Sets) -> None:
    graph = drawn.graph()
    check_order(graph)
    alone = {(a, b) for a, members in drawn.sets for b in members if len(members) == 1}
    edges = list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    assert set(edges) == {(a, b) for a, members in drawn.sets for b in members}
    assert {edge for edge, committed in zip(edges, graph.committed.tolist(), strict=True) if committed} == alone
    for b in range(drawn.n):
        assert graph.successors_of(b).tolist() == sorted({t for a, t in edges if a == b})


@on_some
@given(anything())
def test_graphs_of_networks_are_sorted_too(case: Case) -> None:
    check_order(dependencies(explore(*case)))


def check_order(graph: Dependencies) -> None:
    assert (np.diff(graph.buffers) > 0).all()
    assert (np.diff(graph.source * graph.n_buffers + graph.target) > 0).all()
    assert (np.diff(graph.set_owner) >= 0).all()
    for lo, hi in zip(graph.set_ptr[:-1].tolist(), graph.set_ptr[1:].tolist(), strict=True):
        assert hi - lo > 1 and (np.diff(graph.set_member[lo:hi]) > 0).all()
