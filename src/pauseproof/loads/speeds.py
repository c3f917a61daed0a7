"""How fast links are: Gb/s where the input says so, else all alike.

Notation: ``l`` a link. Times are seconds where speeds are known; where none is they are bytes, and only ratios mean anything.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric

BYTES_OF_GIGABIT = 1e9 / 8
ALL_ALIKE = "no speed of any link was read: all are taken to be alike, and times are in bytes of one link"
SOME_UNKNOWN = "the speed of {} links was not read: {:g} Gb/s is taken, as most others have"


@dataclass(frozen=True)
class Speeds:
    """``rate`` [L]: bytes per second, or 1 where no speed is known. ``assumptions`` say what was not read."""

    rate: NDArray[np.float64]
    known: bool
    assumptions: tuple[str, ...]


def speeds(fabric: Fabric) -> Speeds:
    """The speed of every link."""
    given = np.full(fabric.n_links, np.nan) if fabric.speed is None else fabric.speed.astype(np.float64)
    known = np.isfinite(given) & (given > 0)
    if not known.any():
        return Speeds(np.ones(fabric.n_links), False, (ALL_ALIKE,))
    values, count = np.unique(given[known], return_counts=True)
    usual = float(values[np.argmax(count)])
    unread = int(np.count_nonzero(~known))
    assumptions = (SOME_UNKNOWN.format(unread, usual),) if unread else ()
    return Speeds(np.where(known, given, usual) * BYTES_OF_GIGABIT, True, assumptions)
