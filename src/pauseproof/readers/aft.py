"""OpenConfig abstract forwarding tables as JSON: entries -> next-hop groups -> next hops, as many vendors export them.

Names may have the prefix of their module (``openconfig-aft:``) or not; numbers of 64 bits may be strings (RFC 7951). The
file may begin at the root, at a network instance, or at its ``afts``. Values are taken from ``state``. A next hop with no
address is connected; one of an interface such as ``Null0`` drops.

Source: openconfig-aft.yang and openconfig-network-instance.yang; untested on files of real devices.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pauseproof.readers.device_name import device_of
from pauseproof.readers.ip_prefix import parse_address, parse_prefix
from pauseproof.readers.json_lines import JsonFile, parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, RouteRecords
from pauseproof.readers.route_rows import DEFAULT_VRF, DISCARD, MOST_WEIGHT, RouteRows, group_of
from pauseproof.readers.source import Source

NAME = "openconfig-aft"

_M = rb'"(?:[a-z0-9-]+:)?'
_START = re.compile(
    rb"\s*\{\s*" + _M + rb'(?:network-instances|network-instance|afts|ipv[46]-unicast|next-hop-groups|next-hops)"\s*:'
)
_SIGN = re.compile(_M + rb'(?:ipv[46]-unicast|ipv[46]-entry|next-hop-groups?|next-hops?|afts)"\s*:')
_DROPS = re.compile(r"null ?0?|discard|drop|reject|blackhole", re.IGNORECASE)

Step = str | int
Json = Mapping[str, Any]


class _Unusable(ValueError):
    """A row that cannot be understood; the message says why."""


class _At(NamedTuple):
    """A value, and the path to it."""

    value: Any
    path: tuple[Step, ...]

    def find(self, name: str) -> "_At | None":
        """What is there under this name, with or without a module's prefix."""
        for key in self.value if isinstance(self.value, dict) else ():
            if key.rpartition(":")[2] == name:
                return _At(self.value[key], (*self.path, key))
        return None

    def each(self, *names: str) -> "Iterator[_At]":
        """The items of the list behind these names; none where it is not there. Raises _Unusable."""
        found: _At | None = self
        for name in names:
            found = found.find(name) if found else None
        if found is None:
            return
        if not isinstance(found.value, list):
            raise _Unusable(f"{names[-1]!r} is no list")
        for i, item in enumerate(found.value):
            if not isinstance(item, dict):
                raise _Unusable(f"an item of {names[-1]!r} is no object")
            yield _At(item, (*found.path, i))

    def text(self, *names: str) -> str:
        """The string or number behind these names, empty where there is none."""
        found: _At | None = self
        for name in names:
            found = found.find(name) if found else None
        value = found.value if found else ""
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def matches(head: bytes) -> bool:
    """An object whose first key is one of the containers above a forwarding table."""
    return bool(_START.match(head)) and bool(_SIGN.search(head))


def read(source: Source) -> tuple[RouteRecords, ...]:
    """The routes, a record for each network instance. Raises BadInput."""
    document, problems = parse(source), Problems(source.path)
    rows = RouteRows(source.path, NAME, problems)
    try:
        for vrf, afts in _instances(_At(document.value, ())):
            _Instance(document, afts, rows, problems).take(vrf)
    except _Unusable as error:
        problems.add(1, str(error))
    problems.raise_any()
    return rows.records()


def _instances(root: _At) -> Iterator[tuple[str, _At]]:
    """Each network instance's name and its tables. Raises _Unusable."""
    holder = root.find("network-instances") or root
    found = False
    for instance in holder.each("network-instance"):
        found, name, afts = True, instance.text("name"), instance.find("afts")
        if afts:
            yield (DEFAULT_VRF if name.lower() == DEFAULT_VRF else name), afts
    if not found:
        yield DEFAULT_VRF, root.find("afts") or root


class _Instance:
    """The forwarding tables of one network instance."""

    def __init__(self, document: JsonFile, afts: _At, rows: RouteRows, problems: Problems) -> None:
        self.document, self.afts, self.rows, self.problems = document, afts, rows, problems
        self.hops = {hop.text("index") or hop.text("state", "index"): hop for hop in afts.each("next-hops", "next-hop")}
        listed = afts.each("next-hop-groups", "next-hop-group")
        self.members = {group.text("id") or group.text("state", "id"): group for group in listed}
        self.groups: dict[str, Group] = {}

    def take(self, vrf: str) -> None:
        """All unicast entries."""
        device = device_of(self.rows.file)
        self.rows.table(device, vrf)
        for family in ("ipv4", "ipv6"):
            for entry in self.afts.each(f"{family}-unicast", f"{family}-entry"):
                text = entry.text("prefix") or entry.text("state", "prefix")
                line = self.document.line_of(*entry.path)
                try:
                    group = self.group(entry.text("state", "next-hop-group"))
                    self.rows.add(device, vrf, parse_prefix(text), group, line)
                except ValueError as error:
                    self.problems.add(line, f"the entry of {text or 'no prefix'}: {error}")

    def group(self, number: str) -> Group:
        """A next-hop group by its id. Raises _Unusable."""
        if number not in self.groups:
            members = self.members.get(number)
            if members is None:
                raise _Unusable(f"the next-hop group {number!r} is not in this network instance")
            hops = [hop for hop in map(self.hop, members.each("next-hops", "next-hop")) if hop is not None]
            self.groups[number] = group_of(tuple(hops)) if hops else DISCARD
        return self.groups[number]

    def hop(self, member: _At) -> NextHop | None:
        """One member of a group, None where it drops. Raises _Unusable."""
        index, weight = member.text("index") or member.text("state", "index"), member.text("state", "weight") or "1"
        hop = self.hops.get(index)
        if hop is None:
            raise _Unusable(f"the next hop {index!r} is not in this network instance")
        if not weight.isdigit() or not 1 <= int(weight) <= MOST_WEIGHT:
            raise _Unusable(f"{weight!r} is no weight of the next hop {index!r}")
        address, interface = hop.text("state", "ip-address"), hop.text("interface-ref", "state", "interface")
        tunnel = hop.text("ip-in-ip", "state", "dst-ip")
        if _DROPS.fullmatch(interface):
            return None
        if not (address or interface or tunnel):
            raise _Unusable(f"the next hop {index!r} has neither an address nor an interface")
        for text in (address, tunnel):
            if text:
                parse_address(text)
        return NextHop(address, interface, int(weight), tunnel)
