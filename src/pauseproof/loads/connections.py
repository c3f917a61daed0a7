"""Connections: the transfers of a collective between the NICs that carry them.

Between *nodes* (ring, trees): channel ``c`` leaves and enters a node by the ``c``-th of the NICs of the communicator's ranks
there, in turn; with ``cross-nic`` a ring enters by the next one. Between *ranks*: a rank sends and receives on the NIC of its
GPU. With PXN (NCCL_P2P_PXN_LEVEL 2, NCCL's default) data for a rank goes over NVLink to the rank of the own node that has the
NIC of the same number as the receiver's, and leaves there, so that it stays on one rail; where no rank of the communicator has
that NIC, the sender's own takes it.
"""

from dataclasses import dataclass, fields

import numpy as np

from pauseproof.fabric.model import Ids
from pauseproof.loads.collectives import Transfers
from pauseproof.loads.communicators import Communicator
from pauseproof.loads.flows import F64, I64
from pauseproof.loads.machines import Machines


@dataclass(frozen=True)
class Connections:
    """What is sent over each connection in each step, as columns [T].

    ``src`` and ``dst`` are NIC numbers (of :class:`Machines`). The GPUs at the ends and the places of both nodes among those of
    the communicator tell the connections of one NIC apart.
    """

    src: I64
    dst: I64
    src_gpu: I64
    dst_gpu: I64
    src_at: I64
    dst_at: I64
    channel: I64
    step: I64
    bytes: F64

    @classmethod
    def of(cls, *columns: Ids | I64, bytes: F64) -> "Connections":
        """The columns before ``bytes``, in order, as wide as numbers of QPs need them."""
        src, dst, src_gpu, dst_gpu, src_at, dst_at, channel, step = (column.astype(np.int64) for column in columns)
        return cls(src, dst, src_gpu, dst_gpu, src_at, dst_at, channel, step, bytes)

    def __len__(self) -> int:
        return len(self.src)

    def rows(self, first: int, last: int) -> "Connections":
        """Some of the rows."""
        return Connections(*(getattr(self, column.name)[first:last] for column in fields(self)))


def between_nodes(group: Communicator, transfers: Transfers, leaves: Ids, enters: Ids, n_nics: int) -> Connections:
    """Transfers between nodes; ``leaves[p, c]`` and ``enters[p, c]`` are the NICs of channel ``c`` at node ``p``."""
    src, dst, c = transfers.src, transfers.dst, transfers.channel
    node = group.node.astype(np.int64)
    return Connections.of(
        *(node[src] * n_nics + leaves[src, c], node[dst] * n_nics + enters[dst, c], group.lead[src], group.lead[dst]),
        *(src, dst, c, transfers.step),
        bytes=transfers.bytes,
    )


def between_ranks(group: Communicator, transfers: Transfers, machines: Machines, *, pxn: bool) -> Connections:
    """Transfers between ranks; those inside a node are left out, for they use no network."""
    apart = group.at[transfers.src] != group.at[transfers.dst]
    src, dst, c = transfers.src[apart], transfers.dst[apart], transfers.channel[apart]
    src_at, dst_at, node = group.at[src], group.at[dst], group.node.astype(np.int64)
    gpu = group.gpu[src]
    leaves, enters = nics_of(machines, gpu, c), nics_of(machines, group.gpu[dst], c)
    if pxn:
        via = relays(group, machines)[src_at, enters]
        gpu, leaves = np.where(via >= 0, via, gpu), np.where(via >= 0, enters, leaves)
    first, last = node[src_at] * machines.n_nics + leaves, node[dst_at] * machines.n_nics + enters
    columns = (first, last, gpu, group.gpu[dst], src_at, dst_at, c, transfers.step[apart])
    return Connections.of(*columns, bytes=transfers.bytes[apart])


def nics_of(machines: Machines, gpu: Ids, channel: Ids) -> Ids:
    """The NIC on which each GPU sends and receives each channel: its own in turn."""
    table = np.array([[nics[c % len(nics)] for c in range(_most(channel) + 1)] for nics in machines.gpu_nics], np.int32)
    return np.asarray(table[gpu, channel], np.int32)


def _most(channel: Ids) -> int:
    return int(channel.max(initial=0))


def relays(group: Communicator, machines: Machines) -> Ids:
    """``[p, r]``: the GPU of the first rank on node ``p`` that has NIC ``r``, -1 where none has."""
    out = np.full((len(group.node), machines.n_nics), -1, np.int32)
    for p, g in zip(group.at.tolist()[::-1], group.gpu.tolist()[::-1], strict=True):
        out[p, list(machines.gpu_nics[g])] = g
    return out
