"""How fast a job becomes flows: the all-to-all of 16,384 GPUs on a rail-optimised fabric, 134 million flows.

Run ``python benchmarks/job_flows.py [NODES]`` (2048 where not given). Prints rows, seconds, millions of rows a second, and the
largest resident size in GB.
"""

import resource
import sys
import time

from pauseproof.loads.jobs import place
from pauseproof.readers import job, native
from pauseproof.readers.source import Source
from pauseproof.routing.native import network_of
from pauseproof.routing.network import Network

RAILS, HOSTS = 8, 32
JOB = """nodes: {nodes}
gpus: 8
nics: 8
hosts: "leaf{{index//32*8+nic:{width}}}-h{{index%32:2}}"
qps: 4
collectives: [{{kind: all-to-all, bytes: 1GiB}}]
"""
FABRIC = "kind: roce\nleaf-spine: {{leaves: {leaves}, spines: 2, hosts: 32}}\nrouting: ecmp\n"


def rail_optimised(nodes: int) -> Network:
    """Pods of 32 nodes; NIC r of every node of a pod is on the pod's leaf r."""
    leaves = -(-nodes // HOSTS) * RAILS
    return network_of(native.read(_source(FABRIC.format(leaves=leaves))))


def main() -> None:
    """Measure."""
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    network = rail_optimised(nodes)
    width = len(str(-(-nodes // HOSTS) * RAILS - 1))
    started = time.perf_counter()
    placed = place(job.read(_source(JOB.format(nodes=nodes, width=width))), network)
    rows = sum(len(block) for block in placed.blocks())
    seconds = time.perf_counter() - started
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{rows} flows  {seconds:.2f} s  {rows / seconds / 1e6:.1f} M rows/s  {size:.2f} GB")


def _source(text: str) -> Source:
    data = text.encode()
    return Source("benchmark", data, data)


if __name__ == "__main__":
    main()
