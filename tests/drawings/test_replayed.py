from functools import cache
from pathlib import Path

import pauseproof
from pauseproof.drawings.chart import svg
from pauseproof.drawings.dot import loop_dot
from pauseproof.drawings.replayed import frozen_picture, occupancy
from pauseproof.findings.replay_asked import Wish
from pauseproof.findings.replayed import ReplayReport
from pauseproof.library import replays

TOPOLOGIES = Path(__file__).parents[2] / "topologies"


@cache
def report(name: str, *paused: str) -> ReplayReport:
    return replays(pauseproof.load(TOPOLOGIES / name), Wish(paused=paused, arbitrations=("fifo",), seeds=1))


def test_the_frozen_state_is_its_cycle_with_the_packets_that_are_stuck() -> None:
    shown = report("ring3-one-way.yaml")
    picture = frozen_picture(shown, shown.replay.shown)
    assert picture.loop_nodes == 3 and [hop.lane for hop in picture.hops] == ["0, 18 packets stuck"] * 3
    assert "frozen after" in picture.title and "(a model)" in picture.title
    assert loop_dot(picture).source.startswith("digraph")


def test_open_choices_are_drawn_too() -> None:
    shown = report("mesh4x4-adaptive-reselecting.yaml")
    assert "stuck" in loop_dot(frozen_picture(shown, shown.replay.shown)).source


def test_the_chart_has_a_strip_for_each_buffer_and_the_trigger() -> None:
    shown = report("ring3-one-way.yaml", "s2-h0")
    chart = occupancy(shown, next(run for run in shown.replay.runs if run.trigger.kind == "pause"))
    assert [strip.name for strip in chart.strips] == ["s2 → s0, priority 0", "s0 → s1, priority 0", "s1 → s2, priority 0"]
    assert [name for name, *_ in chart.spans] == ["s2-h0 paused"]
    assert chart.levels == (("XOFF", 16), ("XON", 2))
    assert "a model, not a measurement" in svg(chart)


def test_with_credits_the_level_is_the_room() -> None:
    shown = report("opensm/ring5_minhop")
    assert occupancy(shown, shown.replay.shown).levels == (("full", 16),)
