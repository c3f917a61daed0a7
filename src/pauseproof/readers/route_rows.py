"""Collects the routes of one file, row by row, into RouteRecords: one record for each device and VRF.

A prefix that is there twice with the same next hops is one route; with others it is a contradiction, and refused. Prefixes
to which no router forwards a unicast packet, link-local and multicast ones, are left out; that they are there tells that
the file is about their family.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.ip_prefix import Prefix
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, RouteKind, RouteRecords

DEFAULT_VRF = "default"
MOST_WEIGHT = 1 << 20
MOST_NAMED = 3  # prefixes named in one remark

_Key = tuple[str, str]  # device, VRF


@dataclass
class Table:
    """The rows so far of one device and VRF."""

    vrf: str
    problems: Problems
    at: dict[Prefix, int] = field(default_factory=dict)
    group: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    groups: dict[Group, int] = field(default_factory=dict)
    families: set[int] = field(default_factory=set)

    def number(self, group: Group) -> int:
        """The number of this group among those of the table."""
        return self.groups.setdefault(group, len(self.groups))

    def add(self, prefix: Prefix, number: int, line: int) -> None:
        """One route to the group with this number; the same again changes nothing, another one is a problem."""
        self.families.add(prefix.family)
        if prefix.is_unforwarded:
            return
        row = self.at.setdefault(prefix, len(self.line))
        if row == len(self.line):
            self.group.append(number)
            self.line.append(line)
        elif self.group[row] != number:
            where = "" if self.vrf == DEFAULT_VRF else f" in VRF {self.vrf}"
            self.problems.add(
                line, f"another route for the prefix of line {self.line[row]}{where}; expected one installed route a prefix"
            )


class RouteRows:
    """The routes of one file so far. ``format`` is the name of its reader."""

    def __init__(self, file: str, format: str, problems: Problems) -> None:
        self.file, self.format, self.problems = file, format, problems
        self._tables: dict[_Key, Table] = {}
        self._outside: dict[_Key, list[tuple[int, str]]] = {}  # line and prefix of routes that are chosen but not installed

    def table(self, device: str, vrf: str) -> Table:
        """The table of a device and VRF, which may stay empty."""
        key = device, vrf
        if key not in self._tables:
            self._tables[key] = Table(vrf, self.problems)
        return self._tables[key]

    def add(self, device: str, vrf: str, prefix: Prefix, group: Group, line: int) -> None:
        """One route."""
        table = self.table(device, vrf)
        table.add(prefix, table.number(group), line)

    def not_installed(self, device: str, vrf: str, prefix: str, line: int) -> None:
        """A route that the device chose and that is not in its forwarding table, or not in its hardware."""
        self.table(device, vrf)
        self._outside.setdefault((device, vrf), []).append((line, prefix))

    def records(self, unresolved: Mapping[Group, int] | None = None) -> tuple[RouteRecords, ...]:
        """One record for each device and VRF, by name; ``unresolved`` gives the next-hop id of groups that await one."""
        return tuple(self._record(key, unresolved or {}) for key in sorted(self._tables))

    def _record(self, key: _Key, unresolved: Mapping[Group, int]) -> RouteRecords:
        table = self._tables[key]
        rows = np.array([*table.at], np.uint64).reshape(-1, 4)
        return RouteRecords(
            file=self.file,
            format=self.format,
            device=key[0],
            vrf=key[1],
            family=rows[:, 0].astype(np.uint8),
            high=rows[:, 1].copy(),
            low=rows[:, 2].copy(),
            length=rows[:, 3].astype(np.uint8),
            group=np.array(table.group, np.int32),
            groups=tuple(table.groups),
            line=np.array(table.line, np.int32),
            families=frozenset(table.families),
            remarks=self._remarks(key),
            awaited={number: unresolved[group] for group, number in table.groups.items() if group in unresolved},
        )

    def _remarks(self, key: _Key) -> tuple[Remark, ...]:
        found = sorted(self._outside.get(key, ()))
        if not found:
            return ()
        where = key[0] if key[1] == DEFAULT_VRF else f"{key[0]} (VRF {key[1]})"
        words = "a route that is" if len(found) == 1 else f"{len(found)} routes that are"
        message = f"{where} chose {words} not installed: {_some([prefix for _, prefix in found])}"
        about = "/".join((*key, *(prefix for _, prefix in found[:MOST_NAMED])))
        places = tuple(Place(self.file, line) for line, _ in found[:MOST_NAMED])
        return (Remark("route-not-installed", message, about, places),)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


DISCARD = Group(RouteKind.DISCARD, ())


def group_of(hops: tuple[NextHop, ...], *, local: bool = False) -> Group:
    """The group of these next hops: connected where none has an address or a tunnel.

    >>> group_of((NextHop("", "swp1"),)).kind
    <RouteKind.CONNECTED: 'connected'>
    """
    if local:
        return Group(RouteKind.LOCAL, hops)
    connected = not any(hop.address or hop.tunnel for hop in hops)
    return Group(RouteKind.CONNECTED if connected else RouteKind.FORWARD, hops)
