"""One collective of a job as traffic: transfers, then connections, then flows with their QPs.

Notation as in :mod:`pauseproof.loads.connections`; ``S`` bytes in all, ``C`` channels, ``q`` QPs a connection.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.aggregation import Aggregation
from pauseproof.loads.all_to_all import Alike, all_to_all
from pauseproof.loads.collectives import Transfers, double_tree, halving_doubling, line, ring
from pauseproof.loads.communicators import Communicator
from pauseproof.loads.connections import Connections, between_nodes, between_ranks
from pauseproof.loads.flows import I64, MOST_ROWS, Flows, Pairs, SourcePort, Traffic, joined
from pauseproof.loads.machines import Machines
from pauseproof.loads.queue_pairs import Run, shares
from pauseproof.readers.job_lines import CollectiveLine, JobLines

MESSAGE = float(512 << 10)  # of NCCL's Simple protocol: a buffer of 4 MiB in 8 steps
NO_RUN = "in-network"  # its QPs are not numbered: it runs on InfiniBand, where no header depends on them


def family(one: CollectiveLine) -> str:
    """Collectives of one family run over the same connections of a group."""
    if one.algorithm in ("ring", "tree"):
        return f"{one.group.text} {one.algorithm}"
    return NO_RUN if one.algorithm == "in-network" else f"{one.group.text} direct"


def channels_of(one: CollectiveLine, group: Communicator, machines: Machines) -> int:
    """Those that are said, else one for each NIC: of a node's ranks, or of a rank."""
    if one.channels:
        return one.channels
    if one.algorithm in ("ring", "tree", "in-network"):
        return max(map(len, group.nics))
    return max(map(len, machines.gpu_nics))


