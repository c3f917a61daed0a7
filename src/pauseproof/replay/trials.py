"""Many runs of one traffic: every arbitration, trigger and seed. One that freezes shows that it can; none proves nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pauseproof.replay.flows import Flow
from pauseproof.replay.run import OUTCOMES, Outcome, Run, Trigger, replayed
from pauseproof.replay.settings import ARBITRATIONS, Arbitration, Settings
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer

MOST_RECEIVERS = 8
START, LENGTH, AFTER = 50, 300, 1200  # packet times: when a trigger starts, how long it lasts, how long a run goes on after it


@dataclass(frozen=True)
class Trials:
    """What is to be tried: ``until`` is when a run ends that has not frozen (ps)."""

    triggers: tuple[Trigger, ...]
    until: int
    arbitrations: tuple[Arbitration, ...] = ARBITRATIONS
    seeds: tuple[int, ...] = (0, 1)


@dataclass(frozen=True)
class Replay:
    """All runs of one loop or stuck set with the same flows, in the order of arbitration, trigger, seed."""

    loop: tuple[Buffer, ...]
    flows: tuple[Flow, ...]
    runs: tuple[Run, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst of all runs."""
        return next((some for some in OUTCOMES if any(run.outcome == some for run in self.runs)), "runs")

    @property
    def shown(self) -> Run:
        """The first run of the worst outcome, of those that froze one that did not do so before its trigger began."""
        worst = [run for run in self.runs if run.outcome == self.outcome]
        return next((run for run in worst if not run.before), worst[0])


def packet_time(network: Network, flows: Sequence[Flow], settings: Settings) -> int:
    """The longest that a packet takes on any link of the flows (ps)."""
    speed = network.fabric.speed
    links = {l for flow in flows for l, _ in flow.itinerary.buffers}
    known = [float(speed[l]) for l in links if speed[l] > 0] if speed is not None else []
    slow = len(known) < len(links) or not known
    return settings.sending(min([*known, settings.speed] if slow else known))


def replay(network: Network, loop: Sequence[Buffer], flows: Sequence[Flow], settings: Settings, trials: Trials) -> Replay:
    """Run them all."""
    return Replay(tuple(loop), tuple(flows), tuple(runs(network, loop, flows, settings, trials)))


def runs(network: Network, loop: Sequence[Buffer], flows: Sequence[Flow], settings: Settings, trials: Trials) -> Iterator[Run]:
    """One after the other, for whoever has seen enough at the first that freezes."""
    for arbitration in trials.arbitrations:
        for trigger in trials.triggers:
            for seed in trials.seeds:
                chosen = replace(settings, arbitration=arbitration, seed=seed)
                yield replayed(network, flows, loop, chosen, trigger, trials.until)
