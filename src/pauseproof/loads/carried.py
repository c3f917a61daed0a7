"""Which dependencies the flows of a job carry: each flow is followed hash by hash, and what it makes wait for what is noted.

A flow whose header is not known (no UDP source port, no address) is followed to the first hash that it meets; what lies behind
it is carried by nobody as far as is known. So is what lies behind a choice by load.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.hashing.paths import NO_LINK, follow
from pauseproof.loads.flows import Flows
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.next_hops import NO_COLUMN
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer
from pauseproof.routing.traffic import Traffic

Dependency = tuple[Buffer, Buffer]
I64 = NDArray[np.int64]


def carried_dependencies(
    network: Network, traffic: Traffic, blocks: Iterable[Flows], wanted: frozenset[Dependency]
) -> frozenset[Dependency]:
    """Those of ``wanted`` that some flow carries."""
    hashing, n = Hashing(network), network.fabric.n_links
    pairs = np.array(sorted({a * n + b for (a, _), (b, _) in wanted}), np.int64)
    found: set[Dependency] = set()
    for flows in blocks:
        for part in _parts(network, traffic, hashing, flows):
            for label, links in _ways(network, traffic, hashing, part, pairs):
                found.update(wanted.intersection(_waits(network, _sender(network, links), label, links)))
        if len(found) == len(wanted):
            break
    return frozenset(found)


def _sender(network: Network, links: list[int]) -> int:
    """The host that the first link leads away from."""
    return int(network.fabric.host_of_link[network.fabric.reverse[links[0]]])


def _parts(network: Network, traffic: Traffic, hashing: Hashing, flows: Flows) -> Iterator[Flows]:
    """The flows that the verdict is about: first those whose headers are known, then the others."""
    node = network.fabric.host_node
    on = (node[flows.src] != node[flows.dst]) & traffic.host_sends[flows.src] & traffic.host_receives[flows.dst]
    on &= hashing.hops.first_column[flows.dst] != NO_COLUMN
    known = hashing.knows(flows) if network.fabric.kind == "roce" else np.zeros(len(flows), np.bool_)
    yield from (flows[part] for part in (on & known, on & ~known) if part.any())


def _ways(network: Network, traffic: Traffic, hashing: Hashing, flows: Flows, pairs: I64) -> Iterator[tuple[int, list[int]]]:
    """(label, links) of each way that some of the flows take, where two links after each other are one of ``pairs``."""
    column = hashing.hops.first_column[flows.dst]
    label = np.full(len(flows), traffic.label)
    if traffic.labels is not None:
        bits = traffic.labels[flows.src, column].astype(np.int64)
        read = bits > 0
        flows, column, bits = flows[read], column[read], bits[read]
        label = np.log2(bits & -bits).astype(np.int64)
    if not len(flows):
        return
    known = network.fabric.kind == "roce" and bool(hashing.knows(flows).all())
    headers = hashing.headers(flows, network.fabric.host_up[flows.src]) if known else None
    links = follow(
        network, hashing.hashes, headers, flows.src, flows.dst, column.astype(np.int32), label.astype(np.int32)
    ).links
    after = links[:, :-1].astype(np.int64) * network.fabric.n_links + links[:, 1:]
    met = (
        (np.isin(after, pairs) & (links[:, 1:] != NO_LINK)).any(axis=1)
        if links.shape[1] > 1
        else np.zeros(len(flows), np.bool_)
    )
    for row in np.unique(np.column_stack((label[met], links[met])), axis=0).tolist():
        yield row[0], [link for link in row[1:] if link != NO_LINK]


def _waits(network: Network, host: int, label: int, links: list[int]) -> Iterator[Dependency]:
    """What a packet of ``label`` makes wait for what on its way."""
    lanes, fabric = network.lanes, network.fabric
    before: Buffer | None = None
    row = int(lanes.host_row[host])
    for link in links:
        if before is not None:
            came = fabric.link(before[0])
            row = lanes.row_at(came.dst, came.dst_port, int(fabric.link_src_port[link]))
        after = None if row == UNKNOWN_ROW else lanes.after_row(row, label)
        if after is None or after[1] == lanes.lossy_lane:
            return
        if before is not None:
            yield from ((before, (link, lane)) for lane in (after[1], *lanes.waits_also(row, label)))
        label, before = after[0], (link, after[1])
