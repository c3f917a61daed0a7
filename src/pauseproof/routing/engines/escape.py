"""Adaptive routing with an escape: every choice by load also offers the next hop of a second engine, in a lane of its own.

A packet starts in the adaptive class and may leave it at any hop for the escape class, in which it stays and follows the
second engine to its destination. Ref: J. Duato, IEEE TPDS 4(12), 1993.
"""

import numpy as np

from pauseproof.fabric.lanes import NOT_OFFERED, Lanes
from pauseproof.routing.convert import paired
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route

LABELS = ("adaptive", "escape")
_ADAPTIVE_ROW, _ESCAPE_ROW = 1, 2


def escape_lanes(n_hosts: int) -> Lanes:
    """Two classes, adaptive and escape. Row 0 keeps the class, row 1 is for adaptive packets alone, row 2 leads to escape."""
    both = np.arange(2, dtype=np.int16)
    step = np.array([[0, 1], [0, NOT_OFFERED], [1, 1]], np.int16)
    return Lanes(LABELS, LABELS, both, both, step, None, np.zeros(n_hosts, np.int32))


def with_escape(adaptive: ChoiceTable, escape: ChoiceTable) -> ChoiceTable:
    """``adaptive`` with the entry of ``escape`` as a further member of each choice. Both have the same columns."""

    def entry(one: Route, other: Route) -> Route:
        if one.kind not in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE) or not other.links:
            return one
        rows = (_ADAPTIVE_ROW,) * len(one.links) + (_ESCAPE_ROW,) * len(other.links)
        return Route(ChoiceKind.ADAPTIVE, one.links + other.links, rows)

    return paired(adaptive, escape, entry)
