"""Flows of free port: the mean over all ports, the worst of them, drawn samples and the bound, each against brute force."""

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from loads.test_committed import FABRICS, network_of
from naive_load import naive_load
from pauseproof.hashing.addresses import host_addresses
from pauseproof.hashing.headers import roce
from pauseproof.hashing.settings import hashes_of
from pauseproof.loads.chance import chance
from pauseproof.loads.flows import Flows
from pauseproof.loads.free_ports import PORTS, worst_load
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.hot import hot_links
from pauseproof.loads.job_load import EXPECTED, job_load
from pauseproof.routing.network import Network

SAME_HASH = FABRICS["tree"] + "hashing: {algorithm: crc16, seed: 0}\n"
OFFSET = FABRICS["tree"] + "hashing: {algorithm: crc16, seed: 0, tiers: {1: {offset: 10}}}\n"
THREE = FABRICS["three spines"] + "hashing: {algorithm: crc16, seed: 3}\n"


def between(pairs: list[tuple[int, int]], bytes: list[float] | float) -> Flows:
    return Flows.of([src for src, _ in pairs], [dst for _, dst in pairs], bytes)


def by_every_port(network: Network, src: int, dst: int) -> NDArray[np.bool_]:
    """[16384, L]: which links a flow takes with each port, each decision asked about all ports at once."""
    hashes, fabric = hashes_of(network), network.fabric
    book = host_addresses(network, hashes.family)
    sides = (book.high[src], book.low[src]), (book.high[dst], book.low[dst])
    used = np.zeros((PORTS, fabric.n_links), bool)
    used[:, fabric.host(src).up] = True
    (column,) = [d for d in range(len(network.destinations)) if dst in network.destinations.members(d)]
    to_visit = [(fabric.host(src).up, np.arange(PORTS))]
    while to_visit:
        came_by, ports = to_visit.pop()
        s = fabric.link(came_by).dst
        if s >= fabric.n_switches or not len(ports):
            continue
        links = [l for l in network.routes.route(s, column).links if fabric.host_of_link[l] in (-1, dst)]
        seen = roce(hashes.family, *sides, 0xC000 + ports, in_port=[fabric.link(came_by).dst_port])
        taken = hashes.decision(s, links).links(seen) if len(links) > 1 else np.full(len(ports), links[0])
        used[ports, taken] = True
        to_visit += [(l, ports[taken == l]) for l in links]
    return used


@pytest.mark.parametrize("text", [SAME_HASH, OFFSET, THREE])
def test_the_mean_and_the_worst_are_those_of_all_ports(text: str) -> None:
    network = network_of(text)
    pairs = [(0, 5), (1, 4), (2, 5)]
    flows = between(pairs, [6.0, 3.0, 5.0])
    found = job_load(network, ("p",), lambda: [flows])
    each = [by_every_port(network, *pair) for pair in pairs]
    amounts = flows.bytes.tolist()
    mean = sum(bytes * used.mean(axis=0) for bytes, used in zip(amounts, each, strict=True))
    worst = sum(bytes * used.any(axis=0) for bytes, used in zip(amounts, each, strict=True))
    np.testing.assert_allclose(found.load.bytes[0], mean, rtol=1e-9, atol=1e-12)
    assert found.worst is not None and found.worst.exact and found.method == EXPECTED
    np.testing.assert_allclose(found.worst.bytes[0], worst, rtol=1e-12)
    np.testing.assert_allclose(worst_load(Hashing(network), flows, 1)[0], worst, rtol=1e-12)


def test_the_same_hash_twice_never_takes_half_of_the_links() -> None:
    same, other = network_of(SAME_HASH), network_of(OFFSET)
    flows = between(list(permutations(range(16), 2)), 1.0)
    idle = [int(np.count_nonzero(job_load(one, ("p",), lambda: [flows]).load.bytes == 0)) for one in (same, other)]
    assert idle == [16, 0]


def test_the_bound_is_all_that_can_come() -> None:
    network = network_of(FABRICS["tree"])
    pairs = [(0, 15), (1, 14), (2, 15), (0, 1), (8, 3)]
    flows = between(pairs, [6.0, 3.0, 5.0, 2.0, 4.0])
    found = job_load(network, ("p",), lambda: [flows])
    expected = np.zeros(network.fabric.n_links)
    for (src, dst), bytes in zip(pairs, flows.bytes.tolist(), strict=True):
        for _, link in naive_load(network, [(0, src, dst, 1)]).bytes:
            expected[link] += bytes
    assert found.worst is not None and not found.worst.exact
    np.testing.assert_allclose(found.worst.bytes[0], expected)
    assert found.worst_slowdown is not None and found.worst_slowdown >= found.times.slowdown


def test_samples_are_whole_flows_whose_mean_is_the_expectation() -> None:
    network = network_of(FABRICS["tree"])
    flows = between(list(permutations(range(16), 2)), 1.0)
    found = job_load(network, ("p",), lambda: [flows])
    drawn, again, other = (chance(found.hashing, [flows], found.perfect, found.speeds.rate, seed) for seed in (1, 1, 2))
    assert drawn is not None and again is not None and other is not None
    assert drawn.slowdown.tolist() == again.slowdown.tolist() != other.slowdown.tolist()
    assert (drawn.slowdown >= found.times.slowdown - 1e-9).all() and drawn.slowdown.max() > 1.0
    assert found.worst is not None and (drawn.links[2] <= found.worst.bytes[0] + 1e-9).all()
    middle = drawn.links[1][found.load.bytes[0] > 0] / found.load.bytes[0][found.load.bytes[0] > 0]
    assert abs(middle.mean() - 1.0) < 0.02


def test_nothing_is_left_to_chance_on_pinned_routes() -> None:
    network = network_of("ring: {switches: 5, hosts: 1}\nrouting: ecmp\n")
    found = job_load(network, ("p",), lambda: [Flows.of([0, 1], [2, 3], 1.0)])
    assert found.worst is None and found.tried.ports == 0


def test_why_follows_ports_not_shares() -> None:
    """Where two tiers hash alike, what is on a link comes by ports that really lead there: as many bytes as the mean says."""
    network = network_of(SAME_HASH)
    flows = between(list(permutations(range(16), 2)), 1.0)
    found = job_load(network, ("p",), lambda: [flows])
    ((_, why),) = hot_links(found, lambda: [flows], 1)
    told = sum(carried.bytes for carried in why.heaviest) / len(why.heaviest)
    assert 0.2 < told < 0.8 and why.senders == 4
