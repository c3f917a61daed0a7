"""Prefixes that are routed alike for the same hosts are one column; their addresses differ, and hashes tell them apart."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from pauseproof.deadlock.realize_ends import endpoints_of, families_of
from pauseproof.hashing.addresses import endpoints
from pauseproof.hashing.chains import chains_of
from pauseproof.hashing.settings import hashes_of
from pauseproof.hashing.unreached import unreached
from pauseproof.readers import declarations
from pauseproof.routing.network import Network
from small_clos import clos
from texts import source_of

SECOND: Mapping[str, Mapping[str, str | Sequence[str] | None]] = {
    "leaf1": {"10.20.1.0/24": "swp31", "10.20.2.0/24": ["10.1.1.3 swp1", "10.1.2.3 swp2"]},
    "leaf2": {"10.20.2.0/24": "swp31", "10.20.1.0/24": ["10.1.1.5 swp1", "10.1.2.5 swp2"]},
    "spine1": {"10.20.1.0/24": ["10.1.1.2 swp1"], "10.20.2.0/24": ["10.1.1.4 swp2"]},
    "spine2": {"10.20.1.0/24": ["10.1.2.2 swp1"], "10.20.2.0/24": ["10.1.2.4 swp2"]},
}


def network_of(second: str) -> Network:
    text = f"""hashing: {{algorithm: crc16, seed: 0, fields: [dst-ip], source-port: 49152}}
hosts:
  - {{name: a, ports: [leaf1:swp31], addresses: [10.10.1.7, 10.20.1.7]}}
  - {{name: b, ports: [leaf2:swp31], addresses: [10.10.2.7, {second}]}}
"""
    return clos(SECOND, declarations=[declarations.read(source_of(text, "pauseproof.yaml"))])


def test_every_prefix_of_a_column_has_addresses() -> None:
    network = network_of("10.20.2.3")
    host, book = endpoints(network, 4)
    assert len(network.destinations) == 2 and host.tolist() == [0, 0, 1, 1]
    low = [10 << 24 | 10 << 16 | 1 << 8 | 7, 10 << 24 | 20 << 16 | 1 << 8 | 7]
    assert book.low.tolist()[:2] == low
    ((family, columns),) = families_of(network, np.arange(2))
    assert sorted(endpoints_of(network, family, columns).low.tolist()) == sorted(book.low.tolist())


@pytest.mark.parametrize(("second", "dead"), [("10.20.2.1", ["leaf1", "leaf2"]), ("10.20.2.3", ["leaf2"])])
def test_a_member_may_be_reached_by_the_second_address_alone(second: str, dead: list[str]) -> None:
    network = network_of(second)
    traffic = network.traffics["hosts"]
    found = unreached(chains_of(network, hashes_of(network), traffic), traffic)
    assert sorted(network.fabric.node_name[one.decision.switch] for one in found) == dead
