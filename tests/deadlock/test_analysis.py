"""All answers of the analysis over states, held to the walker and the oracle on random networks."""

from collections.abc import Collection, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import oracle
from examples import on_many, on_some
from pauseproof.deadlock.analysis import StateAnalysis, analyse
from pauseproof.deadlock.answers import Analysis, Loop
from pauseproof.deadlock.row_analysis import RowAnalysis
from pauseproof.deadlock.witness import Hop
from pauseproof.routing.tables import ChoiceKind
from pauseproof.routing.walk import walk_known, walk_worst
from real_packets import check_real
from stories import UNKNOWN, Story, line, ring_of_three
from strategies import Case, PlainCase, anything, plain, sane

Choices = Mapping[Any, Collection[frozenset[Any]]]


def hops_of(loops: tuple[Loop, ...]) -> list[Hop]:
    """Each loop's buffers, with the next."""
    return [Hop(*a, *b) for loop in loops for a, b in zip(loop.buffers, (*loop.buffers[1:], loop.buffers[0]), strict=True)]


def alone(choices: Choices) -> set[tuple[Any, Any]]:
    """The dependencies that are choice sets by themselves."""
    return {(b, next(iter(choice))) for b, sets in choices.items() for choice in sets if len(choice) == 1}


def check_packets(case: Case, found: Analysis) -> None:
    """Of loops, and of the stuck set."""
    hops = hops_of(found.loops)
    hops += [Hop(*one.buffer, *one.choice[0], one.choice[1:]) for one in found.stuck_set]
    for hop, packet in zip(hops, found.packets(hops), strict=True):
        assert packet is not None
        check_real(*case, hop, packet)


def check(case: Case, *, worst: bool) -> None:
    walked = (walk_worst if worst else walk_known)(*case)
    found = analyse(*case, worst=worst)
    stuck = oracle.greatest_stuck_set(walked.choice_sets)
    assert (found.n_buffers, found.n_dependencies) == (len(walked.buffers), len(walked.dependencies))
    assert found.stuck == bool(stuck)
    assert found.adaptive == any(len(choice) > 1 for sets in walked.choice_sets.values() for choice in sets)
    assert found.component_sizes == tuple(sorted(oracle.component_sizes(walked.dependencies), reverse=True))
    committed = alone(walked.choice_sets)
    components = sorted(oracle.cyclic_components(committed), key=lambda c: (-len(c), min(c)))
    assert found.loops == tuple(Loop(oracle.least_shortest_loop(committed, c), len(c)) for c in components)
    closed = {waiting.buffer for waiting in found.stuck_set}
    assert bool(closed) == bool(stuck)
    assert all(closed.issuperset(waiting.choice) for waiting in found.stuck_set)
    assert all(frozenset(waiting.choice) in walked.choice_sets[waiting.buffer] for waiting in found.stuck_set)
    if not worst:
        check_packets(case, found)
        assert found.meets_unknown == bool(found.unknown_destinations)
        assert found.meets_unknown or not walked.unknown_pairs


@on_some
@given(anything(), st.booleans())
def test_on_any_network_the_answers_are_those_of_walker_and_oracle(case: Case, worst: bool) -> None:
    check(case, worst=worst)


@on_some
@given(sane(), st.booleans())
def test_on_sane_networks_the_answers_are_those_of_walker_and_oracle(case: Case, worst: bool) -> None:
    check(case, worst=worst)


@on_many
@given(plain())
def test_rows_of_bits_give_the_same_answers_whichever_engine_reads_them(case: PlainCase) -> None:
    by_rows, by_states = analyse(case.rows, case.traffic), analyse(case.choices, case.traffic)
    assert isinstance(by_states, StateAnalysis)
    assert (by_rows.n_buffers, by_rows.n_dependencies) == (by_states.n_buffers, by_states.n_dependencies)
    assert (by_rows.loops, by_rows.component_sizes) == (by_states.loops, by_states.component_sizes)
    assert (by_rows.stuck, by_rows.adaptive) == (by_states.stuck, False)
    assert by_rows.outcomes == by_states.outcomes


def test_rows_that_switches_send_over_are_read_as_choices() -> None:
    @given(plain())
    def holds(case: PlainCase) -> None:
        found = analyse(case.rows, case.traffic)
        plain_senders = not case.traffic.switch_sends.any() and case.traffic.coupled is None
        between_hosts = (case.rows.fabric.link_dst[case.rows.fabric.host_up] >= case.rows.fabric.n_switches).any()
        assert isinstance(found, RowAnalysis) == (plain_senders and not between_hosts)

    holds()


def test_a_ring_is_one_loop_from_its_least_buffer() -> None:
    story = ring_of_three()
    found = analyse(story.network, story.traffic)
    (loop,) = found.loops
    assert [story.say(b) for b in loop.buffers] == ["c>a", "a>b", "b>c"]
    assert found.component_sizes == (3,)
    assert [waiting.buffer for waiting in found.stuck_set] == sorted(loop.buffers)
    assert found.stuck and not found.adaptive and not found.meets_unknown


def test_an_adaptive_way_out_keeps_the_component_and_takes_the_stuck_set() -> None:
    """Both may pass packets for z to each other, and both may pass them to c, which drains."""
    story = Story("a-b a-c b-c a-x b-y c-z", "z").at("c", "z", "c>z")
    story.at("a", "z", story.choice(ChoiceKind.ADAPTIVE, "a>b a>c"))
    story.at("b", "z", story.choice(ChoiceKind.ADAPTIVE, "b>a b>c"))
    found = analyse(story.network, story.traffic)
    assert found.adaptive and not found.stuck
    assert found.component_sizes == (2,)
    assert found.loops == () and found.stuck_set == ()


def test_a_line_has_no_loop_and_no_stuck_set() -> None:
    story = line()
    found = analyse(story.network, story.traffic)
    assert not found.stuck
    assert (found.loops, found.component_sizes, found.stuck_set) == ((), (), ())
    assert found.outcomes.pairs == 2


def test_what_was_not_read_is_named_and_may_loop() -> None:
    story = ring_of_three().at("c", "y", UNKNOWN)
    found = analyse(story.network, story.traffic)
    assert [story.columns[d] for d in found.unknown_destinations] == ["y"]
    assert not found.stuck
    assert analyse(story.network, story.traffic, worst=True).stuck


def test_stuck_without_a_committed_loop() -> None:
    """A ring with two cables a side; each switch picks either, and both choices lie among the six."""
    story = Story("a-b a-b b-c b-c c-a c-a a-x b-y c-z", "x y z")
    for s, after, host in ("abx", "bcy", "caz"):
        story.at(s, host, f"{s}>{host}")
        for column in "xyz".replace(host, ""):
            story.at(s, column, story.choice(ChoiceKind.ADAPTIVE, f"{s}>{after} {s}>{after}'"))
    found = analyse(story.network, story.traffic)
    assert found.stuck and found.loops == ()
    assert {story.say(waiting.buffer) for waiting in found.stuck_set} == {
        f"{link}{again}" for link in ("a>b", "b>c", "c>a") for again in ("", "'")
    }
