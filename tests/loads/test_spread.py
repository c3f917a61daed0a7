"""Load by propagation against the naive walk, on random fabrics and on real dumps."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauseproof
from naive_load import Flow, NaiveLoad, naive_load
from pauseproof.loads import demand, spread
from pauseproof.loads.demand import demand_of
from pauseproof.loads.flows import Flows
from pauseproof.loads.next_hops import next_hops
from pauseproof.routing.network import Network
from shared_cases import SHARED, shared_case
from strategies import Case, anything, plain, sane

DUMPS = sorted(path.name for path in (SHARED / "cases/opensm").glob("*/"))


def as_flows(flows: list[Flow]) -> Flows:
    phase, src, dst, amount = zip(*flows, strict=True) if flows else ((),) * 4
    return Flows.of(src, dst, amount, phase=phase)


def agrees(network: Network, flows: list[Flow]) -> NaiveLoad:
    """Both walks, held together link by link; returns the naive one."""
    naive = naive_load(network, flows)
    hops = next_hops(network)
    found = spread.spread(hops, demand_of(hops, [as_flows(flows)]))
    expected = np.zeros(found.bytes.shape)
    for (phase, link), amount in naive.bytes.items():
        expected[phase, link] = amount
    np.testing.assert_allclose(found.bytes, expected, rtol=1e-12, atol=0)
    for what in ("arrived", "lost", "looping", "unknown"):
        ends = [float(naive.ends[phase, what]) for phase in range(len(found.bytes))]
        np.testing.assert_allclose(getattr(found, what), ends, rtol=1e-12, atol=1e-12)
    return naive


def some_flows(network: Network) -> st.SearchStrategy[list[Flow]]:
    host = st.integers(0, max(network.fabric.n_hosts - 1, 0))
    one = st.tuples(st.integers(0, 2), host, host, st.integers(1, 9))
    return st.lists(one, max_size=12 if network.fabric.n_hosts else 0)


@given(st.data(), st.one_of(anything(), sane()))
def test_it_is_the_naive_walk(data: st.DataObject, case: Case) -> None:
    agrees(case.network, data.draw(some_flows(case.network)))


@given(st.data(), plain().map(lambda case: case.rows))
def test_rows_of_bits_too(data: st.DataObject, network: Network) -> None:
    agrees(network, data.draw(some_flows(network)))


@given(st.data(), sane())
def test_tiles_and_merging_change_nothing(data: st.DataObject, case: Case) -> None:
    flows = data.draw(some_flows(case.network))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread, "STATES", data.draw(st.integers(1, 30)))
        patch.setattr(spread, "MANY_HOPS", data.draw(st.integers(0, 3)))
        patch.setattr(demand, "DENSE", 0)
        patch.setattr(demand, "PENDING", 2)
        agrees(case.network, flows)


@pytest.mark.parametrize("name", DUMPS)
@pytest.mark.parametrize("pattern", ["ring", "all-to-all"])
def test_the_dumps_of_opensm(name: str, pattern: str) -> None:
    network = pauseproof.load(shared_case(f"opensm/{name}"))
    every = network.fabric.n_hosts
    hosts = range(0, every, -(-every // 48))  # the naive walk of a pair takes a fifth of a millisecond
    pairs = permutations(hosts, 2) if pattern == "all-to-all" else zip(hosts, [*hosts[1:], 0], strict=True)
    naive = agrees(network, [(0, a, b, 1 + a % 5) for a, b in pairs])
    assert naive.ends[0, "arrived"] > 0


def test_a_group_shares_evenly_and_tiers_in_turn() -> None:
    network = pauseproof.load("topologies/fat-tree-k4.yaml")
    naive = agrees(network, [(0, 0, 15, 12)])
    assert sorted(naive.bytes.values()) == [*[3] * 8, *[6] * 4, 12, 12]
    assert naive.ends[0, "arrived"] == 12
