"""A dump of SONiC's APPL_DB: routes from ROUTE_TABLE, next-hop groups, and interface addresses from INTF_TABLE; seeds of
hashes from SWITCH_TABLE, members of bundles from LAG_MEMBER_TABLE.

Keys are ``TABLE:key``. A value is the fields themselves, or an object that holds them as ``value`` (sonic-db-dump). The
lists ``nexthop``, ``ifname`` and ``weight`` go together by position; a next hop of 0.0.0.0 or :: is none. A route may name a
``nexthop_group`` of NEXTHOP_GROUP_TABLE, or one of CLASS_BASED_NEXT_HOP_GROUP_TABLE: the forwarding class of a packet
then picks one of its members, and all of them count. Bits behind the length of a prefix are cleared, as switches do.

Source: sonic-swss doc/swss-schema.md, and the dumps of its and sonic-utilities' tests.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pauseproof.readers.device_name import device_of
from pauseproof.readers.ip_prefix import Prefix, parse_address, parse_masked
from pauseproof.readers.json_lines import parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import AddressRecords, ConfigDb, Group, NextHop, RouteRecords
from pauseproof.readers.route_rows import DEFAULT_VRF, DISCARD, MOST_WEIGHT, RouteRows, group_of
from pauseproof.readers.source import Source

NAME = "sonic-appl-db"

_KEY = re.compile(rb'"(?:ROUTE|NEXTHOP_GROUP|CLASS_BASED_NEXT_HOP_GROUP|INTF|PORT|NEIGH|LAG|LAG_MEMBER|SWITCH)_TABLE:')
_START = re.compile(rb'\s*\{\s*"[A-Z0-9_]+:')
_ROUTES, _GROUPS, _CLASSES, _INTERFACES, _SWITCH, _MEMBERS = (
    "ROUTE_TABLE:",
    "NEXTHOP_GROUP_TABLE:",
    "CLASS_BASED_NEXT_HOP_GROUP_TABLE:",
    "INTF_TABLE:",
    "SWITCH_TABLE:",
    "LAG_MEMBER_TABLE:",
)
_NO_ADDRESS = ("", "0.0.0.0", "::", "na")

Fields = Mapping[str, str]


def matches(head: bytes) -> bool:
    """An object whose keys are tables of APPL_DB with a key behind a colon."""
    return bool(_START.match(head)) and bool(_KEY.search(head))


def read(source: Source) -> tuple[RouteRecords | AddressRecords | ConfigDb, ...]:
    """The routes, a record for each VRF, the interface addresses, and the rest as a configuration. Raises BadInput."""
    return _Reading(source).read()


class _Reading:
    """One file."""

    def __init__(self, source: Source) -> None:
        document = parse(source)
        self.lines: Mapping[Any, int] = document.lines()
        self.problems = Problems(source.path)
        self.rows = RouteRows(source.path, NAME, self.problems)
        self.device = device_of(source.path)
        self.content = {key: self.fields(key, value) for key, value in document.value.items()}

    def read(self) -> tuple[RouteRecords | AddressRecords | ConfigDb, ...]:
        """Everything in the file that is about forwarding."""
        for key, name in self.keys(_ROUTES):
            try:
                vrf, prefix = _split(name)
                self.rows.add(self.device, vrf, prefix, self.group(self.content[key]), self.lines[key])
            except ValueError as error:
                self.problems.add(self.lines[key], f"the route {name}: {error}")
        addresses = self.addresses()
        self.problems.raise_any()
        routes, config = self.rows.records(), self.config()
        others = ((addresses,) if len(addresses.line) else (), (config,) if config.tables else ())
        return (*routes, *others[0], *others[1])

    def config(self) -> ConfigDb:
        """What a configuration would say in the same words, under the names of its tables."""
        tables, lines = dict[str, dict[str, Fields]](), dict[tuple[str, str], int]()
        for prefix, table in ((_SWITCH, "SWITCH_TABLE"), (_MEMBERS, "PORTCHANNEL_MEMBER")):
            for key, name in self.keys(prefix):
                row = name.replace(":", "|")
                tables.setdefault(table, {})[row] = self.content[key] if prefix == _SWITCH else {}
                lines[table, row] = self.lines[key]
        return ConfigDb(self.rows.file, self.device, tables, lines)

    def keys(self, table: str) -> Iterator[tuple[str, str]]:
        """Each key of a table, whole and without the table's name."""
        return ((key, key.removeprefix(table)) for key in self.content if key.startswith(table))

    def fields(self, key: str, value: Any) -> Fields:
        """The fields of one entry."""
        if isinstance(value, dict) and value.get("type") == "hash" and isinstance(value.get("value"), dict):
            value = value["value"]
        ours = key.startswith((_ROUTES, _GROUPS, _CLASSES, _INTERFACES, _SWITCH))
        if not ours:
            return {}
        if not isinstance(value, dict) or not all(isinstance(field, str) for field in value.values()):
            self.problems.add(self.lines[key], f"the entry {key} is not fields with strings as values")
            return {}
        return value

    def group(self, fields: Fields) -> Group:
        """What a route, or a next-hop group, says. Raises ValueError."""
        if fields.get("blackhole", "false") == "true":
            return DISCARD
        name = fields.get("nexthop_group")
        if not name:
            return group_of(_hops(fields))
        members = self.content.get(_CLASSES + name, {}).get("members", name).split(",")
        groups = [self.content.get(_GROUPS + member) for member in members]
        if None in groups:
            raise ValueError(f"the next-hop group {members[groups.index(None)]!r} is not in the file")
        return group_of(tuple(dict.fromkeys(hop for group in groups if group for hop in _hops(group))))

    def addresses(self) -> AddressRecords:
        """The addresses of the interfaces."""
        rows = list[tuple[str, str, int, int, int, int, int]]()
        for key, name in self.keys(_INTERFACES):
            interface, colon, text = name.partition(":")
            address = text.partition("/")[0]
            if not colon or interface == "lo":
                continue
            try:
                prefix = parse_masked(text)
                vrf = self.content.get(_INTERFACES + interface, {}).get("vrf_name") or DEFAULT_VRF
                rows.append((interface, vrf, *parse_address(address), prefix.length, self.lines[key]))
            except ValueError as error:
                self.problems.add(self.lines[key], f"the address of {interface}: {error}")
        return _address_records(self.rows.file, self.device, rows)


