"""Whatever is done to a job, a log, flows, samples, settings or a certificate: a clear answer, and no steering of the terminal.

``PAUSEPROOF_EXAMPLES`` and ``PAUSEPROOF_SEED`` as in ``test_hostile.py``.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from hostile_words import mauled
from nccl_texts import Job, logs
from pauseproof.cli.main import main
from small_files import SYSCTL

EXAMPLES = int(os.environ.get("PAUSEPROOF_EXAMPLES", "12"))
SEED = int(os.environ.get("PAUSEPROOF_SEED", "1"))
TOPOLOGIES = Path(__file__).resolve().parents[1] / "topologies"
CODES = (0, 1, 2, 3)  # those that the command line promises

SERVERS = """switches: [leaf0, leaf1]
hosts: [gpu1, gpu2, gpu3]
cables:
{}
  - [leaf0, leaf1]
routing: ecmp
""".format("\n".join(f'  - ["gpu{n}:{k}", leaf{k - 1}]' for n in (1, 2, 3) for k in (1, 2)))
TOPOLOGY = """<system version="1"><cpu numaid="0">
<pci busid="0:10:0.0" class="0x030200"><gpu dev="0" rank="0"/></pci>
<pci busid="0:20:0.0" class="0x020700"><nic><net name="mlx5_0" dev="0" speed="400000" port="1" guid="0xa1"/></nic></pci>
</cpu></system>
"""
GRAPH = """<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1">
<channel><net dev="0"/><gpu dev="0" rank="0"/><net dev="0"/></channel>
</graph></graphs>
"""
JOB = """nodes: "gpu*"
topology: node.xml
graph: graph.xml
hosts: "{node}:{nic+1}"
groups: {data: {size: 3}, mine: {ranks: [[0, 2]]}}
qps: 2
message: 1MiB
returns: {ack: 0.01, cts: 64}
collectives:
  - {name: a, group: mine, kind: all-reduce, bytes: 1MiB, channels: 1, times: 3}
  - {name: b, kind: all-to-all, bytes: 1MiB, beside: a}
flows:
  - {from: "gpu1:1", to: "gpu2:1", bytes: 1GiB, qpns: [0x11, 34]}
  - {from: "gpu1:2", to: "gpu3:2", bytes: 1GiB, sport: 50000}
"""
SWITCH = {
    "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "type": "LeafRouter", "ecmp_hash_seed": "3", "namespace_id": "1"}},
    "SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["SRC_IP", "L4_SRC_PORT"], "ecmp_hash_algorithm": "CRC"}},
    "SWITCH_TABLE": {"switch": {"ecmp_hash_seed": "7", "lag_hash_seed": "9", "ecmp_hash_offset": "3"}},
    "FG_NHG": {"g": {"bucket_size": "64", "match_mode": "nexthop-based"}, "h": {"bucket_size": "8", "match_mode": "x"}},
    "FG_NHG_PREFIX": {"10.10.2.0/24": {"FG_NHG": "h"}},
    "FG_NHG_MEMBER": {"10.1.1.3": {"FG_NHG": "g", "bank": "0"}, "10.1.2.3": {"FG_NHG": "g", "bank": "1"}},
}
DECLARED = """hashing:
  algorithm: linux
  policy: 1
  source-port: 49152
  switches:
    leaf1: {algorithm: crc, seed: 3, offset: 2, fields: [src-ip, dst-ip], lag: {algorithm: crc-xor, seed: 1}}
    "spine*": {sonic-type: SpineRouter, buckets: 64}
