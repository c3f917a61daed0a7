"""Classes that rise at bounces: what is written is read back and verifies, and the walker agrees."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given

import pauseproof
from examples import on_some
from oracle import greatest_stuck_set
from pauseproof.deadlock.analysis import analyse
from pauseproof.findings.report import FabricReport, Verdict
from pauseproof.findings.verdict import Judged, judge
from pauseproof.repair import raises
from pauseproof.repair.alternative import Alternative, Budget, NotOffered
from pauseproof.repair.apply import Applied, applied
from pauseproof.routing.ask import Asked, Question
from pauseproof.routing.walk import walk_known
from repair.tree_routes import tree_routed
from sonic_texts import config, qos_row
from strategies import Case

ROOT = Path(__file__).resolve().parents[2]
FRR, CABLES = ROOT / "topologies/frr/two_failures", ROOT / "topologies/frr/clos4x2.layer1_topology.json"


def asked(*paths: Path, question: Question | None = None) -> Judged:
    return judge(pauseproof.load(*paths), question or Question())


def answer(judged: Judged, classes: int = 2) -> Alternative | NotOffered:
    (found,) = raises.alternatives(judged.asked, judged.analysis, Budget(20, lossless_classes=classes))
    if isinstance(found, Alternative):
        offered = applied(judged, found)
        assert isinstance(offered, Applied), offered
    return found


def repaired(judged: Judged, classes: int = 2) -> Alternative:
    found = answer(judged, classes)
    assert isinstance(found, Alternative), found
    return found


def written(judged: Judged, found: Alternative, folder: Path) -> Path:
    for name, text in raises.loadable(judged.asked, found).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def verified(*paths: Path) -> FabricReport:
    return pauseproof.verify(pauseproof.load(*paths)).fabrics[0]


def test_frr_with_two_failures_needs_two_classes_and_the_bounces_raise(tmp_path: Path) -> None:
    judged = asked(FRR, CABLES)
    found = repaired(judged)
    assert (found.cost, found.bound, found.unit) == (2, 2, "lossless classes")
    assert {change.machine["switch"] for change in found.changes} == {"leaf2", "leaf4"}
    folder = written(judged, found, tmp_path / "out")
    report = verified(FRR, CABLES, folder / "pauseproof.yaml")
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert (report.coverage["buffers"], report.coverage["dependencies"], report.coverage["unroutable_pairs"]) == (28, 34, 0)
    sends = "hosts send only DSCP 26 (data); DSCP 34 is lossless where hosts are cabled too: drop or rewrite it at host ports"
    assert sends in found.assumptions and sends in report.assumptions
    assert "the maps of sonic/ alone do not suffice" in found.assumptions[-1]
    assert (folder / "rewrites.txt").read_text().startswith("leaf2: from swp1 to swp2, 26 becomes 34\n")


def test_sonic_tables_alone_do_not_suffice(tmp_path: Path) -> None:
    judged = asked(FRR, CABLES)
    folder = written(judged, repaired(judged), tmp_path / "out")
    assert verified(FRR, CABLES, *sorted((folder / "sonic").iterdir())).verdict is Verdict.DEADLOCK_POSSIBLE


def test_what_was_assumed_of_todays_classes_is_not_assumed_of_the_new_ones() -> None:
    judged = asked(FRR, CABLES)
    found = applied(judged, repaired(judged))
    assert isinstance(found, Applied)
    assert not any("no DSCP, PFC or priority group was read" in text for text in found.assumptions)


def test_sonic_tables_say_the_same_classes(tmp_path: Path) -> None:
    """The remaps are declared, all else is read from the tables: the same verdict and the same numbers."""
    judged = asked(FRR, CABLES)
    folder = written(judged, repaired(judged), tmp_path / "out")
    declared = yaml.safe_load((folder / "pauseproof.yaml").read_text())
    alone = tmp_path / "pauseproof.yaml"
    alone.write_text(yaml.safe_dump({"traffic": {"data": 26}, "remaps": declared["remaps"]}))
    report = verified(FRR, CABLES, alone, *sorted((folder / "sonic").iterdir()))
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert (report.coverage["buffers"], report.coverage["dependencies"]) == (28, 34)
    tables = json.loads((folder / "sonic/leaf1.config_db.json").read_text())
    row = tables["PORT_QOS_MAP"]["swp1"]
    assert row["pfc_enable"] == "3,4"
    assert tables["DSCP_TO_TC_MAP"][row["dscp_to_tc_map"]]["34"] == "4"
    assert set(tables) == {
        "DEVICE_METADATA",
        "DSCP_TO_TC_MAP",
        "TC_TO_PRIORITY_GROUP_MAP",
        "TC_TO_QUEUE_MAP",
        "MAP_PFC_PRIORITY_TO_QUEUE",
        "PORT_QOS_MAP",
    }


def test_what_was_declared_stays(tmp_path: Path) -> None:
    before = tmp_path / "pauseproof.yaml"
    before.write_text(
        "# ours\nlossless: [2]\ndscp: {10-12: 2, 40: 5}\ntraffic: {data: 10, cnp: 40}\nttl: 32\n"
        'remaps:\n  - {at: "leaf*", in: hosts, out: "*", dscp: {11: 12}}\n'
    )
    judged = asked(FRR, CABLES, before)
    folder = written(judged, repaired(judged), tmp_path / "out")
    now = yaml.safe_load((folder / "pauseproof.yaml").read_text())
    assert now["lossless"] == [2, 4] and now["ttl"] == 32
    assert now["dscp"] == {10: 2, 11: 2, 12: 2, 40: 5, 34: 4}
    assert now["traffic"] == {"data": 10, "cnp": 40}
    assert now["remaps"][-1] == {"at": "leaf*", "in": "hosts", "out": "*", "dscp": {11: 12}}
    assert verified(FRR, CABLES, folder / "pauseproof.yaml").verdict is Verdict.DEADLOCK_FREE


def test_a_turn_that_had_a_remap_keeps_it_beside_the_new_one(tmp_path: Path) -> None:
    before = tmp_path / "pauseproof.yaml"
    before.write_text('lossless: [3]\ndscp: {26: 3, 27: 3}\ntraffic: {data: 26}\nremaps:\n  - {at: "leaf*", dscp: {27: 0}}\n')
    judged = asked(FRR, CABLES, before)
    folder = written(judged, repaired(judged), tmp_path / "out")
    now = yaml.safe_load((folder / "pauseproof.yaml").read_text())
    assert now["remaps"][0] == {"at": "leaf2", "in": ["swp1"], "out": ["swp2"], "dscp": {26: 34, 27: 0}}


def test_a_role_that_says_otherwise_is_followed_by_one_for_all(tmp_path: Path) -> None:
    before = tmp_path / "pauseproof.yaml"
    before.write_text(
        "lossless: [3]\ndscp: {26: 3}\ntraffic: {data: 26}\nroles: {spine: {match: 'spine*', lossless: [3], dscp: {26: 3}}}\n"
    )
    judged = asked(FRR, CABLES, before)
    folder = written(judged, repaired(judged), tmp_path / "out")
    now = yaml.safe_load((folder / "pauseproof.yaml").read_text())
    assert now["roles"]["repaired"] == {"match": "*", "lossless": [3, 4], "dscp": {34: 4}}
    assert verified(FRR, CABLES, folder / "pauseproof.yaml").verdict is Verdict.DEADLOCK_FREE


def with_configs(folder: Path, pfc: str = "3,4") -> list[Path]:
    """SONiC's configuration of each switch: DSCP 3 in class 3, 4 in class 4, all else in 1."""
    out = []
    for name in (*(f"leaf{i}" for i in range(1, 5)), "spine1", "spine2"):
        ports = {f"swp{i}": qos_row("AZURE", pfc) for i in (1, 2, 3, 4, 31)}
        out.append(folder / f"{name}.config_db.json")
        out[-1].write_text(config(name, ports))
    return out


