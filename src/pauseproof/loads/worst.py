"""The most that each link could carry, whatever is not known of headers and hashes.

Three parts are added up: flows that are committed by what is known; flows of free port over known hashes, of which every port
is tried (:func:`pauseproof.loads.free_ports.worst_load`); and a *bound* for the rest, as if every flow that can come to a link
did. Without the rest the worst load of each link is exact; with it nothing is worse, but perhaps nothing is as bad.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.demand import Demand
from pauseproof.loads.may_come import Bools, links_reached
from pauseproof.loads.next_hops import NO_COLUMN, NextHops

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
CELLS = 1 << 16  # (phase, receiver, switch) of a demand that is bounded
AT_ONCE = 1 << 12


@dataclass(frozen=True)
class Worst:
    """``bytes`` [P, L]; ``exact`` where no part of it is a bound.

    ``time`` [P] is the longest time of any link in each phase where a solver proved it, though ``bytes`` are a bound.
    """

    bytes: F64
    exact: bool
    time: F64 | None = None


def bound(hops: NextHops, demand: Demand) -> F64 | None:
    """[P, L]: every link carries all that can come to it; None where the demand is too large for that."""
    if len(demand.bytes) > CELLS:
        return None
    fabric, phases = hops.fabric, len(demand.up)
    out = np.zeros((phases, fabric.n_links))
    out[:, fabric.host_up] = demand.up
    rows = np.flatnonzero(hops.first_column[demand.receiver] != NO_COLUMN)
    for start in range(0, len(rows), AT_ONCE):
        at = rows[start : start + AT_ONCE]
        cell, link = _may_come(hops, demand.receiver[at], demand.switch[at])
        key = demand.phase[at[cell]] * fabric.n_links + link
        out += np.bincount(key, demand.bytes[at[cell]], out.size).reshape(out.shape)
    return out


def _may_come(hops: NextHops, receiver: I64, switch: I64) -> tuple[I64, I64]:
    """(cell, link): every link to which bytes for ``receiver[cell]`` that are at ``switch[cell]`` can come, each once."""
    own = hops.first_column[receiver]

    def counts(cell: I64, link: Ids, delivers: Bools) -> Bools:
        return ~delivers | hops.takes(own[cell], receiver[cell], hops.fabric.host_of_link[link])

    used = links_reached(hops, own, np.arange(len(own)), switch, counts)
    found = np.nonzero(used)
    return found[0].astype(np.int64), found[1].astype(np.int64)
