"""Flows whose UDP source port is free: what they put on links on average over their ports, and at worst.

The port of a RoCE flow has 14 free bits (0xC000 to 0xFFFF). Where hashes are known, every port of a flow is tried where there
are not too many flows, else as many drawn ports as there is time for. The *mean* over all ports is the expectation, exact also
where hashes of two tiers agree so that few combinations of links are ever taken. The *worst* load of a link is the sum of all
flows that some port brings there: ports of different flows are free of each other, so the worst of each link can really happen.

Notation: ``f`` a flow of free port, ``k`` ports of each.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.source_port import FIRST_PORT, FREE_PORT_BITS
from pauseproof.loads.committed import BLOCK, walked_flows
from pauseproof.loads.flows import Flows
from pauseproof.loads.hashed import Hashing

F64 = NDArray[np.float64]
PORTS = 1 << FREE_PORT_BITS
TRIES = 1 << 23  # of ports, of all flows together
FEWEST = 64  # ports a flow, else the mean would say little


@dataclass(frozen=True)
class Tried:
    """How free ports were tried: ``ports`` of each of ``flows``, 0 where none were; all of them where that is PORTS."""

    flows: int = 0
    ports: int = 0

    @property
    def whole(self) -> bool:
        """Was every port tried?"""
        return self.ports == PORTS


def ports_to_try(flows: int) -> Tried:
    """All, as many as there is time for, or none where that would be too few.

    >>> ports_to_try(10).whole, ports_to_try(10**6).ports
    (True, 0)
    """
    ports = min(PORTS, TRIES // max(flows, 1))
    return Tried(flows, ports if flows and ports >= FEWEST else 0)


def free(hashing: Hashing, flows: Flows) -> NDArray[np.bool_]:
    """[F]: whose port alone is not known, between hosts whose addresses are."""
    if not hashing.any_known:
        return np.zeros(len(flows), np.bool_)
    some = replace(flows, sport=np.full(len(flows), FIRST_PORT, np.int32))
    return np.asarray((flows.sport < 0) & hashing.knows(some), np.bool_)


def with_ports(flows: Flows, tried: Tried, draw: np.random.Generator) -> Iterator[tuple[NDArray[np.int64], Flows]]:
    """(rows, the same flows once for each port, with the share of their bytes), in blocks."""
    each = max(1, BLOCK // max(tried.ports, 1))
    for first in range(0, len(flows), each):
        rows = np.repeat(np.arange(first, min(first + each, len(flows))), tried.ports)
        port = np.tile(np.arange(PORTS), len(rows) // PORTS) if tried.whole else draw.integers(0, PORTS, len(rows))
        some = flows[rows]
        sport = (FIRST_PORT + port).astype(np.int32)
        yield rows, replace(some, sport=sport, bytes=some.bytes / tried.ports)


def worst_load(hashing: Hashing, flows: Flows, phases: int) -> F64:
    """[P, L]: the most bytes that flows of free port can put on each link, by trying all their ports."""
    links = hashing.network.fabric.n_links
    worst = np.zeros(phases * links)
    everyone = Tried(len(flows), PORTS)
    for rows, some in with_ports(flows, everyone, np.random.default_rng(0)):
        for at, walked in walked_flows(hashing, some):
            own = rows[at[walked.flow]]
            once = np.unique((own - rows[0]) * links + walked.link)
            f, link = np.divmod(once, links)
            f = f + rows[0]
            worst += np.bincount(flows.phase[f] * links + link, flows.bytes[f], phases * links)
    return worst.reshape(phases, links)