def test_where_configurations_were_read_all_switches_get_the_class(tmp_path: Path) -> None:
    declared = tmp_path / "pauseproof.yaml"
    declared.write_text("traffic: {data: 3}\n")
    configs = with_configs(tmp_path)
    judged = asked(FRR, CABLES, declared, *configs)
    folder = written(judged, repaired(judged), tmp_path / "out")
    now = yaml.safe_load((folder / "pauseproof.yaml").read_text())
    assert now["roles"]["repaired"] == {"match": "*", "lossless": [3, 4], "dscp": {34: 4}}
    report = verified(FRR, CABLES, folder / "pauseproof.yaml", *configs)
    assert (report.verdict, report.coverage["buffers"]) == (Verdict.DEADLOCK_FREE, 28)
    declared.write_text(yaml.safe_dump({"traffic": {"data": 3}, "remaps": now["remaps"]}))
    report = verified(FRR, CABLES, declared, *sorted((folder / "sonic").iterdir()))
    assert (report.verdict, report.coverage["buffers"]) == (Verdict.DEADLOCK_FREE, 28)


def test_a_class_that_has_no_group_of_its_own_is_not_offered(tmp_path: Path) -> None:
    """Priority 4 without PFC is made lossless, but 5 would share group 0: with 3 and 4 in use nothing is left."""
    declared = tmp_path / "pauseproof.yaml"
    declared.write_text("traffic: {data: [3, 4]}\n")
    judged = asked(FRR, CABLES, declared, *with_configs(tmp_path))
    found = answer(judged)
    assert isinstance(found, NotOffered)


