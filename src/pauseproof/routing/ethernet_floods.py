"""Flooding: what becomes of lossless packets whose destination a switch cannot resolve (``assume: {incomplete-arp: flood}``).

When a host is silent, its switch's MAC entry ends before its ARP entry does, and the switch sends its packets to all ports of
the VLAN but the one they came by; uplinks that are members of the VLAN too. Ref: Guo et al., SIGCOMM 2016, section 4.2.

A column ``d`` of hosts behind a VLAN gets a twin whose hosts are silent: routed as ``d``, and flooded where ``d`` is delivered.
The copies go on in a column of their own, in which switches that bridge the VLAN flood them on and all others drop them: the
frames are not addressed to them. Copies are no pairs: the twin is a multicast column that every host may send to.
"""

from collections.abc import Sequence

from pauseproof.fabric.model import Fabric
from pauseproof.readers.roce_records import RouteKind
from pauseproof.routing.ethernet_devices import Device
from pauseproof.routing.ethernet_filled import Filled
from pauseproof.routing.next_hops import Ports
from pauseproof.routing.tables import ChoiceKind, DestinationKind, Route

DROP = Route(ChoiceKind.DROP, ())


def add_floods(filled: Filled, fabric: Fabric, devices: Sequence[Device | None], ports: Ports) -> int:
    """Add the twins of every column whose hosts lie behind a VLAN; how many there are."""
    everyone = tuple(range(fabric.n_hosts))
    added = 0
    for d, column in enumerate(list(filled.columns)):
        if not column.on or column.kind != DestinationKind.HOST:
            continue
        routes = filled.routes_of(d)
        floods = {
            s: links
            for s, route in enumerate(routes)
            if route.kind == ChoiceKind.DELIVER and (links := _domain(devices[s], ports, route.links))
        }
        if not floods:
            continue
        on = [Route(ChoiceKind.MULTICAST, floods[s]) if s in floods else DROP for s in range(len(routes))]
        like = [d] * len(routes)
        copies = filled.add(
            column._replace(name=f"{column.name}, flooded", members=(), kind=DestinationKind.NOBODY, on=False), on, like
        )
        unresolved = [on[s]._replace(column=copies) if s in floods else route for s, route in enumerate(routes)]
        name = f"{column.name}, unresolved"
        filled.add(column._replace(name=name, members=everyone, kind=DestinationKind.MULTICAST), unresolved, like)
        added += 1
    return added


def _domain(device: Device | None, ports: Ports, delivering: Sequence[int]) -> tuple[int, ...]:
    """The links of the VLAN by whose ports a switch delivers; none where it delivers by ports of their own."""
    if device is None:
        return ()
    for vlan in sorted(_connected_vlans(device)):
        found = [ports.link(device.name, port) for port in device.interfaces.ports(vlan)]
        links = {link for link in found if link is not None}
        if links >= set(delivering):
            return tuple(sorted(links))
    return ()


def _connected_vlans(device: Device) -> set[str]:
    """VLAN interfaces that the device routes into."""
    groups = [group for table in device.tables for group in table.groups if group.kind is RouteKind.CONNECTED]
    return {hop.interface for group in groups for hop in group.hops if device.interfaces.is_vlan(hop.interface)}
