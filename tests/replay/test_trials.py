from dataclasses import replace

from pauseproof.replay.run import Trigger
from pauseproof.replay.settings import Settings
from pauseproof.replay.trials import Trials, packet_time, replay
from pauseproof.replay.triggers import When, pause
from replay.known import flows_of, loop_of, network_of


def test_every_arbitration_trigger_and_seed_is_run_in_order() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0"), loop_of(network)
    when = When(20_000_000, 100_000_000)
    trials = Trials((Trigger(), pause([0], when), pause([0, 1, 2], when)), 400_000_000)
    done = replay(network, loop, flows, Settings(), trials)
    assert len(done.runs) == 3 * len(trials.triggers) * 2
    order = [(run.settings.arbitration, trials.triggers.index(run.trigger), run.settings.seed) for run in done.runs]
    assert order == sorted(order, key=lambda key: (trials.arbitrations.index(key[0]), *key[1:]))
    assert done.outcome == "frozen" == done.shown.outcome
    again = replay(network, loop, flows, Settings(), trials)
    assert again == done


def test_the_outcome_is_the_worst() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, "s0-h0 s2-h0 0.3"), loop_of(network)
    trials = Trials((Trigger(),), 10**9, ("fifo",), (0,))
    assert replay(network, loop, flows, Settings(), trials).outcome == "runs"
    runs = replay(network, loop, flows, Settings(), trials)
    worse = replace(runs, runs=(*runs.runs, replace(runs.runs[0], outcome="recovers")))
    assert worse.outcome == "recovers" and worse.shown is worse.runs[1]


def test_what_the_trigger_has_part_in_is_shown_before_what_froze_without_it() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0"), loop_of(network)
    late, soon = (pause([2], When(start, 10**8)) for start in (10**9, 10**7))
    done = replay(network, loop, flows, Settings(), Trials((late, soon), 10**10, ("fifo",), (0,)))
    assert [run.before for run in done.runs] == [True, False] and done.shown is done.runs[1]
    assert replace(done, runs=done.runs[:1]).shown is done.runs[0]


def test_times_go_with_the_slowest_link() -> None:
    network = network_of("hawkeye-ring")
    assert packet_time(network, flows_of(network, "h4 h7"), Settings()) == Settings().sending(50.0)
    assert packet_time(network, flows_of(network, "h12 h16"), Settings()) == Settings().sending(100.0)
    unknown = replace(network, fabric=replace(network.fabric, speed=None))
    assert packet_time(unknown, flows_of(unknown, "h4 h7"), Settings(speed=10.0)) == Settings().sending(10.0)
