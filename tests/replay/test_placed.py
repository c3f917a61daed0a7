import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.flow_file import read_flow_file
from pauseproof.readers.source import Source
from pauseproof.replay.flows import Flow
from pauseproof.replay.placed import host_named, placed
from pauseproof.replay.settings import US, Settings
from pauseproof.routing.network import Network
from replay.known import network_of


def flows(network: Network, text: str) -> tuple[Flow, ...]:
    raw = text.encode()
    return placed(network, network.traffics["hosts"], read_flow_file(Source("flows.yaml", raw, raw)), Settings())


def test_names_become_hosts_and_rates_shares() -> None:
    network = network_of("forwarding-loop-40g")
    (flow,) = flows(network, "flows: [{src: s0-h0, dst: s2-h0, rate: 5.2G, start: 1us, stop: 2us, arrivals: random}]")
    assert flow.rate == pytest.approx(0.13)
    assert (flow.start, flow.stop, flow.arrivals) == (1 * US, 2 * US, "random")
    assert flow.itinerary.member == host_named(network.fabric, "s2-h0")


def test_a_label_is_one_of_the_fabrics() -> None:
    network = network_of("ring5-dateline")
    name = network.lanes.label_names[1]
    (flow,) = flows(network, f'flows: [{{src: s0-h0, dst: s2-h0, label: "{name}"}}]')
    assert int(flow.itinerary.first[2]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flows: [{src: s0-h9, dst: s2-h0}]", "flows.yaml:1:15: no host is called 's0-h9'; did you mean"),
        ("flows: [{src: s0-h0, dst: s0-h0}]", "no packet of 's0-h0' for 's0-h0' leaves its host"),
        ("flows: [{src: s0-h0, dst: s2-h0, rate: 50G}]", "50 Gb/s is above the 40 Gb/s of the sender's link"),
        ("flows: [{src: s0-h0, dst: s2-h0, label: x}]", "no packet has the label 'x'"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        flows(network_of("forwarding-loop-40g"), text)
    assert said in str(refused.value)
