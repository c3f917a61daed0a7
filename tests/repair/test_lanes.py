"""Service levels for paths: what is written is read back and verifies; the walker sees the same pairs arrive, and no loop."""

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import yaml
from hypothesis import given

import pauseproof
from examples import on_some
from oracle import cyclic_components
from pauseproof.deadlock.analysis import analyse
from pauseproof.fabric.model import Fabric
from pauseproof.findings.report import FabricReport, Verdict
from pauseproof.findings.verdict import Judged, judge
from pauseproof.readers.path_records import matches as is_path_records
from pauseproof.repair import lanes
from pauseproof.repair.alternative import Alternative, Budget, NotOffered
from pauseproof.repair.apply import Applied, applied
from pauseproof.routing.ask import Asked, Question
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import pairs, walk_known, walk_pair
from shared_cases import shared_case
from strategies import PlainCase, plain

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "topologies/opensm"


def repaired(judged: Judged, seconds: float = 10.0) -> Alternative:
    (found,) = lanes.alternatives(judged.asked, judged.analysis, Budget(seconds))
    assert isinstance(found, Alternative), found
    assert isinstance(applied(judged, found), Applied)
    return found


def read_back(folder: Path, files: dict[str, str], to: Path) -> FabricReport:
    """The report on a copy of the folder whose path SLs and SL-to-VL tables are these."""
    shutil.copytree(folder, to)
    for path in to.iterdir():
        if "path" in path.name or "sl2vl" in path.name:
            path.unlink()
    for name, text in files.items():
        (to / name).write_text(text)
    return pauseproof.verify(pauseproof.load(to)).fabrics[0]


@pytest.mark.parametrize("case", ["ring5_minhop", "siblings_ftree", "irregular_updn", "io_nodes_ftree"])
def test_two_lanes_are_enough_and_what_is_written_verifies(case: str, tmp_path: Path) -> None:
    judged = judge(pauseproof.load(CATALOGUE / case), Question())
    found = repaired(judged)
    assert (found.cost, found.bound, found.optimal) == (2, 2, True)
    files = dict(lanes.loadable(judged.asked, found))
    assert set(files) == {"path-sl.psl", "opensm-sl2vl.dump"}
    report = read_back(CATALOGUE / case, files, tmp_path / "repaired")
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unroutable_pairs"] == judged.analysis.outcomes.unroutable_pairs
    assert report.coverage["unknown_pairs"] == 0
    assert not any("SL-to-VL" in text or "path SL" in text for text in report.assumptions)


def test_a_torus_of_64_switches_needs_few(tmp_path: Path) -> None:
    """Four are found where there is time, and two refuted; path SLs, all 0 today, are replaced."""
    folder = shared_case("opensm/torus8x8_minhop")
    judged = judge(pauseproof.load(folder), Question())
    found = repaired(judged, seconds=4.0)
    assert 2 <= found.bound <= found.cost <= 5
    assert read_back(folder, dict(lanes.loadable(judged.asked, found)), tmp_path / "torus").verdict is Verdict.DEADLOCK_FREE


def test_two_ports_of_a_node_that_differ_are_written_by_port(tmp_path: Path) -> None:
    judged = judge(pauseproof.load(CATALOGUE / "ring5_minhop"), Question())
    found = repaired(judged)
    network, labels = judged.asked.network, found.traffic.labels
    assert labels is not None
    fabric = network.fabric
    node = fabric.host_node.copy()
    raised = int(np.flatnonzero((labels != 1).any(axis=1))[0])
    plain_one = int(np.flatnonzero((labels == 1).all(axis=1))[0])

    class Joined(Fabric):
        host_node = np.where(np.arange(len(node)) == raised, node[plain_one], node)

    one = Joined(**{name: getattr(fabric, name) for name in fabric.__dataclass_fields__})
    asked = replace(judged.asked, network=replace(network, fabric=one))
    text = lanes.loadable(asked, found)["opensm-path-records.dump"]
    assert is_path_records(text[:4096].encode())
    files = dict(lanes.loadable(judged.asked, found))
    (tmp_path / "by_port").mkdir()
    by_port = {"opensm-path-records.dump": text, "opensm-sl2vl.dump": files["opensm-sl2vl.dump"]}
    report = read_back(CATALOGUE / "ring5_minhop", by_port, tmp_path / "by_port" / "x")
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unknown_pairs"] == 2  # the two have no row for each other: they are not on one node really


def native_ring(n: int, tmp_path: Path) -> Path:
    path = tmp_path / "ring.yaml"
    path.write_text(f"kind: infiniband\nring: {{switches: {n}, hosts: 2}}\nrouting: ecmp\n")
    return path


