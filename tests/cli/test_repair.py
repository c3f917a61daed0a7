import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pauseproof
from pauseproof.findings.report import Verdict
from schemas import validate

Run = Callable[..., Any]
RING = "topologies/opensm/ring5_minhop"


@pytest.mark.parametrize(
    ("path", "verdict", "offered"),
    [
        (RING, "DEADLOCK_POSSIBLE", True),
        ("topologies/fat-tree-k4.yaml", "DEADLOCK_FREE", False),
        ("topologies/unknown-row.yaml", "UNDECIDED", False),
    ],
)
def test_json_follows_its_schema_and_is_the_same_every_time(run: Run, path: str, verdict: str, offered: bool) -> None:
    done = run("repair", path, "--kind", "routes", "--format", "json")
    document = json.loads(done.out)
    validate(document, "repair")
    assert document["verdict"] == verdict
    assert bool(document["alternatives"]) == offered
    assert all(one["verdict_after"] == "DEADLOCK_FREE" for one in document["alternatives"])
    assert done.code == {"DEADLOCK_POSSIBLE": 0, "DEADLOCK_FREE": 0, "UNDECIDED": 3}[verdict]
    assert run("repair", path, "--kind", "routes", "--format", "json").out == done.out


def test_what_is_written_is_free_when_it_is_verified(run: Run) -> None:
    done = run("repair", RING, "--kind", "routes", "--write", "repaired")
    assert done.code == 0 and "repaired/routes/opensm-lfts.dump" in done.err
    again = pauseproof.load(f"{RING}/opensm-subnet.lst", "repaired/routes/opensm-lfts.dump")
    (report,) = pauseproof.verify(again).fabrics
    assert report.verdict is Verdict.DEADLOCK_FREE
    assert report.coverage["unroutable_pairs"] == 0 and report.coverage["pairs"] == 90
    assert Path("repaired/routes/routes.txt").read_text().startswith("switch S")


def test_a_folder_that_is_there_is_left_alone(run: Run) -> None:
    Path("repaired").mkdir()
    done = run("repair", RING, "--write", "repaired")
    assert done.code == 2 and "it is there already" in done.err
    assert list(Path("repaired").iterdir()) == []


def test_nothing_is_written_where_there_is_nothing_to_repair(run: Run) -> None:
    done = run("repair", "topologies/fat-tree-k4.yaml", "--write", "repaired")
    assert done.code == 0 and "not written" in done.err
    assert not Path("repaired").exists()


def test_a_folder_that_cannot_be_made_is_told(run: Run) -> None:
    done = run("repair", RING, "--kind", "routes", "--write", "none/repaired")
    assert done.code == 2 and "cannot be written" in done.err


def test_text_says_what_to_change_and_where(run: Run) -> None:
    done = run("repair", RING, "--kind", "routes")
    assert "Alternative 1  routes: 4 routes moved or withdrawn" in done.out
    assert "(topologies/opensm/ring5_minhop/opensm.fdbs:" in done.out


@pytest.mark.parametrize(
    ("name", "exists", "said"),
    [
        ("two-buffer-reselecting", True, "5 buffers, in which every packet"),
        ("mesh4x4-adaptive-reselecting", False, "none exists"),
    ],
)
def test_the_escape_set_of_packets_that_reselect(run: Run, name: str, exists: bool, said: str) -> None:
    words = ("repair", f"topologies/{name}.yaml", "--kind", "routes")
    document = json.loads(run(*words, "--format", "json").out)
    validate(document, "repair")
    assert document["escape"]["exists"] == exists == bool(document["escape"]["buffers"])
    assert said in run(*words).out


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_told_on_a_terminal_and_taken_away_again(run: Run, monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    clock = iter(range(10**9))
    monkeypatch.setattr("pauseproof.cli.progress.time.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    done = run("repair", RING, "--kind", "routes", "--budget", "1e6")
    assert done.code == 0
    assert ("\rlooking for routes: " in done.err and " of at most 1,000,000 seconds" in done.err) == terminal
    assert done.err.endswith(" \r") if terminal else done.err == ""
