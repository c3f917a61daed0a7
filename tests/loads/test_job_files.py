"""Descriptions that name files of NCCL."""

import resource
from pathlib import Path

import pytest

from nccl_texts import Job, logs
from pauseproof.fabric.places import BadInput
from pauseproof.loads.job_files import placed_job, read_job
from pauseproof.loads.jobs import PlacedJob, place
from pauseproof.loads.nccl_jobs import LoggedJob
from placed_jobs import sent, servers

TOPOLOGY = """<system version="1"><cpu numaid="0">
 <pci busid="a" class="0x060400"><pci busid="b" class="0x030200"/><pci busid="c" class="0x020700"/></pci>
 <pci busid="d" class="0x060400"><pci busid="e" class="0x020700"/><pci busid="f" class="0x030200"/></pci>
</cpu></system>
"""
CHANNEL = '<channel><net dev="{}"/><gpu dev="0"/><gpu dev="1"/><net dev="{}"/></channel>'
GRAPH = f'<graphs version="1"><graph id="0" pattern="4" crossnic="1" nchannels="2">{CHANNEL}{CHANNEL}</graph></graphs>'
JOB = "nodes: [gpu1, gpu2]\n{}collectives: [{{kind: all-gather, bytes: 16}}]\n"


def written(folder: Path, job: str, graph: str = "") -> Path:
    (folder / "node.xml").write_text(TOPOLOGY)
    (folder / "graph.xml").write_text(graph or GRAPH.format(0, 1, 1, 0))
    (folder / "job.yaml").write_text(job)
    return folder / "job.yaml"


def test_a_topology_and_a_graph(tmp_path: Path) -> None:
    lines = read_job(written(tmp_path, JOB.format("topology: node.xml\ngraph: graph.xml\n")))
    assert (lines.gpus, lines.nics, lines.gpu_nics) == (2, 2, ((0,), (1,)))
    assert lines.collectives[0].channels == 2 and lines.channel_nics == {"ring": ((0, 1), (1, 0))}
    ends = {(a, b): amount for (_, a, b), amount in sent(place(lines, servers(2, 2))).items()}
    assert ends == {("gpu1:2", "gpu2:1"): 6.0, ("gpu1:1", "gpu2:2"): 6.0, ("gpu2:2", "gpu1:1"): 6.0, ("gpu2:1", "gpu1:2"): 6.0}


def test_a_graph_of_whole_nodes_says_nothing_of_parts(tmp_path: Path) -> None:
    job = JOB.format("graph: graph.xml\n").replace("kind", "group: rail, kind")
    ends = {(a, b) for _, a, b in sent(place(read_job(written(tmp_path, job)), servers(2, 2)))}
    assert ends == {(f"gpu{i}:{r}", f"gpu{3 - i}:{r}") for i in (1, 2) for r in (1, 2)}


def test_a_graph_of_more_nics_than_there_are(tmp_path: Path) -> None:
    lines = read_job(written(tmp_path, JOB.format("graph: graph.xml\n")))
    with pytest.raises(BadInput, match=r"job.yaml:2:8: the graph speaks of NIC 1, and a node has 1: 0..0"):
        place(lines, servers(2, 1))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("topology: gone.xml\n", r"job.yaml:2:11: the file is named here: .*gone.xml: cannot be read: No such file"),
        ("topology: node.xml\ngpus: 8\n", r"job.yaml:2:11: .*node.xml has 2 gpus, and the job says 8; expected one of the two"),
        ("topology: node.xml\ngpu-nics: [1, 0]\n", r"node.xml and 'gpu-nics' differ about the NICs of GPUs"),
        ("topology: graph.xml\n", r"graph.xml:1: begins with <graphs>; expected <system>"),
        ("nics: 1\ngraph: graph.xml\n", r"graph.xml speaks of NIC 1 in graph 0, and a node has 1"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, words: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        read_job(written(tmp_path, JOB.format(words)))


def test_a_description_or_logs(tmp_path: Path) -> None:
    network = servers(2, 1)
    (tmp_path / "job.yaml").write_text(JOB.format(""))
    assert isinstance(placed_job([tmp_path / "job.yaml"], network), PlacedJob)
    folder = tmp_path / "logs"
    folder.mkdir()
    for i, text in enumerate(logs(Job(2, 1, 1))):
        (folder / f"rank{i}.log").write_text("loss 1.0\n" * 1000 + text)
    found = placed_job([folder], network)
    assert isinstance(found, LoggedJob)
    assert [f.src.tolist() for f in placed_job(sorted(folder.iterdir()), network).blocks()] == [
        f.src.tolist() for f in found.blocks()
    ]


def test_neither_a_description_nor_logs(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(BadInput, match="holds no file; expected a job description, or logs of NCCL"):
        placed_job([tmp_path / "a"], servers(2, 1))
    (tmp_path / "a" / "x.txt").write_text("hello: 1\n")
    with pytest.raises(BadInput, match="unknown key 'hello' in a job"):
        placed_job([tmp_path / "a" / "x.txt"], servers(2, 1))


def test_thousands_of_logs_are_not_open_at_once(tmp_path: Path) -> None:
    for i, text in enumerate(logs(Job(4, 1, 1))):
        (tmp_path / f"rank{i}.log").write_text(text)
    first = (tmp_path / "rank0.log").read_text()
    for i in range(60):
        (tmp_path / f"{i}.log").write_text(first)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 20, hard))
    try:
        placed_job([tmp_path], servers(4, 1))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
