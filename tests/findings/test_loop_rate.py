"""The rate that a forwarding loop drains, and who sends into it."""

import pytest

from pauseproof.findings.loop_rate import hosts_that_reach, loop_words, threshold
from pauseproof.routing.network import Network
from small_clos import clos


@pytest.mark.parametrize(("n", "rate", "ttl", "drains"), [(2, 40, 16, 5), (3, 1, 64, 0.046875), (2, 400, 255, 3.137)])
def test_the_boundary_of_hotnets_2016(n: int, rate: float, ttl: int, drains: float) -> None:
    assert threshold(n, rate, ttl) == pytest.approx(drains, abs=1e-3)


def looping() -> tuple[Network, list[int]]:
    """leaf1 and spine1 send packets for 10.10.2.0/24 to each other."""
    network = clos({"spine1": {"10.10.2.0/24": ["10.1.1.2 swp1"]}, "leaf1": {"10.10.2.0/24": ["10.1.1.3 swp1"]}})
    names = list(network.fabric.node_name)
    ends = {names.index("leaf1"), names.index("spine1")}
    return network, [link.id for link in network.fabric.links() if {link.src, link.dst} == ends]


def test_without_speeds_the_threshold_is_a_share_of_the_rate() -> None:
    network, links = looping()
    said = loop_words(network, links, list(network.destinations.names).index("10.10.2.0/24"))
    assert said == (
        "it freezes when more than 2/64 of the rate of its links (TTL 64, as none was declared) enters it; "
        "leaf1:swp31 can send into it"
    )


def test_only_hosts_whose_packets_come_there_are_named() -> None:
    network, links = looping()
    names = list(network.destinations.names)
    assert hosts_that_reach(network, links, names.index("10.10.2.0/24")) == ["leaf1:swp31"]
    assert hosts_that_reach(network, links, names.index("10.10.1.0/24")) == ["leaf2:swp31"]
