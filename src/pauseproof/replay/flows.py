"""Flows on their way, and all of them as the small integer arrays that the machine runs over.

A *flow* is an itinerary with a rate. Its states are numbered together with those of all others: ``i`` a state, ``b`` a buffer,
``l`` a link, each counted from 0 among those that are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from pauseproof.replay.itinerary import Itinerary
from pauseproof.replay.settings import Settings
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, State

Arrivals = Literal["paced", "random"]
SATURATING = 1.0  # of line rate: there is always a packet ready


@dataclass(frozen=True)
class Flow:
    """``rate`` is the share of its first link's rate that is offered; it sends from ``start`` to ``stop`` (None: to the end).

    Below that rate packets come at even times, or each packet time has one with the same chance (``random``).
    """

    itinerary: Itinerary
    rate: float = SATURATING
    start: int = 0
    stop: int | None = None
    arrivals: Arrivals = "paced"


class Option(NamedTuple):
    """A next state, the buffer that the packet enters, and the buffers none of which may be paused for it to go."""

    state: int
    buffer: int
    gates: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """``options[i]``: the choice sets of a packet in state ``i``; ``buffer_of[i]`` the buffer it sits in.

    ``buffers[b]`` and ``links[l]`` are the fabric's own; ``lossy[b]``: in the lane that drops what it has no room for;
    ``link_of[b]``; ``host_of[l]`` is the host at the receiving end, -1
    where that is a switch. ``sending``, ``travelling`` and ``pausing`` [l] are picoseconds. ``entry[f]`` is the option by
    which flow ``f`` sends.
    """

    flows: tuple[Flow, ...]
    buffers: tuple[Buffer, ...]
    lossy: tuple[bool, ...]
    links: tuple[int, ...]
    link_of: tuple[int, ...]
    host_of: tuple[int, ...]
    sending: tuple[int, ...]
    travelling: tuple[int, ...]
    pausing: tuple[int, ...]
    buffer_of: tuple[int, ...]
    options: tuple[tuple[tuple[Option, ...], ...], ...]
    entry: tuple[Option, ...]

    @cached_property
    def index(self) -> dict[Buffer, int]:
        """The number of each buffer."""
        return {b: i for i, b in enumerate(self.buffers)}


def plan_of(network: Network, flows: Sequence[Flow], settings: Settings) -> Plan:
    """Number what the flows use."""
    numbers = _Numbers(flows)
    fabric = network.fabric
    speeds = [_known(fabric.speed, l, settings.speed) for l in numbers.links]
    lengths = [_known(fabric.length, l, settings.length) for l in numbers.links]
    return Plan(
        tuple(flows),
        tuple(numbers.buffers),
        tuple(v == network.lanes.lossy_lane for _, v in numbers.buffers),
        tuple(numbers.links),
        tuple(numbers.link[l] for l, _ in numbers.buffers),
        tuple(int(fabric.host_of_link[l]) for l in numbers.links),
        tuple(settings.sending(speed) for speed in speeds),
        tuple(settings.travelling(length) for length in lengths),
        tuple(settings.pausing(speed, length) for speed, length in zip(speeds, lengths, strict=True)),
        tuple(numbers.buffer[q[:2]] for _, q in numbers.states),
        tuple(numbers.options(f, q) for f, q in numbers.states),
        tuple(numbers.option(f, flow.itinerary.first, frozenset()) for f, flow in enumerate(flows)),
    )


def _known(values: np.ndarray[tuple[int], np.dtype[np.float32]] | None, l: int, default: float) -> float:
    value = float("nan") if values is None else float(values[l])
    return value if value > 0 else default


class _Numbers:
    """Which states, buffers and links the flows use, in ascending order."""

    def __init__(self, flows: Sequence[Flow]) -> None:
        self.flows = flows
        self.states = [(f, q) for f, flow in enumerate(flows) for q in flow.itinerary.after]
        self.state = {fq: i for i, fq in enumerate(self.states)}
        self.buffers = sorted({q[:2] for _, q in self.states})
        self.buffer = {b: i for i, b in enumerate(self.buffers)}
        self.links = sorted({l for l, _ in self.buffers})
        self.link = {l: i for i, l in enumerate(self.links)}

    def options(self, f: int, q: State) -> tuple[tuple[Option, ...], ...]:
        way = self.flows[f].itinerary
        return tuple(tuple(self.option(f, q2, way.waits[q]) for q2 in some) for some in way.after[q])

    def option(self, f: int, q: State, waits: frozenset[Buffer]) -> Option:
        """To state ``q``; of ``waits`` those on its link count, where some packet can be in them."""
        also = {self.buffer[b] for b in waits if b[0] == q[0] and b in self.buffer}
        own = self.buffer[q[:2]]
        return Option(self.state[f, q], own, (own, *sorted(also - {own})))
