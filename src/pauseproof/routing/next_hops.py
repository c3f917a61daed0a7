"""From the next hops of a route to links: by interface and cable, or by the address's place on a connected subnet.

An interface that was read decides: what is cabled to it is the neighbour, whatever family the next hop's address is of
(RFC 5549). The members of a bundle (LAG) are the links of the group. Behind a VLAN interface several neighbours may be: the
one that owns the address is meant. A next hop that nobody owns makes the row unknown, one without a cable leads nowhere.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address
from types import MappingProxyType
from typing import NamedTuple

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.roce_records import Group, NextHop, RouteKind
from pauseproof.routing.address_classes import ADDRESS_BITS
from pauseproof.routing.ethernet_devices import Address, Device
from pauseproof.routing.groups import BANKS, RECURSIVE, Grouping, Groups, Member, SortKey
from pauseproof.routing.tables import ChoiceKind, Route

_LINK_LOCAL = 0xFE80 << 112, 0xFFC0 << 112
_DEEPEST = 8  # recursions of a next hop that is no neighbour
_SHOWN = 3
NO_ORDER: Mapping[str, SortKey] = MappingProxyType({})


class Hop(NamedTuple):
    """Where one next hop leads: ``links``, ``dead`` ports without a cable, or why that is ``unknown``.

    The links are the cables of a bundle; ``recursive``: those of several next hops, found in the device's own table.
    """

    links: tuple[int, ...] = ()
    dead: tuple[str, ...] = ()
    unknown: str = ""
    recursive: bool = False


class Ports:
    """Links by the names of device and port."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        names = list(fabric.node_name)
        self._link = {
            (names[node], fabric.port_name(node, port)): link
            for link, (node, port) in enumerate(zip(fabric.link_src.tolist(), fabric.link_src_port.tolist(), strict=True))
        }

    def link(self, device: str, port: str) -> int | None:
        """The link that leaves a device by a port, None where no cable is."""
        return self._link.get((device, port))

    def far(self, link: int) -> str:
        """The device at the receiving end."""
        return self.fabric.node_name[int(self.fabric.link_dst[link])]


