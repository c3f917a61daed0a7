from pauseproof.replay.witness import load_witness
from pauseproof.routing.ask import Question, ask
from replay.known import network_of
from replay.random_fabrics import random_network, witness_of


def test_every_dependency_is_loaded_by_a_flow() -> None:
    for number in range(40):
        network, traffic = random_network(number)
        witness = witness_of(network, traffic)[2]
        loaded = load_witness(network, traffic, witness)
        assert not loaded.missing and loaded.loop == tuple(wanted.buffer for wanted in witness)
        for wanted in witness:
            assert any(
                frozenset(q2[:2] for q2 in some) == wanted.choice
                for flow in loaded.flows
                for q, sets in flow.itinerary.after.items()
                if q[:2] == wanted.buffer
                for some in sets
            )


def test_a_loop_through_hosts_is_loaded_by_what_they_send_on() -> None:
    asked = ask(network_of("leaf-spine"), Question(endpoint_coupled=("*",)))
    loaded = load_witness(asked.network, asked.traffic, witness_of(asked.network, asked.traffic)[2])
    assert loaded.flows and not loaded.missing


def test_the_same_way_is_not_taken_twice() -> None:
    network = network_of("forwarding-loop-40g")
    loaded = load_witness(network, network.traffics["hosts"], witness_of(network, network.traffics["hosts"])[2])
    assert len(loaded.loop) == 2 and len(loaded.flows) == 1


def test_what_cannot_be_followed_is_named() -> None:
    network = network_of("ring3-one-way")
    witness = witness_of(network, network.traffics["hosts"])[2]
    wrong = witness[0]._replace(choice=frozenset({(99, 0)}))
    loaded = load_witness(network, network.traffics["hosts"], [wrong, *witness[1:]])
    assert loaded.missing == (wrong,) and len(loaded.flows) == 2
