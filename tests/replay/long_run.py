"""The property of the model by the thousand. As a program, it takes how many fabrics to try, and from which number on:

    python tests/replay/long_run.py 3000

A fabric that the engine finds free never freezes, whatever is tried; of the witnesses of the others, with every dependency
loaded, at least 80 % freeze under something that is tried. Prints the share, and the numbers of those that never froze.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pauseproof.replay.flows import Flow
from pauseproof.replay.itinerary import itinerary
from pauseproof.replay.run import Run, Trigger
from pauseproof.replay.settings import Settings
from pauseproof.replay.trials import Trials, packet_time, runs
from pauseproof.replay.triggers import When, pause, receivers, usual
from pauseproof.replay.witness import load_witness
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import pairs
from replay.random_fabrics import random_network, witness_of


class Tried(NamedTuple):
    """One fabric: what the engine says, and the first run that froze."""

    number: int
    stuck: bool
    frozen: Run | None


def try_one(number: int) -> Tried:
    """The witness of the fabric with this number, or any traffic where it is free, until it freezes or all was tried.

    Buffers are small and times short, which makes a freeze no less likely.
    """
    network, traffic = random_network(number)
    credits = network.fabric.kind == "infiniband"
    settings = Settings(control="credits" if credits else "pause", seed=number, xoff=4, xon=1, credits=5, length=3)
    stuck, unknown, witness = witness_of(network, traffic)
    assert not unknown
    loop: tuple[Buffer, ...] = ()
    if stuck:
        loaded = load_witness(network, traffic, witness)
        assert not loaded.missing
        loop, flows = loaded.loop, loaded.flows
    else:
        flows = any_flows(network, traffic, Random(number))
    tried = runs(network, loop, flows, settings, _trials(network, traffic, loop, flows, settings, stuck))
    return Tried(number, stuck, next((run for run in tried if run.outcome == "frozen"), None))


def _trials(
    network: Network, traffic: Traffic, loop: Sequence[Buffer], flows: Sequence[Flow], settings: Settings, stuck: bool
) -> Trials:
    """Every arbitration; of a free fabric with one seed, no trigger, one receiver that pauses and all of them."""
    beat = packet_time(network, flows, settings)
    when, until = When(20 * beat, 80 * beat), 300 * beat
    hosts = receivers(network, flows)
    if stuck:
        return Trials(usual(network, traffic, loop, hosts[:8], when), 2 * until)
    return Trials((Trigger(), pause(hosts[:1], when), pause(hosts, when)), until, seeds=(settings.seed,))


def any_flows(network: Network, traffic: Traffic, random: Random) -> tuple[Flow, ...]:
    """Up to 12 pairs, chosen at random, each saturating."""
    every = list(pairs(network, traffic))
    chosen = random.sample(every, min(12, len(every)))
    ways = [itinerary(network, traffic, *pair) for pair in chosen]
    return tuple(Flow(way) for way in ways if way is not None)


class Share(NamedTuple):
    """How many fabrics were free and how many stuck, how many of these froze, and which never did."""

    free: int
    stuck: int
    froze: int
    never: tuple[int, ...]

    @property
    def of_stuck(self) -> float:
        """The share of the stuck ones that froze under something that was tried."""
        return self.froze / max(1, self.stuck)


def tally(numbers: Iterable[int]) -> Share:
    """Try them. Raises AssertionError where a free fabric freezes."""
    free = stuck = froze = 0
    never = []
    for number in numbers:
        tried = try_one(number)
        if not tried.stuck:
            assert tried.frozen is None, f"fabric {number} is free by the engine, and froze: {tried.frozen}"
            free += 1
        elif tried.frozen:
            stuck, froze = stuck + 1, froze + 1
        else:
            stuck += 1
            never.append(number)
    return Share(free, stuck, froze, tuple(never))


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    share = tally(range(first, first + many))
    print(f"{share.free} free fabrics: none froze; {share.froze} of {share.stuck} stuck ones froze ({share.of_stuck:.1%})")
    print(f"never froze: {' '.join(map(str, share.never)) or 'none'}")
    print("tried: every arbitration with two seeds; no trigger, a pause of each receiver, of all, an incast to each")
    assert share.of_stuck >= 0.8


if __name__ == "__main__":
    main()
