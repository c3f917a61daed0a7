"""The load of every link: the bytes of a job's flows, link by link and phase by phase."""

from collections.abc import Iterable

from pauseproof.loads.demand import Demand, Gathering
from pauseproof.loads.flows import Flows, Traffic, blocks_of
from pauseproof.loads.next_hops import NextHops, next_hops
from pauseproof.loads.spread import Spread, spread
from pauseproof.routing.network import Network


def spread_load(network: Network, traffic: Iterable[Traffic]) -> Spread:
    """The load where every flow is spread as the tables say: exact where routes are pinned, else an expectation."""
    hops = next_hops(network)
    return spread(hops, demand_of(hops, traffic))


def demand_of(hops: NextHops, traffic: Iterable[Traffic], phases: int = 1) -> Demand:
    """All flows, of at least so many phases, added up where they enter the fabric."""
    gathering = Gathering(hops, phases)
    for block in blocks_of(part if isinstance(part, Flows) else part.with_one_qp() for part in traffic):
        gathering.add(block)
    return gathering.demand()
