"""Communicators: the ranks that run a collective together, the nodes that they are on, and the NICs that they may use.

A *group* of a job (such as ``data``) makes many communicators, each rank being in at most one of them. Rank, node and GPU of a
rank follow from the order of ranks: ``block`` counts the GPUs of a node first, ``cyclic`` the nodes.

Notation: ``n`` ranks and ``N`` nodes of a communicator, numbered 0.. in its own order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import BadInput
from pauseproof.loads.machines import Machines
from pauseproof.readers.job_lines import GroupLine, JobLines


@dataclass(frozen=True)
class Communicator:
    """``rank`` [n] of the job; ``node`` [N] of :class:`Machines`, in the order of their first ranks.

    ``at`` [n] is where each rank is among ``node``, and ``gpu`` [n] its GPU. ``lead`` [N] is the GPU of the first rank on each
    node; ``nics[p]`` are the NICs of the ranks on node ``p``, in their order.
    """

    rank: Ids
    node: Ids
    at: Ids
    gpu: Ids
    lead: Ids
    nics: tuple[tuple[int, ...], ...]

    def nic_on(self, channels: int, ahead: int = 0) -> Ids:
        """The NIC number that each channel uses at each node, [N, C]: the NICs in turn, ``ahead`` places on."""
        turn = np.arange(channels) + ahead
        return np.array([[nics[c % len(nics)] for c in turn] for nics in self.nics], np.int32).reshape(len(self.nics), channels)


def communicator(ranks: Ids, job: JobLines, machines: Machines) -> Communicator:
    """The communicator of these ranks, in this order."""
    gpus, nodes = machines.n_gpus, len(machines.names)
    node, gpu = (ranks // gpus, ranks % gpus) if job.rank_order == "block" else (ranks % nodes, ranks // nodes)
    distinct, first, inverse = np.unique(node, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    at = place[inverse.reshape(-1)]
    nics: list[dict[int, None]] = [{} for _ in distinct]
    for p, g in zip(at.tolist(), gpu.tolist(), strict=True):
        nics[p].update(dict.fromkeys(machines.gpu_nics[g]))
    lead = gpu[first[order]].astype(np.int32)
    return Communicator(ranks, distinct[order].astype(np.int32), at, gpu.astype(np.int32), lead, tuple(map(tuple, nics)))


def ranks_of_groups(job: JobLines, machines: Machines) -> dict[str, list[Ids]]:
    """The ranks of every communicator, by the name of its group. Raises BadInput where the sizes do not fit the job."""
    world = len(machines.names) * machines.n_gpus
    out = {"world": [np.arange(world, dtype=np.int32)], **_on_machines(job, machines)}
    sizes = _sizes(job, world, machines)
    for group in job.groups:
        if group.ranks:
            out[group.name.text] = [_listed(group, members, world) for members in group.ranks]
        elif group.within is None:
            out[group.name.text] = _along(group.name.text, sizes, world)
    for group in job.groups:
        if group.within is not None:
            out[group.name.text] = list(_runs(group, out[group.within.text]))
    return out


def _on_machines(job: JobLines, machines: Machines) -> dict[str, list[Ids]]:
    """The ranks of each node; and those of equal GPUs of all nodes, a rail."""
    nodes, gpus = len(machines.names), machines.n_gpus
    ranks = np.arange(nodes * gpus, dtype=np.int32)
    grid = ranks.reshape(nodes, gpus) if job.rank_order == "block" else ranks.reshape(gpus, nodes).T
    return {"node": list(grid), "rail": list(np.ascontiguousarray(grid.T))}


def _sizes(job: JobLines, world: int, machines: Machines) -> Mapping[str, int]:
    """The size of every axis, from the innermost to the outermost; one without a size is what the others leave over."""
    size = {word.text: next(g.size for g in job.groups if g.name.text == word.text) for word in job.order}
    known = prod(s for s in size.values() if s)
    have = f"{len(machines.names)} nodes of {machines.n_gpus} GPUs make {world} ranks"
    place = next((g.name.place for g in job.groups if g.name.text in size), job.place)
    said = " x ".join(f"{name} {s}" for name, s in size.items() if s)
    rest = [name for name, s in size.items() if not s]
    if rest and world % known:
        raise BadInput.at(place, f"{have}, which {said} ranks do not divide")
    if size and not rest and known != world:
        raise BadInput.at(
            place, f"{have}, and {said} make {known}; expected sizes whose product is {world}, or one without a size"
        )
    return {**size, **dict.fromkeys(rest, world // known)}


def _along(name: str, sizes: Mapping[str, int], world: int) -> list[Ids]:
    """The ranks that differ in one axis alone."""
    outermost_first = list(sizes)[::-1]
    grid = np.arange(world, dtype=np.int32).reshape([sizes[axis] for axis in outermost_first])
    return list(np.moveaxis(grid, outermost_first.index(name), -1).reshape(-1, sizes[name]))


def _runs(group: GroupLine, wholes: list[Ids]) -> Iterator[Ids]:
    """Runs of ``size`` neighbours of each."""
    for whole in wholes:
        if len(whole) % group.size:
            within = group.within.text if group.within else ""
            message = f"groups of {group.size} do not divide the {len(whole)} ranks of {within!r}"
            raise BadInput.at(group.name.place, message)
        yield from whole.reshape(-1, group.size)


def _listed(group: GroupLine, members: tuple[int, ...], world: int) -> Ids:
    if members and max(members) >= world:
        raise BadInput.at(group.name.place, f"rank {max(members)} is beyond the job: its ranks are 0..{world - 1}")
    return np.array(members, np.int32)
