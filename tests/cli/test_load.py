"""``pauseproof load``: text and JSON, the same every time, and what it refuses."""

import json
from itertools import permutations
from pathlib import Path

import pytest

import pauseproof
from cli.conftest import Run
from naive_load import naive_load
from pauseproof.loads import chance
from schemas import validate

TREE = "topologies/opensm/fattree4_minhop"


@pytest.mark.parametrize("what", [("--balance",), ("--bisection", "20"), ("--bisection", "20", "--pattern", "halves")])
def test_json_follows_its_schema_and_is_the_same_every_time(run: Run, what: tuple[str, ...]) -> None:
    done = run("load", TREE, *what, "--format", "json")
    assert done.code == 0 and done.err == ""
    validate(json.loads(done.out), "load")
    assert run("load", TREE, *what, "--format", "json").out == done.out


def test_idle_links_are_counted_and_found(run: Run) -> None:
    document = json.loads(run("load", TREE, "--balance", "--format", "json").out)
    assert (document["idle"], sum(row["idle"] for row in document["balance"])) == (16, 16)
    assert sum(link["destinations"] == 0 for link in document["links"]) == 16
    assert [finding["rule"] for finding in document["findings"]] == ["PP502", "PP502"]
    assert run("load", TREE, "--balance", "--fail-on", "warning").code == 1


def test_a_seed_is_another_draw(run: Run) -> None:
    first, second = (json.loads(run("load", TREE, "--bisection", "9", "--seed", s, "--format", "json").out) for s in "12")
    assert first["effective_bisection_bandwidth"] != second["effective_bisection_bandwidth"]
    assert first["permutations"] == 9 and first["assumptions"] == []


def test_several_reports_of_one_run(run: Run, tmp_path: Path) -> None:
    done = run("load", TREE, "--bisection", "3", "--output", "b.json", "--format", "json", "--format", "text")
    assert done.code == 0 and done.out.startswith("EFFECTIVE BISECTION BANDWIDTH")
    validate(json.loads(Path("b.json").read_text("utf-8")), "load")


@pytest.mark.parametrize("other", [("--bisection", "3"), ("--job", "topologies/jobs/shift.yaml")])
def test_one_question_at_a_time(run: Run, other: tuple[str, ...]) -> None:
    done = run("load", TREE, "--balance", *other)
    assert done.code == 2 and "expected no more than one of" in done.err


def test_without_a_question_the_balance_is_told(run: Run) -> None:
    done = run("load", TREE)
    assert done.code == 0 and done.out == run("load", TREE, "--balance").out
    assert done.out.startswith("16 of 96 links serve no destination")
    assert run("load", "topologies/fat-tree-k4.yaml").out.startswith("Every link serves some destination  fat-tree, ")


def test_divisions_into_halves_have_a_plural(run: Run) -> None:
    first = run("load", TREE, "--bisection", "20", "--pattern", "halves").out.splitlines()[0]
    assert "16 hosts, 20 random divisions into halves, seed 0" in first
    assert ", 1 random permutation, seed" in run("load", TREE, "--bisection", "1").out.splitlines()[0]


def test_hosts_that_draw_themselves_are_told(run: Run) -> None:
    """Two hosts: half of all permutations change nothing, and are drawn again."""
    Path("two.yaml").write_text("leaf-spine: {leaves: 2, spines: 1, hosts: 1}\nrouting: ecmp\n")
    document = json.loads(run("load", "two.yaml", "--bisection", "50", "--format", "json").out)
    validate(document, "load")
    assert (document["permutations"], document["flows"], document["silent"]) == (50, 100, 0)
    Path("three.yaml").write_text("leaf-spine: {leaves: 3, spines: 1, hosts: 1}\nrouting: ecmp\n")
    three = json.loads(run("load", "three.yaml", "--bisection", "50", "--format", "json").out)
    assert three["permutations"] == 50 and three["flows"] + three["silent"] == 150 and three["silent"] > 0
    said = run("load", "three.yaml", "--bisection", "50").out
    assert f"all {three['flows']} flows of all permutations ({three['silent']} times a host drew itself" in said


def test_hosts_without_partners(run: Run) -> None:
    Path("one.yaml").write_text("leaf-spine: {leaves: 1, spines: 1, hosts: 1}\nrouting: ecmp\n")
    done = run("load", "one.yaml", "--bisection")
    assert done.code == 2 and "fewer than two hosts" in done.err


@pytest.mark.parametrize("fabric", [TREE, "topologies/fat-tree-k4.yaml", "topologies/opensm/ring5_minhop"])
def test_the_load_of_a_job(run: Run, fabric: str) -> None:
    hosts = 10 if "ring5" in fabric else 16
    Path("job.yaml").write_text(f"nodes: {hosts}\ngpus: 1\nnics: 1\ncollectives: [{{kind: all-to-all, bytes: {hosts}KiB}}]\n")
    done = run("load", fabric, "--job", "job.yaml", "--format", "json")
    document = json.loads(done.out)
    validate(document, "load")
    assert run("load", fabric, "--job", "job.yaml", "--format", "json").out == done.out
    network = pauseproof.load(fabric)
    naive = naive_load(network, [(0, a, b, 1024) for a, b in permutations(range(hosts), 2)])
    names = [
        (network.fabric.node_name[l.src], l.src_port, network.fabric.node_name[l.dst], l.dst_port)
        for l in network.fabric.links()
    ]
    expected = {at: naive.bytes.get((0, l), 0) for l, at in enumerate(names)}
    found = {(row["from"], int(row["from_port"]), row["to"], int(row["to_port"])): row["bytes"] for row in document["links"]}
    assert found == pytest.approx({at: float(bytes) for at, bytes in expected.items()})
    assert document["bytes"]["arrived"] == hosts * (hosts - 1) * 1024 and document["slowdown"] >= 1.0


