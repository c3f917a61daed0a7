"""Incast: how many hosts send to one at once, and how much longer the receiver needs than any of them.

The *overload* of a receiver in a phase is the time that the link to it needs, over the longest time that any host of the phase
needs to send all that it sends. In a balanced all-to-all everybody receives from everybody and the overload is 1; where n
hosts send to one at once it is n, and the switch before it pauses all of them.

Notation: ``p`` a phase, ``h`` a host.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.loads.flows import Flows, Traffic, blocks_of

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class Incast:
    """``senders`` [P, H]: how many hosts of other nodes send to each; ``sent`` and ``received`` [P, H] bytes."""

    senders: I64
    sent: F64
    received: F64

    def overload(self, fabric: Fabric, rate: F64) -> F64:
        """[P, H]; 0 for who receives nothing."""
        sending = (self.sent / rate[fabric.host_up]).max(axis=1, initial=0.0)
        receiving = self.received / rate[fabric.host_down]
        out: F64 = np.divide(receiving, sending[:, None], out=np.zeros_like(receiving), where=sending[:, None] > 0)
        return out


def incast(fabric: Fabric, phases: int, traffic: Iterable[Traffic]) -> Incast:
    """Count who sends to whom."""
    h = fabric.n_hosts
    sent, received = np.zeros((2, phases, h))
    pairs: list[I64] = []
    for block in blocks_of(part if isinstance(part, Flows) else part.with_one_qp() for part in traffic):
        away = fabric.host_node[block.src] != fabric.host_node[block.dst]
        p, src, dst = (column[away].astype(np.int64) for column in (block.phase, block.src, block.dst))
        sent += np.bincount(p * h + src, block.bytes[away], phases * h).reshape(phases, h)
        received += np.bincount(p * h + dst, block.bytes[away], phases * h).reshape(phases, h)
        pairs.append(np.unique((p * h + dst) * h + src))
    every = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
    return Incast(np.bincount(every // max(h, 1), minlength=phases * h).reshape(phases, h), sent, received)
