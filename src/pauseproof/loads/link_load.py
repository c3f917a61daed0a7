"""The load of every link: the bytes of a job's flows, link by link and phase by phase."""

from collections.abc import Iterable
from dataclasses import replace

from pauseproof.loads.demand import Demand, Gathering
from pauseproof.loads.flows import Flows, Pairs, Traffic, blocks_of
from pauseproof.loads.next_hops import NextHops, next_hops
from pauseproof.loads.spread import Spread, spread
from pauseproof.routing.network import Network


def spread_load(network: Network, traffic: Iterable[Traffic]) -> Spread:
    """The load where every flow is spread as the tables say: exact where routes are pinned, else an expectation."""
    hops = next_hops(network)
    return spread(hops, demand_of(hops, traffic))


def demand_of(hops: NextHops, traffic: Iterable[Traffic]) -> Demand:
    """All flows, added up where they enter the fabric."""
    gathering = Gathering(hops)
    for part in traffic:
        for block in blocks_of([_as_one(part)]):
            gathering.add(block)
    return gathering.demand()


def _as_one(part: Traffic) -> Flows | Pairs:
    """The QPs of a connection go the same ways where nobody looks at headers."""
    if isinstance(part, Flows):
        return part
    return replace(part, bytes=part.bytes.sum(keepdims=True), source_port=None)
