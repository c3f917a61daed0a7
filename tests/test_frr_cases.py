"""Real FRR tables with known answers, from every form of tables and of cabling alike."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pauseproof
from pauseproof.dependency.graph import dependencies
from pauseproof.dependency.states import explore
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import FabricReport
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import RowTable
from pauseproof.routing.walk import walk_known

HERE = Path(__file__).resolve().parents[1] / "topologies" / "frr"
EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "expected.yaml").read_text())
CABLING = ("clos4x2.layer1_topology.json", "clos4x2.clab.yml", "clos4x2.ptm.dot")
FORMS = ("*.show_ip_route.json", "*.ip_j_*.json", "*.ip_j_route.json", "*")
LOOPS = [
    {"leaf2>spine2", "spine2>leaf4", "leaf4>spine1", "spine1>leaf2"},
    {"leaf2>spine1", "spine1>leaf4", "leaf4>spine2", "spine2>leaf2"},
]
SETS = pytest.mark.parametrize(
    ("case", "form", "cabling"), [(case, form, cabling) for case in EXPECTED for form in FORMS for cabling in CABLING]
)


def load(case: str, form: str, cabling: str) -> Network:
    folder, _, declared = case.partition("+")
    tables = [HERE / folder] if form == "*" else sorted((HERE / folder).glob(form))
    return pauseproof.load(*tables, HERE / cabling, *([HERE / f"{declared}.yaml"] if declared else []))


def numbers(report: FabricReport) -> dict[str, Any]:
    found: dict[str, Any] = dict(report.coverage)
    wanted = ("hosts", "pairs", "buffers", "dependencies")
    return {"verdict": report.verdict.value, "cyclic_components": list(report.cyclic_components)} | {
        k: found[k] for k in wanted
    }


def loops(report: FabricReport) -> list[set[str]]:
    return [{f"{hop.from_device}>{hop.device}" for hop in f.loop} for f in report.findings if f.loop]


@SETS
def test_the_numbers_are_those_of_a_walk_over_every_pair(case: str, form: str, cabling: str) -> None:
    (report,) = pauseproof.verify(load(case, form, cabling)).fabrics
    wanted = {key: value for key, value in EXPECTED[case].items() if key != "between_switches"}
    assert numbers(report) == wanted
    assert {k: report.coverage[k] for k in ("tables", "unroutable_pairs", "looping_pairs", "unknown_pairs")} == {
        "tables": 6,
        "unroutable_pairs": 0,
        "looping_pairs": 0,
        "unknown_pairs": 0,
    }
    found = loops(report)
    assert found == (LOOPS if EXPECTED[case]["cyclic_components"] else [])


@pytest.mark.parametrize("case", EXPECTED)
def test_every_input_gives_the_same_findings(case: str) -> None:
    def said(form: str, cabling: str) -> list[tuple[str, str, str]]:
        (report,) = pauseproof.verify(load(case, form, cabling)).fabrics
        return [(f.rule, f.message, f.identity) for f in report.findings]

    first = said(FORMS[0], CABLING[0])
    assert all(said(form, cabling) == first for form in FORMS for cabling in CABLING)
    loops_found = ["PP101"] * len(EXPECTED[case]["cyclic_components"])
    assert [rule for rule, _, _ in first] == loops_found + (["PP224"] * 2 if case.startswith("two_failures") else [])


@pytest.mark.parametrize("case", EXPECTED)
def test_between_switches_and_by_all_three_engines(case: str) -> None:
    network = load(case, FORMS[0], CABLING[0])
    assert isinstance(network.routes, RowTable)
    fabric, traffic = network.fabric, network.traffics["hosts"]
    walked = walk_known(network, traffic)
    inner = {link.id for link in fabric.links() if link.src < fabric.n_switches and link.dst < fabric.n_switches}
    between = {(a, b) for a, b in walked.dependencies if {a[0], b[0]} <= inner}
    wanted = EXPECTED[case]["between_switches"]
    found = len([b for b in walked.buffers if b[0] in inner]), len(between)
    assert found == (wanted["buffers"], wanted["dependencies"])
    choices = Network(fabric, network.destinations, choice_table_from_rows(network.routes), network.lanes, network.traffics)
    graph = dependencies(explore(choices, traffic))
    assert (graph.n_buffers, graph.n_dependencies) == (len(walked.buffers), len(walked.dependencies))


def test_a_table_that_is_not_there_leaves_the_rest_decided() -> None:
    files = [f for f in sorted((HERE / "healthy").glob("*.show_ip_route.json")) if not f.name.startswith("spine2")]
    (report,) = pauseproof.verify(pauseproof.load(*files, HERE / CABLING[0])).fabrics
    assert report.coverage["tables"] == 5
    assert "table-missing" in {f.slug for f in report.findings}
    assert int(report.coverage["unknown_pairs"]) == 12
    assert report.verdict.value == "UNDECIDED"


@pytest.mark.parametrize("missing", ["leaf1", "leaf2", "leaf3", "leaf4", "spine1", "spine2"])
def test_no_missing_table_makes_the_failures_look_free(missing: str) -> None:
    files = [f for f in sorted((HERE / "two_failures").glob("*.show_ip_route.json")) if not f.name.startswith(missing)]
    (report,) = pauseproof.verify(pauseproof.load(*files, HERE / CABLING[0])).fabrics
    assert report.coverage["tables"] == 5
    assert report.coverage["hosts"] == 4
    assert report.verdict.value in ("DEADLOCK_POSSIBLE", "UNDECIDED")


@pytest.mark.parametrize("form", FORMS)
def test_no_missing_cable_makes_the_failures_look_free(form: str, tmp_path: Path) -> None:
    """Nor the lack of all cables of a switch, nor of a switch altogether: what routes lead to may lead back."""
    cables = json.loads((HERE / CABLING[0]).read_text())["edges"]
    names = sorted({end["hostname"] for edge in cables for end in edge.values()})
    files = [f for f in sorted((HERE / "two_failures").glob(form)) if f.is_file()]
    lost = [([edge], "") for edge in cables] + [
        ([e for e in cables if name in {end["hostname"] for end in e.values()}], out) for name in names for out in ("", name)
    ]
    for some, out in lost:
        left = tmp_path / "layer1_topology.json"
        left.write_text(json.dumps({"edges": [edge for edge in cables if edge not in some]}, indent=1))
        read = [f for f in files if not (out and f.name.startswith(out))]
        (report,) = pauseproof.verify(pauseproof.load(*read, left)).fabrics
        assert report.verdict.value in ("DEADLOCK_POSSIBLE", "UNDECIDED"), (some, out)


@pytest.mark.parametrize("interface", ["Vlan100", "vrf-red", "tun0", "vxlan5", "swp77", "bond7"])
def test_routes_by_interfaces_that_are_no_cabled_port_do_not_end_there(interface: str, tmp_path: Path) -> None:
    for file in (HERE / "two_failures").glob("*.show_ip_route.json"):
        (tmp_path / file.name).write_text(file.read_text().replace('"swp1"', f'"{interface}"'))
    (report,) = pauseproof.verify(pauseproof.load(tmp_path, HERE / CABLING[0])).fabrics
    assert report.verdict.value == "UNDECIDED"


def test_a_leaf_that_tells_of_ipv6_alone_has_hosts_of_ipv4_all_the_same(tmp_path: Path) -> None:
    for file in (HERE / "two_failures").glob("*.show_ip_route.json"):
        (tmp_path / file.name).write_text(file.read_text())
    hop = {"fib": True, "active": True, "ip": "fe80::1", "interfaceName": "swp1"}
    entry = {"protocol": "bgp", "selected": True, "installed": True, "nexthops": [hop]}
    (tmp_path / "leaf1.show_ip_route.json").write_text(json.dumps({"2001:db8::/32": [entry]}))
    network = pauseproof.load(tmp_path, HERE / CABLING[0])
    assert {"leaf1:unread", "spine1:unread"} <= {host.name for host in network.fabric.hosts()}
    assert pauseproof.verify(network).fabrics[0].verdict.value == "DEADLOCK_POSSIBLE"


@pytest.mark.parametrize(("queue", "expected"), [("new", ("DEADLOCK_FREE", 24)), ("old", ("DEADLOCK_POSSIBLE", 28))])
def test_a_bounce_that_turns_lossy_breaks_the_loop_only_in_a_queue_of_its_own(
    queue: str, expected: tuple[str, int], tmp_path: Path
) -> None:
    """The old queue is paused for the packets of 26 that the spine has of others."""
    declared = tmp_path / "pauseproof.yaml"
    declared.write_text(
        "lossless: [3]\ndscp: {26: 3}\ntraffic: {data: 26}\n"
        'roles: {leaf: {match: "leaf*"}, spine: {match: "spine*"}}\n'
        f"remaps: [{{at: leaf, in: spine, out: spine, queue: {queue}, dscp: {{26: 0}}}}]\n"
    )
    tables = sorted((HERE / "two_failures").glob(FORMS[0]))
    network = pauseproof.load(*tables, HERE / CABLING[0], declared)
    (report,) = pauseproof.verify(network).fabrics
    assert (report.verdict.value, report.coverage["dependencies"]) == expected
    assert len(walk_known(network, network.traffics["hosts"]).dependencies) == expected[1]


def test_behind_a_leaf_that_was_not_read_one_host_stands_for_all() -> None:
    files = [f for f in sorted((HERE / "healthy").glob("*.show_ip_route.json")) if not f.name.startswith("leaf3")]
    network = pauseproof.load(*files, HERE / CABLING[0])
    assert sorted(host.name for host in network.fabric.hosts()) == ["leaf1:swp31", "leaf2:swp31", "leaf3:unread", "leaf4:swp31"]
    assert "10.10.3.0/24" in network.destinations.names
    assert any("leaf3" in sentence for sentence in network.assumptions)


def test_infiniband_and_ethernet_dumps_are_not_one_fabric() -> None:
    ring = HERE.parent / "opensm" / "ring5_minhop"
    with pytest.raises(BadInput, match="an Ethernet dump beside InfiniBand's"):
        pauseproof.load(HERE / "healthy", HERE / CABLING[0], ring)
    with pytest.raises(BadInput, match="a dump beside a topology file"):
        pauseproof.load(HERE / "healthy", HERE.parent / "ring5.yaml")


def test_tables_and_cabling_need_each_other() -> None:
    with pytest.raises(BadInput, match="forwarding tables, but no cabling"):
        pauseproof.load(HERE / "healthy")
    with pytest.raises(BadInput, match="cabling, but no forwarding tables"):
        pauseproof.load(HERE / CABLING[0])
