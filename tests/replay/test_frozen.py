"""What is called frozen never moves again, and where all has come to rest, what is left is frozen."""

from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.deadlock.analysis import analyse
from pauseproof.replay.flows import Flow, plan_of
from pauseproof.replay.frozen import Waiting, cycle, frozen_set
from pauseproof.replay.itinerary import Dependency, itinerary
from pauseproof.replay.machine import Machine
from pauseproof.replay.settings import ARBITRATIONS, US, Settings
from pauseproof.replay.witness import load_witness
from pauseproof.routing.walk import multicast_senders, pairs
from replay.known import flows_of, host_id, network_of
from replay.random_fabrics import random_network, witness_of
from strategies import Case, anything, sane

LATER = 100_000 * US


def a_machine(case: Case, random: Random, witness: Sequence[Dependency] = ()) -> Machine:
    """Flows that stop some time, between any pairs, and those that load a witness."""
    xoff = random.randint(1, 5)
    infiniband = case.network.fabric.kind == "infiniband"
    chosen = Settings(
        xoff=xoff,
        xon=random.randrange(xoff),
        credits=random.randint(1, 4),
        arbitration=random.choice(ARBITRATIONS),
        control="credits" if infiniband else "pause",
        seed=random.randrange(100),
    )
    senders = ((source, column, None) for source, column in multicast_senders(case.network, case.traffic))
    every = [*pairs(case.network, case.traffic), *senders]
    chosen_pairs = random.sample(every, min(6, len(every)))
    ways = [itinerary(case.network, case.traffic, *pair) for pair in chosen_pairs]
    ways += [flow.itinerary for flow in load_witness(case.network, case.traffic, witness).flows]
    flows = [Flow(way, stop=random.randint(50, 100) * US) for way in ways if way is not None]
    machine = Machine(plan_of(case.network, flows, chosen), chosen)
    away = sorted({host for host in machine.plan.host_of if host >= 0})
    for host in random.sample(away, min(2, len(away))):
        machine.at(5 * US, machine.goes_away, host)
        machine.at(60 * US, machine.comes_back, host)
    return machine


def at_rest_is_frozen_or_empty(machine: Machine) -> bool:
    """Run on to where nothing happens; whatever was called frozen on the way must still be there."""
    called: set[int] = set()
    for time in range(20, 260, 20):
        machine.run(time * US)
        now = {waiting.buffer for waiting in frozen_set(machine)}
        assert called <= now
        called = now
    machine.run(LATER)
    assert machine.over
    frozen = frozen_set(machine)
    assert called <= {waiting.buffer for waiting in frozen}
    assert bool(frozen) == bool(sum(machine.held))
    assert_waits(machine, cycle(frozen))
    return bool(frozen)


def assert_waits(machine: Machine, part: tuple[Waiting, ...]) -> None:
    """Each holds more than XON of packets that wait for others of the part, all of them paused."""
    inside = {waiting.buffer for waiting in part}
    least = machine.credits - 1 if machine.credits else machine.settings.xon
    for waiting in part:
        assert set(waiting.waits_for) <= inside
        assert machine.shut[waiting.buffer] and least < waiting.stuck <= machine.held[waiting.buffer]


@given(sane(), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_what_is_left_at_rest_is_frozen_on_any_fabric(case: Case, number: int) -> None:
    at_rest_is_frozen_or_empty(a_machine(case, Random(number)))


@given(st.one_of(sane(), anything()), st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_what_the_engine_finds_free_comes_to_rest_empty(case: Case, number: int) -> None:
    """Whatever tables, lanes, shared queues, copies, rewriting and open choices there are.

    What goes round by open choices, or in the lossy lane, is no deadlock, and ends by its TTL.
    """
    analysis = analyse(case.network, case.traffic)
    machine = a_machine(case, Random(number))
    if not analysis.stuck:
        machine.run(LATER)
        assert machine.over and not sum(machine.held) and frozen_set(machine) == ()


def test_what_is_left_at_rest_is_frozen_on_fabrics_with_loops() -> None:
    froze = 0
    for n in range(60):
        network, traffic = random_network(n)
        stuck, _, witness = witness_of(network, traffic)
        frozen = at_rest_is_frozen_or_empty(a_machine(Case(network, traffic), Random(n), witness))
        assert stuck or not frozen
        froze += frozen
    assert 5 < froze < 30


def test_a_frozen_ring_stays_frozen_with_every_host_consuming_and_no_source_sending() -> None:
    network = network_of("ring3-one-way")
    flows = flows_of(network, "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0", 0, 300 * US)
    machine = Machine(plan_of(network, flows, Settings()), Settings())
    machine.run(300 * US)
    frozen = frozen_set(machine)
    assert len(cycle(frozen)) == 3
    delivered = machine.delivered
    machine.run(LATER)
    assert frozen_set(machine) == frozen and machine.delivered == delivered and machine.over


def test_a_host_that_is_away_freezes_nothing() -> None:
    """Everything waits for it, and moves when it is back."""
    network = network_of("forwarding-loop-40g")
    machine = Machine(plan_of(network, flows_of(network, "s2-h0 s0-h0"), Settings()), Settings())
    machine.at(0, machine.goes_away, host_id(network, "s0-h0"))
    machine.run(500 * US)
    assert all(machine.shut) and machine.over and frozen_set(machine) == ()


def test_nothing_is_called_frozen_that_a_watchdog_may_still_throw_away() -> None:
    network = network_of("ring3-one-way")
    flows = flows_of(network, "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0")
    chosen = Settings(watchdog=LATER)
    machine = Machine(plan_of(network, flows, chosen), chosen)
    machine.run(300 * US)
    assert machine.over is False and all(machine.shut[b] for b in range(3)) and frozen_set(machine) == ()


def test_the_cycle_is_the_part_that_waits_for_itself_alone() -> None:
    tail = (Waiting(0, 3, (2,)), Waiting(1, 3, (2,)), Waiting(2, 3, (4,)), Waiting(3, 3, (2,)), Waiting(4, 3, (3,)))
    assert [waiting.buffer for waiting in cycle(tail)] == [2, 4, 3]
    closed = (Waiting(0, 2, (1, 2)), Waiting(1, 2, (0,)), Waiting(2, 2, (1,)), Waiting(5, 2, (0,)))
    assert [waiting.buffer for waiting in cycle(closed)] == [0, 1, 2]
    assert [waiting.buffer for waiting in cycle([Waiting(7, 2, (7,))])] == [7]
    assert cycle([]) == ()
