"""The files of a job: a description with the topology and graph that it names, or the logs that NCCL wrote."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pauseproof.fabric.places import BadInput, Place
from pauseproof.loads.jobs import PlacedJob, place
from pauseproof.loads.nccl_jobs import LoggedJob, place_logs
from pauseproof.readers import job, nccl_graph, nccl_log, nccl_topology
from pauseproof.readers.job_lines import JobLines
from pauseproof.readers.native_lines import Word
from pauseproof.readers.source import Source, open_source
from pauseproof.routing.network import Network

LOG_HEAD = 1 << 20  # where the first line of NCCL is looked for, behind what else a program prints


def placed_job(paths: Sequence[str | Path], network: Network) -> PlacedJob | LoggedJob:
    """One description, or any number of NCCL's logs (a folder stands for the files in it), on the hosts of a network.

    Raises BadInput where they are not understood, or do not fit the network.
    """
    files = [file for path in paths for file in _files(path)]
    if not files:
        raise BadInput.at(
            Place(str(paths[0]) if paths else "job"), "holds no file; expected a job description, or logs of NCCL"
        )
    if len(files) == 1 and not nccl_log.matches(bytes((source := open_source(files[0])).data[:LOG_HEAD])):
        return place(complete(job.read(source)), network)
    return place_logs([nccl_log.read(open_source(file)) for file in files], network)  # thousands are never open at once


def _files(path: str | Path) -> list[str]:
    """The path itself, as the user wrote it, or the files of a folder in order."""
    folder = Path(path)
    return [str(file) for file in sorted(folder.iterdir()) if file.is_file()] if folder.is_dir() else [str(path)]


def job_inputs(paths: Sequence[str | Path]) -> list[tuple[str, str]]:
    """The files that tell a job, with their SHA-256 in hex."""
    files = [file for path in paths for file in _files(path)]
    return [(file, open_source(file).sha256) for file in files]


def read_job(path: str | Path) -> JobLines:
    """The description at ``path`` (``-``: stdin), with what its files say. Raises BadInput."""
    return complete(job.read(open_source(path)))


def complete(lines: JobLines) -> JobLines:
    """What the topology and the graph beside a description say, in place of what it leaves out."""
    if lines.topology is not None:
        lines = _with_topology(lines, lines.topology, nccl_topology.read(_beside(lines, lines.topology)))
    if lines.graph is not None:
        lines = _with_graph(lines, lines.graph, nccl_graph.read(_beside(lines, lines.graph)))
    return lines


def _beside(lines: JobLines, word: Word) -> Source:
    try:
        return open_source(Path(lines.file).parent / word.text)
    except BadInput as error:
        raise BadInput.at(word.place, f"the file is named here: {error.problems[0]}") from error


def _with_topology(lines: JobLines, word: Word, found: nccl_topology.NcclTopology) -> JobLines:
    for what, said, count in (("gpus", lines.gpus, len(found.gpus)), ("nics", lines.nics, len(found.nics))):
        if said and said != count:
            raise BadInput.at(word.place, f"{found.file} has {count} {what}, and the job says {said}; expected one of the two")
    if lines.gpu_nics and lines.gpu_nics != found.gpu_nics:
        raise BadInput.at(word.place, f"{found.file} and 'gpu-nics' differ about the NICs of GPUs; expected one of the two")
    return replace(lines, gpus=len(found.gpus), nics=len(found.nics), gpu_nics=found.gpu_nics)


def _with_graph(lines: JobLines, word: Word, found: nccl_graph.NcclGraphs) -> JobLines:
    """Channels without NICs are those of a single node: only their number counts."""
    nics: dict[str, tuple[tuple[int, int], ...]] = {}
    channels: dict[str, int] = {}
    for graph in found.graphs:
        if not graph.algorithm:
            continue
        channels[graph.algorithm] = len(graph.channels)
        ways = [(channel.enters, channel.leaves) for channel in graph.channels]
        beyond = [nic for way in ways for nic in way if lines.nics and nic >= lines.nics]
        if beyond:
            message = f"{found.file} speaks of NIC {beyond[0]} in graph {graph.number}, and a node has {lines.nics}"
            raise BadInput.at(word.place, message)
        if all(nic >= 0 for way in ways for nic in way):
            nics[graph.algorithm] = tuple(ways)
    collectives = tuple(
        one if one.channels else one._replace(channels=channels.get(one.algorithm, 0)) for one in lines.collectives
    )
    return replace(lines, channel_nics=nics, collectives=collectives)
