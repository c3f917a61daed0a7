"""The benchmark scripts run, on tiny inputs; what they make is what they say."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pauseproof
from oracle import cyclic_components
from pauseproof.findings.report import Verdict
from pauseproof.routing.walk import walk_known

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a benchmark by its name."""
    monkeypatch.syspath_prepend(FOLDER)
    return import_module


def said(*command: str | Path) -> str:
    done = subprocess.run([sys.executable, *map(str, command)], cwd=FOLDER, capture_output=True, text=True, check=True)
    return done.stdout


def test_large_fabrics_prints_a_line_for_each() -> None:
    lines = said("large_fabrics.py", "k8", "k8-overridden", "k4-dump").splitlines()
    assert [line.split()[0] for line in lines] == ["k8", "k8-overridden", "k4-dump"]
    assert [line.split()[-1] for line in lines] == ["DEADLOCK_FREE", "DEADLOCK_POSSIBLE", "DEADLOCK_FREE"]


def test_realize_ring_makes_loops_of_sixteen(script: Any, tmp_path: Path) -> None:
    (tmp_path / "ring.yaml").write_text(script("realize_ring").ring(3, leaves=1))
    report = pauseproof.verify(pauseproof.load(tmp_path / "ring.yaml"), realize=True).fabrics[0]
    loops = [finding for finding in report.findings if finding.slug == "cyclic-buffer-dependency"]
    assert {len(finding.loop) for finding in loops} == {16}
    assert all(fact.routable for finding in loops if finding.carries for fact in finding.carries.dependencies)


def test_hash_headers_prints_a_line_for_each() -> None:
    lines = said("hash_headers.py", "1000").splitlines()
    assert lines[0].split()[:3] == ["crc16", "1,000", "headers"]
    assert len(lines) == 12


@pytest.mark.parametrize("seed", range(4))
def test_overridden_entries_change_the_answer_as_the_walker_says(script: Any, tmp_path: Path, seed: int) -> None:
    texts = script("large_fabrics")
    path = tmp_path / "topology.yaml"
    free = []
    for text in (texts.fat_tree(4), texts.overridden(4, entries=3, seed=seed)):
        path.write_text(text)
        network = pauseproof.load(path)
        walked = walk_known(network, network.traffics["hosts"])
        found = pauseproof.verify(network).fabrics[0]
        free.append(found.verdict is Verdict.DEADLOCK_FREE)
        assert free[-1] == (not cyclic_components(walked.dependencies))
        assert found.coverage["dependencies"] == len(walked.dependencies)
    assert free == [True, False]


def test_a_made_dump_is_a_fat_tree_that_reaches_every_host(script: Any, tmp_path: Path) -> None:
    script("make_fat_tree_dump").write_dump(6, tmp_path)
    found = pauseproof.verify(pauseproof.load(tmp_path)).fabrics[0]
    assert found.verdict is Verdict.DEADLOCK_FREE and set(found.other_traffic.values()) == {Verdict.DEADLOCK_FREE}
    assert (found.coverage["switches"], found.coverage["hosts"]) == (45, 54)
    assert found.coverage["unroutable_pairs"] == found.coverage["looping_pairs"] == 0
    assert found.coverage["pairs"] == 54 * 53


@pytest.mark.skipif(shutil.which("ibdmchk") is None, reason="ibdmchk is not installed")
def test_both_verdicts_are_read_from_what_was_printed(script: Any, tmp_path: Path) -> None:
    script("make_fat_tree_dump").write_dump(4, tmp_path)
    line = script("verify_against_ibdmchk").compare(shutil.which("ibdmchk"), tmp_path, 1)
    assert line.endswith("DEADLOCK_FREE against DEADLOCK_FREE") and "times as fast" in line


def test_parse_lfts_prints_rates() -> None:
    assert said("parse_lfts.py", "1").splitlines()[0].startswith("pauseproof")


def test_job_flows_counts_every_queue_pair_of_an_all_to_all() -> None:
    assert said("job_flows.py", "40").split()[:2] == [str(40 * 39 * 8 * 4), "flows"]


def test_load_of_jobs_prints_a_line_for_each() -> None:
    lines = said("load_of_jobs.py", "small-all-to-all", "bisection").splitlines()
    assert [line.split()[0] for line in lines] == ["small-all-to-all", "bisection"]
    assert " SLOWDOWN " in lines[0] and " EFFECTIVE BISECTION BANDWIDTH " in lines[1]
