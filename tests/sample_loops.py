"""Findings with a loop along the cables of a sample fabric."""

from dataclasses import replace
from itertools import pairwise

from pauseproof.fabric.model import Fabric
from pauseproof.findings.report import Finding, LoopHop
from sample_reports import loop_finding


def loop_along(fabric: Fabric, nodes: list[int], lane: str = "0") -> Finding:
    """The loop over the lowest-numbered cable from each node to the next, and from the last to the first."""
    hops = tuple(_hop(fabric, a, b, lane) for a, b in pairwise([*nodes, nodes[0]]))
    return replace(loop_finding(), loop=hops, identity=" ".join(hop.buffer for hop in hops))


def _hop(fabric: Fabric, a: int, b: int, lane: str) -> LoopHop:
    link = next(link for link in fabric.links() if (link.src, link.dst) == (a, b))
    return LoopHop(
        fabric.node_name[b],
        fabric.identity(b),
        str(link.dst_port),
        lane,
        fabric.node_name[a],
        fabric.identity(a),
        str(link.src_port),
    )
