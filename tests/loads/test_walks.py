"""Flows that are committed to one member of each group against the naive walk with the same picks."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import pauseproof
from loads.test_spread import as_flows, some_flows
from naive_load import Flow, NaiveLoad, naive_load
from pauseproof.loads.next_hops import next_hops, weighted_hops
from pauseproof.loads.walks import at_random, walk
from pauseproof.routing.network import Network
from strategies import Case, anything, sane

Array = NDArray[Any]


def agrees(network: Network, flows: list[Flow], seed: int) -> None:
    def which(f: int, s: int, members: int) -> int:
        return (f * 7 + s * 3 + seed) % members

    hops = next_hops(network)

    def pick(f: Array, x: Array, came_by: Array) -> Array:
        s = network.fabric.link_src[hops.link[hops.ptr[x]]]
        members = hops.ptr[x + 1] - hops.ptr[x]
        taken = [which(*each) for each in zip(f.tolist(), s.tolist(), members.tolist(), strict=True)]
        assert (network.fabric.link_dst[came_by] == s).all()
        return hops.link[hops.ptr[x] + np.array(taken, np.int64)]

    block = as_flows(flows)
    walked = walk(hops, block.src, block.dst, pick)
    naive = NaiveLoad()
    for f, (_, src, dst, _) in enumerate(flows):

        def taken(came_by: int, links: list[int], f: int = f) -> dict[int, Fraction]:
            return {links[which(f, network.fabric.link(came_by).dst, len(links))]: Fraction(1)}

        one = naive_load(network, [(f, src, dst, 1)], taken)
        naive.bytes.update(one.bytes)
        naive.ends.update(one.ends)
    found: dict[tuple[int, int], float] = {}
    for f, link, part in zip(walked.flow.tolist(), walked.link.tolist(), walked.part.tolist(), strict=True):
        found[f, link] = found.get((f, link), 0.0) + part
    assert found.keys() == naive.bytes.keys()
    assert all(abs(found[at] - naive.bytes[at]) < 1e-12 for at in found)
    for f, (_, src, dst, _) in enumerate(flows):
        local = network.fabric.host(src).node == network.fabric.host(dst).node
        ends = [naive.ends[f, what] for what in ("arrived", "lost", "unknown", "looping")]
        seen = [walked.arrived[f], walked.lost[f], walked.unknown[f], float(walked.looping[f])]
        np.testing.assert_allclose(seen, [1, 0, 0, 0] if local else list(map(float, ends)), atol=1e-12)


@given(st.data(), st.one_of(anything(), sane()), st.integers(0, 9))
def test_it_is_the_naive_walk(data: st.DataObject, case: Case, seed: int) -> None:
    agrees(case.network, data.draw(some_flows(case.network)), seed)


def test_a_perfect_hash_takes_every_member_as_often_as_its_share_says() -> None:
    network = pauseproof.load("topologies/fat-tree-k4.yaml")
    hops = weighted_hops(network, lambda s, links, number: (3.0, 1.0) if s == 0 else (1.0,) * len(links))
    n = 4000
    src, dst = np.zeros(n, np.int32), np.full(n, 15, np.int32)
    walked = walk(hops, src, dst, at_random(hops, np.random.default_rng(1)))
    count = np.bincount(walked.link, minlength=network.fabric.n_links)
    first = network.fabric.link_dst[network.fabric.host_up[0]]
    used = sorted(count[(network.fabric.link_src == first) & (count > 0)].tolist())
    assert sum(used) == n
    expected = [n / 4, 3 * n / 4] if first == 0 else [n / 2, n / 2]
    assert np.abs(np.array(used) - expected).max() < 150  # five standard deviations
