"""The way of a flow: what the slow walk allows, settled once, and through what a witness says."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.replay.itinerary import Itinerary, arriving, itinerary, relayed, witness_itinerary
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.packets import LabelIn, Source
from pauseproof.routing.walk import pairs, walk_pair
from replay.known import network_of
from replay.random_fabrics import random_network, witness_of
from strategies import Case, anything, sane


def assert_walked(case: Case, way: Itinerary) -> None:
    """Every choice set is one that the walk has there; hashed flows take one, and a state without a choice ends."""
    walk = walk_pair(case.network, case.traffic, way.source, way.column, way.member)
    for q, taken in way.after.items():
        assert q in walk.states
        assert {frozenset(some) for some in taken} <= walk.choices[q]
        assert bool(taken) == bool(walk.choices[q])
        assert all(q2 in way.after for some in taken for q2 in some)


@given(st.one_of(sane(), anything()), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_way_is_one_that_the_walk_allows(case: Case, number: int) -> None:
    every = list(pairs(case.network, case.traffic))
    for pair in Random(number).sample(every, min(4, len(every))):
        way = itinerary(case.network, case.traffic, *pair)
        if way is not None:
            assert_walked(case, way)


def test_a_witness_is_followed_through_its_buffer_to_its_choice() -> None:
    followed = 0
    for number in range(80):
        network, traffic = random_network(number)
        for wanted in witness_of(network, traffic)[2]:
            way = witness_itinerary(network, traffic, wanted)
            assert way is not None
            assert_walked(Case(network, traffic), way)
            held = [sets for q, sets in way.after.items() if q[:2] == wanted.buffer]
            assert any(frozenset(q2[:2] for q2 in some) == wanted.choice for sets in held for some in sets)
            followed += 1
    assert followed > 60


def test_what_no_packet_does_is_not_found() -> None:
    network = network_of("ring3-one-way")
    traffic = network.traffics["hosts"]
    wanted = witness_of(network, traffic)[2][0]
    assert witness_itinerary(network, traffic, wanted) is not None
    assert witness_itinerary(network, traffic, wanted._replace(choice=frozenset({(99, 0)}))) is None
    assert witness_itinerary(network, traffic, wanted._replace(buffer=(99, 0))) is None


def test_an_open_choice_is_kept_whole() -> None:
    asked = ask(network_of("ring3-parallel-reselecting"), Question())
    way = itinerary(asked.network, asked.traffic, Source("host", 0), 1, 1)
    assert way is not None
    assert any(len(some) > 1 for sets in way.after.values() for some in sets)


def test_a_relay_sends_on_what_it_receives() -> None:
    """From the buffer at the host the way goes on as that of the host's own packets, told apart by their column."""
    asked = ask(network_of("leaf-spine"), Question(endpoint_coupled=("*",)))
    witness = witness_of(asked.network, asked.traffic)[2]
    n = asked.network.fabric.n_switches
    at_host = [wanted for wanted in witness if asked.network.fabric.link(wanted.buffer[0]).dst >= n]
    assert at_host
    for wanted in at_host:
        other = next(other for other in witness if other.buffer in wanted.choice)
        onward = witness_itinerary(asked.network, asked.traffic, other)
        into = arriving(asked.network, asked.traffic, wanted)
        assert onward is not None and into is not None
        assert any(q[:2] == wanted.buffer and not sets for q, sets in into.after.items())
        way = relayed(into, wanted.buffer, onward)
        (there,) = (sets[0][0] for q, sets in way.after.items() if q[:2] == wanted.buffer and sets)
        assert there[:2] in wanted.choice and isinstance(there[2], LabelIn)
