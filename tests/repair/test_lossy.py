"""Turns at which packets become lossy: the fewest on loops, who is not lossless any more, and what is written reads back."""

from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given

import pauseproof
from examples import on_some
from oracle import greatest_stuck_set
from pauseproof.deadlock.analysis import analyse
from pauseproof.findings.report import Verdict
from pauseproof.findings.verdict import Judged, judge
from pauseproof.repair import lossy
from pauseproof.repair.alternative import Alternative, Budget, NotOffered
from pauseproof.repair.apply import Applied, applied
from pauseproof.routing.ask import Asked, Question
from pauseproof.routing.walk import pairs, walk_known, walk_pair
from repair.tree_routes import tree_routed
from strategies import Case

ROOT = Path(__file__).resolve().parents[2]
FRR, CABLES = ROOT / "topologies/frr/two_failures", ROOT / "topologies/frr/clos4x2.layer1_topology.json"


def repaired(judged: Judged, seconds: float = 20.0) -> Alternative:
    (found,) = lossy.alternatives(judged.asked, judged.analysis, Budget(seconds))
    assert isinstance(found, Alternative), found
    assert isinstance(applied(judged, found), Applied)
    return found


def test_frr_with_two_failures_two_bounces_lose_their_class(tmp_path: Path) -> None:
    judged = judge(pauseproof.load(FRR, CABLES), Question())
    found = repaired(judged)
    assert (found.cost, found.bound) == (2, 2)
    assert [change.machine["lossy"] for change in found.changes] == [["26"], ["26"]]
    files = dict(lossy.loadable(judged.asked, found))
    assert files["lossy-pairs.txt"] == "leaf1:swp31 to 10.10.3.0/24\nleaf3:swp31 to 10.10.1.0/24\n"
    assert "packets of 2 of 12 pairs may be dropped" in found.assumptions[-1]
    (tmp_path / "pauseproof.yaml").write_text(files["pauseproof.yaml"])
    report = pauseproof.verify(pauseproof.load(FRR, CABLES, tmp_path / "pauseproof.yaml")).fabrics[0]
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unroutable_pairs"] == 0


@pytest.mark.parametrize(
    ("case", "turns", "pairs_lost"), [("ring5", 2, 2), ("clos4x2-two-failures", 2, 2), ("fat-tree-k4-two-cables-out", 2, 4)]
)
def test_lines_of_a_topology_file_make_it_free(case: str, turns: int, pairs_lost: int, tmp_path: Path) -> None:
    path = tmp_path / "before.yaml"
    path.write_text((ROOT / f"topologies/{case}.yaml").read_text().partition("expected:")[0])
    judged = judge(pauseproof.load(path), Question())
    found = repaired(judged)
    assert found.cost == found.bound == turns
    files = lossy.loadable(judged.asked, found)
    path.write_text(path.read_text() + files["lanes.yaml"])
    report = pauseproof.verify(pauseproof.load(path)).fabrics[0]
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unroutable_pairs"] == pairs_lost  # the file's word for pairs that leave the lossless lanes
    assert f"packets of {pairs_lost} of {report.coverage['pairs']} pairs" in found.assumptions[-1]


def test_of_two_priorities_the_one_with_loops_is_touched(tmp_path: Path) -> None:
    declared = tmp_path / "pauseproof.yaml"
    declared.write_text("lossless: [3, 4]\ndscp: {26: 3, 34: 4}\ntraffic: {data: [26, 34]}\n")
    judged = judge(pauseproof.load(FRR, CABLES, declared), Question())
    assert sorted(judged.analysis.component_sizes) == [4, 4, 4, 4]
    found = repaired(judged)
    assert found.cost == found.bound == 4
    now = yaml.safe_load(lossy.loadable(judged.asked, found)["pauseproof.yaml"])
    assert now["lossless"] == [3, 4]
    assert {old for line in now["remaps"] for old in line["dscp"]} == {26, 34}


def test_packets_that_circle_may_do_so_in_a_lossy_class() -> None:
    judged = judge(pauseproof.load(ROOT / "topologies/forwarding-loop.yaml"), Question())
    found = repaired(judged)
    assert found.cost == found.bound == 1


@pytest.mark.parametrize(("case", "turns"), [("torus4x4-dimension-order", 8), ("mesh4x4-adaptive-committed", 18)])
def test_loops_on_different_turns_prove_the_fewest(case: str, turns: int) -> None:
    judged = judge(pauseproof.load(ROOT / f"topologies/{case}.yaml"), Question())
    found = repaired(judged)
    assert found.cost == found.bound == turns


def test_where_choices_stay_open_the_bound_says_only_that_something_has_to_change() -> None:
    judged = judge(pauseproof.load(ROOT / "topologies/ring3-parallel-reselecting.yaml"), Question())
    found = repaired(judged)
    assert found.bound == 1 < found.cost


def test_labels_that_share_a_lane_go_together(tmp_path: Path) -> None:
    path = tmp_path / "two-lanes.yaml"
    path.write_text(
        'ring: {switches: 5, hosts: 2}\nrouting: ecmp\nlanes: ["3", "4"]\nlabels: ["26", "34", "27"]\n'
        'lane-of-label: ["3", "4", "3"]\nsend:\n  - {from: "*-h1", label: "34"}\n  - {from: "s0-h0", label: "27"}\n'
    )
    judged = judge(pauseproof.load(path), Question())
    found = repaired(judged)
    assert found.cost == found.bound == 4  # two directions, two lanes
    tree = yaml.safe_load(path.read_text()) | yaml.safe_load(lossy.loadable(judged.asked, found)["lanes.yaml"])
    path.write_text(yaml.safe_dump(tree))
    assert pauseproof.verify(pauseproof.load(path)).fabrics[0].verdict is Verdict.DEADLOCK_FREE


def test_on_infiniband_no_class_is_lossy() -> None:
    judged = judge(pauseproof.load(ROOT / "topologies/opensm/ring5_minhop"), Question())
    (found,) = lossy.alternatives(judged.asked, judged.analysis, Budget(5))
    assert isinstance(found, NotOffered)


@on_some
@given(tree_routed())
def test_the_walker_sees_no_stuck_set_and_who_loses_the_class(case: Case) -> None:
    network, traffic = case
    before = walk_known(network, traffic)
    assume(greatest_stuck_set(before.choice_sets))
    (found,) = lossy.alternatives(Asked(Question(), network, traffic, False, 0), analyse(network, traffic), Budget(20))
    assert isinstance(found, Alternative)
    after = walk_known(found.network, found.traffic)
    assert not greatest_stuck_set(after.choice_sets)
    assert (before.pairs, before.unroutable_pairs) == (after.pairs, after.unroutable_pairs)
    lane = found.network.lanes.lossy_lane
    lost = {
        f"{network.fabric.host(source.id).name} to {network.destinations.names[d]}"
        for source, d, member in pairs(found.network, found.traffic)
        if any(q[1] == lane for q in walk_pair(found.network, found.traffic, source, d, member).states)
    }
    assert sorted(lost) == lossy.loadable(Asked(Question(), network, traffic, False, 0), found)["lossy-pairs.txt"].splitlines()
