"""NCCL graph files (``NCCL_GRAPH_DUMP_FILE``): the channels that NCCL found inside a node, and the NICs by which they leave it.

``<graphs>`` holds a ``<graph id pattern crossnic nchannels>`` for each algorithm, in it ``<channel>`` with a ``<net dev>``, the
GPUs in order, and a ``<net dev>`` again; without the nets where there is one node. ``dev`` is hexadecimal, the system's number
in its upper byte (``ncclTopoGetChannelFromXml`` and ``NCCL_TOPO_ID`` of NCCL's ``src/graph``).
"""

import re
from dataclasses import dataclass

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.problems import Problems
from pauseproof.readers.source import Source
from pauseproof.readers.xml_tree import Element, read_xml

NAME = "NCCL graph"
ALGORITHMS = {0: "ring", 1: "tree", 2: "in-network"}  # by the id of a graph; others are kept by their number alone
LOCAL = (1 << 56) - 1
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}")
_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class GraphChannel:
    """``enters`` and ``leaves`` are NIC numbers, -1 where there is one node only; ``gpus`` in the order of the channel."""

    enters: int
    leaves: int
    gpus: tuple[int, ...]


@dataclass(frozen=True)
class NcclGraph:
    """The channels of one algorithm."""

    number: int
    pattern: int
    cross_nic: bool
    channels: tuple[GraphChannel, ...]
    line: int

    @property
    def algorithm(self) -> str:
        """Its name in a job description; empty where that has none."""
        return ALGORITHMS.get(self.number, "")


@dataclass(frozen=True)
class NcclGraphs:
    """One file."""

    file: str
    graphs: tuple[NcclGraph, ...]


def read(source: Source) -> NcclGraphs:
    """Parse and check one file. Raises BadInput."""
    root = read_xml(source)
    if root.tag != "graphs":
        raise BadInput.at(Place(source.path, root.line), f"begins with <{root.tag}>; expected <graphs>, an NCCL graph file")
    problems = Problems(source.path)
    graphs = [_graph(element, problems) for element in root.all("graph")]
    if not graphs:
        problems.add(root.line, "no <graph> in it; expected one for each algorithm")
    seen: dict[int, int] = {}
    for graph in graphs:
        first = seen.setdefault(graph.number, graph.line)
        if first != graph.line:
            problems.add(graph.line, f"a second graph with id {graph.number}, first in line {first}")
    problems.raise_any()
    return NcclGraphs(source.path, tuple(graphs))


def _graph(element: Element, problems: Problems) -> NcclGraph:
    number, pattern, cross, count = (_whole(element, key, problems) for key in ("id", "pattern", "crossnic", "nchannels"))
    channels = tuple(_channel(one, problems) for one in element.all("channel"))
    if len(channels) != count:
        problems.add(element.line, f"nchannels says {count}, and there are {len(channels)} channels; the file may be cut")
    if len({len(channel.gpus) for channel in channels}) > 1:
        problems.add(
            element.line, "channels of one graph have different numbers of GPUs; expected all GPUs of the node in each"
        )
    return NcclGraph(number, pattern, cross > 0, channels, element.line)


def _channel(element: Element, problems: Problems) -> GraphChannel:
    tags = [child.tag for child in element.children if child.tag in ("net", "gpu")]
    nets = [_device(child, problems) for child in element.all("net")]
    gpus = tuple(_device(child, problems) for child in element.all("gpu"))
    inside = tags[1:-1] if nets else tags
    if len(nets) not in (0, 2) or "net" in inside or not gpus:
        problems.add(element.line, "a channel that is no net, GPUs, net; expected two nets around its GPUs, or GPUs alone")
        return GraphChannel(-1, -1, gpus)
    if len(set(gpus)) != len(gpus):
        problems.add(element.line, "a GPU is twice in this channel")
    return GraphChannel(nets[0] if nets else -1, nets[1] if nets else -1, gpus)


def _device(element: Element, problems: Problems) -> int:
    text = element.attributes.get("dev", "")
    if not _HEX.fullmatch(text):
        problems.add(element.line, f"dev of <{element.tag}> is {text[:40]!r}; expected a hexadecimal number")
        return -1
    return int(text, 16) & LOCAL


def _whole(element: Element, key: str, problems: Problems) -> int:
    text = element.attributes.get(key, "")
    if not _WHOLE.fullmatch(text):
        problems.add(element.line, f"{key} of <{element.tag}> is {text[:40]!r}; expected a whole number")
        return 0
    return int(text)
