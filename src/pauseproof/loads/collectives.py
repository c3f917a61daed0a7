"""Collectives: who sends how much to whom, by algorithm.

Ring and double binary tree (as NCCL runs them) join *nodes*: inside a node data goes from GPU to GPU without the network, so
only the crossings count. Halving-doubling joins single ranks. All-to-all is too large to be listed here: see
:class:`pauseproof.loads.flows.Pairs`.

Notation: ``S`` bytes, the size of the whole buffer: what each rank holds before an all-reduce or a reduce-scatter, and
after an all-gather. ``n`` members (nodes or ranks, as said), ``C`` channels, which share the buffer evenly. The byte counts are
those of Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH" (2005), and of NCCL.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.trees import double_binary_tree
from pauseproof.readers.job_lines import Kind


@dataclass(frozen=True)
class Transfers:
    """Who sends how much to whom, as columns [T].

    ``src`` and ``dst`` are members. Two transfers of one (src, dst, channel) use one connection. ``step`` numbers what
    happens one after the other; steps of an algorithm that keeps all its connections busy at once are one.
    """

    src: Ids
    dst: Ids
    channel: Ids
    bytes: NDArray[np.float64]
    step: Ids

    def __len__(self) -> int:
        return len(self.src)

    @classmethod
    def on_each_channel(cls, src: Ids, dst: Ids, bytes: NDArray[np.float64], step: Ids, channels: int) -> "Transfers":
        """The same transfers on every channel, each with its share of ``bytes``."""
        channel = np.repeat(np.arange(channels, dtype=np.int32), len(src))
        src, dst, step = (np.tile(column.astype(np.int32), channels) for column in (src, dst, step))
        return cls(src, dst, channel, np.tile(bytes, channels) / channels, step)


def ring(kind: Kind, n_nodes: int, n_ranks: int, size: float, channels: int) -> Transfers:
    """A ring through all ranks, node by node: each node sends to the next, and the last to the first.

    Every rank sends ``(n-1)/n * S`` in a reduce-scatter and in an all-gather, twice that in an all-reduce, with ``n`` ranks.

    >>> ring("all-reduce", 2, 16, 16.0, 1).bytes.tolist()
    [30.0, 30.0]
    """
    if n_nodes < 2:
        return _nothing()
    rounds = 2 if kind == "all-reduce" else 1
    src = np.arange(n_nodes, dtype=np.int32)
    sent = np.full(n_nodes, rounds * (n_ranks - 1) / n_ranks * size)
    return Transfers.on_each_channel(src, np.roll(src, -1), sent, np.zeros_like(src), channels)


def double_tree(n_nodes: int, size: float, channels: int) -> Transfers:
    """All-reduce over NCCL's two trees of nodes: reduced up and broadcast down each, at the same time.

    Each tree carries ``S/2``. Channels 0..C-1 are those of the first tree, C..2C-1 of the second (NCCL, too, doubles them).

    >>> double_tree(2, 16.0, 1).src.tolist(), double_tree(2, 16.0, 1).bytes.tolist()
    ([1, 0, 0, 1], [8.0, 8.0, 8.0, 8.0])
    """
    columns = []
    for tree, parent in enumerate(double_binary_tree(n_nodes)):
        child = np.flatnonzero(parent >= 0).astype(np.int32)
        up, down = np.concatenate([child, parent[child]]), np.concatenate([parent[child], child])
        half = np.full(len(up), size / 2)
        one = Transfers.on_each_channel(up, down, half, np.zeros_like(up), channels)
        columns.append(Transfers(one.src, one.dst, one.channel + np.int32(tree * channels), one.bytes, one.step))
    return joined(columns)


def halving_doubling(kind: Kind, n: int, size: float, channels: int) -> Transfers:
    """Recursive halving (reduce-scatter) and doubling (all-gather) among ``n`` ranks: each step with rank XOR a power of two.

    Where ``n`` is no power of two, an all-reduce first folds the surplus ranks into their neighbours (the even one of each of
    the first pairs gives its whole buffer to the odd one) and hands them the result at last; the others need a power of two,
    ValueError where it is none.
    """
    power = 1 << (n.bit_length() - 1)
    surplus = n - power
    if surplus and kind != "all-reduce":
        raise ValueError(f"halving-doubling {kind} needs a power of two, not {n} ranks")
    # who takes part in the steps: the odd one of each of the first pairs, and all after them
    active = np.concatenate([np.arange(1, 2 * surplus, 2), np.arange(2 * surplus, n)]).astype(np.int32)
    folded = np.arange(0, 2 * surplus, 2, dtype=np.int32)
    steps: list[tuple[Ids, Ids, float]] = []
    if surplus:
        steps.append((folded, folded + 1, size))
    position = np.arange(power)
    halves = [(power >> k, size / (1 << k)) for k in range(1, power.bit_length())]  # distance, bytes
    up = halves if kind != "all-gather" else []
    down = halves[::-1] if kind != "reduce-scatter" else []
    steps.extend((active, active[position ^ distance], sent) for distance, sent in [*up, *down])
    if surplus:
        steps.append((folded + 1, folded, size))
    return joined(
        [
            Transfers.on_each_channel(src, dst, np.full(len(src), sent), np.full(len(src), step, np.int32), channels)
            for step, (src, dst, sent) in enumerate(steps)
        ]
    )


def steps(kind: Kind, n: int) -> int:
    """The steps of halving-doubling among ``n`` ranks.

    >>> steps("all-reduce", 8), steps("all-reduce", 9), steps("all-gather", 8)
    (6, 8, 3)
    """
    halvings = n.bit_length() - 1
    return (2 * halvings if kind == "all-reduce" else halvings) + (2 if n & (n - 1) else 0)


def line(n: int, forward: float, backward: float, channels: int, *, closed: bool = False) -> Transfers:
    """Stages of a pipeline: each sends ``forward`` bytes to the next (activations), ``backward`` to the one before (gradients).

    ``closed``: the last one's next is the first, as with interleaved stages.
    """
    here = np.arange(n if closed and n > 1 else n - 1, dtype=np.int32)
    there = (here + 1) % max(n, 1)
    both = [(here, there, forward), (there, here, backward)]
    steps = [
        Transfers.on_each_channel(a, b, np.full(len(a), sent), np.zeros(len(a), np.int32), channels)
        for a, b, sent in both
        if sent
    ]
    return joined(steps)


def joined(parts: "list[Transfers]") -> Transfers:
    """All transfers of several."""
    if not parts:
        return _nothing()
    return Transfers(
        np.concatenate([part.src for part in parts]),
        np.concatenate([part.dst for part in parts]),
        np.concatenate([part.channel for part in parts]),
        np.concatenate([part.bytes for part in parts]),
        np.concatenate([part.step for part in parts]),
    )


def _nothing() -> Transfers:
    none = np.empty(0, np.int32)
    return Transfers(none, none, none, np.empty(0), none)
