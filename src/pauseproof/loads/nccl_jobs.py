"""Jobs from NCCL's logs: every collective that ran, over the very connections, NICs and queue pairs that the logs name.

What logs do not tell is said as an assumption: sizes (TUNING), and QP numbers, which are given by the rule of
:mod:`pauseproof.loads.queue_pairs` then.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.hashing.source_port import sport_of_qps
from pauseproof.loads.flows import MOST_ROWS, Flows, Traffic, blocks_of
from pauseproof.loads.nccl_channels import ring_links, tree_links
from pauseproof.loads.nccl_communicators import Connection, LoggedCommunicator, Logs, join
from pauseproof.loads.nccl_nics import LoggedNics
from pauseproof.loads.nccl_pairs import LoggedPairs
from pauseproof.loads.queue_pairs import start
from pauseproof.readers.nccl_lines import Sized
from pauseproof.readers.nccl_log import Said
from pauseproof.routing.network import Network

RING, TREE = ("Ring", "1", "RING"), ("Tree", "0", "TREE")
UNSAID = 1 << 30  # bytes of the all-reduce that stands for a job whose log has no sizes
IN_ORDER = "QPs are taken to belong to the connections of their NIC in the order of the log"
BY_RULE = "QP numbers that the logs do not tell are assigned by pauseproof's rule: real source ports differ (docs/jobs.md)"
ROOM = 1 << 16  # numbers kept free for QPs that no log tells


@dataclass(frozen=True)
class LoggedJob:
    """A job as its logs tell it, with the same questions as :class:`pauseproof.loads.jobs.PlacedJob`."""

    fabric: Fabric
    phases: tuple[str, ...]
    assumptions: tuple[str, ...]
    flows: tuple[Flows, ...] = field(repr=False)

    def traffic(self) -> Iterator[Traffic]:
        """Everything that is sent."""
        yield from self.flows

    def blocks(self, most: int = MOST_ROWS) -> Iterator[Flows]:
        """The same, at most ``most`` rows at a time."""
        return blocks_of(self.flows, most)


@dataclass(frozen=True)
class Wire:
    """A connection between hosts: ``src`` and ``dst`` [d] of its devices, and a QP number at each end for each QP [q]."""

    src: tuple[int, ...]
    dst: tuple[int, ...]
    sqpn: tuple[int, ...]
    dqpn: tuple[int, ...]


def place_logs(logs: Sequence[tuple[Said, ...]], network: Network) -> LoggedJob:
    """The job of these logs on the hosts of a network. Raises BadInput where they name others, or do not fit together."""
    joined = join(logs)
    refuse_if([problem for group in joined.communicators.values() for problem in _lost_ends(group)])
    return _Placer(joined, network).job()


def _lost_ends(group: LoggedCommunicator) -> Iterator[Problem]:
    """Connections of collectives that one end alone tells of: a log is missing. One for each rank that wrote none."""
    told: set[int] = set()
    for ends, others, lost in ((group.senders, group.receivers, 3), (group.receivers, group.senders, 2)):
        for key, end in ends.items():
            if key not in others and not key[1] and key[lost] not in told:
                told.add(key[lost])
                side = "receiver" if lost == 3 else "sender"
                said = f"rank {key[2]} to {key[3]} on channel {key[0]} has no line of its {side}"
                yield Problem(end.place, f"{said}; expected the log of rank {key[lost]} too")


class _Placer:
    """Looks up NICs and QPs once, and puts flows together."""

    def __init__(self, logs: Logs, network: Network) -> None:
        self.logs, self.fabric, self.declared = logs, network.fabric, network.hashes.sport
        self.nics = LoggedNics(logs, network)
        self.pairs = LoggedPairs(logs)
        self.assumptions: dict[str, None] = {}
        self.wires: dict[tuple[str, Connection], Wire] = {}
        self.spare: dict[int, int] = {}  # the next number of each host

    def job(self) -> LoggedJob:
        phases: list[str] = []
        if self.logs.unowned:
            lines = f"{self.logs.unowned} lines of sizes (TUNING)"
            self.assumptions[f"{lines} may be of several communicators of their process, and are left out"] = None
        flows: list[Flows] = []
        for group in self.logs.communicators.values():
            if not group.senders and not group.receivers:
                continue  # on one node
            for name, sized, times in self._ran(group):
                found = self._flows(group, sized, len(phases))
                if found is None:
                    self.assumptions[f"{name} is left out: its algorithm {sized.algorithm} is not modelled from logs"] = None
                    continue
                flows.append(found)
                phases.append(name if times == 1 else f"{name}, {times} times")
            if any(key[1] for key in group.senders):
                self.assumptions["single sends (all-to-all, send-recv) are left out: logs do not tell their sizes"] = None
        if not flows:
            place = next((group.place for group in self.logs.communicators.values()), Place("NCCL log"))
            raise BadInput.at(
                place, "no collective between nodes is in the logs; expected lines `Channel .. via NET/..` of a job"
            )
        return LoggedJob(self.fabric, tuple(phases), tuple(self.assumptions), tuple(flows))

    def _ran(self, group: LoggedCommunicator) -> Iterator[tuple[str, Sized, int]]:
        """The collectives of a communicator, each once, with how often it ran."""
        if not group.sized:
            channels = sorted({key[0] for key in [*group.senders, *group.receivers] if not key[1]})
            if not channels:
                return
            self.assumptions["the logs tell no sizes (TUNING): a ring all-reduce of 1 GiB stands for the job"] = None
            yield "AllReduce of 1 GiB, assumed", Sized("AllReduce", UNSAID, "Ring", channels[0], channels[-1]), 1
        for sized, times in group.sized.items():
            yield f"{sized.kind} of {sized.bytes} bytes, {sized.algorithm}", sized, times

    def _flows(self, group: LoggedCommunicator, sized: Sized, phase: int) -> Flows | None:
        """The flows of one collective, None where its algorithm is not known."""
        channels = range(sized.first, sized.last + 1)
        each = self._each(group, sized, len(channels))
        if each < 0:
            return None
        links = ring_links if sized.algorithm in RING else tree_links
        rows = [row for c in channels for key in links(group, c) for row in self._rows(self._wire(group, key), each)]
        src, dst, amount, sqpn, dqpn = (np.array(column) for column in zip(*rows, strict=True)) if rows else np.empty((5, 0))
        sport: np.ndarray | int = self.declared
        if self.declared < 0 and self.fabric.kind == "roce" and rows:
            sport = np.asarray(sport_of_qps(sqpn.astype(np.uint64), dqpn.astype(np.uint64))).astype(np.int32)
        ids = (src.astype(np.int32), dst.astype(np.int32))
        return Flows.of(
            *ids, amount.astype(float), sport=sport, sqpn=sqpn.astype(np.int64), dqpn=dqpn.astype(np.int64), phase=phase
        )

    def _each(self, group: LoggedCommunicator, sized: Sized, channels: int) -> float:
        """What one link of a channel carries; -1 where that is not known. NCCL counts what one rank gives, or gets."""
        n = group.size or len(group.processes)
        if sized.algorithm in RING:
            rounds = {"AllReduce": 2 * (n - 1) / n, "AllGather": n - 1.0, "ReduceScatter": n - 1.0}.get(sized.kind)
            return -1.0 if rounds is None else rounds * sized.bytes / channels
        return sized.bytes / channels if sized.algorithm in TREE and sized.kind == "AllReduce" else -1.0

    def _rows(self, wire: Wire, amount: float) -> Iterator[tuple[int, int, float, int, int]]:
        """A flow for each QP; they take the devices of a merged NIC in turn."""
        q = len(wire.sqpn)
        for k, (sqpn, dqpn) in enumerate(zip(wire.sqpn, wire.dqpn, strict=True)):
            yield wire.src[k % len(wire.src)], wire.dst[k % len(wire.dst)], amount / q, sqpn, dqpn

    def _wire(self, group: LoggedCommunicator, key: Connection) -> Wire:
        if (known := self.wires.get((group.key, key))) is not None:
            return known
        sender, receiver = group.senders[key], group.receivers[key]
        src, dst = self.nics.hosts(sender), self.nics.hosts(receiver)
        mine, theirs = self.pairs.of(group, key, sends=True), self.pairs.of(group, key, sends=False)
        q = max(len(mine), len(theirs), len(src), len(dst))
        wire = Wire(src, dst, self._numbers(mine, q, src), self._numbers(theirs, q, dst))
        self.wires[group.key, key] = wire
        return wire

    def _numbers(self, told: tuple[int, ...], q: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        self.assumptions[IN_ORDER if len(told) == q else BY_RULE] = None
        if len(told) == q:
            return told
        out = []
        for k in range(q):
            h = hosts[k % len(hosts)]
            first = self.spare.setdefault(h, int(start(0, np.array([h]), ROOM)[0]))
            out.append(first)
            self.spare[h] = first + 1
        return tuple(out)
