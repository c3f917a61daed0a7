"""The links that make a job slow: in which phase, and why."""

from collections.abc import Callable, Iterable

import numpy as np

from pauseproof.loads.flows import Traffic
from pauseproof.loads.job_load import JobLoad
from pauseproof.loads.why import Why, why

MOST = 3


def hot_links(found: JobLoad, traffic: Callable[[], Iterable[Traffic]], most: int = MOST) -> list[tuple[int, Why]]:
    """Links between switches that are the hottest of a phase, those first that cost most time, each once."""
    measured, fabric = found.times, found.fabric
    lost = np.where(measured.hottest >= 0, measured.time - measured.perfect, -np.inf)
    out: dict[int, tuple[int, Why]] = {}
    for phase in np.argsort(-lost, kind="stable").tolist():
        link = int(measured.hottest[phase])
        inner = link >= 0 and max(fabric.link_src[link], fabric.link_dst[link]) < fabric.n_switches
        if inner and link not in out and len(out) < most:
            reason = why(found.hashing, found.load.bytes[phase], link, phase, traffic())
            out[link] = phase, reason
    return list(out.values())
