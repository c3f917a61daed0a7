"""Where packets come from: each flow has its packets ready at a rate, in a queue of its own on its first link."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

from pauseproof.replay.flows import SATURATING, Plan

FINEST = 1_000_000  # rates are fractions with denominators up to this, so that times do not drift


class Sources:
    """``waiting[f]`` packets of flow ``f`` are ready; a saturating one always has one while it is ``open[f]``.

    ``serve`` is called with a link that may have something to send now, ``at`` plans a call for a time (ps).
    """

    def __init__(self, plan: Plan, random: Random, at: Callable[..., None], serve: Callable[[int], None]) -> None:
        self.plan, self.random, self.at, self.serve = plan, random, at, serve
        self.waiting = [0] * len(plan.flows)
        self.open = [False] * len(plan.flows)
        self.link = [plan.link_of[option.buffer] for option in plan.entry]
        for f, flow in enumerate(plan.flows):
            phase = int(random.random() * plan.sending[self.link[f]])  # sources do not start in step
            at(flow.start + phase, self._starts, f)
            if flow.stop is not None:
                at(flow.stop, self._stops, f)

    def ready(self, f: int) -> bool:
        """Whether flow ``f`` has a packet to send."""
        return self.waiting[f] > 0 or (self.open[f] and self.plan.flows[f].rate >= SATURATING)

    def take(self, f: int) -> None:
        """One packet of flow ``f`` is sent."""
        if self.waiting[f]:
            self.waiting[f] -= 1

    def _starts(self, now: int, f: int) -> None:
        flow = self.plan.flows[f]
        if flow.stop is not None and flow.stop <= now:
            return
        self.open[f] = True
        if flow.rate >= SATURATING:
            self.serve(self.link[f])
        else:
            self._plan_next(f, now, 0, Fraction(flow.rate).limit_denominator(FINEST))

    def _stops(self, now: int, f: int) -> None:
        """No packet is made any more; those that were made are still sent."""
        self.open[f] = False

    def _plan_next(self, f: int, start: int, slot: int, rate: Fraction) -> None:
        """The packet after that of ``slot`` (packet times or, where paced, packets since ``start``)."""
        slot += 1
        time = self.plan.sending[self.link[f]]
        if self.plan.flows[f].arrivals == "random":
            while self.random.random() >= rate:
                slot += 1
            self.at(start + slot * time, self._makes, f, start, slot, rate)
        elif rate:
            self.at(start + slot * time * rate.denominator // rate.numerator, self._makes, f, start, slot, rate)

    def _makes(self, now: int, f: int, start: int, slot: int, rate: Fraction) -> None:
        if self.open[f]:
            self.waiting[f] += 1
            self.serve(self.link[f])
            self._plan_next(f, start, slot, rate)