def test_in_the_old_queue_the_bounce_would_not_help(tmp_path: Path) -> None:
    """The same remaps with ``queue: old``: pauses of both classes stop one queue, and the loops are back."""
    judged = asked(FRR, CABLES)
    folder = written(judged, repaired(judged), tmp_path / "out")
    path = folder / "pauseproof.yaml"
    now = yaml.safe_load(path.read_text())
    for line in now["remaps"]:
        line["queue"] = "old"
    path.write_text(yaml.safe_dump(now))
    assert verified(FRR, CABLES, path).verdict is Verdict.DEADLOCK_POSSIBLE


@pytest.mark.parametrize("case", ["ring5", "clos4x2-two-failures", "torus4x4-dimension-order", "fat-tree-k4-two-cables-out"])
def test_lines_of_a_topology_file_make_it_free(case: str, tmp_path: Path) -> None:
    text = (ROOT / f"topologies/{case}.yaml").read_text()
    path = tmp_path / "before.yaml"
    path.write_text(text.partition("expected:")[0])
    judged = asked(path)
    found = repaired(judged)
    assert (found.cost, found.bound) == (2, 2)
    (lines,) = raises.loadable(judged.asked, found).values()
    path.write_text(path.read_text() + lines)
    report = verified(path)
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unroutable_pairs"] == 0


def test_more_classes_than_there_are_is_no_repair() -> None:
    found = answer(asked(ROOT / "topologies/ring5.yaml"), classes=1)
    assert isinstance(found, NotOffered) and "2 lossless classes are needed (at least 2), 1 are there" in found.reason


@pytest.mark.parametrize(
    ("path", "question", "reason"),
    [
        ("opensm/ring5_minhop", Question(), "see lanes"),
        ("ring5.yaml", Question(endpoint_coupled=("*",)), "receiving waits for sending"),
        ("clos4x2-bgp-two-failures-dscp-old-map.yaml", Question(), "lane rules already"),
        ("forwarding-loop.yaml", Question(), "no raises were found"),
    ],
)
def test_why_classes_do_not_help(path: str, question: Question, reason: str) -> None:
    found = answer(asked(ROOT / "topologies" / path, question=question))
    assert isinstance(found, NotOffered) and reason in found.reason, found


def test_no_class_is_left_where_traffic_is_in_all(tmp_path: Path) -> None:
    before = tmp_path / "pauseproof.yaml"
    before.write_text("lossless: [3, 4]\ntraffic: {data: [26, 34]}\n")
    found = answer(asked(FRR, CABLES, before))
    assert isinstance(found, NotOffered) and "several lossless classes already" in found.reason


@on_some
@given(tree_routed())
def test_the_walker_sees_no_stuck_set_and_the_same_pairs(case: Case) -> None:
    network, traffic = case
    before = walk_known(network, traffic)
    assume(greatest_stuck_set(before.choice_sets))
    judged = Asked(Question(), network, traffic, False, 0)
    (found,) = raises.alternatives(judged, analyse(network, traffic), Budget(20, lossless_classes=8))
    assert isinstance(found, Alternative)
    after = walk_known(found.network, found.traffic)
    assert not greatest_stuck_set(after.choice_sets)
    assert (before.pairs, before.unroutable_pairs) == (after.pairs, after.unroutable_pairs)
    assert len({b[1] for b in after.buffers}) == found.cost > 1
