"""Engines against routes found one path at a time by networkx or by hand."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from pauseproof.fabric.generators import generate
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.dimension_order import dimension_order
from pauseproof.routing.engines.ecmp import ecmp
from pauseproof.routing.engines.levels import Rows
from pauseproof.routing.engines.updown import heights, updown
from pauseproof.routing.engines.valley_free import valley_free

Hops = dict[tuple[int, int], set[int]]  # (switch, destination) -> next switches


def every_switch(fabric: Fabric) -> Ids:
    return np.arange(fabric.n_switches, dtype=np.int32)


def hops_of(fabric: Fabric, rows: Rows) -> Hops:
    """The next switches, bit by bit."""
    out: Hops = {}
    for l in range(fabric.n_links):
        for d in range(fabric.n_switches):
            if int(rows[l, d // 64]) >> d % 64 & 1:
                out.setdefault((int(fabric.link_src[l]), d), set()).add(int(fabric.link_dst[l]))
    return out


def directed(fabric: Fabric) -> "nx.DiGraph[int]":
    n = fabric.n_switches
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(n))
    ends = zip(fabric.link_src.tolist(), fabric.link_dst.tolist(), strict=True)
    graph.add_edges_from((a, b) for a, b in ends if a < n and b < n)
    return graph


FABRICS = [
    ("jellyfish", {"switches": 70, "ports": 5, "hosts": 1, "seed": 3}),
    ("torus", {"size": (4, 5)}),
    ("fat-tree", {"k": 4}),
    ("dragonfly", {"a": 3, "h": 1}),
]


@pytest.mark.parametrize(("family", "parameters"), FABRICS)
def test_ecmp_is_all_shortest_paths(family: str, parameters: dict[str, int | tuple[int, ...]]) -> None:
    fabric = generate(family, parameters).fabric
    graph = directed(fabric)
    far = dict(nx.all_pairs_shortest_path_length(graph))
    truth = {(s, d): {t for t in graph[s] if far[t][d] == far[s][d] - 1} for s in graph for d in graph if s != d}
    assert hops_of(fabric, ecmp(fabric, every_switch(fabric))) == truth


def legal_hops(graph: "nx.DiGraph[int]", height: list[int]) -> Hops:
    """Down where an all-down way exists, else up to where the rest is shortest: one destination at a time."""
    down = nx.DiGraph([(a, b) for a, b in graph.edges() if height[b] < height[a]])
    down.add_nodes_from(graph)
    out: Hops = {}
    for d in graph:
        far = nx.single_source_shortest_path_length(down.reverse(), d)
        length = dict(far)
        for s in sorted(graph, key=lambda s: -height[s]):  # whatever is above has its length already
            above = [length[t] for t in graph[s] if height[t] > height[s] and t in length]
            if s not in length and above:
                length[s] = 1 + min(above)
        for s in length:
            ways = {t for t in graph[s] if t in length and length[t] == length[s] - 1}
            ways = {t for t in ways if (height[t] < height[s] and t in far) if s in far} or {
                t for t in ways if height[t] > height[s] and s not in far
            }
            if ways:
                out[s, d] = ways
    return out


@pytest.mark.parametrize("roots", [[0], [0, 5], [3, 60]])
def test_updown_on_a_random_graph(roots: list[int]) -> None:
    fabric = generate("jellyfish", {"switches": 70, "ports": 5, "hosts": 1, "seed": 4}).fabric
    truth = legal_hops(directed(fabric), heights(fabric, roots).tolist())
    assert hops_of(fabric, updown(fabric, every_switch(fabric), roots)) == truth


def test_updown_reaches_everything_from_one_root_and_never_turns_up() -> None:
    fabric = generate("jellyfish", {"switches": 40, "ports": 4, "hosts": 1, "seed": 5}).fabric
    height = heights(fabric, [7])
    hops = hops_of(fabric, updown(fabric, every_switch(fabric), [7]))
    assert len(hops) == 40 * 39
    for (s, d), ways in hops.items():
        for t in ways:
            if height[t] < height[s] and t != d:
                assert all(height[u] < height[t] for u in hops[t, d])


def test_heights_follow_hops_then_names() -> None:
    fabric = generate("ring", {"switches": 5}).fabric
    assert heights(fabric, [2]).tolist() == [2, 4, 5, 3, 1]


def test_valley_free_goes_round_a_broken_plane_only_over_the_top() -> None:
    design = generate("fat-tree", {"k": 4})
    assert design.tier is not None
    fabric = design.fabric
    origin = every_switch(fabric)
    assert hops_of(fabric, valley_free(fabric, origin, design.tier)) == legal_hops(directed(fabric), design.tier.tolist())
    edges = np.flatnonzero(design.tier == 0).astype(np.int32)
    assert (valley_free(fabric, edges, design.tier) == ecmp(fabric, edges)).all()


@pytest.mark.parametrize(
    ("family", "size", "route"),
    [
        ("mesh", (4, 4), [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (2, 3)]),
        ("torus", (4, 5), [(3, 4), (0, 4), (1, 4), (1, 0), (1, 1)]),  # a tie goes up, then the shorter way round
        ("torus", (5, 4), [(1, 1), (0, 1), (4, 1), (4, 0)]),
        ("torus", (2, 3), [(1, 0), (0, 0), (0, 2)]),
        ("hyperx", (4, 4), [(3, 3), (0, 3), (0, 1)]),
    ],
)
def test_dimension_order_follows_the_coordinates(family: str, size: tuple[int, ...], route: list[tuple[int, ...]]) -> None:
    design = generate(family, {"size": size})
    assert design.grid is not None
    hops = hops_of(design.fabric, dimension_order(design.fabric, every_switch(design.fabric), design.grid))
    ids = {tuple(at): s for s, at in enumerate(design.grid.at.tolist())}
    for here, after in pairwise(route):
        assert hops[ids[here], ids[route[-1]]] == {ids[after]}
    assert len(hops) == len(ids) * (len(ids) - 1)
    assert all(len(ways) == 1 for ways in hops.values())
