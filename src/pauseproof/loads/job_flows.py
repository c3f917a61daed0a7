"""Flows that a job description says one by one, between hosts of the fabric.

A flow with QP numbers or a source port of its own is one QP. Any other has as many as every connection of the job, and their
numbers follow the rule of :mod:`pauseproof.loads.queue_pairs`: behind those of all collectives, in the order of the file.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.problems import refuse_if
from pauseproof.loads.flows import UNKNOWN, Flows, SourcePort
from pauseproof.loads.host_addresses import HostsAt
from pauseproof.loads.host_finder import HostFinder
from pauseproof.loads.machines import Machines
from pauseproof.loads.queue_pairs import shares, start
from pauseproof.readers.job_lines import FlowLine, JobLines

Ends = list[tuple[int, int]]


def hosts_of_flows(job: JobLines, fabric: Fabric, at: HostsAt) -> Ends:
    """Sender and receiver of each flow. Raises BadInput with every word that means no host."""
    finder = HostFinder(fabric, at)
    ends = []
    for flow in job.flows:
        ends.append((finder.host(flow.src), finder.host(flow.dst)))
        if ends[-1][0] == ends[-1][1] >= 0:
            finder.wrong(flow.dst, f"{flow.src.text!r} and {flow.dst.text!r} are one host; expected another")
        if len(finder.problems) >= 20:
            break
    refuse_if(finder.problems)
    return ends


def numbers_wanted(job: JobLines, ends: Ends) -> int:
    """How many QP numbers a host needs at most for its flows."""
    count = Counter(h for flow, both in zip(job.flows, ends, strict=True) if flow.sqpn < 0 for h in both)
    return max(count.values(), default=0) * job.qps


def listed_flows(
    job: JobLines, ends: Ends, machines: Machines, room: tuple[int, int], port: SourcePort | None, phase: int
) -> Flows:
    """All flows of the description. ``room``: the first free number of each NIC, and how many it has in all."""
    taken: dict[int, int] = defaultdict(lambda: room[0])
    nic = {h: i // machines.n_devices for i, h in enumerate(machines.host.reshape(-1).tolist())}
    rows: list[tuple[int, int, float, int, int, int]] = []
    for flow, (src, dst) in zip(job.flows, ends, strict=True):
        single = flow.sqpn >= 0 or flow.sport >= 0
        parts = shares(np.array([flow.bytes]), 1 if single else job.qps, job.message, split=job.split == "all")[0].tolist()
        for part in parts:
            sqpn, dqpn = flow.sqpn, flow.dqpn
            if sqpn < 0:
                sqpn, dqpn = (_next(job, h, nic, taken, room[1]) for h in (src, dst))
            rows.append((src, dst, part, _port(flow, sqpn, dqpn, port), sqpn, dqpn))
    columns: Sequence[Sequence[int | float]] = list(zip(*rows, strict=True)) or [()] * 6
    src_, dst_, amount, sport, sqpn_, dqpn_ = (np.array(column) for column in columns)
    return Flows.of(
        src_.astype(np.int32), dst_.astype(np.int32), amount.astype(np.float64), sport=sport.astype(np.int32),
        sqpn=sqpn_.astype(np.int32), dqpn=dqpn_.astype(np.int32), phase=phase,
    )  # fmt: skip


def _next(job: JobLines, h: int, nic: dict[int, int], taken: dict[int, int], size: int) -> int:
    """A host that is no NIC of the job counts from a start of its own."""
    number = nic.get(h, len(nic) + h)
    first = int(start(job.seed, np.array([number]), size)[0])
    taken[number] += 1
    return first + taken[number] - 1


def _port(flow: FlowLine, sqpn: int, dqpn: int, port: SourcePort | None) -> int:
    if flow.sport >= 0:
        return flow.sport
    return UNKNOWN if port is None else int(port(np.array([sqpn]), np.array([dqpn]))[0])
