"""Changed routes of Ethernet switches as whole tables in CSV, which ``verify`` reads in the place of the dumps.

The dumps are read again, and every row is written as it is but those that change. A destination that a shorter prefix matches
gets a row of its own, and what is inside it and went by that shorter prefix keeps its next hops by rows of its own as well.
Where a table cannot be said so (tunnels, rows that were not read, bundles of cables), nothing is written.

Notation: ``s`` a switch, ``d`` a column, ``n`` a node of the forest (a prefix).
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_network

from pauseproof.fabric.model import Fabric
from pauseproof.readers.linux_nexthops import join_nexthops
from pauseproof.readers.roce_records import Group, NextHop, RouteKind, RouteRecords
from pauseproof.readers.route_csv import COLUMNS
from pauseproof.readers.snapshot import read_snapshot
from pauseproof.routing.address_classes import PrefixForest
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.network import Network

FILE = "routes.csv"
Prefix = tuple[int, int, int]  # family, address, length
Table = dict[Prefix, Group]
Wanted = Mapping[int, Mapping[int, tuple[int, ...]]]  # switch -> node -> links


class CannotSay(Exception):
    """These tables have something that the CSV does not."""


def routes_csv(before: Network, after: Network) -> str:
    """The tables of all devices with the changes from ``before`` to ``after``; empty where they cannot be said so."""
    if not isinstance(before.addresses, HostPrefixes) or any(one.source is not None for one in before.inputs):
        return ""
    try:
        tables = _tables(before)
        for s, wanted in _wanted(before, after, before.addresses).items():
            _change(before.fabric, before.addresses.forest, s, _of_switch(before, tables, s), wanted)
        return _text(tables)
    except CannotSay:
        return ""


def _tables(network: Network) -> dict[tuple[str, str], Table]:
    """By device and VRF: of several dumps of one table the first, as they agree wherever anything may change."""
    snapshot = read_snapshot([one.path for one in network.inputs if one.format])
    records = join_nexthops(snapshot.routes, snapshot.nexthops)
    tables: dict[tuple[str, str], Table] = {}
    told: set[tuple[str, str, int]] = set()
    spoken_of = {int(family) for record in records for family in record.family.tolist()}
    for record in records:
        key = record.device, record.vrf
        families = {family for family in record.families if (*key, family) not in told}
        told |= {(*key, family) for family in families}
        if not record.complete:
            raise CannotSay
        table = tables.setdefault(key, {})
        table |= {prefix: group for prefix, group in _rows(record) if prefix[0] in families}
    if any((*key, family) not in told for key in tables for family in spoken_of):
        raise CannotSay  # a family that was not read is unknown; a table that is written out says that it has none
    return tables


def _rows(record: RouteRecords) -> Iterator[tuple[Prefix, Group]]:
    columns = (record.family, record.high, record.low, record.length, record.group)
    for family, high, low, length, group in zip(*(column.tolist() for column in columns), strict=True):
        yield (family, high << 64 | low, length), record.groups[group]


def _wanted(before: Network, after: Network, addresses: HostPrefixes) -> Wanted:
    """The links of every entry that changes."""
    out: dict[int, dict[int, tuple[int, ...]]] = {}
    for s in range(before.fabric.n_switches):
        for d, n in enumerate(addresses.node):
            was, now = before.routes.route(s, d), after.routes.route(s, d)
            if was == now:
                continue
            if n < 0 or out.setdefault(s, {}).setdefault(n, now.links) != now.links:
                raise CannotSay
    for s, nodes in out.items():  # a table has one row for all columns of a prefix
        if any(after.routes.route(s, d).links != nodes[n] for d, n in enumerate(addresses.node) if n in nodes):
            raise CannotSay
    return out


def _of_switch(network: Network, tables: Mapping[tuple[str, str], Table], s: int) -> Table:
    key = network.fabric.node_name[s], str(network.notes.get("vrf", "default"))
    if key not in tables:
        raise CannotSay
    return tables[key]


def _change(fabric: Fabric, forest: PrefixForest, s: int, table: Table, wanted: Mapping[int, tuple[int, ...]]) -> None:
    old = dict(table)
    for n, links in wanted.items():
        prefix, group = _prefix(forest, n), _match(forest, old, n)
        table[prefix] = _group(fabric, s, old, group, links)
        for inside in range(n + 1, int(forest.end[n])):
            own = _prefix(forest, inside)
            if inside not in wanted and own not in old and _match(forest, old, inside) is group:
                table[own] = group


def _prefix(forest: PrefixForest, n: int) -> Prefix:
    network = forest.network(n)
    return network.version, int(network.network_address), network.prefixlen


def _match(forest: PrefixForest, table: Table, n: int) -> Group:
    while n >= 0:
        if found := table.get(_prefix(forest, n)):
            return found
        n = int(forest.parent[n])
    raise CannotSay


def _group(fabric: Fabric, s: int, table: Table, group: Group, links: Sequence[int]) -> Group:
    """The next hops of these links: those of the group, else as another route of the switch has them."""
    own = {hop.interface: hop for hop in group.hops}
    others = {hop.interface: hop for some in table.values() if some.kind is RouteKind.FORWARD for hop in some.hops}
    hops = []
    for port in (fabric.port_name(s, fabric.link(link).src_port) for link in links):
        if port not in own and port not in others:
            raise CannotSay
        hops.append(own.get(port) or others[port]._replace(weight=1))
    return Group(RouteKind.FORWARD, tuple(hops))


def _text(tables: Mapping[tuple[str, str], Table]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (device, vrf), table in sorted(tables.items()):
        if not (device + vrf).isprintable():
            raise CannotSay
        for (family, address, length), group in sorted(table.items(), key=lambda row: row[0]):
            prefix = ip_network((address.to_bytes(4 if family == 4 else 16, "big"), length))
            for hop in group.hops or (NextHop("", ""),):
                writer.writerow(_row(device, vrf, str(prefix), group.kind, hop))
    return out.getvalue()


def _row(device: str, vrf: str, prefix: str, kind: RouteKind, hop: NextHop) -> tuple[str, ...]:
    if hop.tunnel or (kind is RouteKind.FORWARD and not (hop.address or hop.interface)):
        raise CannotSay
    if kind is RouteKind.DISCARD:
        return device, prefix, "discard", "", vrf, ""
    if kind is RouteKind.LOCAL:
        return device, prefix, "local", hop.interface, vrf, ""
    if kind is RouteKind.CONNECTED:
        return device, prefix, "", hop.interface, vrf, ""
    return device, prefix, hop.address, hop.interface, vrf, str(hop.weight)
