"""What always holds in the machine, whatever the fabric; and a second, naive model of a line of switches."""

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.replay.flows import Flow, plan_of
from pauseproof.replay.itinerary import Itinerary, itinerary
from pauseproof.replay.machine import Machine
from pauseproof.replay.settings import ARBITRATIONS, MS, US, Settings
from pauseproof.routing.walk import pairs
from replay.checked import check, run_checked
from replay.known import flows_of, host_id, network_of
from replay.random_fabrics import random_network
from strategies import Case, sane

ways_of_control = st.sampled_from(("pause", "credits"))


def ways(case: Case, random: Random, most: int = 6) -> list[Itinerary]:
    every = list(pairs(case.network, case.traffic))
    chosen = random.sample(every, min(most, len(every)))
    found = [itinerary(case.network, case.traffic, *pair) for pair in chosen]
    return [way for way in found if way is not None]


def some_settings(random: Random, control: str) -> Settings:
    xoff = random.randint(1, 6)
    return Settings(
        xoff=xoff,
        xon=random.randrange(xoff),
        credits=random.randint(1, 4),
        ttl=random.choice((None, 1, 9, 64)),
        watchdog=random.choice((None, None, 30 * US)),
        hoq=random.choice((None, None, 20 * US)),
        length=random.choice((1.0, 300.0)),
        arbitration=random.choice(ARBITRATIONS),
        control="credits" if control == "credits" else "pause",
        seed=random.randrange(100),
    )


@given(sane(), st.integers(0, 10**6), ways_of_control)
@settings(max_examples=40, deadline=None)
def test_packets_are_conserved_and_thresholds_kept(case: Case, number: int, control: str) -> None:
    random = Random(number)
    flows = [
        Flow(way, random.choice((1.0, 0.4)), stop=random.choice((None, 60 * US)), arrivals=random.choice(("paced", "random")))
        for way in ways(case, random)
    ]
    machine = Machine(plan_of(case.network, flows, chosen := some_settings(random, control)), chosen)
    hosts = [host for host in machine.plan.host_of if host >= 0]
    if hosts:
        machine.at(10 * US, machine.goes_away, hosts[0])
        machine.at(50 * US, machine.comes_back, hosts[0])
    run_checked(machine, 100 * US, most=1200)


@given(st.integers(0, 10**6), ways_of_control)
@settings(max_examples=15, deadline=None)
def test_they_are_on_fabrics_with_loops_too(number: int, control: str) -> None:
    network, traffic = random_network(number)
    random = Random(number)
    flows = [Flow(way) for way in ways(Case(network, traffic), random, 8)]
    machine = Machine(plan_of(network, flows, chosen := some_settings(random, control)), chosen)
    run_checked(machine, 100 * US, most=1500)
    machine.run(300 * US)
    check(machine)


def test_a_run_is_a_function_of_its_seed() -> None:
    network = network_of("hotnets-four-switches")
    flows = flows_of(network, "a d; c b 0.5 random; b c 0.7 random")

    def state(seed: int) -> tuple[object, ...]:
        chosen = Settings(arbitration="random", seed=seed)
        machine = Machine(plan_of(network, flows, chosen), chosen)
        machine.run(200 * US)
        return machine.now, machine.sent, machine.delivered, tuple(machine.held), tuple(machine.shut_at)

    assert state(1) == state(1)
    assert state(1) != state(2)


# A naive second model: one flow through a line of switches, in slots of one packet time.


def line_in_slots(hops: int, xoff: int, xon: int, away: int, slots: int) -> list[int]:
    """Packets in each ingress buffer along the line after so many slots; the host at its end is away for the first ``away``.

    Buffer ``i`` is fed by link ``i``. A pause is heard as soon as the packet is there that asks for it: a link that is sending
    without a break has begun another by then.
    """
    held, paused, sending = [0] * (hops + 1), [False] * (hops + 1), [False] * (hops + 1)
    sending[0] = True
    for slot in range(1, slots + 1):
        for i in range(hops + 1):
            held[i] += sending[i]
            if i:
                held[i - 1] -= sending[i]
        if slot >= away:
            held[hops] = 0
        heard = [held[i] >= xoff or (paused[i] and held[i] > xon) for i in range(hops + 1)]
        stops = [paused[i] if sending[i] else heard[i] for i in range(hops + 1)]
        sending = [not stops[i] and (i == 0 or held[i - 1] > 0) for i in range(hops + 1)]
        paused = heard
    return held


def test_a_line_fills_and_drains_as_it_does_in_slots() -> None:
    """A host that is away fills the buffers before it, one after the other; when it is back, they drain."""
    network = network_of("forwarding-loop-40g")
    (flow,) = flows_of(network, "s2-h0 s0-h0")  # s2, s1, s0: three links and the host's own
    for xoff, xon in ((3, 1), (4, 2), (9, 2)):
        chosen = Settings(xoff=xoff, xon=xon)
        plan = plan_of(network, [flow], chosen)
        machine = Machine(replace(plan, travelling=(0,) * 4, pausing=(0,) * 4), chosen)
        order = [plan.index[q[:2]] for q in _in_turn(flow.itinerary)]
        slot, phase, host = plan.sending[0], machine.events[0][0], host_id(network, "s0-h0")
        machine.at(0, machine.goes_away, host)
        machine.at(phase + 40 * slot - 1, machine.comes_back, host)
        for slots in range(1, 90):
            machine.run(phase + slots * slot)
            naive = line_in_slots(3, xoff, xon, 40, slots)
            assert [machine.held[b] for b in order] == naive, (xoff, xon, slots)
        assert machine.delivered > 40


def _in_turn(way: Itinerary) -> list[tuple[int, int, int]]:
    states = [way.first]
    while way.after[states[-1]]:
        states.append(way.after[states[-1]][0][0])
    return states


def test_a_link_carries_its_rate_and_no_more() -> None:
    network = network_of("forwarding-loop-40g")
    chosen = Settings()
    machine = Machine(plan_of(network, flows_of(network, "s2-h0 s0-h0"), chosen), chosen)
    machine.run(1 * MS)
    assert machine.delivered in range(1214, 1217)  # 1220.7 packet times, less those of its way


def test_rates_are_kept_exactly_when_paced_and_on_average_when_random() -> None:
    network = network_of("forwarding-loop-40g")
    for text, least, most in (("s2-h0 s0-h0 0.25", 303, 305), ("s2-h0 s0-h0 0.25 random", 255, 355)):
        chosen = Settings(seed=3)
        machine = Machine(plan_of(network, flows_of(network, text), chosen), chosen)
        machine.run(1 * MS)
        assert least <= machine.sent <= most, text


def test_a_watchdog_and_a_lifetime_throw_away_what_waits() -> None:
    network = network_of("ring3-one-way")
    flows = flows_of(network, "s0-h0 s2-h0; s1-h0 s0-h0; s2-h0 s1-h0")
    for chosen, why in ((Settings(watchdog=50 * US), "watchdog"), (Settings(hoq=2 * US), "hoq")):
        machine = Machine(plan_of(network, flows, chosen), chosen)
        machine.run(400 * US)
        before = machine.delivered
        machine.run(800 * US)
        assert machine.lost[why] > 0 and machine.delivered > before
    machine = Machine(plan_of(network, flows, Settings()), Settings())
    machine.run(400 * US)
    before = machine.delivered
    machine.run(800 * US)
    assert machine.delivered == before and not sum(machine.lost.values())
