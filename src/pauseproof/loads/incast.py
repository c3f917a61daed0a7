"""Incast: how many hosts send to one at once, and how much longer the receiver needs than any of them.

The *overload* of a receiver in a phase is the time that the link to it needs, over the longest time that any host of the phase
needs to send all that it sends. In a balanced all-to-all everybody receives from everybody and the overload is 1; where n
hosts send to one at once it is n, and the switch before it pauses all of them.

Notation: ``p`` a phase, ``h`` a host.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.loads.flows import MOST_ROWS, Flows, Pairs, Traffic, blocks_of

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


def incast(fabric: Fabric, phases: int, traffic: Sequence[Traffic]) -> Incast:
    """Count who sends to whom."""
    h = fabric.n_hosts
    sent, received = np.zeros((2, phases, h))
    senders = np.zeros((phases, h), np.int64)
    shared = _shared_receivers(phases, h, traffic)
    again: list[I64] = []
    for part in traffic:
        for block in blocks_of([part if isinstance(part, Flows) else part.with_one_qp()]):
            away = fabric.host_node[block.src] != fabric.host_node[block.dst]
            p, src, dst = (column[away].astype(np.int64) for column in (block.phase, block.src, block.dst))
            sent += np.bincount(p * h + src, block.bytes[away], phases * h).reshape(phases, h)
            received += np.bincount(p * h + dst, block.bytes[away], phases * h).reshape(phases, h)
            pairs = (p * h + dst) * h + src
            once = pairs if isinstance(part, Pairs) else distinct(pairs)
            more = shared.ravel()[once // max(h, 1)]
            senders += np.bincount(once[~more] // max(h, 1), minlength=phases * h).reshape(phases, h)
            again.append(once[more])
    every = distinct(np.concatenate(again)) if again else np.empty(0, np.int64)
    return Incast(senders + np.bincount(every // max(h, 1), minlength=phases * h).reshape(phases, h), sent, received)


def _shared_receivers(phases: int, h: int, traffic: Sequence[Traffic]) -> NDArray[np.bool_]:
    """[P, H]: who has senders in several parts or blocks of the traffic, so that one sender may be told twice."""
    told = np.zeros(phases * h, np.int64)
    for part in traffic:
        if isinstance(part, Pairs):
            told[part.phase * h + distinct(part.dst.astype(np.int64))] += 1
        else:
            several = 1 + (len(part) > MOST_ROWS)
            told[distinct(part.phase.astype(np.int64) * h + part.dst)] += several
    return (told > 1).reshape(phases, h)


def distinct(keys: I64) -> I64:
    """Each key once, ascending; by sorting, which is faster for millions than the hash of ``np.unique``."""
    keys = np.sort(keys)
    return keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
