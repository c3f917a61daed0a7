"""One run of the model: does it freeze, recover, or just run?

*frozen*: a set of buffers can never move again, which is proved (:mod:`pauseproof.replay.frozen`), not waited for.
*recovers*: all buffers of the loop were paused at the same time, and did not stay so. *runs*: that never came about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pauseproof.replay.flows import Flow, Plan, plan_of
from pauseproof.replay.frozen import cycle, frozen_set
from pauseproof.replay.machine import Machine
from pauseproof.replay.settings import US, Settings
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer

Outcome = Literal["frozen", "recovers", "runs"]
OUTCOMES: tuple[Outcome, ...] = ("frozen", "recovers", "runs")  # the worst first
LOOKS = 50  # packet times between two looks for what is frozen


@dataclass(frozen=True)
class Trigger:
    """What disturbs a run, from ``start`` for ``length`` (ps): ``hosts`` consume nothing, or ``burst`` sends to one as well."""

    kind: Literal["none", "pause", "incast"] = "none"
    hosts: tuple[int, ...] = ()
    start: int = 0
    length: int = 0
    burst: tuple[Flow, ...] = ()

    @property
    def end(self) -> int:
        """When it is over."""
        return self.start + self.length


@dataclass(frozen=True)
class Held:
    """A buffer of the frozen part: packets in it that can never leave, and the buffers that they wait for."""

    buffer: Buffer
    stuck: int
    waits_for: tuple[Buffer, ...]


@dataclass(frozen=True)
class Run:
    """What came of one run. ``ended`` is when it was stopped, ``frozen_at`` when the last frozen buffer was paused (ps).

    ``closed`` counts how often all buffers of the loop were paused at once, ``most`` how many were at most. ``cycle`` is a
    part of the frozen buffers that waits for itself alone, ``frozen`` how many there are in all. ``before`` its trigger began
    a run froze where these buffers could already never move again at that time: the trigger has no part in it.
    """

    settings: Settings
    trigger: Trigger
    outcome: Outcome
    ended: int
    closed: int
    most: int
    sent: int
    delivered: int
    lost: dict[str, int]
    frozen_at: int | None = None
    frozen: int = 0
    cycle: tuple[Held, ...] = ()
    before: bool = False


class Watched:
    """A machine with its trigger, and an eye on the buffers of a loop."""

    def __init__(self, plan: Plan, settings: Settings, trigger: Trigger, loop: Sequence[Buffer]) -> None:
        self.machine = machine = Machine(plan, settings)
        self.loop = {plan.index[b] for b in loop if b in plan.index}
        self.size = len(set(loop))
        self.paused = self.most = self.closed = 0
        machine.on_shut = self._noted
        if trigger.kind == "pause":
            for host in trigger.hosts:
                machine.at(trigger.start, machine.goes_away, host)
                machine.at(trigger.end, machine.comes_back, host)

    @property
    def all_paused(self) -> bool:
        """Whether the sender of every buffer of the loop is paused: a run does not end in that state before it is clear."""
        return 0 < self.size == self.paused

    def _noted(self, b: int, shut: bool) -> None:
        if b in self.loop:
            self.paused += 1 if shut else -1
            self.most = max(self.most, self.paused)
            self.closed += shut and self.paused == self.size


def replayed(
    network: Network, flows: Sequence[Flow], loop: Sequence[Buffer], settings: Settings, trigger: Trigger, until: int
) -> Run:
    """Run ``flows`` with a trigger until something is frozen for good, or to ``until`` (ps).

    What freezes before the trigger begins ends there; else a run takes no less than its trigger.
    """
    plan = plan_of(network, (*flows, *trigger.burst), settings)
    watched = Watched(plan, settings, trigger, loop)
    machine, step = watched.machine, LOOKS * max(plan.sending, default=US)
    now = trigger.start
    machine.run(now)
    frozen = frozen_set(machine)
    before = bool(frozen) and trigger.kind != "none"
    if not frozen:
        now = trigger.end
        machine.run(now)
        frozen = frozen_set(machine)
    patience = until + 10 * step + 2 * max(settings.watchdog or 0, settings.hoq or 0)
    while not frozen and not machine.over and (now < until or (watched.all_paused and now < patience)):
        now = min(now + step, until) if now < until else now + step
        machine.run(now)
        frozen = frozen_set(machine)
    outcome: Outcome = "frozen" if frozen else "recovers" if watched.closed else "runs"
    names = plan.buffers
    held = (Held(names[w.buffer], w.stuck, tuple(names[b] for b in w.waits_for)) for w in cycle(frozen))
    frozen_at = max(machine.shut_at[w.buffer] for w in frozen) if frozen else None
    counts = watched.closed, watched.most, machine.sent, machine.delivered, dict(machine.lost)
    return Run(settings, trigger, outcome, machine.now, *counts, frozen_at, len(frozen), tuple(held), before)
