"""``ip -j nexthop``: the next-hop objects of a Linux device, to which its routes refer by ``nhid``.

An object is one next hop, a group of other objects with weights, or a blackhole. The kernel expands them in its routes;
a route that is not expanded waits for this file: :func:`join_nexthops`. A group of type ``resilient`` is hashed by a table of
as many buckets as its ``resilient_args`` say, which an expanded route does not tell.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.readers.device_name import device_of
from pauseproof.readers.json_lines import parse
from pauseproof.readers.linux_hops import Json, Unusable, is_dead, next_hop
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, NextHopRecords, RouteKind, RouteRecords
from pauseproof.readers.route_rows import DISCARD, MOST_WEIGHT, group_of
from pauseproof.readers.source import Source

NAME = "ip-nexthop"
MOST_BUCKETS = 0xFFFF

_START = re.compile(rb'\s*\[\s*\{\s*"id"\s*:\s*[0-9]+\s*,\s*"(?:dev|gateway|via|group|blackhole|type|fdb)"')


def matches(head: bytes) -> bool:
    """A list of objects with an id and a next hop."""
    return bool(_START.match(head))


def read(source: Source) -> NextHopRecords:
    """What each id stands for. Raises BadInput for other content, repeated ids, and members that are not there."""
    document, problems = parse(source), Problems(source.path)
    objects, lines = dict[int, Json](), dict[int, int]()
    for i, row in enumerate(document.value):
        line = document.line_of(i)
        number = row.get("id") if isinstance(row, dict) else None
        if type(number) is not int or number < 1:
            problems.add(line, 'is no next-hop object; expected {"id": a number, ..}')
        elif number in objects:
            problems.add(line, f"the id {number} is there twice, first in line {lines[number]}")
        else:
            objects[number], lines[number] = row, line
    groups = {number: group for number in objects if (group := _group(number, objects, lines, problems)) is not None}
    problems.raise_any()
    return NextHopRecords(source.path, device_of(source.path), groups, {number: lines[number] for number in groups})


def join_nexthops(routes: Sequence[RouteRecords], objects: Iterable[NextHopRecords]) -> tuple[RouteRecords, ...]:
    """The routes with the groups that they await filled in, and with the buckets of resilient ones.

    Raises BadInput where an id is nowhere for the device.
    """
    known = dict[tuple[str, int], Group]()
    for record in objects:
        known.update(((record.device, number), group) for number, group in record.groups.items())
    problems = list[Problem]()
    joined = tuple(_joined(_resilient(record, known), known, problems) for record in routes)
    if problems:
        raise BadInput(problems)
    return joined


def _resilient(record: RouteRecords, known: Mapping[tuple[str, int], Group]) -> RouteRecords:
    """The routes with the buckets of the groups that they name."""
    if not any(group.buckets for group in known.values()):
        return record
    buckets = (known[where].buckets if (where := (record.device, g.object)) in known else 0 for g in record.groups)
    return replace(record, groups=tuple(g._replace(buckets=n) for g, n in zip(record.groups, buckets, strict=True)))


def _joined(record: RouteRecords, known: Mapping[tuple[str, int], Group], problems: list[Problem]) -> RouteRecords:
    if not record.awaited:
        return record
    groups = list(record.groups)
    for place, number in record.awaited.items():
        group = known.get((record.device, number))
        if group is None:
            line = int(record.line[record.group == place][0])
            said = f"next-hop object {number} of {record.device} was not read; expected its ip -j nexthop among the files"
            problems.append(Problem(Place(record.file, line), said))
        else:
            groups[place] = group
    return replace(record, groups=tuple(groups), awaited={})


def _group(number: int, objects: Mapping[int, Json], lines: Mapping[int, int], problems: Problems) -> Group | None:
    """What one object says; None for a forwarding entry of a bridge, and where that is not understood."""
    row = objects[number]
    if "fdb" in row:
        return None
    try:
        if "blackhole" in row:
            return DISCARD
        buckets = _buckets(row)
        hops = _members(row["group"], objects) if "group" in row else () if is_dead(row) else (next_hop(row),)
    except Unusable as error:
        problems.add(lines[number], f"next-hop object {number}: {error}")
        return None
    if not hops:
        return DISCARD
    found = group_of(hops)
    return Group(RouteKind.FORWARD, found.hops, buckets) if "group" in row else found


def _buckets(row: Json) -> int:
    """The size of the table of a resilient group, 0 where the group is none. Raises Unusable."""
    kind = row.get("type", "mpath")
    if "group" not in row or kind == "mpath":
        return 0
    arguments = row.get("resilient_args")
    buckets = arguments.get("buckets") if kind == "resilient" and isinstance(arguments, dict) else None
    if type(buckets) is not int or not 1 <= buckets <= MOST_BUCKETS:
        raise Unusable(f'a group of type {kind!r} without buckets; expected "mpath", or "resilient" with its "resilient_args"')
    return buckets


def _members(group: Any, objects: Mapping[int, Json]) -> tuple[NextHop, ...]:
    """The next hops of a group, with their weights in it. Raises Unusable."""
    if not isinstance(group, list) or not group:
        raise Unusable('"group" is no list of members; expected [{"id": a number, ..}, ..]')
    hops = []
    for member in group:
        number = member.get("id") if isinstance(member, dict) else None
        row = objects.get(number) if type(number) is int else None
        if row is None or "group" in row:
            raise Unusable(f"the member {member!r} is no next-hop object of this file that can be in a group")
        weight = member.get("weight", 1)
        if type(weight) is not int or not 1 <= weight <= MOST_WEIGHT:
            raise Unusable(f"{weight!r} is no weight of a member")
        if "blackhole" not in row and not is_dead(row):
            hops.append(next_hop(row)._replace(weight=weight))
    return tuple(hops)
