"""What stands still when a receiver pauses for good: a PFC storm of one host port, a host that no longer returns credits.

A buffer is *blocked* where a packet in it may have to wait for ever: one of its choice sets lies wholly among blocked buffers.
The storm of a host blocks the buffers at the end of the link to it, and from there all that the least fixed point says. So is
every traffic taken into account that the question is about, at any load; what a watchdog would drop is not.

A storm that blocks a buffer of a loop can fill the whole loop: the host is one of its *triggers*, at a distance of so many
waiting buffers. Ref: C. Guo et al., SIGCOMM 2016, section 4.3 (NIC PFC storm); P. Wu and T. S. E. Ng, arXiv 2009.13446.

Notation: ``b`` a buffer (an index into ``graph.buffers``), ``h`` a host, a bit of a word for each host of a block.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.graph import Dependencies
from pauseproof.dependency.plan import I64, Bools
from pauseproof.fabric.model import Fabric

Words = NDArray[np.uint64]
BLOCK = 512  # hosts looked at together
_MOST_WORDS = 1 << 24  # of the buffers' rows, or of those of their dependencies: 128 MB


class Storms(NamedTuple):
    """Some hosts, ``hosts`` [n], and which buffers the storm of each blocks: [n, B]."""

    hosts: I64
    blocked: Bools


def storms(graph: Dependencies, fabric: Fabric, hosts: Sequence[int]) -> Iterator[Storms]:
    """The storms of ``hosts``, a block of hosts at a time."""
    most = max(64, _MOST_WORDS // max(graph.n_dependencies, graph.n_buffers, 1) * 64)
    at_host = _buffers_at_hosts(graph, fabric)
    every = np.asarray(hosts, np.int64)
    for start in range(0, len(every), min(BLOCK, most)):
        block = every[start : start + min(BLOCK, most)]
        rows = np.zeros((graph.n_buffers, -(-len(block) // 64)), np.uint64)
        for i, h in enumerate(block.tolist()):
            rows[at_host.get(h, np.zeros(0, np.int64)), i // 64] |= np.uint64(1 << i % 64)
        bits = np.unpackbits(_fixed_point(graph, rows).view(np.uint8), axis=1, bitorder="little", count=len(block))
        yield Storms(block, bits.T.astype(np.bool_))


def hosts_blocked(graph: Dependencies, fabric: Fabric, blocked: Bools) -> Bools:
    """[H]: hosts that cannot send all they want: a buffer at the end of their link into the fabric is blocked."""
    up = np.zeros(fabric.n_links, np.bool_)
    up[graph.buffers[blocked] // graph.n_lanes] = True
    stopped: Bools = up[fabric.host_up]
    return stopped


def triggers(graph: Dependencies, fabric: Fabric, buffers: Sequence[int], hosts: Sequence[int]) -> dict[int, int]:
    """Hosts whose storm blocks every one of ``buffers`` -> how many buffers wait between the nearest of them and the host.

    ``buffers`` are those of a loop, or of a stuck set. The distance counts the buffer at the host itself.
    """
    found = [h for block in storms(graph, fabric, hosts) for h in block.hosts[block.blocked[:, list(buffers)].all(axis=1)]]
    far = _distances(graph, buffers)
    at_host = _buffers_at_hosts(graph, fabric)
    return {int(h): min(far[int(b)] for b in at_host[int(h)] if int(b) in far) for h in found}


def _buffers_at_hosts(graph: Dependencies, fabric: Fabric) -> dict[int, I64]:
    """The buffers at the end of each host's link."""
    host = fabric.host_of_link[graph.buffers // graph.n_lanes]
    at = np.flatnonzero(host >= 0)
    order = at[np.argsort(host[at], kind="stable")]
    names, first = np.unique(host[order], return_index=True)
    return dict(zip(names.tolist(), np.split(order, first[1:]), strict=True)) if len(names) else {}


def _fixed_point(graph: Dependencies, rows: Words) -> Words:
    """The least fixed point above ``rows`` [B, W]: what waits for blocked buffers alone is blocked too."""
    source, target = graph.source[graph.committed], graph.target[graph.committed]
    while True:
        before = rows.copy()
        _or_into(rows, source, rows[target])
        if len(graph.set_owner):
            together = np.bitwise_and.reduceat(rows[graph.set_member], graph.set_ptr[:-1], axis=0)
            _or_into(rows, graph.set_owner, together)
        if np.array_equal(rows, before):
            return rows


def _or_into(rows: Words, owner: I64, more: Words) -> None:
    """``rows[owner[i]] |= more[i]``; owners ascend."""
    if len(owner):
        first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        rows[owner[first]] |= np.bitwise_or.reduceat(more, first, axis=0)


def _distances(graph: Dependencies, buffers: Sequence[int]) -> dict[int, int]:
    """How many dependencies lead from the nearest of ``buffers`` to each buffer that is reached from them."""
    far = dict.fromkeys(buffers, 0)
    layer, step = list(buffers), 0
    while layer:
        step += 1
        layer = sorted({int(c) for b in layer for c in graph.successors_of(b) if int(c) not in far})
        far.update(dict.fromkeys(layer, step))
    return far
