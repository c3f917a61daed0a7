"""A job on a fabric: its collectives as flows between hosts, phase by phase, in blocks of bounded size.

The nodes and NICs are looked up (:mod:`machines`), the ranks put into communicators, each collective turned into transfers,
these into connections between NICs, and a connection into flows, one a queue pair. Collectives come one after the other, each
in phases of its own, but for those that are ``beside`` another; flows that are said one by one are a last phase. An all-to-all
is never listed: see :class:`Pairs`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.loads.aggregation import Aggregation, aggregation_of
from pauseproof.loads.collectives import steps
from pauseproof.loads.communicators import Communicator, communicator, ranks_of_groups
from pauseproof.loads.flows import MOST_ROWS, Flows, Traffic, blocks_of, gathered
from pauseproof.loads.host_addresses import hosts_at
from pauseproof.loads.job_flows import hosts_of_flows, listed_flows, numbers_wanted
from pauseproof.loads.job_traffic import NO_RUN, Sender, channels_of, family
from pauseproof.loads.machines import NO_MACHINES, Machines, find_machines
from pauseproof.loads.queue_pairs import Run, runs, start
from pauseproof.loads.source_ports import source_port, with_declared_port
from pauseproof.readers.job_lines import CollectiveLine, JobLines
from pauseproof.routing.network import Network


@dataclass(frozen=True)
class PlacedJob:
    """A job whose NICs are hosts of ``fabric``. ``phases`` names them, in order: a flow's ``phase`` is an index into it.

    ``assumptions`` are what the flows rest on beside the description.
    """

    lines: JobLines
    fabric: Fabric
    machines: Machines
    phases: tuple[str, ...]
    assumptions: tuple[str, ...]
    first_phase: tuple[int, ...]
    groups: Mapping[str, list[Communicator]]
    sender: Sender
    listed: Flows

    def traffic(self) -> Iterator[Traffic]:
        """Everything that is sent; large all-to-alls in their short form."""
        for one, phase in zip(self.lines.collectives, self.first_phase, strict=True):
            for part in self.sender.of(one, self.groups[one.group.text], phase):
                yield part
                if self.lines.ack or self.lines.cts:
                    yield self.sender.returned(part)
        if len(self.listed):
            yield self.listed
            if self.lines.ack or self.lines.cts:
                yield self.sender.returned(self.listed)

    def blocks(self, most: int = MOST_ROWS) -> Iterator[Flows]:
        """Everything that is sent as flows, about ``most`` rows at a time."""
        return gathered(blocks_of(self.traffic(), most), most)


def place(job: JobLines, network: Network) -> PlacedJob:
    """Put a job on the hosts of a network. Raises BadInput where its words, or its sizes, do not fit."""
    fabric, at = network.fabric, hosts_at(network)
    job = with_declared_port(job, network.hashes)
    ends = hosts_of_flows(job, fabric, at)
    machines = find_machines(job, fabric, at) if job.collectives else NO_MACHINES
    ranks = ranks_of_groups(job, machines) if job.collectives else {}
    used = {one.group.text for one in job.collectives}
    groups = {name: [communicator(members, job, machines) for members in ranks[name]] for name in sorted(used)}
    aggregation = aggregation_of(job, fabric) if any(one.algorithm == "in-network" for one in job.collectives) else None
    refuse_if([problem for one in job.collectives for problem in _misfits(one, groups[one.group.text], machines, aggregation)])
    numbers, used_numbers = _numbers(job, groups, machines)
    room = used_numbers + numbers_wanted(job, ends)
    nics = np.arange(machines.host.shape[0] * machines.host.shape[1])
    on_ethernet = fabric.kind == "roce"
    port = source_port(job) if on_ethernet else None
    hosts = machines.host.reshape(len(nics), machines.n_devices)
    sender = Sender(job, machines, hosts, start(job.seed, nics, room), numbers, port, aggregation)
    first, phases = _phases(job, groups)
    listed = listed_flows(job, ends, machines, (used_numbers, room), port, len(phases))
    phases += ("flows",) if job.flows else ()
    assumptions = _assumptions(job, aggregation, on_ethernet)
    return PlacedJob(job, fabric, machines, phases, assumptions, first, groups, sender, listed)


def _misfits(
    one: CollectiveLine, groups: Sequence[Communicator], machines: Machines, aggregation: Aggregation | None
) -> Iterator[Problem]:
    """What keeps a collective from running on its groups; one such group is told."""
    for group in groups:
        n = len(group.rank)
        if one.algorithm == "halving-doubling" and one.kind != "all-reduce" and n & (n - 1):
            message = f"{one.name.text!r}: halving-doubling {one.kind} needs a power of two, and a group has {n} ranks"
            yield Problem(one.place, f"{message}; expected algorithm: ring")
            return
        if aggregation is not None and one.algorithm == "in-network" and len(group.node) > 1:
            nic = group.nic_on(channels_of(one, group, machines))
            try:
                for c in range(nic.shape[1]):
                    for d in range(machines.n_devices):
                        aggregation.edges(machines.host[group.node, nic[:, c], d].tolist())
            except LookupError as error:
                yield Problem(one.place, f"{one.name.text!r}: {error.args[0]}")
                return


def _numbers(job: JobLines, groups: Mapping[str, list[Communicator]], machines: Machines) -> tuple[dict[str, Run], int]:
    """The runs of QP numbers of all families, wide enough for their largest communicators."""
    wanted: dict[str, tuple[int, int, int]] = {}
    for one in job.collectives:
        name = family(one)
        if name == NO_RUN:
            continue
        nodes = max((len(group.node) for group in groups[one.group.text]), default=1)
        channels = max((channels_of(one, group, machines) for group in groups[one.group.text]), default=1)
        far = machines.n_gpus if name.endswith(" direct") else 1
        _, known_nodes, known_channels = wanted.get(name, (1, 1, 1))
        doubled = 2 if one.algorithm == "tree" else 1
        wanted[name] = (far, max(nodes, known_nodes), max(doubled * channels, known_channels))
    return runs([(name, *sizes) for name, sizes in wanted.items()], machines.n_gpus, job.qps * machines.n_devices)


def _phases(job: JobLines, groups: Mapping[str, list[Communicator]]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The first phase of every collective, and the names of all phases."""
    first: dict[str, int] = {}
    names: list[list[str]] = []
    for one in job.collectives:
        count = _steps(one, groups[one.group.text])
        begin = len(names) if one.beside is None else first[one.beside.text]
        first[one.name.text] = begin
        names.extend([] for _ in range(begin + count - len(names)))
        for step in range(count):
            names[begin + step].append(one.name.text if count == 1 else f"{one.name.text}, step {step + 1} of {count}")
    return tuple(first.values()), tuple(" and ".join(parts) for parts in names)


def _steps(one: CollectiveLine, groups: Sequence[Communicator]) -> int:
    if one.algorithm != "halving-doubling":
        return 1
    return max((steps(one.kind, len(group.rank)) for group in groups), default=1) or 1


def _assumptions(job: JobLines, aggregation: Aggregation | None, on_ethernet: bool) -> tuple[str, ...]:
    out = []
    made_up = bool(job.collectives) or any(flow.sqpn < 0 and flow.sport < 0 for flow in job.flows)
    if made_up and on_ethernet and job.sport in ("qpns", "random"):
        what = "QP numbers are assigned" if job.sport == "qpns" else "QP numbers and source ports are assigned"
        out.append(f"{what} by pauseproof's rule with seed {job.seed}; a real job has others, with another load (docs/jobs.md)")
    if aggregation is not None and aggregation.assumption:
        out.append(aggregation.assumption)
    return tuple(out)