"""
FRR = [f"{TOPOLOGIES}/frr/healthy", f"{TOPOLOGIES}/frr/clos4x2.clab.yml"]


def _of(*names: str) -> dict[str, bytes]:
    return {Path(name).name: (TOPOLOGIES / name).read_bytes() for name in names}


def _samples() -> dict[str, bytes]:
    return {"egress.csv": b"".join((TOPOLOGIES / "measured/egress.csv").read_bytes().splitlines(keepends=True)[:30])}


# files that are spoilt, and the command that reads them
CASES: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "job": ({"job.yaml": JOB.encode()}, ["load", "servers.yaml", "--job", "job.yaml"]),
    "nccl-xml": (
        {"node.xml": TOPOLOGY.encode(), "graph.xml": GRAPH.encode()},
        ["load", "servers.yaml", "--job", "job.yaml", "--format", "json"],
    ),
    "log": ({"all.log": "".join(logs(Job(3, 2, 2, "2.27", 2))).encode()}, ["load", "servers.yaml", "--job", "all.log"]),
    "of-fabric": (_of("jobs/leaf-spine-pipeline.yaml"), ["verify", "leaf-spine.yaml", "--job", "leaf-spine-pipeline.yaml"]),
    "flows": (
        _of("flows/hotnets-three.yaml"),
        ["replay", "hotnets-four-switches.yaml", "--flows", "hotnets-three.yaml", "--until", "50us", "--seeds", "1"],
    ),
    "samples": (_samples(), ["hash", "--samples", "egress.csv"]),
    "hashing": (_of("polarized-offset.yaml"), ["verify", "polarized-offset.yaml", "--realize", "--budget", "2"]),
    "chains": (_of("polarized.yaml"), ["hash", "polarized.yaml", "--format", "json"]),
    "declared": (
        {"pauseproof.yaml": DECLARED.encode(), "leaf2.sysctl.txt": SYSCTL.encode()},
        ["path", "leaf2:swp31", "leaf4:swp31", *FRR, "pauseproof.yaml", "leaf2.sysctl.txt", "--sport", "50000"],
    ),
    "sonic": ({"leaf1.config_db.json": json.dumps(SWITCH, indent=1).encode()}, ["show", *FRR, "leaf1.config_db.json"]),
}
BESIDE = {
    "servers.yaml": SERVERS.encode(),
    "job.yaml": JOB.encode(),
    "node.xml": TOPOLOGY.encode(),
    "graph.xml": GRAPH.encode(),
    **_of("leaf-spine.yaml", "hotnets-four-switches.yaml", "polarized.yaml"),
}
Answer = Callable[[list[str]], tuple[object, str, str]]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answer:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PAUSEPROOF_DEBUG", raising=False)
    for name, content in BESIDE.items():
        (tmp_path / name).write_bytes(content)

    def once(words: list[str]) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as left:
            main(words)
        return left.value.code, *capsys.readouterr()

    return once


def check(words: list[str], code: object, out: str, err: str) -> None:
    """A code that means something, a reason where it is 2, whole JSON, and nothing that steers a terminal."""
    assert code in CODES and "bug in pauseproof" not in err, err
    assert code != 2 or err
    assert all(char.isprintable() or char == "\n" for char in out + err)
    assert max((len(line) for line in err.splitlines()), default=0) < 2500
    if code != 2 and "json" in words:
        json.loads(out)


@pytest.mark.parametrize("name", CASES)
def test_whole_files_are_answered(name: str, answer: Answer) -> None:
    files, words = CASES[name]
    for file, content in files.items():
        Path(file).write_bytes(content)
    code, out, err = answer(words)
    check(words, code, out, err)
    assert code != 2, err


@pytest.mark.parametrize("name", CASES)
def test_whatever_is_done_to_the_files(name: str, answer: Answer) -> None:
    files, words = CASES[name]
    for i in range(EXAMPLES):
        random = Random(f"{name}/{SEED}/{i}")
        spoilt = random.choice(sorted(files))
        for file, content in files.items():
            Path(file).write_bytes(mauled(content, random) if file == spoilt else content)
        try:
            check(words, *answer(words))
        except Exception as error:
            error.add_note(f"mutation {name}/{SEED}/{i} of {spoilt}")
            raise


STRANGE = [
    *(None, True, 0, -1, 1 << 64, 10**30, 1.5, float("nan"), "", "\x1b[2J", "\ud800", "x" * 3000),
    *([], {}, [[None]], {"a": 1}),
]


def _changed(tree: object, random: Random) -> object:
    """JSON with one value replaced, taken out or put elsewhere."""
    spots: list[tuple[dict[str, object] | list[object], object]] = []
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, dict | list):
            spots += [(node, key) for key in (node if isinstance(node, dict) else range(len(node)))]
            todo += node.values() if isinstance(node, dict) else node
    inside, key = random.choice(spots)
    if random.random() < 0.3:
        del inside[key]  # type: ignore[arg-type]
    else:
        inside[key] = random.choice(STRANGE)  # type: ignore[call-overload, index]
    return tree


@pytest.mark.parametrize("fabric", ["polarized.yaml", "hotnets-four-switches.yaml"])
def test_whatever_is_done_to_a_certificate(fabric: str, answer: Answer) -> None:
    code, _, err = answer(["verify", fabric, "--realize", "--certificate", "whole.json"])
    assert code in (0, 1), err
    whole = Path("whole.json").read_text()
    assert answer(["check", "whole.json", fabric])[0] == 0
    for i in range(EXAMPLES * 2):
        random = Random(f"{fabric}/{SEED}/{i}")
        Path("changed.json").write_text(json.dumps(_changed(json.loads(whole), random)))
        check([], *answer(["check", "changed.json", fabric]))
