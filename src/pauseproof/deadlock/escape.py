"""Does a given set of buffers serve as an escape: can every packet always go on inside it?

Keep of every choice set only the members in the escape set ``E``. If none becomes empty, and the system that is left has no
stuck set, then no packet ever waits without a way into ``E`` that drains: Duato's condition, for packets that reselect. Since
members only help, a fabric with such an ``E`` has no stuck set at all. Buffers that wait for nothing, at hosts, always count
as part of ``E``. Ref: J. Duato, IEEE TPDS 6(10), 1995.
"""

from dataclasses import dataclass

import numpy as np

from pauseproof.deadlock.stuck import choices_of, peel
from pauseproof.dependency.graph import Dependencies, assemble
from pauseproof.dependency.plan import I64


@dataclass(frozen=True)
class EscapeFault:
    """Why it does not serve: a packet in buffer ``without_exit`` has no member in E, or the buffers ``stuck`` are stuck."""

    without_exit: int = -1
    stuck: tuple[int, ...] = ()


def escape_fault(graph: Dependencies, escape: I64) -> EscapeFault | None:
    """None where the ascending buffer indices ``escape`` are an escape set of ``graph``.

    >>> ring = assemble(1, np.arange(2), np.array([0, 1]), np.array([1, 0]), np.array([-1, -1]))
    >>> escape_fault(ring, np.array([0, 1]))
    EscapeFault(without_exit=-1, stuck=(0, 1))
    """
    choices = [choices_of(graph, b) for b in range(graph.n_buffers)]
    inside = set(escape.tolist()) | {b for b, sets in enumerate(choices) if not sets}
    owner, member, key = list[int](), list[int](), list[int]()
    for b in range(graph.n_buffers):
        for choice in choices[b]:
            kept = [after for after in choice if after in inside]
            if not kept:
                return EscapeFault(without_exit=b)
            owner += [b] * len(kept)
            member += kept
            key += [key[-1] + 1 if key else 0] * len(kept)
    left = assemble(graph.n_lanes, graph.buffers, *(np.array(one, np.int64) for one in (owner, member, key)))
    stuck = peel(left).stuck
    return EscapeFault(stuck=tuple(stuck.tolist())) if len(stuck) else None
