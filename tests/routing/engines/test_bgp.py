"""BGP by AS path against messages passed one by one, against shortest paths, and against what real routers installed."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.generators import generate
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.readers.natural_order import natural_order
from pauseproof.routing.engines.bgp import Speakers, bgp
from pauseproof.routing.engines.ecmp import ecmp
from pauseproof.routing.engines.levels import Rows
from pauseproof.routing.native import load_native
from pauseproof.routing.tables import RowTable
from strategies import fabrics

TOPOLOGIES = Path(__file__).resolve().parents[3] / "topologies"
Path_ = tuple[int, ...]  # AS numbers, the nearest first


def every_switch(fabric: Fabric) -> Ids:
    return np.arange(fabric.n_switches, dtype=np.int32)


def speakers(asn: list[int], allowed: list[int] | int = 0, *, relax: bool = True) -> Speakers:
    return Speakers(np.array(asn), np.zeros(len(asn), np.int64) + allowed, relax)


def hops_of(fabric: Fabric, rows: Rows) -> dict[tuple[int, int], set[int]]:
    """The links of every (switch, destination) that has some, bit by bit."""
    out: dict[tuple[int, int], set[int]] = {}
    for l in range(fabric.n_links):
        for d in range(fabric.n_switches):
            if int(rows[l, d // 64]) >> d % 64 & 1:
                out.setdefault((int(fabric.link_src[l]), d), set()).add(l)
    return out


def neighbours(fabric: Fabric) -> dict[int, set[int]]:
    n = fabric.n_switches
    return {s: {l.dst for l in fabric.links() if l.src == s and l.dst < n} for s in range(n)}


def as_routers_do(fabric: Fabric, o: int, told: Speakers) -> dict[int, set[int]]:
    """The neighbours that each switch uses towards ``o``: all tell all their best route until nothing changes."""
    asn, near = told.asn.tolist(), neighbours(fabric)
    best: dict[int, Path_] = {o: ()}
    used: dict[int, set[int]] = {}
    for _ in range(2 * fabric.n_switches + 2):
        heard: dict[int, dict[int, Path_]] = {}
        for s in near:
            paths = {t: (asn[t], *best[t]) for t in near[s] if t in best and asn[t] != asn[s]}
            heard[s] = {t: path for t, path in paths.items() if path.count(asn[s]) <= told.allowed[s]}
        used = {}
        after: dict[int, Path_] = {o: ()}
        for s in sorted(heard.keys() - {o}):
            if not heard[s]:
                continue
            first = min(heard[s], key=lambda t: (len(heard[s][t]), natural_order(fabric.node_name[t])))
            after[s] = heard[s][first]
            equal = {t for t in heard[s] if len(heard[s][t]) == len(after[s])}
            used[s] = equal if told.relax else {t for t in equal if heard[s][t][0] == after[s][0]}
        if after == best:
            return used
        best = after
    raise AssertionError("the routers do not come to rest")


def over_cables(fabric: Fabric, used: dict[int, dict[int, set[int]]]) -> dict[tuple[int, int], set[int]]:
    """Every cable to a neighbour that is used."""
    return {
        (s, o): {l.id for l in fabric.links() if l.src == s and l.dst in ts}
        for o, hops in used.items()
        for s, ts in hops.items()
    }


@st.composite
def configured(draw: st.DrawFn) -> tuple[Fabric, Speakers]:
    fabric = draw(fabrics())
    n = fabric.n_switches
    numbers = st.lists(st.integers(1, draw(st.integers(1, 6))), min_size=n, max_size=n)
    allowed = st.lists(st.sampled_from((0, 0, 0, 1, 2)), min_size=n, max_size=n)
    return fabric, speakers(draw(numbers), draw(allowed), relax=draw(st.booleans()))


@given(configured())
def test_routes_are_those_that_routers_settle_on(case: tuple[Fabric, Speakers]) -> None:
    fabric, told = case
    truth = {o: as_routers_do(fabric, o, told) for o in range(fabric.n_switches)}
    assert hops_of(fabric, bgp(fabric, every_switch(fabric), told)) == over_cables(fabric, truth)


@given(fabrics(), st.randoms(use_true_random=False))
def test_with_an_as_each_and_relax_it_is_ecmp(fabric: Fabric, random: Random) -> None:
    asn = random.sample(range(1, 100), fabric.n_switches)
    origin = np.repeat(every_switch(fabric), 2)  # two columns of one origin have one row
    assert (bgp(fabric, origin, speakers(asn)) == ecmp(fabric, origin)).all()


def test_a_large_fat_tree_as_in_rfc_7938_goes_up_and_down_the_shortest_way() -> None:
    design = generate("fat-tree", {"k": 8})
    fabric, tier = design.fabric, design.tier
    assert tier is not None
    names = fabric.node_name
    pod = {s: int(names[s][3 : names[s].index("-")]) for s in np.flatnonzero(tier == 1).tolist()}
    asn = [{2: 1, 1: 100 + pod.get(s, 0), 0: 1000 + s}[t] for s, t in enumerate(tier.tolist())]
    edges = np.flatnonzero(tier == 0).astype(np.int32)
    assert (bgp(fabric, edges, speakers(asn, relax=False)) == ecmp(fabric, edges)).all()


def line(asn: list[int], allowed: list[int] | int = 0) -> dict[tuple[int, int], set[int]]:
    """s0 - s1 - s2 - ...: which switches have a route to which, and over which neighbour."""
    fabric = generate("mesh", {"size": (len(asn),)}).fabric
    hops = hops_of(fabric, bgp(fabric, every_switch(fabric), speakers(asn, allowed)))
    return {pair: {int(fabric.link_dst[l]) for l in links} for pair, links in hops.items()}


def test_a_path_with_the_own_as_is_refused_and_allowas_in_accepts_it_so_many_times() -> None:
    assert (2, 0) not in line([7, 8, 7])
    assert line([7, 8, 7], [0, 0, 1])[2, 0] == {1}
    assert (0, 2) not in line([7, 8, 7], [0, 0, 1])
    assert (4, 0) not in line([7, 8, 7, 9, 7], 1)
    assert line([7, 8, 7, 9, 7], 2)[4, 0] == {3}


def test_neighbours_in_one_as_have_no_session() -> None:
    assert line([7, 7], 10) == {}


def tables(network_file: str) -> dict[tuple[str, str], list[str]]:
    """The ports that each switch of a topology file uses towards each leaf, by names."""
    network = load_native(TOPOLOGIES / network_file)
    fabric, routes = network.fabric, network.routes
    assert isinstance(routes, RowTable)
    out = {}
    for s in range(fabric.n_switches):
        for d, leaf in enumerate(network.destinations.names):
            links = [fabric.link(l) for l in routes.route(s, d).links]
            out[fabric.node_name[s], leaf] = sorted(fabric.port_name(l.src, l.src_port) for l in links)
    return out


@pytest.mark.parametrize(
    ("design", "dump"), [("clos4x2-bgp.yaml", "healthy"), ("clos4x2-bgp-two-failures.yaml", "two_failures")]
)
def test_real_routers_installed_these_very_routes(design: str, dump: str) -> None:
    installed = {}
    for s in ("leaf1", "leaf2", "leaf3", "leaf4", "spine1", "spine2"):
        prefixes = json.loads((TOPOLOGIES / "frr" / dump / f"{s}.show_ip_route.json").read_text())
        for n in range(1, 5):
            hops = [h for route in prefixes[f"10.10.{n}.0/24"] if route["protocol"] == "bgp" for h in route["nexthops"]]
            installed[s, f"leaf{n}"] = sorted(h["interfaceName"] for h in hops if h.get("fib"))
    computed = tables(design)
    assert {pair: ports for pair, ports in computed.items() if pair[0] != pair[1]} == {
        pair: ports for pair, ports in installed.items() if pair[0] != pair[1]
    }