@pytest.mark.parametrize("n", [5, 6, 7, 12])
def test_a_ring_needs_two_lanes(n: int, tmp_path: Path) -> None:
    path = native_ring(n, tmp_path)
    judged = judge(pauseproof.load(path), Question())
    found = repaired(judged)
    assert (found.cost, found.bound) == (2, 2)
    (text,) = lanes.loadable(judged.asked, found).values()
    assert set(yaml.safe_load(text)) == {"lanes", "send"}
    path.write_text(path.read_text() + text)
    report = pauseproof.verify(pauseproof.load(path)).fabrics[0]
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unroutable_pairs"] == 0


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (Question(all_on=0), "all pairs are on one SL"),
        (Question(endpoint_coupled=("*",)), "receiving waits for sending"),
        (Question("hosts+switches"), "all are on SL 0"),
    ],
)
def test_why_lanes_do_not_help(question: Question, reason: str) -> None:
    judged = judge(pauseproof.load(CATALOGUE / "ring5_minhop"), question)
    (found,) = lanes.alternatives(judged.asked, judged.analysis, Budget(5))
    assert isinstance(found, NotOffered) and reason in found.reason


def test_packets_that_circle_are_a_loop_in_any_lane(tmp_path: Path) -> None:
    path = native_ring(5, tmp_path)
    rows = [{"switch": f"s{i}", "destination": "s3", "out": f"s{(i + 1) % 5}"} for i in range(5)]
    path.write_text(path.read_text() + yaml.safe_dump({"tables": rows}))
    judged = judge(pauseproof.load(path), Question())
    (found,) = lanes.alternatives(judged.asked, judged.analysis, Budget(5))
    assert isinstance(found, NotOffered) and "loop in any lane" in found.reason


def test_on_ethernet_there_is_no_path_sl() -> None:
    judged = judge(pauseproof.load(ROOT / "topologies/ring5.yaml"), Question())
    (found,) = lanes.alternatives(judged.asked, judged.analysis, Budget(5))
    assert isinstance(found, NotOffered) and "InfiniBand alone" in found.reason


def as_infiniband(network: Network, traffic: Traffic) -> tuple[Network, Traffic]:
    """The same fabric with GUIDs, and hosts alone that send."""
    guids = np.arange(1, network.fabric.n_nodes + 1, dtype=np.uint64)
    traffic = replace(traffic, switch_sends=traffic.switch_sends & False, coupled=None)
    fabric = replace(network.fabric, kind="infiniband", node_guid=guids)
    return replace(network, fabric=fabric, traffics={"hosts": traffic}), traffic


def fewest_lanes(network: Network, traffic: Traffic, most: int) -> int | None:
    """Every way to give the paths lanes is tried; None where not even a lane for each path is enough."""
    paths: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for source, d, member in pairs(network, traffic):
        walk = walk_pair(network, traffic, source, d, member)
        s = network.fabric.link(network.fabric.host(source.id).up).dst
        edges = {(q[0], q2[0]) for q, choices in walk.choices.items() for choice in choices for q2 in choice}
        paths.setdefault((s, d), set()).update(edges)
    every = {edge for edges in paths.values() for edge in edges}
    parts = cyclic_components(every)
    needed = {frozenset(e for e in edges if any(set(e) <= part for part in parts)) for edges in paths.values()} - {frozenset()}
    needed = {one for one in needed if not any(one < other for other in needed)}
    if not all(nx.is_directed_acyclic_graph(nx.DiGraph(list(one))) for one in needed):
        return None
    if len(needed) > most:
        return -1
    for k in range(1, len(needed) + 2):
        for lane in product(range(k), repeat=len(needed)):
            union: list[set[tuple[int, int]]] = [set() for _ in range(k)]
            for one, v in zip(needed, lane, strict=True):
                union[v] |= one
            if all(nx.is_directed_acyclic_graph(nx.DiGraph(list(edges))) for edges in union):
                return k
    raise AssertionError("a lane for each path is enough")


@on_some
@given(plain())
def test_the_walker_sees_no_loop_and_the_same_pairs_and_no_fewer_lanes_do(case: PlainCase) -> None:
    network, traffic = as_infiniband(case.choices, case.traffic)
    asked = Asked(Question(), network, traffic, False, 0)
    (found,) = lanes.alternatives(asked, analyse(network, traffic), Budget(10))
    wanted = fewest_lanes(network, traffic, 6)
    if wanted is None:
        assert isinstance(found, NotOffered)
        return
    assert isinstance(found, Alternative) and found.optimal
    assert wanted in (-1, found.cost)
    before, after = walk_known(network, traffic), walk_known(found.network, found.traffic)
    assert not cyclic_components(after.dependencies)
    assert (before.pairs, before.unroutable_pairs) == (after.pairs, after.unroutable_pairs)
