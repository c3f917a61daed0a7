"""Queue pairs: how a connection's bytes fall on its QPs, and which numbers these have where no input says.

NCCL gives a connection ``q`` QPs (NCCL_IB_QPS_PER_CONNECTION). With NCCL_IB_SPLIT_DATA_ON_QPS = 1 every message goes over all
of them in equal parts, otherwise (the default since 2.20) message ``m`` over QP ``m mod q``: equal parts in the long run, but
few messages leave some QPs idle.

Numbers are given by a rule: each NIC counts its QPs up, as HCAs do, from a start that splitmix64 (Steele, Lea and Flood, 2014)
draws from the seed and the number of the NIC. Each kind of connection of each group (ring, tree, direct, in-network) has a run
of numbers, in the order of the job; inside it the GPU at this end comes first, then that at the other, then the other node, the
channel, the direction, the QP. So equal jobs have equal numbers, and no two QPs of a NIC share one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import BadInput, Place
from pauseproof.loads.flows import F64, I64

NUMBERS = 1 << 24
FIRST = 64  # the lower ones are for management, and kept by drivers


def shares(sent: F64, q: int, message: float, *, split: bool) -> F64:
    """What each of ``q`` QPs carries of ``sent`` [T] bytes in messages of ``message``, [T, q].

    ``message`` 0 means the mean over many transfers.

    >>> shares(np.array([10.0]), 2, 4.0, split=False).tolist(), shares(np.array([10.0]), 2, 4.0, split=True).tolist()
    ([[6.0, 4.0]], [[5.0, 5.0]])
    """
    if split or q == 1 or not message:
        return np.repeat(sent[:, None] / q, q, axis=1)
    whole = np.floor(sent / message)
    rest = sent - whole * message
    qp = np.arange(q)
    last = (whole % q)[:, None]
    return (np.floor(whole / q)[:, None] + (qp < last)) * message + np.where(qp == last, rest[:, None], 0.0)


def start(seed: int, nic: I64, room: int) -> I64:
    """The first number of each NIC, so that ``room`` numbers fit from there on. Raises BadInput where they fit nowhere.

    >>> start(0, np.array([0, 1]), 1000).tolist()
    [12894383, 9875060]
    """
    if room >= NUMBERS - FIRST:
        message = f"the job needs up to {room} QPs on one NIC, and a number has 24 bits; expected fewer channels or QPs"
        raise BadInput.at(Place("QPs"), message)
    return (mixed(nic.astype(np.uint64), seed) % np.uint64(NUMBERS - FIRST - room)).astype(np.int64) + FIRST


def mixed(n: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """The ``n``-th output of splitmix64 with this seed, counted from 0."""
    x = (n + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))


@dataclass(frozen=True)
class Run:
    """The numbers of one kind of connection on every NIC: the ``first``, counted from its start, and the sizes of the axes.

    ``far_gpus`` is 1 where a connection joins nodes, whatever the GPUs.
    """

    first: int
    gpus: int
    far_gpus: int
    nodes: int
    channels: int
    q: int

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.gpus * self.far_gpus * self.nodes * self.channels * 2 * self.q

    @property
    def stride(self) -> int:
        """From one node at the other end to the next."""
        return self.channels * 2 * self.q

    def slot(self, here: I64, there: I64, node: I64, channel: I64, *, sends: bool) -> I64:
        """The first of the ``q`` numbers of a connection at one end.

        ``here`` and ``there`` are the GPUs at this end and at the other (0 where that matters not), ``node`` is the other node.
        """
        place = ((here * self.far_gpus + there) * self.nodes + node) * self.channels + channel
        return self.first + (place * 2 + (0 if sends else 1)) * self.q


def runs(wanted: Iterable[tuple[str, int, int, int]], gpus: int, q: int) -> tuple[dict[str, Run], int]:
    """Runs for the (name, far GPUs, nodes, channels) wanted, one behind the other, and how many numbers they take in all.

    >>> runs([("ring", 1, 2, 1), ("tree", 1, 2, 2)], 1, 4)[1]
    48
    """
    out: dict[str, Run] = {}
    first = 0
    for name, far_gpus, nodes, channels in wanted:
        out[name] = Run(first, gpus, far_gpus, nodes, channels, q)
        first += out[name].size
    return out, first