def test_text_tells_the_slowdown_and_why(run: Run) -> None:
    done = run("load", TREE, "--job", "topologies/jobs/shift.yaml")
    assert done.code == 0 and done.out.startswith("SLOWDOWN 2.00  shift.yaml on fattree4_minhop")
    assert "Why  a0_0 port 3 -> c0_0 port 1" in done.out and "opensm.fdbs:104" in done.out
    assert "PP501 hot-link" in done.out


def test_hashes_that_are_known_make_it_exact(run: Run) -> None:
    Path("hashed.yaml").write_text("fat-tree: {k: 4}\nrouting: ecmp\nhashing: {algorithm: crc16, seed: 0}\n")
    document = json.loads(run("load", "hashed.yaml", "--job", "topologies/jobs/all-to-all.yaml", "--format", "json").out)
    validate(document, "load")
    assert document["method"] == "hashed" and document["slowdown"] > 1.0
    assert any("hash functions are modelled" in assumption for assumption in document["assumptions"])


def test_what_is_drawn_is_told_by_its_median(run: Run) -> None:
    what = ("load", "topologies/fat-tree-k4.yaml", "--job", "topologies/jobs/shift.yaml")
    document = json.loads(run(*what, "--format", "json").out)
    validate(document, "load")
    distribution = document["distribution"]
    assert document["slowdown"] == distribution["slowdown"]["50%"] == document["phases"][0]["slowdown"] == 3.0
    assert (document["slowdown_is"], distribution["slowdown_of_mean_loads"], document["method"]) == ("median", 1.0, "expected")
    assert max(link["median_sample_bytes"] for link in document["links"]) == document["phases"][0]["time"]
    assert document["phases"][0]["quantiles"] == {"5%": 2.0, "50%": 3.0, "95%": 3.0}
    assert document["why"][0]["bytes"] == document["phases"][0]["time"]
    text = run(*what, "--draw", "fabric.dot", "--chart", "chart.dot", "--fail-on", "warning")
    assert text.code == 1 and text.out.startswith("SLOWDOWN 3.00 (median of 64 samples)  shift.yaml on fat-tree, 1 phase\n")
    assert "of the mean loads: 1.00 (no sample is as low)" in text.out.splitlines()[1]
    for picture in ("fabric.dot", "chart.dot"):
        assert "slowdown 3.00 (median of 64 samples)" in Path(picture).read_text("utf-8")
    assert "most 201 MB" in Path("fabric.dot").read_text("utf-8")
    assert run("verify", "topologies/fat-tree-k4.yaml", "--job", "topologies/jobs/shift.yaml", "--fail-on", "warning").code == 1


def test_what_cannot_be_drawn_is_a_lower_bound(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "WALKS", 1)
    what = ("load", "topologies/fat-tree-k4.yaml", "--job", "topologies/jobs/shift.yaml")
    document = json.loads(run(*what, "--format", "json").out)
    validate(document, "load")
    assert (document["slowdown"], document["slowdown_is"]) == (1.0, "lower-bound")
    text = run(*what, "--draw", "fabric.dot")
    assert text.out.startswith("SLOWDOWN AT LEAST 1.00 (a lower bound)  shift.yaml") and text.code == 0
    assert "slowdown at least 1.00 (a lower bound)" in Path("fabric.dot").read_text("utf-8")
    assert run(*what, "--fail-on", "info").code == 1


def test_a_job_that_does_not_fit_is_refused(run: Run) -> None:
    Path("job.yaml").write_text("nodes: 17\ngpus: 1\nnics: 1\ncollectives: [{kind: all-reduce, bytes: 1KiB}]\n")
    done = run("load", TREE, "--job", "job.yaml")
    assert done.code == 2 and done.err.startswith("job.yaml:1:")


def test_pictures(run: Run) -> None:
    done = run("load", TREE, "--job", "topologies/jobs/shift.yaml", "--draw", "fabric.svg", "--chart", "load.svg")
    assert done.code == 0
    assert "slowdown 2.00 (pinned)" in Path("fabric.svg").read_text("utf-8")
    assert "8 idle" in Path("load.svg").read_text("utf-8")


@pytest.mark.parametrize(
    "what", [("--balance", "--draw", "x.svg"), ("--job", "topologies/jobs/shift.yaml", "--chart", "x.bmp")]
)
def test_pictures_that_are_refused(run: Run, what: tuple[str, ...]) -> None:
    done = run("load", TREE, *what)
    assert done.code == 2 and done.out == ""


def test_verify_takes_a_job_too(run: Run) -> None:
    document = json.loads(run("verify", TREE, "--job", "topologies/jobs/shift.yaml", "--format", "json").out)
    rules = {finding["rule"] for finding in document["fabrics"][0]["findings"]}
    assert {"PP501", "PP502"} <= rules and document["fabrics"][0]["verdict"] == "DEADLOCK_FREE"
    assert {"job"} <= {entry["format"] for entry in document["inputs"]}
    assert run("verify", TREE, "--job", "topologies/jobs/shift.yaml", "--fail-on", "warning").code == 1
