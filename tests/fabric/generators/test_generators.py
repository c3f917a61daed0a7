"""Every generator: sizes, sorted arrays, names in order, and the structure that its name promises."""

import networkx as nx
import numpy as np
import pytest

from pauseproof.fabric.generators import GENERATORS, Design, generate
from pauseproof.fabric.generators.jellyfish import random_regular
from pauseproof.fabric.model import Fabric

SMALL = [
    ("fat-tree", {"k": 4}, 20, 16, 32),
    ("fat-tree", {"k": 6, "hosts": 1}, 45, 18, 108),
    ("leaf-spine", {"leaves": 3, "spines": 2, "hosts": 2, "cables": 2}, 5, 6, 12),
    ("ring", {"switches": 12}, 12, 12, 12),
    ("ring", {"switches": 2}, 2, 2, 1),
    ("ring", {"switches": 1}, 1, 1, 0),
    ("mesh", {"size": (3, 4), "hosts": 2}, 12, 24, 17),
    ("torus", {"size": (4, 3, 3)}, 36, 36, 108),
    ("torus", {"size": (2, 4)}, 8, 8, 12),
    ("hyperx", {"size": (3, 4), "hosts": 2}, 12, 24, 30),
    ("dragonfly", {"a": 4, "h": 2, "hosts": 2}, 36, 72, 90),
    ("dragonfly", {"a": 4, "h": 2, "groups": 4}, 16, 16, 36),
    ("jellyfish", {"switches": 20, "ports": 6, "hosts": 2, "seed": 1}, 20, 40, 40),
    ("jellyfish", {"switches": 8, "ports": 8, "hosts": 1, "seed": 1}, 8, 8, 28),
]


def made(family: str, parameters: dict[str, int | tuple[int, ...]]) -> Design:
    return generate(family, parameters)


def switch_graph(fabric: Fabric) -> "nx.MultiGraph[int]":
    graph: nx.MultiGraph[int] = nx.MultiGraph()
    graph.add_nodes_from(range(fabric.n_switches))
    ends = zip(fabric.link_src.tolist(), fabric.link_dst.tolist(), strict=True)
    graph.add_edges_from((a, b) for a, b in ends if a < b < fabric.n_switches)
    return graph


@pytest.mark.parametrize(("family", "parameters", "switches", "hosts", "cables"), SMALL)
def test_sizes_and_order(
    family: str, parameters: dict[str, int | tuple[int, ...]], switches: int, hosts: int, cables: int
) -> None:
    f = made(family, parameters).fabric
    assert (f.n_switches, f.n_hosts, f.n_links) == (switches, hosts, 2 * (cables + hosts))
    assert list(f.node_name[:switches]) == sorted(f.node_name[:switches])
    assert list(f.node_name[switches:]) == sorted(f.node_name[switches:])
    assert (np.diff(f.link_dst.astype(np.int64) * 1000 + f.link_dst_port) > 0).all()
    assert (f.link_src[f.reverse] == f.link_dst).all()
    assert (f.link_src_port[f.reverse] == f.link_dst_port).all()
    assert (f.link_dst_port <= f.node_ports[f.link_dst]).all()
    assert nx.is_connected(switch_graph(f))


def test_every_family_is_among_the_small_ones() -> None:
    assert {family for family, *_ in SMALL} == set(GENERATORS)


def test_a_fat_tree_joins_tiers_as_its_ports_say() -> None:
    design = made("fat-tree", {"k": 4})
    assert design.tier is not None
    graph = switch_graph(design.fabric)
    for a, b in graph.edges():
        assert abs(int(design.tier[a]) - int(design.tier[b])) == 1
    pods = [{design.fabric.node_name[t].split("-")[0] for t in graph[s]} for s in range(8, 12)]
    assert pods == [{"agg0", "agg1", "agg2", "agg3"}] * 4


@pytest.mark.parametrize(
    ("family", "size", "twin"),
    [
        ("mesh", (3, 4), nx.grid_graph([4, 3])),
        ("torus", (4, 3, 5), nx.grid_graph([5, 3, 4], periodic=True)),
        ("ring", 7, nx.cycle_graph(7)),
        ("hyperx", (3, 4), nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(4))),
    ],
)
def test_grids_are_the_graphs_of_that_name(family: str, size: tuple[int, ...], twin: "nx.Graph[object]") -> None:
    design = made(family, {"switches" if family == "ring" else "size": size})
    assert design.grid is not None
    at = [tuple(row) if family != "ring" else row[0] for row in design.grid.at.tolist()]
    edges = {frozenset((at[a], at[b])) for a, b in switch_graph(design.fabric).edges()}
    assert edges == {frozenset(edge) for edge in twin.edges()}


@pytest.mark.parametrize(("groups", "between"), [(9, 1), (4, 2), (5, 2)])
def test_every_pair_of_dragonfly_groups_is_joined_alike(groups: int, between: int) -> None:
    fabric = made("dragonfly", {"a": 4, "h": 2, "groups": groups}).fabric
    found: dict[tuple[int, int], int] = {}
    for a, b in switch_graph(fabric).edges():
        found[a // 4, b // 4] = found.get((a // 4, b // 4), 0) + 1
    assert {count for (g, h), count in found.items() if g != h} == {between}
    assert {count for (g, h), count in found.items() if g == h} == {6}
    assert len(found) == groups * (groups + 1) // 2


@pytest.mark.parametrize(("n", "degree"), [(20, 4), (9, 2), (30, 2), (12, 11), (12, 8), (40, 3), (2, 1)])
@pytest.mark.parametrize("seed", range(6))
def test_jellyfish_is_simple_regular_and_connected(n: int, degree: int, seed: int) -> None:
    pairs = random_regular(n, degree, seed)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs) == n * degree // 2
    assert set(np.bincount(pairs.ravel(), minlength=n).tolist()) == {degree}
    assert nx.is_connected(nx.Graph(pairs.tolist()))


def test_a_seed_means_the_same_jellyfish_for_ever() -> None:
    assert random_regular(8, 3, 7).tolist() == PINNED
    assert random_regular(8, 3, 8).tolist() != PINNED


PINNED = [[0, 1], [0, 5], [0, 6], [1, 3], [1, 4], [2, 5], [2, 6], [2, 7], [3, 4], [3, 7], [4, 6], [5, 7]]


@pytest.mark.parametrize(
    ("family", "parameters", "said"),
    [
        ("fat-tree", {"k": 5}, "k must be even"),
        ("fat-tree", {"k": 4, "hosts": 3}, "hosts at most k/2"),
        ("fat-tree", {"k": 100000}, "at most"),
        ("torus", {"size": (100000, 100000)}, "at most"),
        ("dragonfly", {"a": 2, "h": 1, "groups": 4}, "cannot all be joined"),
        ("jellyfish", {"switches": 5, "ports": 4, "hosts": 1}, "must be even"),
        ("jellyfish", {"switches": 4, "ports": 5, "hosts": 1}, "less than the number of switches"),
        ("jellyfish", {"switches": 4, "ports": 2, "hosts": 1}, "cannot be connected"),
    ],
)
def test_what_makes_no_fabric_is_refused(family: str, parameters: dict[str, int | tuple[int, ...]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made(family, parameters)
