"""Every switch's entry for every column: matched rows, resolved to links, agreed on by all dumps of the switch.

What a *forward* row says is the same for all columns. A *connected* row delivers to the members of the column behind its
interface; for members elsewhere (a VLAN that reaches over several switches) it bridges towards them, and where nobody is
there, the packet is dropped: its address is never resolved. Behind a VLAN or a VRF whose ports were not read anybody may be,
and so may the hosts of a VLAN's subnet that other switches have too: an overlay or a mux may join them.

Notation: ``s`` a switch, ``d`` a column, ``r`` a row of all tables.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.roce_records import Group, RouteKind
from pauseproof.routing.address_classes import I64
from pauseproof.routing.ethernet_columns import Column
from pauseproof.routing.ethernet_devices import Address, Device
from pauseproof.routing.ethernet_filled import Filled
from pauseproof.routing.ethernet_rows import UNREAD, Tables
from pauseproof.routing.next_hops import NextHops
from pauseproof.routing.tables import ChoiceKind, Route

DROP, UNKNOWN, LOCAL = (Route(kind, ()) for kind in (ChoiceKind.DROP, ChoiceKind.UNKNOWN, ChoiceKind.LOCAL))
_SHOWN = 3


@dataclass
class Entries:
    """Fills the table of one fabric. ``devices[s]`` is what was read of switch ``s``, None where nothing was."""

    fabric: Fabric
    devices: Sequence[Device | None]
    tables: Tables
    columns: Sequence[Column]
    hops: NextHops
    remarks: list[Remark] = field(default_factory=list)
    end_points: list[Address] = field(default_factory=list)  # of tunnels that routes name

    def __post_init__(self) -> None:
        self.nodes, self.class_of = np.unique([column.node for column in self.columns], return_inverse=True)
        self.nodes, self.class_of = self.nodes.astype(np.int64), self.class_of.reshape(-1)
        self.rows = np.full((self.fabric.n_switches, len(self.nodes)), UNREAD, np.int32)
        down = self.fabric.host_down
        self.deliver = [frozenset(down[list(column.members)].tolist()) for column in self.columns]

    def filled(self) -> Filled:
        """All entries."""
        out = Filled.empty(self.columns, self.fabric.n_switches, self._place)
        for s in range(self.fabric.n_switches):
            out.value[s] = self._agreed(s, out.lookup[s])
        return out

    def ends_on_subnet(self, s: int, column: Column) -> bool:
        """Whether the route of ``s`` for a column is a connected subnet."""
        row = int(self.rows[s, np.searchsorted(self.nodes, column.node)])
        return row >= 0 and self.tables.group(int(self.tables.group_of_row[row])).kind is RouteKind.CONNECTED

    def _place(self, s: int, d: int) -> Place | None:
        row = int(self.rows[s, self.class_of[d]])
        return self.tables.place(row) if row >= 0 else None

    def _agreed(self, s: int, local: dict[Route, int]) -> NDArray[np.uint16]:
        """What all dumps of a switch's table say; where two contradict each other the entry is unknown."""
        unknown = local.setdefault(UNKNOWN, len(local))
        out = np.full(len(self.columns), unknown, np.uint16)
        disputed: dict[int, tuple[int, int]] = {}
        for dump in range(len(self.tables.of_switch[s])):
            rows = self.tables.match(s, dump, self.nodes)
            said = self._values(s, rows[self.class_of], local)
            if dump:
                self._reconcile(s, out, said, local)
            differs = np.flatnonzero((said != out) & (said != unknown) & (out != unknown))
            fresh = (out == unknown) & ~np.isin(np.arange(len(out)), list(disputed))
            disputed.update({int(d): (int(self.rows[s, self.class_of[d]]), int(rows[self.class_of[d]])) for d in differs})
            out = np.where(fresh, said, out)
            out[differs] = unknown
            self.rows[s] = np.where(self.rows[s] >= 0, self.rows[s], rows)
        self._remark_disputes(s, disputed)
        return out

    def _reconcile(self, s: int, out: NDArray[np.uint16], said: NDArray[np.uint16], local: dict[Route, int]) -> None:
        """Where two dumps have the same links in other groups, both entries become the one whose grouping is not clear."""
        routes = list(local)
        for a, b in np.unique(np.stack([out, said])[:, out != said], axis=1).T.tolist():
            one, other = routes[a], routes[b]
            if one._replace(group=0) == other._replace(group=0):
                number = self.hops.groups.disputed(self.fabric.node_name[s], one.links, one.group, other.group)
                here = (out == a) & (said == b)
                out[here] = said[here] = local.setdefault(one._replace(group=number), len(local))

    def _remark_disputes(self, s: int, disputed: dict[int, tuple[int, int]]) -> None:
        if not disputed:
            return
        names = ", ".join(self.columns[d].name for d in sorted(disputed)[:_SHOWN]) + (" ..." if len(disputed) > _SHOWN else "")
        places = [self.tables.place(r) for pair in list(disputed.values())[:_SHOWN] for r in pair if r >= 0]
        message = f"two dumps of {self.fabric.node_name[s]} disagree on {names}; these rows are unknown"
        self.remarks.append(Remark("table-disagreement", message, self.fabric.identity(s), tuple(dict.fromkeys(places))))

    def _values(self, s: int, rows: I64, local: dict[Route, int]) -> NDArray[np.uint16]:
        """[D]: the values of one dump's rows."""
        key = np.where(rows >= 0, self.tables.group_of_row[np.maximum(rows, 0)], rows) if len(self.tables.node) else rows
        met, first, which = np.unique(key, return_index=True, return_inverse=True)
        out = np.zeros(len(rows), np.uint16)
        for i, (number, lead) in enumerate(zip(met.tolist(), first.tolist(), strict=True)):
            here = np.flatnonzero(which.reshape(-1) == i)
            said, by_column = self._meaning(s, number, int(rows[lead]))
            if by_column is None:
                out[here] = local.setdefault(said, len(local))
            else:
                for d in here.tolist():
                    out[d] = local.setdefault(self._connected(s, by_column, d, said), len(local))
        return out

    def _meaning(self, s: int, number: int, row: int) -> tuple[Route, Group | None]:
        """What a group of a table says, and the group itself where that differs from column to column."""
        device = self.devices[s]
        if number < 0 or device is None:
            return (UNKNOWN if number == UNREAD else DROP), None
        group = self.tables.group(number)
        if group.kind is RouteKind.DISCARD:
            return DROP, None
        if group.kind is RouteKind.LOCAL:
            return LOCAL, None
        if group.kind is RouteKind.CONNECTED:
            return DROP, group
        if end_point := tunnel_of(group):
            return self.into_tunnel(end_point), None
        said = self.hops.route(device, group, self.tables.place(row))
        to_hosts = any(self.fabric.host_of_link[link] >= 0 for link in said.links)
        return said, (group if to_hosts else None)

    def into_tunnel(self, end_point: Address) -> Route:
        """Stands for "into the tunnel to this address" until the tunnels are dug (``ethernet_tunnels``)."""
        if end_point not in self.end_points:
            self.end_points.append(end_point)
        return UNKNOWN._replace(column=-2 - self.end_points.index(end_point))

    def _connected(self, s: int, group: Group, d: int, said: Route) -> Route:
        """Delivery to the members of a column behind an interface, or on towards them."""
        device = self.devices[s]
        assert device is not None
        if group.kind is RouteKind.FORWARD:
            return said._replace(kind=ChoiceKind.DELIVER) if set(said.links) <= self.deliver[d] else said
        ports = {port for hop in group.hops for port in device.interfaces.ports(hop.interface)}
        links = {link for port in ports if (link := self.hops.ports.link(device.name, port)) is not None}
        if here := links & self.deliver[d]:
            delivered = Route(ChoiceKind.DELIVER, tuple(sorted(here)))
            bond = len({int(self.fabric.link_dst[link]) for link in here}) == 1
            return self.hops.bundled(device, delivered) if bond else delivered
        if not links and any(self._is_open(device, hop.interface) for hop in group.hops):
            return UNKNOWN
        onward: dict[int, list[int]] = defaultdict(list)
        for link in sorted(links):
            if self.fabric.host_of_link[link] < 0:
                onward[int(self.fabric.link_dst[link])].append(link)
        if not onward and self.deliver[d] and any(device.interfaces.is_vlan(hop.interface) for hop in group.hops):
            return UNKNOWN  # the VLAN's subnet is on other switches too, and what joins them was not read
        bridged = self._bridged(onward, d)
        return self.hops.bundled(device, bridged) if bridged.links else bridged

    def _is_open(self, device: Device, interface: str) -> bool:
        """A VLAN whose member ports were not read, or an interface over other ports: it may lead to other switches."""
        vlan = device.interfaces.is_vlan(interface) and not device.interfaces.may_have_hosts(interface)
        return vlan or device.interfaces.is_inner(interface)

    def _bridged(self, onward: dict[int, list[int]], d: int) -> Route:
        """By a VLAN or a link without a router's address: to the neighbour that has the member, or the only one."""
        attached = {int(self.fabric.link_src[link]) for link in self.deliver[d]}
        nearer = attached & onward.keys()
        if len(nearer) == 1 or len(onward) == 1:
            return Route(ChoiceKind.HASHED, tuple(onward[nearer.pop() if len(nearer) == 1 else next(iter(onward))]))
        return UNKNOWN if onward else DROP


def tunnel_of(group: Group) -> Address | None:
    """The end point of the tunnel that a route leads into; None where it has none, or several."""
    ends = {hop.tunnel for hop in group.hops}
    if len(ends) != 1 or "" in ends:
        return None
    try:
        only = ip_address(ends.pop())
    except ValueError:
        return None
    return only.version, int(only)