@dataclass(frozen=True)
class Sender:
    """Turns collectives into traffic. ``host`` [N * K, D] and ``start`` [N * K]: the hosts and the first QP number of each NIC.

    The QPs of a connection are on the devices of a NIC in turn, and a message goes over all devices in equal parts.
    """

    lines: JobLines
    machines: Machines
    host: Ids
    start: I64
    runs: dict[str, Run]
    source_port: SourcePort | None
    aggregation: Aggregation | None = None
    _known: dict[tuple[object, ...], Transfers] = field(default_factory=dict, repr=False)

    def of(self, one: CollectiveLine, groups: list[Communicator], phase: int) -> Iterator[Traffic]:
        """The traffic of ``one`` on all its communicators, from ``phase`` on; small ones are put together."""
        waiting: list[Flows] = []
        rows = 0
        for group in groups:
            if len(group.node) < 2:
                continue
            for part in self._on(one, group, phase):
                if isinstance(part, Pairs) and len(part) > MOST_ROWS // 16:
                    yield part
                    continue
                waiting.append(part.rows(0, len(part.src)) if isinstance(part, Pairs) else part)
                rows += len(waiting[-1])
                if rows > MOST_ROWS:
                    yield joined(waiting)
                    waiting, rows = [], 0
        if rows:
            yield joined(waiting)

    def _on(self, one: CollectiveLine, group: Communicator, phase: int) -> Iterator[Traffic]:
        size, channels = one.bytes * one.times, channels_of(one, group, self.machines)
        if one.kind == "all-to-all":
            pairs = all_to_all(group, self.machines, size, channels, pxn=self.lines.pxn)
            for alike in pairs:
                yield from self._pairs(alike, group, self.runs[family(one)], phase)
        elif one.algorithm == "in-network":
            yield self._in_network(group, size, channels, phase)
        else:
            yield from self._flows(self._connections(one, group, size, channels), self.runs[family(one)], phase)

    def _connections(self, one: CollectiveLine, group: Communicator, size: float, channels: int) -> Connections:
        transfers = self._transfers(one, len(group.node), len(group.rank), size, channels)
        nics = self.machines.n_nics
        if one.algorithm in ("ring", "tree"):
            enters, leaves = self._ways(one, group, channels)
            doubled = 2 if one.algorithm == "tree" else 1
            return between_nodes(group, transfers, np.tile(leaves, doubled), np.tile(enters, doubled), nics)
        pxn = self.lines.pxn and one.kind == "send-recv"
        return between_ranks(group, transfers, self.machines, pxn=pxn)

    def _ways(self, one: CollectiveLine, group: Communicator, channels: int) -> tuple[Ids, Ids]:
        """The NICs by which each channel enters and leaves each node, [N, C]: as a graph says for whole nodes, else in turn."""
        ways = self.lines.channel_nics.get(one.algorithm, ())
        if ways and len(group.rank) == len(group.node) * self.machines.n_gpus:
            enters, leaves = (np.array([way[end] for way in ways], np.int32) for end in (0, 1))
            turn = np.arange(channels) % len(ways)
            shape = (len(group.node), channels)
            return np.broadcast_to(enters[turn], shape), np.broadcast_to(leaves[turn], shape)
        ahead = 1 if self.lines.cross_nic and one.algorithm == "ring" else 0
        return group.nic_on(channels, ahead), group.nic_on(channels)

    def _transfers(self, one: CollectiveLine, nodes: int, ranks: int, size: float, channels: int) -> Transfers:
        """Communicators of one shape have equal transfers."""
        key = (one, nodes, ranks, channels)
        if key not in self._known:
            self._known.clear()
            self._known[key] = _transfers(one, nodes, ranks, size, channels)
        return self._known[key]

    def _flows(self, connections: Connections, run: Run, phase: int) -> Iterator[Flows]:
        """A flow for each QP that carries anything."""
        step = max(1, MOST_ROWS // run.q)
        for first in range(0, len(connections), step):
            yield self._some(connections.rows(first, first + step), run, phase)

    def _some(self, c: Connections, run: Run, phase: int) -> Flows:
        q, far = run.q, run.far_gpus > 1
        sent = self._shares(c.bytes).ravel()
        device = np.arange(q) % self.machines.n_devices
        there, back = (c.dst_gpu, c.src_gpu) if far else (np.zeros_like(c.dst_gpu),) * 2
        sends = self.start[c.src] + run.slot(c.src_gpu, there, c.dst_at, c.channel, sends=True)
        takes = self.start[c.dst] + run.slot(c.dst_gpu, back, c.src_at, c.channel, sends=False)
        sqpn, dqpn = ((qp[:, None] + np.arange(q)).ravel() for qp in (sends, takes))
        sport = self.source_port(sqpn, dqpn) if self.source_port else -1
        src, dst = (self.host[nic][:, device].ravel() for nic in (c.src, c.dst))
        step = np.repeat(c.step, q)
        flows = Flows.of(src, dst, sent, sport=sport, sqpn=sqpn, dqpn=dqpn, phase=(step + phase).astype(np.int32))
        return flows if (sent > 0).all() else flows[sent > 0]

    def _shares(self, sent: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each QP of connections with ``sent`` [T] bytes carries, [T, q]."""
        of_message = shares(sent, self.lines.qps, self.lines.message, split=self.lines.split == "all")
        return np.repeat(of_message / self.machines.n_devices, self.machines.n_devices, axis=1)

    def _pairs(self, alike: Alike, group: Communicator, run: Run, phase: int) -> Iterator[Pairs]:
        """One for each device."""
        src_node, dst_node = group.node[alike.src_at], group.node[alike.dst_at]
        src = src_node.astype(np.int64) * self.machines.n_nics + alike.leaves
        dst = dst_node.astype(np.int64) * self.machines.n_nics + alike.enters
        sent, devices = self._shares(np.array([alike.bytes]))[0], self.machines.n_devices
        a, b, c, none = (np.array([x]) for x in (alike.src_gpu, alike.dst_gpu, alike.channel, 0))
        if run.far_gpus == 1:
            a, b = a * 0, b * 0
        for d in range(devices):
            yield Pairs(
                *(self.host[src, d], self.host[dst, d], src_node, dst_node),
                sent[d::devices][sent[d::devices] > 0],
                self.start[src] + run.slot(a, b, none, c, sends=True) + d,
                self.start[dst] + run.slot(b, a, none, c, sends=False) + d,
                *(alike.src_at.astype(np.int64), alike.dst_at.astype(np.int64)),
                stride=run.stride,
                phase=phase,
                source_port=self.source_port,
                step=devices,
            )

    def _in_network(self, group: Communicator, size: float, channels: int, phase: int) -> Flows:
        """Up and down each edge of the tree, on each channel."""
        assert self.aggregation is not None
        node, nic = group.node.astype(np.int64)[:, None], group.nic_on(channels)
        hosts = self.host[node * self.machines.n_nics + nic].reshape(len(node), -1)
        edges = [edge for lane in hosts.T for edge in self.aggregation.edges(lane.tolist())]
        below, above = np.array(edges, np.int32).reshape(-1, 2).T
        src, dst = np.concatenate([below, above]), np.concatenate([above, below])
        return Flows.of(src, dst, size / channels / self.machines.n_devices, phase=phase)

    def returned(self, part: Traffic) -> Traffic:
        """The acknowledgements of its data, and a clear-to-send for each of its messages."""
        back = part.bytes * self.lines.ack + np.ceil(part.bytes / (self.lines.message or MESSAGE)) * self.lines.cts
        return part.returned(back)


def _transfers(one: CollectiveLine, nodes: int, ranks: int, size: float, channels: int) -> Transfers:
    if one.kind == "send-recv":
        return line(ranks, size, one.backward * one.times, channels, closed=one.closed)
    if one.algorithm == "ring":
        return ring(one.kind, nodes, ranks, size, channels)
    if one.algorithm == "tree":
        return double_tree(nodes, size, channels)
    return halving_doubling(one.kind, ranks, size, channels)
