from pauseproof.replay.run import Trigger, replayed
from pauseproof.replay.settings import US, Settings
from pauseproof.replay.trace import trace
from pauseproof.replay.triggers import When, pause
from replay.known import flows_of, host_id, loop_of, network_of

FULL = "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0"


def test_a_frozen_run_is_seen_to_fill_and_stay() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, FULL), loop_of(network)
    run = replayed(network, flows, loop, Settings(), Trigger(), 500 * US)
    seen = trace(network, flows, loop, run)
    assert run.frozen_at is not None and seen.buffers == loop and seen.times[-1] > run.frozen_at
    stuck = {held.buffer: held.stuck for held in run.cycle}
    for buffer, held, paused in zip(seen.buffers, seen.held, seen.paused, strict=True):
        assert held[0] == 0 and len(held) == len(seen.times)
        assert held[-1] >= stuck[buffer]
        assert paused[-1][1] == seen.times[-1] and paused[-1][0] <= run.frozen_at


def test_a_run_that_recovers_is_seen_to_drain() -> None:
    network = network_of("ring3-one-way")
    flows, loop = flows_of(network, "s0-h0 s2-h0 0.3"), loop_of(network)
    when = pause([host_id(network, "s2-h0")], When(20 * US, 100 * US))
    run = replayed(network, flows, loop, Settings(), when, 500 * US)
    seen = trace(network, flows, loop, run)
    busy = max(range(len(seen.buffers)), key=lambda i: max(seen.held[i]))
    assert max(seen.held[busy]) >= 16 and seen.held[busy][-1] <= 2
    assert all(end < seen.times[-1] for _, end in seen.paused[busy]) and seen.paused[busy]
