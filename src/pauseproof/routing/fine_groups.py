"""SONiC's fine-grained groups: routes whose next hops are hashed by a table of buckets (FG_NHG, FG_NHG_PREFIX, FG_NHG_MEMBER).

A group of ``match_mode`` nexthop-based takes every route all of whose next hops are its members; of any other mode, the routes
for its prefixes. Members in several *banks* have parts of the table of their own. A prefix or member of a group that is not
configured has no effect.

Source: orchagent/fgnhgorch of sonic-swss.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_network

import numpy as np

from pauseproof.fabric.places import Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.roce_records import ConfigDb, Group, RouteKind, RouteRecords
from pauseproof.routing.ethernet_devices import Address, Network, network_of

MOST_BUCKETS = 0xFFFF
BY_NEXT_HOP = "nexthop-based"


@dataclass
class FineGroups:
    """The fine-grained groups of one device: sizes of their tables, and what they take."""

    size: dict[str, int] = field(default_factory=dict)
    by_hop: set[str] = field(default_factory=set)
    of_prefix: dict[Network, str] = field(default_factory=dict)
    of_member: dict[Address, str] = field(default_factory=dict)
    banks: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def applied(self, record: RouteRecords) -> RouteRecords:
        """The routes with the buckets of the groups that take them."""
        groups, group = list(record.groups), record.group.copy()
        numbers = {one: number for number, one in enumerate(groups)}
        for row, name in self._taken(record):
            old = groups[int(record.group[row])]
            new = old._replace(buckets=self.size[name], banks=len(self.banks[name]))
            group[row] = numbers.setdefault(new, len(groups))
            groups += [new] if group[row] == len(groups) else []
        return replace(record, groups=tuple(groups), group=group)

    def _taken(self, record: RouteRecords) -> Iterator[tuple[int, str]]:
        for number, group in enumerate(record.groups):
            name = self._by_hops(group)
            if group.kind is RouteKind.FORWARD and name:
                yield from ((row, name) for row in np.flatnonzero(record.group == number).tolist())
        for row, number in enumerate(record.group.tolist() if self.of_prefix else ()):
            name = self.of_prefix.get(network_of(record, row), "")
            if name in self.size and name not in self.by_hop and record.groups[number].kind is RouteKind.FORWARD:
                yield row, name

    def _by_hops(self, group: Group) -> str:
        """The group that all next hops are members of, empty where there is none."""
        names = {self.of_member.get(_parsed(hop.address), "") for hop in group.hops}
        name = names.pop() if len(names) == 1 else ""
        return name if name in self.by_hop else ""


def with_fine_groups(routes: Sequence[RouteRecords], configs: Sequence[ConfigDb]) -> tuple[RouteRecords, ...]:
    """The routes of all devices with the buckets of their fine-grained groups. Raises BadInput for what cannot be one."""
    found, problems = dict[str, FineGroups](), list[Problem]()
    for config in configs:
        if "FG_NHG" in config.tables:
            _read(config, found.setdefault(config.device, FineGroups()), problems)
    refuse_if(problems)
    return tuple(found[r.device].applied(r) if r.device in found else r for r in routes)


def _read(config: ConfigDb, into: FineGroups, problems: list[Problem]) -> None:
    for name, row in config.tables["FG_NHG"].items():
        text = row.get("bucket_size", "")
        if text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MOST_BUCKETS:
            into.size[name] = int(text)
            into.by_hop |= {name} if row.get("match_mode", BY_NEXT_HOP) == BY_NEXT_HOP else set()
        else:
            message = f"bucket_size {text!r} of FG_NHG|{name} must be a whole number from 1 to {MOST_BUCKETS}"
            problems.append(Problem(_place(config, "FG_NHG", name), message))
    for table, key, row in _rows(config):
        try:
            if table == "FG_NHG_PREFIX":
                into.of_prefix[ip_network(key, strict=False)] = row.get("FG_NHG", "")
            else:
                address = ip_address(key)
                into.of_member[address.version, int(address)] = row.get("FG_NHG", "")
                into.banks[row.get("FG_NHG", "")].add(row.get("bank", "0"))
        except ValueError:
            problems.append(Problem(_place(config, table, key), f"{table}|{key} is no {table[7:].lower()}: no IP address"))


def _rows(config: ConfigDb) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    for table in ("FG_NHG_PREFIX", "FG_NHG_MEMBER"):
        yield from ((table, key, row) for key, row in config.tables.get(table, {}).items())


def _place(config: ConfigDb, table: str, key: str) -> Place:
    return Place(config.file, config.lines.get((table, key), 0))


def _parsed(text: str) -> Address:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return 0, 0
    return address.version, int(address)
