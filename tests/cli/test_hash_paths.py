"""``pauseproof hash PATH``: text, JSON, and exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas import validate

Run = Callable[..., Any]
POLARIZED, OFFSETS = "topologies/fat-tree-k8-polarized.yaml", "topologies/fat-tree-k8-offsets.yaml"


@pytest.mark.parametrize(
    ("words", "code", "first"),
    [
        ([POLARIZED], 0, "POLARIZED  4 times fewer combinations"),
        ([POLARIZED, "--fail-on", "warning"], 1, "POLARIZED  4 times fewer combinations"),
        ([OFFSETS, "--fail-on", "warning"], 0, "SPREAD  no chain of 2"),
        (["topologies/clos4x2.yaml"], 3, "NOT KNOWN  1 of 1 chain cannot be counted"),
        (["topologies/opensm/ring5_minhop"], 0, "NO HASHES"),
    ],
)
def test_first_line_and_exit_code(run: Run, words: list[str], code: int, first: str) -> None:
    done = run("hash", *words)
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(first)


@pytest.mark.parametrize("path", [POLARIZED, OFFSETS, "topologies/clos4x2.yaml", "topologies/frr/two_failures"])
def test_json_follows_its_schema(run: Run, path: str) -> None:
    paths = [path, "topologies/frr/clos4x2.clab.yml"] if "frr" in path else [path]
    document = json.loads(run("hash", *paths, "--format", "json").out)
    validate(document, "polarization")


def test_chains_for_programs(run: Run) -> None:
    document = json.loads(run("hash", POLARIZED, "--prove", "--format", "json").out)
    validate(document, "polarization")
    chain = document["chains"][0]
    assert chain["tiers"] == [0, 1]
    assert (chain["combinations"], chain["possible"], chain["method"], chain["factor"]) == (4, 16, "rank", 4.0)
    assert chain["switches"] == ["edge0-0", "agg0-0", "core00", "agg1-0", "edge1-0"]
    assert chain["remedy"] == {
        "tier": 1, "hash": "ecmp", "key": "offset", "value": "2", "combinations": 16, "possible": 16,
    }  # fmt: skip
    assert chain["hashes"][1]["where"]["seed"] == f"{POLARIZED}:6:35"
    assert {member["proof"] for member in document["unreached"]} == {"proved"}
    assert len(document["unreached"]) == 96


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Usage: pauseproof hash"),
        (["none"], "none: cannot be read"),
        (["--samples", "topologies/measured/egress.csv", "--prove", "1"], "--prove is about the hashes of a fabric"),
    ],
)
def test_what_is_refused(run: Run, words: list[str], said: str) -> None:
    done = run("hash", *words)
    assert done.code == 2
    assert said in done.out + done.err


def test_a_fabric_without_hosts_has_no_chains(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.yaml").write_text("switches: [a, b]\ncables: [[a, b]]\nrouting: ecmp\nhashing: {algorithm: crc16}\n")
    done = run("hash", "bare.yaml", "--prove")
    assert done.code == 0 and done.out.startswith("NO HASHES"), done.err


def test_what_is_not_known_says_what_to_declare(run: Run) -> None:
    out = run("hash", "topologies/clos4x2.yaml").out
    assert "\nNot known\n  tier 0, 2 ways: algorithm: " in out
    assert "Declare it under `hashing:`" in out


def test_a_verdict_that_rests_on_hashes_is_said_where_others_are_proposed(run: Run) -> None:
    """With the offset that is proposed for the load, the loops of this fabric close."""
    found = json.loads(run("verify", "topologies/polarized.yaml", "--realize", "--format", "json").out)["fabrics"][0]
    fixes = [finding["fix"] for finding in found["findings"] if finding["rule"] in ("PP406", "PP410")]
    assert fixes and all("the verdict rests on these very hashes" in fix for fix in fixes)
    found = json.loads(run("verify", "topologies/polarized-offset.yaml", "--realize", "--format", "json").out)["fabrics"][0]
    assert not any("rests on these very hashes" in finding["fix"] for finding in found["findings"])


def test_samples_of_a_fabric_are_tried_with_its_own_seeds(run: Run) -> None:
    paths = ["topologies/frr/healthy", "topologies/frr/clos4x2.clab.yml", "topologies/measured/pauseproof.yaml"]
    out = run("hash", *paths, "--samples", "topologies/measured/leaf1.csv").out
    assert "explains all: linux" in out
