"""Jobs on small fabrics: read, placed, and what they send told in names."""

from collections import defaultdict

from pauseproof.loads.flows import Flows
from pauseproof.loads.jobs import PlacedJob, place
from pauseproof.readers import job, native
from pauseproof.routing.native import network_of
from pauseproof.routing.network import Network
from texts import source_of

Ends = tuple[str, str]


def fabric(text: str) -> Network:
    """The network of a topology file."""
    return network_of(native.read(source_of(text, "fabric.yaml")))


def servers(nodes: int, nics: int, kind: str = "roce") -> Network:
    """Nodes ``gpu1``.. with NICs on ports 1.., NIC r cabled to leaf r; two spines."""
    hosts = ", ".join(f"gpu{i + 1}: {{ports: {nics}}}" for i in range(nodes))
    cables = [f"  - [leaf{r}, 'gpu{i + 1}:{r + 1}']" for i in range(nodes) for r in range(nics)]
    cables += [f"  - [leaf{r}, spine{s}]" for r in range(nics) for s in range(2)]
    switches = ", ".join([f"leaf{r}" for r in range(nics)] + ["spine0", "spine1"])
    lines = [f"kind: {kind}", f"switches: [{switches}]", f"hosts: {{{hosts}}}", "cables:", *cables, "routing: ecmp"]
    return fabric("\n".join(lines) + "\n")


def placed(text: str, network: Network) -> PlacedJob:
    """The job of a description."""
    return place(job.read(source_of(text, "job.yaml")), network)


def all_flows(job: PlacedJob, most: int = 1000) -> list[Flows]:
    """Every block."""
    return list(job.blocks(most))


def end(job: PlacedJob, h: int) -> str:
    """``gpu1:2``."""
    host = job.fabric.host(h)
    return f"{host.name}:{job.fabric.port_name(host.node, host.port)}"


def sent(job: PlacedJob) -> dict[tuple[str, str, str], float]:
    """Bytes by phase, sender and receiver."""
    out: dict[tuple[str, str, str], float] = defaultdict(float)
    for flows in all_flows(job):
        for src, dst, amount, phase in zip(flows.src, flows.dst, flows.bytes, flows.phase, strict=True):
            out[job.phases[int(phase)], end(job, int(src)), end(job, int(dst))] += float(amount)
    return dict(out)
