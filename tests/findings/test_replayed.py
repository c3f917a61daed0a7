from pathlib import Path

import pauseproof
from pauseproof.findings.replayed import replay_evidence, witnesses
from pauseproof.findings.verdict import Judged, judge
from pauseproof.replay.run import Trigger
from pauseproof.replay.settings import Settings
from pauseproof.replay.trials import Trials, replay
from pauseproof.replay.witness import load_witness
from pauseproof.routing.ask import Question

TOPOLOGIES = Path(__file__).parents[2] / "topologies"


def judged(name: str) -> Judged:
    return judge(pauseproof.load(TOPOLOGIES / name), Question())


def test_each_loop_of_the_verdict_is_a_witness_with_the_same_buffers() -> None:
    found = witnesses(judged("opensm/ring5_minhop"))
    assert len(found) == 2
    for finding, witness in found:
        assert len(finding.loop) == len(witness) == 5
        for here, after in zip(witness, (*witness[1:], witness[0]), strict=True):
            assert here.choice == {after.buffer}


def test_without_a_loop_the_stuck_set_is_one() -> None:
    ((finding, witness),) = witnesses(judged("ring3-parallel-reselecting.yaml"))
    assert finding.slug == "stuck-set" and len(witness) == 6
    assert all(len(wanted.choice) == 2 for wanted in witness)


def test_a_free_fabric_has_none() -> None:
    assert witnesses(judged("fat-tree-k4.yaml")) == []


def test_a_replay_that_freezes_is_evidence_and_another_is_none() -> None:
    network = judged("ring3-one-way.yaml").asked.network
    traffic = network.traffics["hosts"]
    ((_, witness),) = witnesses(judged("ring3-one-way.yaml"))
    loaded = load_witness(network, traffic, witness)
    trials = Trials((Trigger(),), 500_000_000, ("fifo", "round-robin"), (0,))
    (fact,) = replay_evidence(replay(network, loaded.loop, loaded.flows, Settings(), trials))
    assert fact.kind == "replayed"
    assert fact.statement == "1 of 2 runs of a packet-level model stop for good (fifo arbitration; without a trigger)"
    late = Trials((Trigger("pause", (0,), 10**9, 10**6),), 500_000_000, ("fifo",), (0,))
    (fact,) = replay_evidence(replay(network, loaded.loop, loaded.flows, Settings(), late))
    assert fact.statement.endswith("(fifo arbitration; without a trigger)")
    quiet = Trials((Trigger(),), 500_000_000, ("round-robin",), (0,))
    assert replay_evidence(replay(network, loaded.loop, loaded.flows, Settings(), quiet)) == ()
