from pauseproof.replay.run import Trigger
from pauseproof.replay.settings import US
from pauseproof.replay.triggers import When, incast, receivers, usual
from replay.known import flows_of, host_id, loop_of, network_of

WHEN = When(10 * US, 100 * US)


def test_receivers_are_where_flows_end() -> None:
    network = network_of("hotnets-four-switches")
    flows = flows_of(network, "a d; c b")
    assert receivers(network, flows) == sorted((host_id(network, "b"), host_id(network, "d")))
    looping = network_of("forwarding-loop-40g")
    assert receivers(looping, flows_of(looping, "s0-h0 s2-h0")) == []


def test_an_incast_crosses_the_loop_and_ends_at_its_receiver() -> None:
    network = network_of("hawkeye-ring")
    traffic, loop, h16 = network.traffics["hosts"], loop_of(network), host_id(network, "h16")
    burst = incast(network, traffic, loop, h16, WHEN)
    assert burst is not None and burst.hosts == (h16,) and (burst.start, burst.end) == (10 * US, 110 * US)
    assert 3 <= len(burst.burst) <= 8
    for flow in burst.burst:
        assert not flow.itinerary.buffers.isdisjoint(loop)
        assert flow.itinerary.member == h16 and (flow.start, flow.stop) == (10 * US, 110 * US)


def test_there_is_no_incast_where_nothing_comes_over_the_loop() -> None:
    network = network_of("ring3-one-way")
    assert incast(network, network.traffics["hosts"], [(0, 7)], 0, WHEN) is None


def test_the_usual_ones_are_none_each_receiver_all_and_incasts() -> None:
    network = network_of("ring3-one-way")
    tried = usual(network, network.traffics["hosts"], loop_of(network), [0, 1], WHEN)
    assert tried[0] == Trigger()
    assert [(t.kind, t.hosts) for t in tried[1:4]] == [("pause", (0,)), ("pause", (1,)), ("pause", (0, 1))]
    assert {t.kind for t in tried[4:]} == {"incast"}


def test_a_host_has_its_column() -> None:
    network = network_of("hotnets-four-switches")
    for host in range(network.fabric.n_hosts):
        column = network.destinations.first_column(host)
        assert column >= 0 and host in network.destinations.members(column)
