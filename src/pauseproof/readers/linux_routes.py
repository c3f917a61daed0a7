"""``ip -j route``, ``ip -6 -j route`` and ``ip -j route show table all`` of a Linux device.

A host route is printed without its length, 0.0.0.0/0 and ::/0 as ``default``. Of several routes for a prefix the one with
the least metric is used; IPv6 routes of the same metric with gateways are one route with several next hops. The tables
``local``, ``main`` and ``default`` are asked in this order and make up the default VRF; another table is the VRF of that
name, which is a number where the device has no name for it.
"""

import re
from typing import Any, NamedTuple

from pauseproof.readers.device_name import device_of
from pauseproof.readers.ip_prefix import Prefix, parse_address, parse_prefix_or_host
from pauseproof.readers.json_lines import parse
from pauseproof.readers.linux_hops import Json, Unusable, flags_of, gateway, is_dead, next_hop
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, RouteKind, RouteRecords
from pauseproof.readers.route_rows import DEFAULT_VRF, DISCARD, RouteRows, group_of
from pauseproof.readers.source import Source

NAME = "ip-route"

_START = re.compile(rb'\s*\[\s*\{\s*(?:"type"\s*:\s*"[a-z]+"\s*,\s*)?"dst"\s*:\s*"')
_ORDER = {"local": 0, "255": 0, "main": 1, "254": 1, "default": 2, "253": 2}  # of the tables of the default VRF
_LOCAL = ("local", "broadcast", "anycast")
_DISCARD = ("blackhole", "unreachable", "prohibit")
_EVERYWHERE = {4: Prefix(4, 0, 0, 0), 6: Prefix(6, 0, 0, 0)}


class _Row(NamedTuple):
    """One route: ``rank`` orders those of a prefix, the least is used."""

    rank: tuple[int, int]
    group: Group
    line: int


def matches(head: bytes) -> bool:
    """A list of objects that begin with a destination."""
    return bool(_START.match(head))


def read(source: Source) -> tuple[RouteRecords, ...]:
    """The routes that are used, a record for each VRF. Raises BadInput."""
    document, problems = parse(source), Problems(source.path)
    best, awaited = dict[tuple[str, Prefix], _Row](), dict[Group, int]()
    for i, row in enumerate(document.value):
        line = document.line_of(i)
        try:
            _take(row, line, best, awaited)
        except Unusable as error:
            problems.add(line, f"{_named(row)}: {error}")
    rows = RouteRows(source.path, NAME, problems)
    device = device_of(source.path)
    for (vrf, prefix), used in best.items():
        rows.add(device, vrf, prefix, used.group, used.line)
    if not best:
        rows.table(device, DEFAULT_VRF)
    problems.raise_any()
    return rows.records(awaited)


def _take(row: Any, line: int, best: dict[tuple[str, Prefix], _Row], awaited: dict[Group, int]) -> None:
    """Keep a row where it is better than what there is for its prefix. Raises Unusable."""
    if not isinstance(row, dict):
        raise Unusable('is no route; expected {"dst": .., ..}')
    if row.get("type") == "multicast" or "cloned" in flags_of(row):
        return
    for key in ("tos", "from"):
        if key in row:
            raise Unusable(f"routes by {key!r} are not modelled")
    prefix, table = _prefix(row), str(row.get("table", "main"))
    group = _group(row, awaited)
    if group is None:
        return
    new = _Row((_ORDER.get(table, 1), _metric(row)), group, line)
    where = (DEFAULT_VRF if table in _ORDER else table), prefix
    old = best.get(where)
    if old and old.rank == new.rank and prefix.family == 6 and old.group.kind == group.kind == RouteKind.FORWARD:
        best[where] = old._replace(group=group_of((*old.group.hops, *group.hops)))
    elif old is None or new.rank < old.rank:
        best[where] = new


def _group(row: Json, awaited: dict[Group, int]) -> Group | None:
    """What the route says; None where no interface of it is up. Raises Unusable."""
    kind = row.get("type", "unicast")
    if kind in _DISCARD:
        return DISCARD
    if kind != "unicast" and kind not in _LOCAL:
        raise Unusable(f"routes of type {kind!r} are not modelled")
    hops = row.get("nexthops", [row])
    if not isinstance(hops, list) or not hops or not all(isinstance(hop, dict) for hop in hops):
        raise Unusable('"nexthops" is no list of next hops')
    if "nhid" in row and "nexthops" not in row and not (row.keys() & {"gateway", "via", "dev"}):
        return _awaited(row["nhid"], awaited)
    used = tuple(next_hop(hop) for hop in hops if not is_dead(hop))
    if not used:
        return None
    number = row.get("nhid", 0)
    return group_of(used, local=kind in _LOCAL)._replace(object=number if type(number) is int else 0)


def _awaited(number: Any, awaited: dict[Group, int]) -> Group:
    """A group that stands for a next-hop object of another file."""
    if type(number) is not int:
        raise Unusable(f"{number!r} is no id of a next-hop object")
    group = Group(RouteKind.FORWARD, (NextHop("", f"nhid {number}"),))
    awaited[group] = number
    return group


def _prefix(row: Json) -> Prefix:
    text = row.get("dst")
    if not isinstance(text, str):
        raise Unusable('a route without a destination; expected "dst"')
    if text in ("default", "all"):
        return _EVERYWHERE[_family(row)]
    try:
        return parse_prefix_or_host(text)
    except ValueError as error:
        raise Unusable(str(error)) from error


def _family(row: Json) -> int:
    """The family of a default route: that of its gateway; only IPv6 routes have a preference."""
    first = next(iter(row["nexthops"]), row) if isinstance(row.get("nexthops"), list) else row
    own = gateway(first) if isinstance(first, dict) and "via" not in first else ""
    return parse_address(own).family if own else 6 if "pref" in row else 4


def _metric(row: Json) -> int:
    metric = row.get("metric", 0)
    if type(metric) is not int:
        raise Unusable(f"{metric!r} is no metric")
    return metric


def _named(row: Any) -> str:
    return f"the route to {row['dst']}" if isinstance(row, dict) and isinstance(row.get("dst"), str) else "this entry"
