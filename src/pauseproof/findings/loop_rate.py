"""How little traffic a forwarding loop needs to freeze: the boundary of Hu et al. (HotNets 2016).

A packet that goes round until its TTL ends takes TTL link slots; ``n`` links of rate ``B`` give at most ``n * B``. So a loop
drains ``n * B / TTL``, and lossless packets that enter it faster fill it for good.
"""

import math
from collections.abc import Sequence

import numpy as np

from pauseproof.dependency.reach import can_reach
from pauseproof.fabric.naming import some
from pauseproof.routing.network import Network

USUAL_TTL = 64
_SHOWN = 3


def threshold(n_links: int, rate: float, ttl: int) -> float:
    """What may enter a loop of ``n_links`` of this rate before it freezes, in the unit of the rate.

    >>> threshold(2, 40.0, 16)
    5.0
    """
    return n_links * rate / ttl


def loop_words(network: Network, links: Sequence[int], column: int) -> str:
    """The threshold of one loop and the hosts whose packets come into it, as a clause."""
    ttl = ttl_of(network)
    with_ttl = f"TTL {ttl}" if network.notes.get("ttl") else f"TTL {ttl}, as none was declared"
    speed = network.fabric.speed
    rate = math.nan if speed is None else float(np.min(speed[list(links)]))  # NaN where one is not known
    if math.isnan(rate):
        drains = f"{len(links)}/{ttl} of the rate of its links ({with_ttl})"
    else:
        drains = f"{threshold(len(links), rate, ttl):.4g} Gb/s ({len(links)} links of {rate:g} Gb/s, {with_ttl})"
    hosts = hosts_that_reach(network, links, column)
    return f"it freezes when more than {drains} enters it; {some(hosts, _SHOWN) or 'no host'} can send into it"


def ttl_of(network: Network) -> int:
    """The TTL that packets start with: declared, or the usual one."""
    declared = network.notes.get("ttl")
    return declared if isinstance(declared, int) and declared > 0 else USUAL_TTL


def hosts_that_reach(network: Network, links: Sequence[int], column: int) -> list[str]:
    """Hosts, in id order, some packet of which for the column comes to a switch of the loop; its own members are none."""
    fabric = network.fabric
    onward = network.routes.links_for(column)
    src, dst = fabric.link_src[onward].astype(np.int64), fabric.link_dst[onward].astype(np.int64)
    reaching = can_reach(fabric.n_nodes, src, dst, fabric.link_dst[list(links)].astype(np.int64))
    hosts = reaching[fabric.link_dst[fabric.host_up]]
    hosts[list(network.destinations.members(column))] = False
    return [fabric.node_name[node] for node in fabric.host_node[hosts].tolist()]
