"""The links that make a job slow: in which phase, and why."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.loads.chance import Chance, sample
from pauseproof.loads.flows import Traffic
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.job_load import JobLoad
from pauseproof.loads.times import Times
from pauseproof.loads.why import Why, why
from pauseproof.loads.why_drawn import why_drawn

MOST = 3


def hot_links(found: JobLoad, traffic: Callable[[], Iterable[Traffic]], most: int = MOST) -> list[tuple[int, Why]]:
    """Links between switches that are the hottest of a phase, those first that cost most time, each once."""
    places = _hottest(found.fabric, found.times, found.times.slowdowns, most)
    return [(phase, why(found.hashing, found.load.bytes[phase], link, phase, traffic())) for phase, link in places]


def hot_in_median(hashing: Hashing, drawn: Chance, traffic: Sequence[Traffic], most: int = MOST) -> list[tuple[int, Why]]:
    """The same of the median sample, with the flows that came together there; phases by the median of each by itself."""
    places = _hottest(hashing.network.fabric, drawn.times, drawn.phases[1], most)
    reasons = why_drawn(hashing, drawn.bytes, places, sample(hashing, traffic, drawn.seed, drawn.number)) if places else []
    return [(phase, reason) for (phase, _), reason in zip(places, reasons, strict=True)]


def _hottest(fabric: Fabric, measured: Times, slow: NDArray[np.float64], most: int) -> list[tuple[int, int]]:
    """(phase, link), by the time that is lost where phases are so ``slow`` [P]."""
    lost = np.where(measured.hottest >= 0, (slow - 1.0) * measured.perfect, -np.inf)
    out: dict[int, int] = {}
    for phase in np.argsort(-lost, kind="stable").tolist():
        link = int(measured.hottest[phase])
        inner = link >= 0 and max(fabric.link_src[link], fabric.link_dst[link]) < fabric.n_switches
        if inner and link not in out and len(out) < most:
            out[link] = phase
    return [(phase, link) for link, phase in out.items()]
