"""What is tried to start a freeze: nothing, receivers that pause, an incast through the loop.

A receiver is a host that packets of the flows end at. Its pause fills the buffers behind it; its incast is sent by hosts whose
way to it crosses a buffer of the loop.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pauseproof.replay.flows import Flow
from pauseproof.replay.itinerary import itinerary
from pauseproof.replay.run import Trigger
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Source
from pauseproof.routing.traffic import Traffic

MOST_SENDERS = 8
ASKED = 64  # hosts that are asked for their way before no more senders are looked for


class When(NamedTuple):
    """From when on, and for how long (ps)."""

    start: int
    length: int


def receivers(network: Network, flows: Iterable[Flow]) -> list[int]:
    """The hosts where packets of the flows end, ascending."""
    at = network.fabric.host_of_link
    ends = (q[0] for flow in flows for q, sets in flow.itinerary.after.items() if not sets)
    return sorted({int(at[l]) for l in ends if at[l] >= 0})


def pause(hosts: Sequence[int], when: When) -> Trigger:
    """These hosts consume nothing for a while."""
    return Trigger("pause", tuple(hosts), *when)


def incast(network: Network, traffic: Traffic, loop: Sequence[Buffer], host: int, when: When) -> Trigger | None:
    """Hosts whose way to ``host`` crosses the loop all send to it for a while; None where there are none."""
    column = network.destinations.first_column(host)
    if column < 0:
        return None
    fabric, burst = network.fabric, []
    near = {int(fabric.link_dst[l]) for l, _ in loop}
    others = [h for h in fabric.every_host if traffic.host_sends[h.id] and h.node != fabric.every_host[host].node]
    others.sort(key=lambda h: (int(fabric.link_dst[h.up]) not in near, h.id))  # hosts at the loop first
    for h in others[:ASKED]:
        way = itinerary(network, traffic, Source("host", h.id), column, host)
        if way is not None and not way.buffers.isdisjoint(loop) and _ends_at(way.after, fabric.every_host[host].down):
            burst.append(Flow(way, start=when.start, stop=when.start + when.length))
        if len(burst) == MOST_SENDERS:
            break
    return Trigger("incast", (host,), *when, tuple(burst)) if burst else None


def _ends_at(after: Iterable[tuple[int, int, int]], link: int) -> bool:
    return any(q[0] == link for q in after)


def usual(network: Network, traffic: Traffic, loop: Sequence[Buffer], hosts: Sequence[int], when: When) -> tuple[Trigger, ...]:
    """No trigger, a pause of each of ``hosts``, a pause of all of them at once, and an incast of each."""
    pauses = [pause((host,), when) for host in hosts] + ([pause(hosts, when)] if len(hosts) > 1 else [])
    bursts = (incast(network, traffic, loop, host, when) for host in hosts)
    return (Trigger(), *pauses, *(burst for burst in bursts if burst))
