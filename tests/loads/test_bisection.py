"""Effective bisection bandwidth: by hand, against a naive count, and what it must be where nothing can collide."""

from collections import Counter

import numpy as np
import pytest

import pauseproof
from naive_load import naive_load
from pauseproof.loads.bisection import HALVES, bisection
from pauseproof.loads.next_hops import next_hops
from pauseproof.routing.network import Network
from shared_cases import shared_case


def by_naive_walk(network: Network, senders: list[int], receivers: list[int]) -> list[float]:
    """Of each flow: one over the most flows that share a link with it, itself counted."""
    pairs = [(a, b) for a, b in zip(senders, receivers, strict=True) if a != b]
    paths = [set(naive_load(network, [(0, a, b, 1)]).bytes) for a, b in pairs]
    crowd = Counter(link for path in paths for link in path)
    return [1 / max(crowd[link] for link in path) for path in paths]


@pytest.mark.parametrize("name", ["ring5_minhop", "irregular_updn", "torus8x8_minhop"])
def test_it_is_a_naive_count(name: str) -> None:
    network = pauseproof.load(shared_case(f"opensm/{name}"))
    hosts = np.arange(min(network.fabric.n_hosts, 40), dtype=np.int32)
    found = bisection(next_hops(network), hosts, np.ones(network.fabric.n_links), permutations=5, seed=3)
    draw = np.random.default_rng(3)
    drawn = [draw.permutation(hosts).tolist() for _ in range(5)]
    each = [by_naive_walk(network, hosts.tolist(), receivers) for receivers in drawn]
    np.testing.assert_allclose(found.mean, [sum(gets) / len(gets) for gets in each], rtol=1e-12)
    together = [part for gets in each for part in gets]
    assert found.effective == pytest.approx(sum(together) / len(together), rel=1e-12)
    assert found.flows.tolist() == [len(gets) for gets in each]
    assert found.failed == 0 and found.silent == 5 * len(hosts) - len(together)


def test_every_flow_counts_alike_and_silent_permutations_are_drawn_again() -> None:
    """Of the six permutations of three hosts one is silent, three have two flows and two have three."""
    network = pauseproof.load("topologies/ring5.yaml")
    hosts = np.array([0, 1, 2], np.int32)
    found = bisection(next_hops(network), hosts, np.ones(network.fabric.n_links), permutations=300)
    assert len(found.mean) == 300 and set(found.flows.tolist()) == {2, 3}
    assert found.silent == int((found.flows == 2).sum())
    assert found.effective == pytest.approx((found.mean * found.flows).sum() / found.flows.sum())


def test_one_switch_never_collides() -> None:
    network = pauseproof.load("topologies/leaf-spine.yaml")
    hosts = np.arange(network.fabric.n_hosts, dtype=np.int32)
    speed = np.full(network.fabric.n_links, 100.0)
    leaf = network.fabric.link_dst[network.fabric.host_up]
    found = bisection(next_hops(network), hosts[leaf == leaf[0]], speed, permutations=20)
    assert found.effective == 1.0 and found.crowd.max() == 1.0


def test_adaptive_groups_divide_a_flow() -> None:
    """Two flows over a group of two links that picks by load: each half on each, so both get all they can send."""
    network = pauseproof.load("topologies/mesh4x4-adaptive-committed.yaml")
    hosts = np.array([0, 15], np.int32)
    found = bisection(next_hops(network), hosts, np.ones(network.fabric.n_links), permutations=4, pattern=HALVES)
    assert found.effective == 1.0


def test_a_fast_core_and_slow_hosts() -> None:
    """Speeds count: links between switches at twice the speed take two flows without a loss."""
    network = pauseproof.load("topologies/ring5.yaml")
    fabric = network.fabric
    speed = np.where((fabric.link_src < fabric.n_switches) & (fabric.link_dst < fabric.n_switches), 1000.0, 1.0)
    hosts = np.arange(fabric.n_hosts, dtype=np.int32)
    assert bisection(next_hops(network), hosts, speed, permutations=9).effective == 1.0


def test_flows_that_do_not_arrive_get_nothing() -> None:
    network = pauseproof.load("topologies/black-hole.yaml")
    hosts = np.arange(network.fabric.n_hosts, dtype=np.int32)
    found = bisection(next_hops(network), hosts, np.ones(network.fabric.n_links), permutations=50)
    assert found.failed > 0 and found.least.min() == 0.0


def test_one_host_has_no_partner() -> None:
    network = pauseproof.load("topologies/ring5.yaml")
    with pytest.raises(ValueError, match="fewer than two hosts"):
        bisection(next_hops(network), np.array([1], np.int32), np.ones(network.fabric.n_links))
