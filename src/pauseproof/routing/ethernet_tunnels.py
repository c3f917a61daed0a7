"""Tunnels: packets that a switch sends on under another address, and the columns that stand for them on their way.

For a column ``d`` and an outer address ``a`` there is a column of its own, (d, a): every switch treats its packets as the
tables say of ``a``, until the switch that owns ``a`` takes them out and treats them by its entry for ``d``. What that switch
would put into a tunnel again is dropped: packets are bounced once (SAI: LOOPBACK_PACKET_ACTION = DROP).

A route names its tunnel end point by itself, or a declaration or configuration does (standby addresses of a dual ToR).
Notation: ``s`` a switch, ``d`` a column, ``a`` an outer address.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from typing import NamedTuple

import numpy as np

from pauseproof.fabric.lanes import UNKNOWN_ROW, Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.declared import Declarations
from pauseproof.routing.class_tunnels import Tunnel
from pauseproof.routing.ethernet_columns import Column
from pauseproof.routing.ethernet_devices import Address, Device, Network, contains, is_lone
from pauseproof.routing.ethernet_filled import Filled
from pauseproof.routing.tables import ChoiceKind, Route

DROP, UNKNOWN = (Route(kind, ()) for kind in (ChoiceKind.DROP, ChoiceKind.UNKNOWN))

_NOWHERE = "standby {0!r} has no host; expected a host, or an address or prefix of a subnet that hosts are connected to"


def parsed(text: str) -> Address:
    """An address as (family, number). Raises ValueError."""
    address = ip_address(text)
    return address.version, int(address)


class Entering(NamedTuple):
    """At switch ``s`` packets for column ``d`` enter the tunnel to ``address``."""

    s: int
    d: int
    address: Address


@dataclass(frozen=True)
class Tunnels:
    """What is needed to send packets through tunnels. ``outer[a]`` is the column that says how ``a`` itself is reached."""

    fabric: Fabric
    devices: Sequence[Device | None]
    lanes: Lanes
    tunnels: Sequence[Tunnel]
    outer: Mapping[Address, int]

    def owner(self, address: Address) -> int:
        """The switch that takes packets for ``address`` out of their tunnel, -1 where none that was read owns it."""
        owners = [s for s, device in enumerate(self.devices) if device is not None and address in device.own]
        named = [t.to for t in self.tunnels if t.address and parsed(t.address) == address and t.to >= 0]
        return next(iter([*named, *owners]), -1)

    def enter_all(self, filled: Filled, entering: Sequence[Entering]) -> None:
        """From now on these packets go through their tunnels."""
        bounced = {(e.s, e.d) for e in entering}
        inside: dict[tuple[int, Address], int] = {}
        for s, d, address in entering:
            first = filled.route(s, self.outer[address])
            if first.kind != ChoiceKind.HASHED:
                filled.set(s, d, first if first.kind in (ChoiceKind.UNKNOWN, ChoiceKind.DEAD_PORT) else DROP)
                continue
            if (d, address) not in inside:
                inside[d, address] = self._column(filled, d, address, bounced)
            members = [(link, row) for link in first.links for row in self._rows(s, link, address)]
            rows = tuple(row for _, row in members)
            filled.set(s, d, Route(ChoiceKind.HASHED, tuple(link for link, _ in members), rows, inside[d, address]))

    def _column(self, filled: Filled, d: int, address: Address, bounced: Collection[tuple[int, int]]) -> int:
        """The column of packets for ``d`` in the tunnel to ``address``."""
        routes, owner = filled.routes_of(self.outer[address]), self.owner(address)
        like = [self.outer[address]] * len(routes)
        if owner >= 0:
            routes[owner] = DROP if (owner, d) in bounced else filled.route(owner, d)._replace(column=d)
            like[owner] = d
        else:  # somebody takes the packet out of its tunnel, and where was not read
            routes = [UNKNOWN if route.kind in (ChoiceKind.DROP, ChoiceKind.LOCAL) else route for route in routes]
        column = filled.columns[d]
        return filled.add(column._replace(name=f"{column.name} in a tunnel to {text_of(address)}", on=False), routes, like)

    def _rows(self, s: int, link: int, address: Address) -> list[int]:
        """The lane maps of packets that enter the tunnel at ``s`` and leave by ``link``: -1 for that of the turn.

        One for all ways in, as a rule; where they differ, every one of them, as if the switch might take any.
        """
        out_port = int(self.fabric.link_src_port[link])
        here = [t for t in self.tunnels if t.at == s and (not t.address or parsed(t.address) == address)]
        if not here:
            return [-1]
        into = np.flatnonzero(self.fabric.in_link[s] >= 0)
        rows = sorted({int(row) for row in here[0].row[into[into < len(here[0].row)], out_port]} - {UNKNOWN_ROW})
        different: dict[tuple[object, ...], int] = {}
        for row in rows:
            coupled = () if self.lanes.coupled is None else self.lanes.coupled[row]
            different.setdefault((tuple(self.lanes.step[row].tolist()), coupled), row)
        return list(different.values()) or [-1]


def text_of(address: Address) -> str:
    """The address as users write it."""
    family, number = address
    return str(ip_address(number.to_bytes(4 if family == 4 else 16, "big")))


def end_point(tunnel: Tunnel, devices: Sequence[Device | None], file: str) -> Address:
    """The outer address of a tunnel: what it says, else the least lone address of the switch at its end. Raises BadInput."""
    if tunnel.address:
        return parsed(tunnel.address)
    device = devices[tunnel.to] if tunnel.to >= 0 else None
    lone = (
        {(s.network.version, int(s.network.network_address)) for s in device.subnets if is_lone(s.network)} if device else set()
    )
    if not lone:
        raise BadInput.at(Place(file), "a tunnel without an address, to a switch without a loopback address; expected one")
    return min(lone)


def standby_columns(tunnel: Tunnel, columns: Sequence[Column], prefixes: Sequence[Network], fabric: Fabric) -> list[int]:
    """The columns that lie behind a tunnel: of the hosts, addresses and prefixes that it is the standby for."""
    hosts = {word.text for word in tunnel.standby}
    networks = [network for word in tunnel.standby if (network := _network(word.text)) is not None]
    out = []
    for d, column in enumerate(columns):
        named = column.members and all(fabric.host(h).name in hosts for h in column.members)
        if column.members and column.on and (named or any(_within(prefixes[d], network) for network in networks)):
            out.append(d)
    return out


def standby_networks(declared: Declarations) -> list[Network]:
    """The addresses and prefixes that declared tunnels are for: no class of addresses lies half in one."""
    words = [word.text for tunnel in declared.tunnels for word in tunnel.standby]
    return [network for text in words if (network := _network(text)) is not None]


def check_standby(tunnel: Tunnel, columns: Sequence[Column], prefixes: Sequence[Network], fabric: Fabric) -> None:
    """Refuse a tunnel for what is nowhere. Raises BadInput."""
    idle = [word for word in tunnel.standby if not standby_columns(replace(tunnel, standby=(word,)), columns, prefixes, fabric)]
    refuse_if([Problem(word.place, _NOWHERE.format(word.text)) for word in idle])


def _within(prefix: Network, network: Network) -> bool:
    return contains(network, (prefix.version, int(prefix.network_address))) and network.prefixlen <= prefix.prefixlen


def _network(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None
