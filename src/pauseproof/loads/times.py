"""How long each phase of a job takes, and how much longer than on a perfectly spread fabric: the slowdown.

The *time* of a phase is the longest that any link needs for its bytes: max over links of bytes / rate. (Everything of a phase
is on the network at once, and ends when its slowest link has done.) The *perfect time* is the same on the perfectly spread
fabric (:mod:`pauseproof.loads.perfect`); it is never less than the *host bound*, the time that the busiest link of a host
needs. The *slowdown* of a phase is time / perfect time; that of the job is the sum of times over the sum of perfect times, as
phases come one after the other. A phase that sends nothing has slowdown 1.

Notation: ``p`` a phase, ``l`` a link.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
ALIKE = 1e-9


@dataclass(frozen=True)
class Times:
    """By phase, [P]: ``time``, ``perfect``, ``host_bound``, and the ``hottest`` link (-1 where nothing is sent).

    Among links that need equally long the hottest is the first that bytes come to: those that lead up before those down.
    """

    time: F64
    perfect: F64
    host_bound: F64
    hottest: I64

    @property
    def slowdowns(self) -> F64:
        """[P]."""
        return ratio(self.time, self.perfect)

    @property
    def slowdown(self) -> float:
        """Of the whole job."""
        return float(ratio(self.time.sum(keepdims=True), self.perfect.sum(keepdims=True))[0])


def times(load: F64, perfect: F64, rate: F64, of_hosts: NDArray[np.bool_], falls: NDArray[np.integer]) -> Times:
    """``load`` and ``perfect`` [P, L] bytes, ``rate`` [L]; ``of_hosts`` [L] marks the links of hosts, ``falls`` [L] is how many
    tiers each leads down.
    """
    each, best = load / rate, perfect / rate
    order = np.lexsort((falls, of_hosts))
    longest = each.max(axis=1, keepdims=True, initial=0.0)
    first = (each >= longest * (1 - ALIKE))[:, order].argmax(axis=1) if len(order) else np.empty(0, np.int64)
    hottest = np.where(longest[:, 0] > 0, order[first] if len(order) else -1, -1)
    bound = best[:, of_hosts].max(axis=1, initial=0.0)
    return Times(each.max(axis=1, initial=0.0), best.max(axis=1, initial=0.0), bound, hottest)


def ratio(time: F64, perfect: F64) -> F64:
    """Elementwise, 1 where both are 0.

    >>> ratio(np.array([3.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [1.5, 1.0]
    """
    return np.where(perfect > 0, time / np.where(perfect > 0, perfect, 1.0), 1.0)