class NextHops:
    """Resolves next hops on one fabric. ``groups`` keeps what hashes choose from; ``order`` says how some devices sort it."""

    def __init__(self, ports: Ports, devices: Mapping[str, Device], order: Mapping[str, SortKey] = NO_ORDER) -> None:
        self.ports = ports
        self.devices = devices
        self.order = order
        self.groups = Groups()
        self._cache: dict[tuple[str, NextHop], Hop] = {}
        self._unknown: dict[tuple[str, str], list[Place]] = defaultdict(list)
        self._dead: dict[tuple[str, str], list[Place]] = defaultdict(list)

    def route(self, device: Device, group: Group, place: Place) -> Route:
        """What a FORWARD route of ``device`` says."""
        hops = [(hop, self.hop(device, hop)) for hop in self._sorted(device, group.hops)]
        if unknown := [found.unknown for _, found in hops if found.unknown] or ([] if hops else ["no next hop was read"]):
            for why in unknown:
                self._unknown[device.name, why].append(place)
            return Route(ChoiceKind.UNKNOWN, ())
        members = [Member(tuple(sorted(found.links)), hop.weight) for hop, found in hops if found.links]
        if not members:
            return Route(ChoiceKind.DEAD_PORT, ())
        for port in (port for _, found in hops for port in found.dead):
            self._dead[device.name, port].append(place)
        unclear = RECURSIVE if any(found.recursive for _, found in hops) else BANKS if group.banks > 1 else ""
        grouping = Grouping(tuple(members), unclear, group.buckets)
        return Route(ChoiceKind.HASHED, grouping.links, group=self.groups.number(device.name, grouping))

    def _sorted(self, device: Device, hops: Sequence[NextHop]) -> Sequence[NextHop]:
        key = self.order.get(device.name)
        return hops if key is None else sorted(hops, key=key)

    def bundled(self, device: Device, route: Route) -> Route:
        """A switch bridges, or delivers to a bond, over the links of a route: the cables of one bundle are one next hop."""
        bundle = {
            link: name
            for name, ports in device.interfaces.bundles.items()
            for port in ports
            if (link := self.ports.link(device.name, port)) is not None
        }
        cables: dict[str | int, list[int]] = defaultdict(list)
        for link in sorted(route.links):
            cables[bundle.get(link, link)].append(link)
        grouping = Grouping(tuple(Member(tuple(together)) for together in cables.values()))
        return route._replace(group=self.groups.number(device.name, grouping))

    def hop(self, device: Device, hop: NextHop) -> Hop:
        """Where one next hop of ``device`` leads."""
        key = device.name, hop
        if key not in self._cache:
            self._cache[key] = self._hop(device, hop, _DEEPEST)
        return self._cache[key]

    def _hop(self, device: Device, hop: NextHop, depth: int) -> Hop:
        address = _parsed(hop.address)
        if hop.tunnel:
            return Hop(unknown=f"it hashes over several tunnels, such as that to {hop.tunnel}")
        if hop.interface:
            return self._through(device, hop.interface, address)
        if address is None:
            return Hop(unknown=f"the next hop {hop.address!r} is no address")
        subnet = device.subnet_of(address)
        if subnet is not None:
            return self._through(device, subnet.interface, address)
        return self._recursive(device, hop.address, address, depth)

    def _recursive(self, device: Device, text: str, address: Address, depth: int) -> Hop:
        """An address that is on no connected subnet: what the device's own table says of it."""
        group = device.lookup(address)
        if group is None or group.kind is not RouteKind.FORWARD or not depth:
            return Hop(unknown=f"the next hop {text} is on no subnet that the switch is connected to")
        each = [self._hop(device, hop, depth - 1) for hop in group.hops]
        unknown = next((found.unknown for found in each if found.unknown), "")
        links = tuple(dict.fromkeys(link for found in each for link in found.links))
        dead = tuple(port for found in each for port in found.dead)
        return Hop(() if unknown else links, dead, unknown, recursive=len(each) > 1 or each[0].recursive)

    def _through(self, device: Device, interface: str, address: Address | None) -> Hop:
        """By the ports of an interface."""
        ports = device.interfaces.ports(interface)
        cabled = {port: link for port in ports if (link := self.ports.link(device.name, port)) is not None}
        live, dead = tuple(cabled.values()), tuple(port for port in ports if port not in cabled)
        if address is None or _is_link_local(address):
            owners = live
        else:
            owners = tuple(link for link in live if self._may_own(self.ports.far(link), address))
        if device.interfaces.is_vlan(interface):
            return self._behind_vlan(interface, address, live, owners)
        if not live and device.interfaces.is_inner(interface):
            return Hop(unknown=f"{interface} is no port, and where it leads was not read")
        if live and not owners:
            far = self.ports.far(live[0])
            return Hop(unknown=f"{far}, at the other end of {interface}, does not own the next hop {_text(address)}")
        return Hop(live, dead)

    def _behind_vlan(self, interface: str, address: Address | None, live: tuple[int, ...], owners: tuple[int, ...]) -> Hop:
        """The links to the one neighbour of a VLAN that owns the address."""
        sure = [link for link in live if address in self._own(self.ports.far(link))]
        links = tuple(sure) or owners
        if len({self.ports.far(link) for link in links}) == 1:
            return Hop(links)
        found = "nobody" if not links else "more than one neighbour"
        return Hop(unknown=f"{found} behind {interface} owns the next hop {_text(address)}, as far as was read")

    def _own(self, name: str) -> frozenset[Address]:
        return self.devices[name].own if name in self.devices else frozenset()

    def _may_own(self, name: str, address: Address) -> bool:
        return name not in self.devices or self.devices[name].may_own(address)

    def remarks(self) -> list[Remark]:
        """Next hops that are unknown, and members of groups that have no cable."""
        out = []
        for (device, why), places in sorted(self._unknown.items()):
            message = f"{device}: {why}; what it does with {_routes(places)} is unknown"
            out.append(Remark("next-hop-unknown", message, f"{device}/{why}", tuple(dict.fromkeys(places))[:_SHOWN]))
        for (device, port), places in sorted(self._dead.items()):
            message = f"{device} hashes some flows of {_routes(places)} to {port}, which has no cable"
            out.append(Remark("route-to-dead-port", message, f"{device}/{port}", tuple(dict.fromkeys(places))[:_SHOWN]))
        return out


def _routes(places: list[Place]) -> str:
    number = len(set(places))
    return f"{number} routes" if number > 1 else "a route"


@lru_cache(1 << 16)
def _parsed(text: str) -> Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.version, int(address)


def _is_link_local(address: Address) -> bool:
    return address[0] == 6 and address[1] & _LINK_LOCAL[1] == _LINK_LOCAL[0]


def _text(address: Address | None) -> str:
    if address is None:
        return "(no address)"
    family, number = address
    return str(ip_address(number.to_bytes(ADDRESS_BITS[family] // 8, "big")))
