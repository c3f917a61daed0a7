"""A machine that checks after every event what must always hold."""

import math
from collections import Counter

from pauseproof.replay.machine import Machine
from pauseproof.replay.queues import Packet


def room(machine: Machine, b: int) -> int:
    """Packets that a buffer must have room for: up to XOFF, and what is sent before the pause is heard."""
    plan, l = machine.plan, machine.plan.link_of[b]
    if plan.lossy[b]:
        return machine.settings.xoff
    if machine.credits:
        return machine.credits
    return machine.settings.xoff + math.ceil((plan.pausing[l] + plan.travelling[l]) / plan.sending[l]) + 1


def check(machine: Machine) -> None:
    """Conservation, capacity, thresholds, and that nothing is lost that should not be."""
    settings, plan = machine.settings, machine.plan
    waiting = {id(entry.packet): entry.packet for entry in machine.entries()}
    standing = Counter(packet.at for packet in waiting.values())
    flying, leaving = 0, Counter[int]()
    for _, _, action, arguments in machine.events:
        if action == machine._arrives:
            flying += 1
        if action == machine._sent:
            packet = arguments[1]
            assert isinstance(packet, Packet)
            flying += 1
            if id(packet) not in waiting:
                leaving[packet.at] += 1
    at_hosts = Counter(b for kept in machine.away.values() for b in kept)
    for b, held in enumerate(machine.held):
        assert held == standing[b] + leaving[b] + at_hosts[b], "every packet that counts is somewhere"
        assert 0 <= held <= room(machine, b)
        if plan.lossy[b]:
            assert not machine.asked[b] and not machine.shut[b]
        elif not machine.credits:
            assert not (machine.asked[b] and held <= settings.xon)
            assert machine.asked[b] or held < settings.xoff
            assert machine.told[b] or machine.shut[b] == machine.asked[b]
        else:
            assert machine.shut[b] == (machine.used[b] == settings.credits)
    ended = machine.delivered + machine.left + sum(machine.lost.values())
    if all(len(sets) <= 1 for sets in plan.options):  # no copies
        assert machine.sent == ended + sum(machine.held) - sum(n for b, n in leaving.items() if b >= 0) + flying
    assert any(plan.lossy) or not machine.lost["lossy"]
    assert settings.watchdog is not None or not machine.lost["watchdog"]
    assert settings.hoq is not None or not machine.lost["hoq"]
    assert settings.ttl is not None or not machine.lost["ttl"]


def run_checked(machine: Machine, until: int, *, most: int = 3000) -> None:
    """Event by event, each followed by a check."""
    for _ in range(most):
        if not machine.events or machine.events[0][0] > until:
            break
        machine.run(machine.events[0][0])
        check(machine)
