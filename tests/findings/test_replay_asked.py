from dataclasses import replace
from pathlib import Path

import pytest

import pauseproof
from pauseproof.fabric.places import BadInput
from pauseproof.findings.identity import short_id
from pauseproof.findings.replay_asked import Wish, replay_asked, settings_with, usual_settings
from pauseproof.findings.replayed import ReplayReport, frozen_hops, witnesses
from pauseproof.findings.verdict import judge
from pauseproof.library import replays
from pauseproof.routing.ask import Question

TOPOLOGIES = Path(__file__).parents[2] / "topologies"
FEW = Wish(arbitrations=("fifo",), seeds=1)


def replayed(name: str, wish: Wish = FEW) -> ReplayReport:
    network = pauseproof.load(TOPOLOGIES / name)
    return replay_asked(judge(network, Question()), network.inputs, usual_settings(network), wish)


def test_settings_go_with_the_fabric() -> None:
    roce, infiniband = pauseproof.load(TOPOLOGIES / "ring5.yaml"), pauseproof.load(TOPOLOGIES / "opensm/ring5_minhop")
    assert (usual_settings(roce).control, usual_settings(roce).ttl) == ("pause", 64)
    assert (usual_settings(infiniband).control, usual_settings(infiniband).ttl) == ("credits", None)
    assert settings_with(roce, xoff=9, xon=None).xoff == 9
    with pytest.raises(BadInput, match="XON at 9 packets must be below XOFF at 9"):
        settings_with(roce, xoff=9, xon=9)


def test_the_loop_is_picked_by_number_or_id() -> None:
    second = replayed("opensm/ring5_minhop", replace(FEW, loop="2"))
    assert (second.number, second.of) == (2, 2) and second.finding is not None
    assert replayed("opensm/ring5_minhop", replace(FEW, loop=short_id(second.finding))).number == 2
    judged = judge(pauseproof.load(TOPOLOGIES / "opensm/ring5_minhop"), Question())
    assert [wanted.buffer for wanted in witnesses(judged)[1][1]] == list(second.replay.loop)


def test_what_is_tried_by_default_and_what_is_asked_for() -> None:
    usual = replayed("ring3-one-way.yaml")
    assert {run.trigger.kind for run in usual.replay.runs} == {"none", "pause", "incast"}
    asked = replayed("ring3-one-way.yaml", replace(FEW, paused=("s2-h0", "s1-h0"), start=10**7, length=10**8))
    quiet, run = asked.replay.runs
    assert quiet.trigger.kind == "none"
    assert (run.trigger.kind, run.trigger.hosts, run.trigger.start, run.trigger.length) == ("pause", (2, 1), 10**7, 10**8)


def test_a_frozen_buffer_waits_for_others_of_its_cycle() -> None:
    report = replayed("opensm/ring5_minhop")
    hops = frozen_hops(report.network, report.replay.shown)
    names = {hop.buffer for hop in hops}
    assert len(hops) == 5 and all(set(hop.waits_for) <= names for hop in hops)


def test_flows_of_a_file_are_disturbed_by_nothing() -> None:
    network = pauseproof.load(TOPOLOGIES / "ring3-one-way.yaml")
    report = replays(network, FEW, flow_file=TOPOLOGIES / "flows/ring3-at-0.3.yaml")
    (run,) = report.replay.runs
    assert (run.outcome, run.trigger.kind, report.given) == ("runs", "none", True)
    assert [Path(entry.path).name for entry in report.inputs] == ["ring3-one-way.yaml", "ring3-at-0.3.yaml"]


def test_flows_can_be_replayed_where_there_is_no_loop() -> None:
    network = pauseproof.load(TOPOLOGIES / "fat-tree-k4.yaml")
    names = [network.fabric.host(h).name for h in (0, 5)]
    lines = f"flows: [{{src: {names[0]}, dst: {names[1]}}}]"
    from pauseproof.readers.flow_file import read_flow_file
    from pauseproof.readers.source import Source

    flows = read_flow_file(Source("f", lines.encode(), lines.encode()))
    report = replay_asked(judge(network, Question()), (), usual_settings(network), replace(FEW, flows=flows))
    assert report.finding is None and report.replay.outcome == "runs" and report.replay.loop == ()


@pytest.mark.parametrize(
    ("name", "wish", "said"),
    [
        ("fat-tree-k4.yaml", FEW, "there is no loop to replay: DEADLOCK_FREE; a file of flows replays any traffic"),
        ("ring5.yaml", replace(FEW, loop="3"), "--loop: '3' is no loop; expected a number from 1 to 2, or an id such as"),
        ("ring5.yaml", replace(FEW, paused=("s0-h9",)), "--trigger: no host is called 's0-h9'; did you mean"),
    ],
)
def test_what_is_refused(name: str, wish: Wish, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        replayed(name, wish)
    assert said in str(refused.value)
