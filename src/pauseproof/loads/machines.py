"""The machines of a job: for each node its name, and for each of its NICs the host of the fabric that it is.

Where the description says nothing, a node is the end node of that name and its NICs are that node's cabled ports; or all end
nodes whose names begin with it (``gpu1 mlx5_0``, ``gpu1-nic3``), in the order in which people count.

Notation: ``N`` nodes, ``K`` NICs each. NIC ``i * K + r`` is NIC ``r`` of node ``i``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate

import numpy as np

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.problems import refuse_if
from pauseproof.loads.host_addresses import HostsAt, nobody
from pauseproof.loads.host_finder import HostFinder
from pauseproof.readers.host_words import Template
from pauseproof.readers.job_lines import JobLines
from pauseproof.readers.native_lines import Word
from pauseproof.readers.natural_order import natural_order
from pauseproof.readers.suggest import expected_one_of

ENOUGH = 20  # problems: looking for the nearest name takes its time
_PARTED = re.compile(r"[\W_]")


@dataclass(frozen=True)
class Machines:
    """``names`` [N], ``host`` [N, K, D] with ``D`` devices a NIC; ``gpu_nics[g]`` are the NICs of GPU ``g`` of every node."""

    names: tuple[str, ...]
    host: Ids
    gpu_nics: tuple[tuple[int, ...], ...]

    @property
    def n_gpus(self) -> int:
        """GPUs of a node."""
        return len(self.gpu_nics)

    @property
    def n_nics(self) -> int:
        """NICs of a node."""
        return int(self.host.shape[1])

    @property
    def n_devices(self) -> int:
        """Hosts that make one NIC."""
        return int(self.host.shape[2])


NO_MACHINES = Machines((), np.empty((0, 0, 1), np.int32), ((0,),))


def find_machines(job: JobLines, fabric: Fabric, hosts_at: HostsAt = nobody) -> Machines:
    """Look the nodes of a job and their NICs up. Raises BadInput with every word that means no host, or one that is taken."""
    finder = HostFinder(fabric, hosts_at)
    names = _names(job, finder)
    refuse_if(finder.problems)
    nics = []
    for index, name in enumerate(names):
        nics.append(_nics(job, finder, name, index))
        if len(finder.problems) >= ENOUGH:
            break
    refuse_if(finder.problems)
    n_nics = job.nics or max(len(nics[0]) // job.devices, 1)
    for name, hosts in zip(names, nics, strict=True):
        if len(hosts) != n_nics * job.devices:
            of = f" of {job.devices} devices" if job.devices > 1 else ""
            said = f"expected {n_nics}{of}, as {'`nics`' if job.nics else names[0].text} says"
            what = "hosts" if job.devices > 1 else "NICs"
            finder.wrong(name, f"the node {name.text!r} has {len(hosts)} {what} in the fabric; {said}")
    refuse_if(finder.problems)
    _refuse_shared(finder, names, nics)
    for nic in sorted({nic for ways in job.channel_nics.values() for way in ways for nic in way if nic >= n_nics}):
        finder.wrong(
            job.graph or Word("", job.place), f"the graph speaks of NIC {nic}, and a node has {n_nics}: 0..{n_nics - 1}"
        )
    refuse_if(finder.problems)
    return Machines(
        tuple(name.text for name in names),
        np.array(nics, np.int32).reshape(-1, n_nics, job.devices),
        _gpu_nics(job, finder, n_nics),
    )


def _names(job: JobLines, finder: HostFinder) -> list[Word]:
    """The nodes in the order of ranks; patterns stand for all that match, in the order in which people count."""
    if job.hosts.by_node and not job.n_nodes:
        return _listed(job, finder)
    if job.n_nodes:
        return _counted(job, finder)
    known = _node_names(job, finder)
    out: dict[str, Word] = {}
    for word in job.nodes:
        if "*" in word.text or "?" in word.text:
            match = re.compile(translate(word.text)).match
            found = [name for name in known if match(name)]
            if not found:
                finder.wrong(word, f"no node matches {word.text!r}; {expected_one_of(word.text, known)}")
            out.update({name: Word(name, word.place) for name in found if name not in out})
        else:
            out.setdefault(word.text, word)
    return list(out.values())


def _listed(job: JobLines, finder: HostFinder) -> list[Word]:
    for word in job.nodes:
        if word.text not in job.hosts.by_node:
            near = expected_one_of(word.text, job.hosts.by_node)
            finder.wrong(word, f"hosts says nothing of the node {word.text!r}; {near}")
    return list(job.nodes)


def _counted(job: JobLines, finder: HostFinder) -> list[Word]:
    """``nodes: 16``: numbers where a template needs no names, else the first so many nodes of the fabric."""
    template = job.hosts.template
    if template is not None and not template.uses("node"):
        return [Word(str(i), job.place) for i in range(job.n_nodes)]
    words = [Word(name, job.place) for name in _node_names(job, finder)]
    if job.hosts.by_node:
        words = [Word(name, job.place) for name in job.hosts.by_node]
    if template is None and job.nics:
        words = [word for word in words if len(finder.by_name.get(word.text, job.hosts.by_node)) >= job.nics * job.devices]
    if len(words) < job.n_nodes:
        of = f" with {job.nics} NICs" if job.nics and template is None else ""
        message = (
            f"the fabric has {len(words)} nodes{of}, and the job needs {job.n_nodes}; `hosts` can say which hosts make a node"
        )
        finder.wrong(Word("", job.place), message)
    return words[: job.n_nodes]


def _node_names(job: JobLines, finder: HostFinder) -> Sequence[str]:
    """What a pattern can match: the nodes that the template finds in the names of hosts, else the end nodes."""
    template = job.hosts.template
    if template is None or not template.uses("node"):
        return finder.names
    pattern = template.finds_node(0)
    if pattern is None:
        word = Word(template.text, job.hosts.place)
        finder.wrong(word, f"{template.text!r} counts the nodes, so patterns cannot stand for them; name the nodes one by one")
        return []
    found = {match["node"] for name in finder.names if (match := pattern.fullmatch(name))}
    found |= {
        match["node"] for name in finder.names for h in finder.by_name[name] if (match := pattern.fullmatch(finder.end(h)))
    }
    return sorted(found, key=natural_order)


def _nics(job: JobLines, finder: HostFinder, name: Word, index: int) -> list[int]:
    """The hosts that the NICs of a node are; -1 where a word means none."""
    if job.hosts.by_node:
        return [finder.host(word) for word in job.hosts.by_node[name.text]]
    if job.hosts.template is not None:
        return _by_template(job, job.hosts.template, finder, name, index)
    if name.text in finder.by_name:
        return [finder.sender(name, h) for h in finder.by_name[name.text]]
    return _of_name(finder, name)


def _by_template(job: JobLines, template: Template, finder: HostFinder, name: Word, index: int) -> list[int]:
    if not job.nics:
        if not index:
            finder.wrong(Word("", job.hosts.place), "hosts is a template, and needs the number of `nics` of a node beside it")
        return []
    try:
        words = [template.filled(name.text, index, nic, d) for nic in range(job.nics) for d in range(job.devices)]
    except ValueError as error:
        finder.wrong(name, str(error))
        return []
    return [finder.host(Word(word, job.hosts.place)) for word in words]


def _of_name(finder: HostFinder, name: Word) -> list[int]:
    """The hosts of all end nodes whose names begin with that of the node."""
    if name.text in finder.switches:
        finder.wrong(
            name, f"{name.text!r} is a switch; expected a node that runs the job, or `hosts` to say which hosts make one"
        )
        return []
    size = len(name.text)
    parts = [known for known in finder.names if known.startswith(name.text) and _PARTED.match(known[size:])]
    if not parts:
        finder.wrong(name, f"no node of the fabric is called {name.text!r}; {expected_one_of(name.text, finder.names)}")
    return [h for part in parts for h in finder.by_name[part]]


def _refuse_shared(finder: HostFinder, names: Sequence[Word], nics: Sequence[Sequence[int]]) -> None:
    """A host is one NIC of one node."""
    owner: dict[int, Word] = {}
    for name, hosts in zip(names, nics, strict=True):
        for h in hosts:
            first = owner.setdefault(h, name)
            if first is not name or list(hosts).count(h) > 1:
                both = f"of {first.text!r} and of {name.text!r}" if first is not name else f"of {name.text!r}, twice"
                finder.wrong(name, f"{finder.end(h)} is a NIC {both}; expected another host for each NIC")
    refuse_if(finder.problems)


def _gpu_nics(job: JobLines, finder: HostFinder, n_nics: int) -> tuple[tuple[int, ...], ...]:
    """GPUs share the NICs evenly where nothing else is said: neighbours use one NIC, or a GPU several."""
    n_gpus = job.gpus or len(job.gpu_nics) or n_nics
    if job.gpu_nics:
        if len(job.gpu_nics) != n_gpus:
            finder.wrong(Word("", job.place), f"gpu-nics speaks of {len(job.gpu_nics)} GPUs, and a node has {n_gpus}")
        for nic in sorted({nic for nics in job.gpu_nics for nic in nics if nic >= n_nics}):
            finder.wrong(Word("", job.place), f"gpu-nics speaks of NIC {nic}, and a node has {n_nics}: 0..{n_nics - 1}")
        refuse_if(finder.problems)
        return job.gpu_nics
    if n_gpus >= n_nics:
        return tuple((g * n_nics // n_gpus,) for g in range(n_gpus))
    return tuple(tuple(range(g * n_nics // n_gpus, (g + 1) * n_nics // n_gpus)) for g in range(n_gpus))
