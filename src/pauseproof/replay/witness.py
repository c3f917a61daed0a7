"""The traffic that loads a witness: for each of its dependencies a flow of the packets that carry it.

A dependency through a host that receives only while it can send is loaded by packets that the host sends on.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pauseproof.replay.flows import Flow
from pauseproof.replay.itinerary import Dependency, Itinerary, arriving, relayed, witness_itinerary
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer
from pauseproof.routing.traffic import Traffic


class Loaded(NamedTuple):
    """The buffers of a witness, the flows that load it, and the dependencies for which no packet was found again."""

    loop: tuple[Buffer, ...]
    flows: tuple[Flow, ...]
    missing: tuple[Dependency, ...]


def load_witness(network: Network, traffic: Traffic, witness: Sequence[Dependency]) -> Loaded:
    """One flow for each dependency, saturating; the same way is not taken twice."""
    ways: list[Itinerary] = []
    missing = []
    for wanted in witness:
        way = _way(network, traffic, wanted, witness)
        if way is None:
            missing.append(wanted)
        elif way not in ways:
            ways.append(way)
    return Loaded(tuple(wanted.buffer for wanted in witness), tuple(map(Flow, ways)), tuple(missing))


def _way(network: Network, traffic: Traffic, wanted: Dependency, witness: Sequence[Dependency]) -> Itinerary | None:
    if int(network.fabric.link_dst[wanted.buffer[0]]) < network.fabric.n_switches:
        return witness_itinerary(network, traffic, wanted)
    way = arriving(network, traffic, wanted)
    for other in witness:  # the packets that the host sends into the next buffer
        if way is not None and other.buffer in wanted.choice:
            onward = witness_itinerary(network, traffic, other) or arriving(network, traffic, other)
            return None if onward is None else relayed(way, wanted.buffer, onward)
    return None
