"""All-to-all as :class:`Pairs`: every rank has ``S/n`` for every other, and the nodes of a communicator are alike.

Nodes whose ranks use the same GPUs make a class; between two classes each pair of GPUs (with PXN: each GPU that receives, its
data gathered from all ranks of the sending node) is one :class:`Pairs`. Notation as in :mod:`pauseproof.loads.connections`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pauseproof.fabric.model import Ids
from pauseproof.loads.communicators import Communicator
from pauseproof.loads.machines import Machines


@dataclass(frozen=True)
class Alike:
    """Every node of ``src_at`` sends ``bytes`` to every node of ``dst_at`` but itself, from one NIC of each to one of each."""

    src_at: Ids
    dst_at: Ids
    leaves: int
    enters: int
    src_gpu: int
    dst_gpu: int
    channel: int
    bytes: float


def all_to_all(group: Communicator, machines: Machines, size: float, channels: int, *, pxn: bool) -> Iterator[Alike]:
    """The pairs of one communicator."""
    each = size / len(group.rank) / channels
    classes = _classes(group)
    for src_gpus, src_at in classes:
        for dst_gpus, dst_at in classes:
            for b in dst_gpus:
                for c in range(channels):
                    enters = machines.gpu_nics[b][c % len(machines.gpu_nics[b])]
                    relay = next((g for g in src_gpus if enters in machines.gpu_nics[g]), -1) if pxn else -1
                    if relay >= 0:
                        yield Alike(src_at, dst_at, enters, enters, relay, b, c, each * len(src_gpus))
                        continue
                    for a in src_gpus:
                        leaves = machines.gpu_nics[a][c % len(machines.gpu_nics[a])]
                        yield Alike(src_at, dst_at, leaves, enters, a, b, c, each)


def _classes(group: Communicator) -> list[tuple[tuple[int, ...], Ids]]:
    """The nodes by the GPUs of their ranks."""
    gpus: list[list[int]] = [[] for _ in group.node]
    for p, g in zip(group.at.tolist(), group.gpu.tolist(), strict=True):
        gpus[p].append(g)
    out: dict[tuple[int, ...], list[int]] = {}
    for p, of_node in enumerate(gpus):
        out.setdefault(tuple(of_node), []).append(p)
    return [(of_node, np.array(at, np.int32)) for of_node, at in out.items()]
