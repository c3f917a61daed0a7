"""Fabrics that are designed, not dumped, and a dump of three gigabytes: seconds and peak memory of ``pauseproof verify``.

Run ``python benchmarks/large_fabrics.py [NAME...]``; without a name all of them run. ``k48`` needs about 3 GB in the temporary
folder. ``k64-overridden`` is ``k64`` with ten table entries drawn at random from a seed: each sends what a switch has for some
edge switch out to some neighbour, whatever the shortest paths are.
"""

import random
import statistics
import sys
import tempfile
from pathlib import Path

from make_fat_tree_dump import write_dump
from measure import PAUSEPROOF, run, verdict

TIMES, OVERRIDES, SEED = 3, 10, 1


def fat_tree(k: int) -> str:
    """A k-ary fat-tree on its shortest paths."""
    return f"fat-tree: {{k: {k}}}\nrouting: ecmp\n"


def overridden(k: int, *, entries: int = OVERRIDES, seed: int = SEED) -> str:
    """The same with some entries of aggregation switches: a random destination goes down to a random edge switch of the pod."""
    draw = random.Random(seed)
    pods, half = len(str(k - 1)), len(str(k // 2 - 1))

    def name(tier: str, pod: int, number: int) -> str:
        return f"{tier}{pod:0{pods}d}-{number:0{half}d}"

    lines = ["tables:\n"]
    for _ in range(entries):
        pod, there = draw.sample(range(k), 2)
        switch, out, goal = (draw.randrange(k // 2) for _ in range(3))
        entry = {"switch": name("agg", pod, switch), "destination": name("edge", there, goal), "out": name("edge", pod, out)}
        lines.append("  - {" + ", ".join(f"{key}: {value}" for key, value in entry.items()) + "}\n")
    return fat_tree(k) + "".join(lines)


def topology(text: str, folder: Path) -> Path:
    """A topology file."""
    path = folder / "topology.yaml"
    path.write_text(text)
    return path


def inputs(name: str, folder: Path) -> Path:
    """Make what a name stands for in ``folder``. Raises KeyError."""
    texts = {
        "k64": fat_tree(64),
        "k64-overridden": overridden(64),
        "jellyfish": "jellyfish: {switches: 5000, ports: 32, hosts: 8, seed: 1}\nrouting: ecmp\n",
        "k8": fat_tree(8),
        "k8-overridden": overridden(8),
    }
    if name.endswith("-dump"):
        write_dump(int(name[1 : -len("-dump")]), folder)
        return folder
    return topology(texts[name], folder)


def measure(name: str, times: int) -> str:
    """One line: the median time, the largest memory, the verdict."""
    with tempfile.TemporaryDirectory() as folder:
        path = inputs(name, Path(folder))
        runs = [run((*PAUSEPROOF, "verify", path)) for _ in range(times)]
    seconds = statistics.median(one.seconds for one in runs)
    return f"{name:16}{seconds:8.2f} s {max(one.megabytes for one in runs):8.0f} MB  {verdict(runs[0])}"


def main() -> None:
    """Measure the fabrics of the command line."""
    for name in sys.argv[1:] or ["k64", "k64-overridden", "jellyfish", "k48-dump"]:
        print(measure(name, TIMES), flush=True)


if __name__ == "__main__":
    main()
