"""The load of large jobs: seconds, CPU seconds and peak memory of ``pauseproof load``.

Run ``python benchmarks/load_of_jobs.py [NAME...]``; without a name all of them run. ``all-to-all`` is a job of 16,384 GPUs on
512 leaves and 32 spines, eight rails of 2,048 nodes, 4 QPs a connection: 134 million flows, each followed by its own hash.
``bisection`` sends 1,000 random permutations of 1,024 hosts over a 16-ary fat-tree.
"""

import sys
import tempfile
from pathlib import Path

from measure import PAUSEPROOF, run

RAILS = """kind: roce
leaf-spine: {leaves: LEAVES, spines: 32, hosts: 32}
routing: ecmp
hashing: {algorithm: crc16, seed: 0}
"""
JOB = """nodes: NODES
gpus: 8
nics: 8
qps: 4
hosts: "leaf{nic*PER+index//32:DIGITS}-h{index%32:2}"
collectives: [{kind: all-to-all, bytes: 1GiB}]
"""
TREE = "fat-tree: {k: 16}\nrouting: ecmp\n"


def inputs(name: str, folder: Path) -> tuple[str, ...]:
    """Write what a name stands for into ``folder``; returns the words of the command. Raises KeyError."""
    if name == "bisection":
        (folder / "tree.yaml").write_text(TREE)
        return ("load", str(folder / "tree.yaml"), "--bisection", "1000")
    nodes = {"all-to-all": 2048, "small-all-to-all": 64}[name]
    per = nodes // 32
    leaves = 8 * per
    (folder / "rails.yaml").write_text(RAILS.replace("LEAVES", str(leaves)))
    words = {"NODES": str(nodes), "PER": str(per), "DIGITS": str(len(str(leaves - 1)))}
    text = JOB
    for word, value in words.items():
        text = text.replace(word, value)
    (folder / "job.yaml").write_text(text)
    return ("load", str(folder / "rails.yaml"), "--job", str(folder / "job.yaml"))


def measure(name: str) -> str:
    """One line: the time, the largest memory, the first line of the answer."""
    with tempfile.TemporaryDirectory() as folder:
        done = run((*PAUSEPROOF, *inputs(name, Path(folder))))
    return f"{name:18}{done.seconds:8.2f} s {done.busy:8.2f} s CPU {done.megabytes:8.0f} MB  {done.output.splitlines()[0]}"


def main() -> None:
    """Measure the jobs of the command line."""
    for name in sys.argv[1:] or ["all-to-all", "bisection"]:
        print(measure(name), flush=True)


if __name__ == "__main__":
    main()
