from pauseproof.replay.run import Trigger, replayed
from pauseproof.replay.settings import MS, US, Settings
from replay.known import flows_of, host_id, loop_of, network_of, run

FULL = "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0"


def test_a_run_does_not_end_while_it_is_not_clear_whether_the_watchdog_helps() -> None:
    got = run("ring3-one-way", FULL, Settings(watchdog=700 * US), until=100)
    assert got.outcome == "recovers" and got.lost["watchdog"] > 0 and got.ended > 700 * US


def test_frozen_is_told_as_soon_as_it_is_so_but_not_within_the_trigger() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, FULL), loop_of(network)
    soon = replayed(network, flows, loop, Settings(), Trigger(), 10 * MS)
    assert soon.outcome == "frozen" and soon.frozen_at is not None and soon.frozen_at < 30 * US and soon.ended < 100 * US
    paused = Trigger("pause", (host_id(network, "s2-h0"),), 10 * US, 200 * US)
    later = replayed(network, flows, loop, Settings(), paused, 10 * MS)
    assert later.outcome == "frozen" and later.ended >= 210 * US


def test_what_froze_before_the_trigger_began_ends_there_and_is_told_apart() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, FULL), loop_of(network)
    quiet = replayed(network, flows, loop, Settings(), Trigger(), 10 * MS)
    late = Trigger("pause", (host_id(network, "s2-h0"),), 1 * MS, 5 * MS)
    got = replayed(network, flows, loop, Settings(), late, 10 * MS)
    assert got.before and not quiet.before and got.ended == late.start
    assert (got.outcome, got.frozen_at, got.cycle) == ("frozen", quiet.frozen_at, quiet.cycle)
    again = flows_of(network, "s0-h0 s2-h0 0.3; s1-h0 s0-h0 0.3; s2-h0 s1-h0 0.3")
    caused = replayed(network, again, loop, Settings(), Trigger("pause", late.hosts, 100 * US, 400 * US), 10 * MS)
    assert caused.outcome == "frozen" and not caused.before


def test_counts_are_of_the_loop() -> None:
    got = run("ring3-one-way", "s0-h0 s2-h0 0.3", Settings())
    assert (got.outcome, got.closed, got.most, got.frozen, got.cycle) == ("runs", 0, 0, 0, ())
    assert got.sent >= got.delivered > 0 and not sum(got.lost.values())


def test_without_a_loop_nothing_recovers_and_all_can_freeze() -> None:
    network = network_of("ring3-one-way")
    quiet = replayed(network, flows_of(network, "s0-h0 s2-h0"), (), Settings(), Trigger(), 200 * US)
    assert quiet.outcome == "runs"
    assert replayed(network, flows_of(network, FULL), (), Settings(), Trigger(), 200 * US).outcome == "frozen"
