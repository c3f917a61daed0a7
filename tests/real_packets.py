"""Whether the packet of a witness is real, as the naive walker sees it."""

from pauseproof.deadlock.witness import Hop, Packet
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Source
from pauseproof.routing.tables import DestinationKind
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import multicast_senders, pairs, walk_pair


def source_of(packet: Packet) -> Source:
    return Source("host", packet.host) if packet.host >= 0 else Source("switch", packet.switch)


def check_real(network: Network, traffic: Traffic, hop: Hop, packet: Packet) -> None:
    """Somebody who may send it sends it, it can be in the buffer, and there it has the hop's choice set."""
    source, member = source_of(packet), packet.member if packet.member >= 0 else None
    if network.destinations.kind[packet.column] == DestinationKind.MULTICAST:
        assert (source, packet.column) in set(multicast_senders(network, traffic))
        assert member is None
    else:
        assert (source, packet.column, member) in set(pairs(network, traffic))
    walk = walk_pair(network, traffic, source, packet.column, member)
    waiting = [q for q in walk.states if (q[0], q[1], int(q[2])) == (hop.link, hop.lane, packet.label)]
    assert waiting
    fabric = network.fabric
    if traffic.coupled is not None and (h := int(fabric.host_of_link[hop.link])) >= 0:
        assert traffic.coupled[h]
        assert fabric.link(hop.next_link).src == fabric.host(h).node
    else:
        choices = {frozenset((l, v) for l, v, _ in choice) for q in waiting for choice in walk.choices[q]}
        choices |= {frozenset({b}) for q in waiting for b in walk.waits[q]}
        assert {(hop.next_link, hop.next_lane), *hop.others} in choices
