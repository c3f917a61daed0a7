"""What papers and their simulations say of small fabrics, under several arbitrations and seeds."""

import pytest

from pauseproof.replay.run import Run
from pauseproof.replay.settings import ARBITRATIONS, Arbitration, Settings
from replay.known import network_of, run

SEEDS = range(4)


def wide(arbitration: Arbitration, seed: int) -> Settings:
    return Settings(arbitration=arbitration, seed=seed, xoff=64, xon=8)


def outcomes(runs: list[Run]) -> set[str]:
    return {run.outcome for run in runs}


# Hu et al., HotNets 2016: four switches. Two flows close the loop, and oversubscribe nothing at half rate.

FOUR = "hotnets-four-switches"
TWO_FLOWS, AT_HALF = "a d; c b", "a d 0.5 random; c b 0.5 random"


@pytest.mark.parametrize("arbitration", ["fifo", "round-robin"])
def test_two_flows_at_half_rate_run(arbitration: Arbitration) -> None:
    tried = [run(FOUR, AT_HALF, wide(arbitration, s)) for s in SEEDS]
    assert outcomes(tried) == {"runs"}


def test_a_third_flow_at_a_high_rate_freezes_them_under_fifo() -> None:
    tried = [run(FOUR, f"{AT_HALF}; b c 1", Settings(arbitration="fifo", seed=s)) for s in SEEDS]
    assert outcomes(tried) == {"frozen"}
    assert all(len(one.cycle) == 4 for one in tried)


@pytest.mark.parametrize("arbitration", ARBITRATIONS)
def test_a_third_flow_at_a_tenth_runs_with_wide_hysteresis(arbitration: Arbitration) -> None:
    tried = [run(FOUR, f"{AT_HALF}; b c 0.1 random", wide(arbitration, s)) for s in SEEDS]
    assert outcomes(tried) == {"runs"}


def test_a_receiver_that_pauses_freezes_two_flows_at_full_load() -> None:
    quiet = [run(FOUR, TWO_FLOWS, Settings(arbitration="fifo", seed=s)) for s in SEEDS]
    tried = [run(FOUR, TWO_FLOWS, Settings(arbitration="fifo", seed=s), paused="d") for s in SEEDS]
    assert "frozen" not in outcomes(quiet)
    assert outcomes(tried) == {"frozen"}


def test_round_robin_is_told_apart() -> None:
    tried = [run(FOUR, f"{AT_HALF}; b c 1", Settings(arbitration="round-robin", seed=s)) for s in SEEDS]
    assert outcomes(tried) == {"runs"}


# Wang et al., SIGCOMM 2025 (Hawkeye): the ring of 100 Gb/s is loaded to exactly 1.0; an incast lasts 1600 slots.

RING, GIVEN = "hawkeye-ring", "h4 h7; h11 h8; h6 h5; h9 h10"
INCAST = "h12 h16; h13 h17; h14 h18; h15 h19"


@pytest.mark.parametrize("arbitration", ARBITRATIONS)
def test_the_ring_of_hawkeye_runs_until_an_incast_freezes_it(arbitration: Arbitration) -> None:
    for seed in (0, 1):
        settings = Settings(arbitration=arbitration, seed=seed)
        assert run(RING, GIVEN, settings).outcome == "runs"
        frozen = run(RING, GIVEN, settings, burst=INCAST, at=(100, 524), until=1500)
        assert frozen.outcome == "frozen"
        assert [switch_pair(held.buffer) for held in frozen.cycle] == ["s2 s0", "s0 s1", "s1 s3", "s3 s2"]


def switch_pair(buffer: tuple[int, int]) -> str:
    fabric = network_of(RING).fabric
    link = fabric.link(buffer[0])
    return f"{fabric.node_name[link.src]} {fabric.node_name[link.dst]}"


# Hu et al.: a forwarding loop of n links drains n B / TTL.


@pytest.mark.parametrize("arbitration", ARBITRATIONS)
@pytest.mark.parametrize(("gbps", "outcome"), [(4.8, "runs"), (5.0, "runs"), (5.2, "frozen")])
def test_two_switches_of_40_gbps_at_ttl_16_freeze_beyond_5(arbitration: Arbitration, gbps: float, outcome: str) -> None:
    got = run("forwarding-loop-40g", f"s0-h0 s2-h0 {gbps / 40}", Settings(arbitration=arbitration, ttl=16), until=4000)
    assert got.outcome == outcome
    assert got.lost["ttl"] > 0


@pytest.mark.parametrize("arbitration", ARBITRATIONS)
@pytest.mark.parametrize(("rate", "outcome"), [(0.045, "runs"), (0.05, "frozen")])
def test_three_switches_at_ttl_64_freeze_beyond_3_64ths(arbitration: Arbitration, rate: float, outcome: str) -> None:
    got = run("forwarding-loop-of-three", f"s0-h0 s3-h0 {rate}", Settings(arbitration=arbitration, ttl=64), until=6000)
    assert got.outcome == outcome


# A ring of three at 0.3 of line rate.

THREE, AT_03 = "ring3-one-way", "s0-h0 s2-h0 0.3; s1-h0 s0-h0 0.3; s2-h0 s1-h0 0.3"


@pytest.mark.parametrize("arbitration", ARBITRATIONS)
@pytest.mark.parametrize("paused", ["s0-h0", "s1-h0", "s2-h0"])
def test_a_ring_of_three_at_03_freezes_when_a_receiver_pauses(arbitration: Arbitration, paused: str) -> None:
    settings = Settings(arbitration=arbitration)
    assert run(THREE, AT_03, settings).outcome == "runs"
    frozen = run(THREE, AT_03, settings, paused=paused)
    assert frozen.outcome == "frozen" and frozen.frozen_at is not None
    assert len(frozen.cycle) == 3
