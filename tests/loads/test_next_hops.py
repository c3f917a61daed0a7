"""Shares of next hops, where a switch has several groups over the same links."""

import numpy as np

from pauseproof.loads.hashed import Hashing
from pauseproof.loads.next_hops import NextHops, next_hops
from pauseproof.routing.network import Network
from roce_by_hand import Said, declared
from small_clos import clos

EVEN, UNEVEN = "10.10.2.0/24", "10.10.2.0/25"
HEAVY: dict[str, Said | None] = {UNEVEN: ["10.1.1.3 swp1 x3", "10.1.2.3 swp2"]}


def shares(network: Network, hops: NextHops, switch: int, column: str) -> list[float]:
    d = np.array([list(network.destinations.names).index(column)])
    _, _, share = hops.expand(hops.choice(np.array([switch]), d))
    return [round(part, 9) for part in share.tolist()]


def test_each_route_has_the_weights_of_its_own_group() -> None:
    network = clos({"leaf1": HEAVY})
    hops = next_hops(network)
    assert shares(network, hops, 0, EVEN) == [0.5, 0.5]
    assert shares(network, hops, 0, UNEVEN) == [0.75, 0.25]


def test_each_route_has_the_hash_of_its_own_group() -> None:
    network = clos({"leaf1": HEAVY}, declarations=declared("hashing: {algorithm: crc16}"))
    hashing = Hashing(network)
    assert hashing.all_known
    assert shares(network, hashing.hops, 0, EVEN) == [0.5, 0.5]
    assert shares(network, hashing.hops, 0, UNEVEN) == [0.75, 0.25]
    assert sorted(decision.shares for decision in hashing.decisions.values() if decision.switch == 0) == [
        (0.5, 0.5),
        (0.75, 0.25),
    ]
