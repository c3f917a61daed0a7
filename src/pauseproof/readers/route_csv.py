"""Routes as plain CSV: columns ``device``, ``prefix``, ``next_hop`` or ``interface`` (or both), maybe ``vrf`` and ``weight``.

Rows of one device, VRF and prefix are the next hops of one route. ``discard`` (or drop, blackhole, null0) as the next hop
drops; ``local`` is for the device itself; without a next hop, with an interface, the prefix is connected there. Any order
of columns; empty lines and lines that begin with ``#`` are skipped.
"""

from collections.abc import Mapping

from pauseproof.readers.csv_rows import csv_rows, header_of
from pauseproof.readers.ip_prefix import parse_address, parse_prefix_or_host
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import NextHop, RouteKind, RouteRecords
from pauseproof.readers.route_groups import HopRows
from pauseproof.readers.route_rows import DEFAULT_VRF, MOST_WEIGHT, RouteRows
from pauseproof.readers.source import Source
from pauseproof.readers.suggest import expected_one_of

NAME = "route-csv"

NEEDED = ("device", "prefix")
COLUMNS = (*NEEDED, "next_hop", "interface", "vrf", "weight")
_DISCARD = ("discard", "drop", "blackhole", "unreachable", "null", "null0")


def matches(head: bytes) -> bool:
    """The first line names the columns."""
    header = header_of(head)
    return set(NEEDED) <= set(header) and bool({"next_hop", "interface"} & set(header))


def read(source: Source) -> tuple[RouteRecords, ...]:
    """The routes, a record for each device and VRF. Raises BadInput."""
    problems = Problems(source.path)
    for name in header_of(source.head):
        if name not in COLUMNS:
            problems.add(1, f"unknown column {name!r}; {expected_one_of(name, COLUMNS)}")
    hops = HopRows(problems)
    empty = True
    for line, row in csv_rows(source, problems):
        empty = False
        try:
            _take(row, line, hops)
        except ValueError as error:
            problems.add(line, str(error))
    if empty:
        problems.add(0, "has no routes below its header")
    rows = RouteRows(source.path, NAME, problems)
    hops.into(rows)
    problems.raise_any()
    return rows.records()


def _take(row: Mapping[str, str], line: int, hops: HopRows) -> None:
    """One row. Raises ValueError."""
    device, address, interface = row["device"], row.get("next_hop", ""), row.get("interface", "")
    if not device:
        raise ValueError("the row names no device")
    key = device, row.get("vrf") or DEFAULT_VRF, parse_prefix_or_host(row["prefix"])
    if address.lower() in _DISCARD:
        hops.add(key, RouteKind.DISCARD, None, line)
    elif address.lower() == "local":
        hops.add(key, RouteKind.LOCAL, NextHop("", interface), line)
    elif not (address or interface):
        raise ValueError(f"the route to {row['prefix']} has neither a next hop nor an interface")
    else:
        if address:
            parse_address(address)
        hops.add(key, RouteKind.FORWARD, NextHop(address, interface, _weight(row.get("weight") or "1")), line)


def _weight(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= MOST_WEIGHT:
        raise ValueError(f"{text!r} is no weight; expected a whole number from 1 to {MOST_WEIGHT}")
    return int(text)
