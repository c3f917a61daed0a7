import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from schemas import validate

Run = Callable[..., Any]
RING, THREE = "topologies/opensm/ring5_minhop", "topologies/ring3-one-way.yaml"
QUICK = ("--arbitration", "fifo", "--seeds", "1")


def test_text_tells_the_outcome_what_was_tried_and_that_it_is_a_model(run: Run) -> None:
    done = run("replay", THREE, "--seeds", "1")
    assert done.code == 1 and done.err == ""
    assert done.out.startswith("frozen  ")
    for words in ("a model of the mechanism, not a measurement", "What was tried", "round-robin", "The frozen state"):
        assert words in done.out
    assert "proves that the loop is harmless" in done.out and "s0-h0 -> s2-h0, as fast as it can" in done.out


def test_a_trigger_freezes_what_runs_without_it(run: Run) -> None:
    given = (THREE, "--flows", "topologies/flows/ring3-at-0.3.yaml", "--seeds", "1")
    quiet = run("replay", *given)
    assert quiet.code == 0 and quiet.out.startswith("runs  ")
    done = run("replay", *given, "--trigger", "s2-h0", "--for", "100us", "--format", "json")
    assert done.code == 1
    runs = json.loads(done.out)["runs"]
    assert [(one["arbitration"], one["outcome"]) for one in runs] == [
        (arbitration, outcome) for arbitration in ("fifo", "round-robin", "random") for outcome in ("runs", "frozen")
    ]
    assert [one["trigger"]["kind"] for one in runs[:2]] == ["none", "pause"] and not runs[1]["froze_before_trigger"]
    assert runs[1]["trigger"] == {"kind": "pause", "hosts": ["s2-h0"], "start_us": 16.384, "for_us": 100.0, "senders": 0}


def test_a_trigger_is_not_blamed_for_what_froze_before_it(run: Run) -> None:
    given = (THREE, *QUICK, "--trigger", "s2-h0", "--for", "1us", "--at", "1ms")
    done = run("replay", *given)
    assert done.code == 1 and done.out.startswith(
        "frozen  topologies/ring3-one-way.yaml, roce: 2 of 2 runs froze, 1 of them before "
    )
    table = [row.split() for row in done.out.splitlines() if row.startswith("  fifo  ")]
    assert [row[-4:] for row in table] == [["1", "-", "-", "-"], ["-", "1", "-", "-"]]
    assert "  froze before the trigger, at 23.54 µs: it begins at 1,000 µs and has no part in it\n" in done.out
    assert "The frozen state  fifo arbitration, no trigger, seed 0: frozen after 23.54 µs\n" in done.out
    assert "      waits for s0 port 1 -> s1 port 1, priority 0\n" in done.out
    runs = json.loads(run("replay", *given, "--format", "json").out)["runs"]
    assert [one["froze_before_trigger"] for one in runs] == [False, True] and runs[1]["frozen_at_us"] < 24


@pytest.mark.parametrize("path", [RING, THREE, "topologies/mesh4x4-adaptive-reselecting.yaml"])
def test_json_follows_its_schema_and_is_the_same_every_time(run: Run, path: str) -> None:
    done = run("replay", path, *QUICK, "--format", "json")
    document = json.loads(done.out)
    validate(document, "replay")
    assert {one["outcome"] for one in document["runs"]} <= {"frozen", "recovers", "runs"}
    assert run("replay", path, *QUICK, "--format", "json").out == done.out


def test_the_schema_refuses_what_is_no_replay(run: Run) -> None:
    document = json.loads(run("replay", THREE, *QUICK, "--format", "json").out)
    document["runs"][0]["outcome"] = "safe"
    with pytest.raises(jsonschema.ValidationError):
        validate(document, "replay")


def test_pictures_are_drawn(run: Run, tmp_path: Path) -> None:
    run("replay", RING, *QUICK, "--draw", "frozen.svg", "--chart", "held.svg", "--output", "r.json")
    assert "16 packets stuck" in (tmp_path / "frozen.svg").read_text("utf-8")
    chart = (tmp_path / "held.svg").read_text("utf-8")
    assert "full 16" in chart and chart.count(", VL 0</text>") == 5
    assert json.loads((tmp_path / "r.json").read_text())["outcome"] == "frozen"
    run("replay", RING, *QUICK, "--draw", "frozen.dot")
    assert (tmp_path / "frozen.dot").read_bytes().startswith(b"digraph")


def test_nothing_is_drawn_where_nothing_froze(run: Run, tmp_path: Path) -> None:
    done = run("replay", THREE, "--flows", "topologies/flows/ring3-at-0.3.yaml", *QUICK, "--draw", "f.svg", "--chart", "c.svg")
    assert done.err == "no run froze, so f.svg is not drawn\n" and done.code == 0
    assert not (tmp_path / "f.svg").exists() and (tmp_path / "c.svg").exists()


def test_the_forwarding_loop_of_the_paper_at_the_command_line(run: Run) -> None:
    given = ("topologies/forwarding-loop-40g.yaml", "--flows", "topologies/flows/forwarding-loop-5.2.yaml", "--ttl", "16")
    assert run("replay", *given, "--until", "4ms").code == 1
    assert run("replay", *given[:-1], "14", "--until", "4ms").code == 0  # drains 5.7


def test_a_watchdog_turns_a_freeze_into_drops(run: Run) -> None:
    done = run("replay", THREE, *QUICK, "--watchdog", "50us", "--format", "json")
    runs = json.loads(done.out)["runs"]
    assert done.code == 0 and {one["outcome"] for one in runs} == {"recovers"}
    assert all(one["lost"]["watchdog"] > 0 for one in runs)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["topologies/fat-tree-k4.yaml"], "there is no loop to replay: DEADLOCK_FREE"),
        ([THREE, "--loop", "4"], "--loop: '4' is no loop; expected a number from 1 to 1"),
        ([THREE, "--trigger", "s9"], "--trigger: no host is called 's9'"),
        ([THREE, "--for", "100"], "duration '100' is not understood"),
        ([THREE, "--xoff", "2", "--xon", "2"], "XON at 2 packets must be below XOFF at 2"),
        ([THREE, "--flows", "no-such-file"], "no-such-file: cannot be read"),
        ([THREE, "--flows", THREE], "unknown key 'switches' in a file of flows"),
        ([THREE, "--chart", "a.png"], "--chart a.png ends in no format that is written: svg"),
        ([THREE, "--trigger", "s2"], "--trigger: no host is called 's2'; did you mean 's2-h0'?"),
        ([THREE, "--draw", "a.bmp"], "ends in no format that is drawn"),
        ([THREE, "--draw", "none/a.svg"], "cannot be written"),
        ([THREE, "--draw", "a.svg", "--chart", "./a.svg"], "two reports would go to the same file"),
        ([THREE, "--chart", "a.svg", "--output", "a.svg", "--format", "text"], "two reports would go to the same file"),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    done = run("replay", *words, *QUICK)
    assert done.code == 2 and said in done.err and "Traceback" not in done.err and not done.out
    assert not list(tmp_path.glob("*.svg"))
