"""What the buffers of a loop hold over time in one run, which is run again for it: a run is a function of its settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from pauseproof.replay.flows import Flow, plan_of
from pauseproof.replay.run import Run, Watched
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer

POINTS = 300
AFTERWARDS = 1.3  # a frozen run is shown for so long, as a share of the time at which nothing moved any more


@dataclass(frozen=True)
class Trace:
    """``held[i]`` are the packets in ``buffers[i]`` at each of ``times`` (ps); ``paused[i]`` when its sender was paused."""

    buffers: tuple[Buffer, ...]
    times: tuple[int, ...]
    held: tuple[tuple[int, ...], ...]
    paused: tuple[tuple[tuple[int, int], ...], ...]


def trace(network: Network, flows: Sequence[Flow], loop: Sequence[Buffer], run: Run) -> Trace:
    """Watch ``run`` again, up to its end or, where it froze, a while after."""
    plan = plan_of(network, (*flows, *run.trigger.burst), run.settings)
    watched = Watched(plan, run.settings, run.trigger, loop)
    machine, changes = watched.machine, dict[int, list[int]]()
    machine.on_shut = lambda b, shut: changes.setdefault(b, []).append(machine.now)
    end = run.ended if run.frozen_at is None else int(max(run.frozen_at, 0 if run.before else run.trigger.end) * AFTERWARDS)
    shown = [b for b in dict.fromkeys(loop) if b in plan.index]
    ids = [plan.index[b] for b in shown]
    times, held = [end * i // POINTS for i in range(POINTS + 1)], []
    for time in times:
        machine.run(time)
        held.append([machine.held[b] for b in ids])
    paused = (_spans(changes.get(b, []), end) for b in ids)
    return Trace(tuple(shown), tuple(times), tuple(tuple(column) for column in zip(*held, strict=True)), tuple(paused))


def _spans(changes: Sequence[int], end: int) -> tuple[tuple[int, int], ...]:
    """From every other change to the next; what was paused last is paused to the end."""
    until = [*changes, end] if len(changes) % 2 else list(changes)
    return tuple(zip(until[::2], until[1::2], strict=True))
