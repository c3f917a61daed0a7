"""Slowdown against a perfectly spread fabric: by hand, and the perfect fabric itself against a walk over shortest paths."""

from fractions import Fraction

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import pauseproof
from loads.test_spread import as_flows
from pauseproof.fabric.model import Fabric
from pauseproof.loads.demand import demand_of
from pauseproof.loads.perfect import perfect_hops
from pauseproof.loads.speeds import speeds
from pauseproof.loads.spread import spread
from pauseproof.loads.times import times
from strategies import fabrics, home


def over_shortest_paths(fabric: Fabric, src: int, dst: int, rate: list[int]) -> dict[int, Fraction]:
    """What part of a flow each link carries: at each switch by the rates of all links that lead nearer."""
    parts = {fabric.host(src).up: Fraction(1)}
    first, last = home(fabric, src), home(fabric, dst)
    if first is None or last is None:
        return parts
    graph = nx.Graph((l.src, l.dst) for l in fabric.links() if max(l.src, l.dst) < fabric.n_switches)
    graph.add_nodes_from(range(fabric.n_switches))
    far = nx.single_source_shortest_path_length(graph, last)
    here = {first: Fraction(1)} if first in far else {}
    for distance in range(far.get(first, 0), 0, -1):
        nearer: dict[int, Fraction] = {}
        for s, part in here.items():
            out = [l for l in fabric.links() if l.src == s and l.dst < fabric.n_switches and far[l.dst] == distance - 1]
            for l in out:
                parts[l.id] = part * rate[l.id] / sum(rate[o.id] for o in out)
                nearer[l.dst] = nearer.get(l.dst, Fraction(0)) + parts[l.id]
        here = nearer
    if here:
        parts[fabric.host(dst).down] = Fraction(1)
    return parts


@given(st.data(), fabrics(connected=True))
def test_the_perfect_fabric(data: st.DataObject, fabric: Fabric) -> None:
    rate = data.draw(st.lists(st.integers(1, 4), min_size=fabric.n_links, max_size=fabric.n_links))
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, fabric.n_hosts - 1)] * 2), min_size=1, max_size=6))
    pairs = [(a, b) for a, b in pairs if fabric.host(a).node != fabric.host(b).node]
    hops = perfect_hops(fabric, np.array(rate, np.float64))
    flows = as_flows([(0, a, b, 1) for a, b in pairs])
    found = spread(hops, demand_of(hops, [flows])).bytes[0]
    expected = np.zeros(fabric.n_links)
    for a, b in pairs:
        for link, part in over_shortest_paths(fabric, a, b, rate).items():
            expected[link] += float(part)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_slowdown_by_hand() -> None:
    """Two phases over three links of rates 1, 2, 1; the last is a host's."""
    load, perfect = np.array([[6.0, 4.0, 3.0], [0.0, 0.0, 0.0]]), np.array([[3.0, 7.0, 3.0], [0.0, 0.0, 0.0]])
    found = times(load, perfect, np.array([1.0, 2.0, 1.0]), np.array([False, False, True]), np.array([1, -1, 0]))
    assert found.time.tolist() == [6.0, 0.0]
    assert found.perfect.tolist() == [3.5, 0.0]
    assert found.host_bound.tolist() == [3.0, 0.0]
    assert found.hottest.tolist() == [0, -1]
    assert found.slowdowns.tolist() == [6 / 3.5, 1.0]
    assert found.slowdown == 6 / 3.5
    alike = times(load[:1, [0, 0, 2]], perfect[:1], np.ones(3), np.array([False, False, True]), np.array([1, -1, 0]))
    assert alike.hottest.tolist() == [1]


def test_speeds_that_were_not_read_are_said() -> None:
    network = pauseproof.load("topologies/ring5.yaml")
    alike = speeds(network.fabric)
    assert not alike.known and set(alike.rate.tolist()) == {1.0}
    assert alike.assumptions[0].startswith("no speed of any link was read")