def _hops(fields: Fields) -> tuple[NextHop, ...]:
    """The next hops by position. Raises ValueError."""
    interfaces, addresses = fields.get("ifname", "").split(","), fields.get("nexthop", "").split(",")
    weights = (fields.get("weight") or "1").split(",")
    weights = weights * len(interfaces) if len(weights) == 1 else weights
    if addresses == [""]:
        addresses *= len(interfaces)
    if interfaces == [""]:
        interfaces *= len(addresses)
    if not len(interfaces) == len(addresses):
        raise ValueError(f"{len(addresses)} next hops on {len(interfaces)} interfaces; expected as many of each")
    if len(weights) != len(addresses) and len(set(weights)) > 1:
        raise ValueError(f"{len(weights)} weights for {len(addresses)} next hops; expected as many")
    weights = weights if len(weights) == len(addresses) else weights[:1] * len(addresses)
    tunnel = any(fields.get(key, "").strip("0,") for key in ("vni_label", "router_mac"))
    return tuple(_hop(*one, tunnel=tunnel) for one in zip(addresses, interfaces, weights, strict=True))


def _hop(address: str, interface: str, weight: str, *, tunnel: bool) -> NextHop:
    if not weight.isdigit() or not 1 <= int(weight) <= MOST_WEIGHT:
        raise ValueError(f"{weight!r} is no weight of a next hop")
    if address in _NO_ADDRESS:
        if not interface:
            raise ValueError("a next hop has neither an address nor an interface")
        return NextHop("", interface, int(weight))
    parse_address(address)
    return NextHop(address, interface, int(weight), address if tunnel else "")


def _split(name: str) -> tuple[str, Prefix]:
    """VRF and prefix of a key: ``10.0.0.0/24``, ``Vrf_red:10.0.0.0/24``, ``Vrf_red:2001:db8::/64``. Raises ValueError."""
    try:
        return DEFAULT_VRF, parse_masked(name)
    except ValueError as error:
        vrf, colon, prefix = name.partition(":")
        if not colon:
            raise ValueError(str(error)) from error
        return vrf, parse_masked(prefix)


def _address_records(file: str, device: str, rows: list[tuple[str, str, int, int, int, int, int]]) -> AddressRecords:
    columns = list(zip(*rows, strict=True)) or [()] * 7
    return AddressRecords(
        file=file,
        device=device,
        interface=columns[0],
        family=np.array(columns[2], np.uint8),
        high=np.array(columns[3], np.uint64),
        low=np.array(columns[4], np.uint64),
        length=np.array(columns[5], np.uint8),
        line=np.array(columns[6], np.int32),
        vrf=columns[1],
    )
