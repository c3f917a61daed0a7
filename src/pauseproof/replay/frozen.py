"""What can never move again, whatever happens elsewhere: a proof by the greatest fixed point, and its cycle of waiting.

A set F of buffers is *frozen* when the sender of each is paused, no message about it is on its way, and each holds more packets
than XON (with credits: as many as it has room for) each of which has a choice set all of whose options need a buffer of F. Then
none of these packets leaves while F is paused, and F stays paused while none of them leaves; whether hosts consume, sources
stop or other packets move makes no difference. What is left after taking away buffers without this property, again and again,
is the greatest frozen set. It is empty where a watchdog or a lifetime could still throw packets away.

Notation: ``b`` a buffer (number of the plan).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pauseproof.replay.machine import Machine

Offers = list[tuple[int, list[tuple[int, ...]]]]  # (id of the packet, the gates of each of its options)


class Waiting(NamedTuple):
    """A frozen buffer, how many of its packets can never leave, and the frozen buffers that one of them waits for."""

    buffer: int
    stuck: int
    waits_for: tuple[int, ...]


def frozen_set(machine: Machine) -> tuple[Waiting, ...]:
    """The greatest frozen set, by buffer ascending; empty where nothing is frozen."""
    settings = machine.settings
    if settings.watchdog is not None or settings.hoq is not None:
        return ()
    quiet = {b for b, shut in enumerate(machine.shut) if shut and not machine.told[b] and _asks(machine, b)}
    least = machine.credits - 1 if machine.credits else settings.xon
    offers = _offers(machine) if quiet else {}
    while quiet:
        stuck = {b: _stuck(offers.get(b, []), quiet) for b in quiet}
        moving = {b for b in quiet if len(stuck[b]) <= least}
        if not moving:
            return tuple(Waiting(b, len(stuck[b]), min(stuck[b].values())) for b in sorted(quiet))
        quiet -= moving
    return ()


def _asks(machine: Machine, b: int) -> bool:
    return bool(machine.credits) or machine.asked[b]


def _offers(machine: Machine) -> dict[int, Offers]:
    """By buffer: the choice sets that its packets still have to take."""
    options: dict[int, tuple[int, int, list[tuple[int, ...]]]] = {}
    for entry in machine.entries():
        _, _, gates = options.setdefault(id(entry.offer), (entry.packet.at, id(entry.packet), []))
        gates.append(entry.option.gates)
    found: dict[int, Offers] = {}
    for at, packet, gates in options.values():
        found.setdefault(at, []).append((packet, gates))
    return found


def _stuck(offers: Offers, frozen: set[int]) -> dict[int, tuple[int, ...]]:
    """The packets one of whose choice sets is closed for good, and what each waits for there: of each option one buffer."""
    stuck: dict[int, tuple[int, ...]] = {}
    for packet, options in offers:
        closed = [next((b for b in gates if b in frozen), None) for gates in options]
        waits_for = tuple(sorted({b for b in closed if b is not None}))
        if None not in closed:
            stuck[packet] = min(waits_for, stuck.get(packet, waits_for))
    return stuck


def cycle(frozen: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """A part of a frozen set that waits for itself alone: where each waits for one other, a cycle from its least buffer on."""
    waits = {waiting.buffer: waiting for waiting in frozen}
    if not waits:
        return ()
    start = min(waits)
    reach = _reach(waits, start)
    while (outside := next((b for b in sorted(reach) if start not in _reach(waits, b)), None)) is not None:
        start, reach = outside, _reach(waits, outside)
    start = min(reach)
    in_turn = [start]
    while len(in_turn) < len(reach) and len(after := waits[in_turn[-1]].waits_for) == 1 and after[0] not in in_turn:
        in_turn.append(after[0])
    return tuple(waits[b] for b in (in_turn if len(in_turn) == len(reach) else sorted(reach)))


def _reach(waits: Mapping[int, Waiting], start: int) -> set[int]:
    """What ``start`` waits for, and what that waits for, and so on."""
    found: set[int] = set()
    to_visit = [start]
    while to_visit:
        for b in waits[to_visit.pop()].waits_for:
            if b not in found:
                found.add(b)
                to_visit.append(b)
    return found
