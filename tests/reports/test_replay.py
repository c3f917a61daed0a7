from dataclasses import replace
from pathlib import Path

import pauseproof
from pauseproof.findings.replay_asked import Wish
from pauseproof.findings.replayed import ReplayReport
from pauseproof.library import replays
from pauseproof.replay.settings import US, Settings
from pauseproof.reports.replay import MODEL, PROVES_NOTHING, as_json, replay_lines
from pauseproof.reports.styled import plain

TOPOLOGIES = Path(__file__).parents[2] / "topologies"
FEW = Wish(arbitrations=("fifo",), seeds=1)


def report(name: str, settings: Settings | None = None) -> ReplayReport:
    return replays(pauseproof.load(TOPOLOGIES / name), FEW, settings)


def test_every_text_says_that_it_is_a_model_and_proves_nothing() -> None:
    for name, outcome in (("ring3-one-way.yaml", "frozen"), ("ring3-parallel-reselecting.yaml", "recovers")):
        text = plain(replay_lines(report(name)))
        assert text.startswith(f"{outcome}  ") and MODEL in text and PROVES_NOTHING in text
        assert ("The frozen state" in text) == (outcome == "frozen")


def test_the_table_counts_every_run() -> None:
    shown = report("ring3-one-way.yaml")
    rows = [row.split() for row in plain(replay_lines(shown)).splitlines() if row.startswith("  fifo  ")]
    assert sum(int(cell) for row in rows for cell in row[-3:] if cell != "-") == len(shown.replay.runs)


def test_credits_and_what_throws_away_are_told() -> None:
    text = plain(replay_lines(report("opensm/ring5_minhop")))
    assert "credits for 16 packets in each buffer" in text and "packets go round for ever" in text
    text = plain(replay_lines(report("ring3-one-way.yaml", Settings(watchdog=50 * US, hoq=70 * US))))
    assert "a watchdog drops what has been paused for 50 µs" in text and "for 70 µs is dropped" in text


def test_a_dependency_that_no_flow_loads_is_told() -> None:
    shown = replace(report("ring3-one-way.yaml"), missing=1)
    assert "1 dependency of it is loaded by no flow" in plain(replay_lines(shown))
    loop = as_json(shown)["loop"]
    assert isinstance(loop, dict) and loop["not_loaded"] == 1


def test_names_cannot_steer_a_terminal() -> None:
    shown = report("ring3-one-way.yaml")
    fabric = shown.network.fabric
    names = [f"{name}\x1b[31m" for name in fabric.node_name]
    hostile = replace(shown, network=replace(shown.network, fabric=replace(fabric, name="x\x1b[0m", node_name=names)))
    assert "\x1b" not in plain(replay_lines(hostile))
