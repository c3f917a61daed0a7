"""A job on a fabric, measured: the mean of its loads, and what samples show where headers or hashes are not known.

What is told of a job is the *run*: the loads themselves where nothing is left to chance, else those of the median sample. The
mean of all samples puts a little of every flow on every link; its slowdown is below the mean slowdown of real runs, mostly
below every one of them, so it is told as a lower bound, and alone only where there are too many flows to draw.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pauseproof.loads.chance import Chance, chance
from pauseproof.loads.flows import Traffic
from pauseproof.loads.hot import hot_in_median, hot_links
from pauseproof.loads.job_load import EXPECTED, IDEAL, JobLoad, job_load
from pauseproof.loads.why import Why
from pauseproof.routing.network import Network

EXACT, EVEN, MEDIAN, LOWER_BOUND = "exact", "ideal", "median", "lower-bound"


class Sending(Protocol):
    """A job on the hosts of a fabric: the names of its phases, and what is sent, as often as that is asked for."""

    @property
    def phases(self) -> tuple[str, ...]:
        """By index."""

    def traffic(self) -> Iterable[Traffic]:
        """Every flow, of a phase each."""


@dataclass(frozen=True)
class Measured:
    """``mean`` is the load of all samples on average, ``hot`` the hottest links of the run, with the phase of each."""

    mean: JobLoad
    chance: Chance | None
    hot: Sequence[tuple[int, Why]]

    @property
    def run(self) -> JobLoad:
        """The loads that are told."""
        drawn = self.chance
        if drawn is None:
            return self.mean
        return replace(self.mean, load=replace(self.mean.load, bytes=drawn.bytes), times=drawn.times)

    @property
    def kind(self) -> str:
        """What the slowdown of the run is: EXACT, EVEN, MEDIAN or LOWER_BOUND."""
        if self.mean.method == EXPECTED:
            return MEDIAN if self.chance else LOWER_BOUND
        return EVEN if self.mean.method == IDEAL else EXACT


def measured(
    network: Network, job: Sending, seed: int = 0, progress: Callable[[int, int], None] = lambda done, of: None
) -> Measured:
    """The load of a job; ``seed`` is that of the samples."""
    mean = job_load(network, job.phases, job.traffic, progress)
    traffic = list(job.traffic()) if mean.method == EXPECTED else []
    drawn = chance(mean.hashing, traffic, mean.perfect, mean.speeds.rate, seed) if traffic else None
    hot = hot_in_median(mean.hashing, drawn, traffic) if drawn else hot_links(mean, job.traffic)
    return Measured(mean, drawn, hot)
