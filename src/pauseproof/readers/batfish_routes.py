"""Batfish's ``routes`` question about the main RIBs: as CSV (``frame().to_csv()``), as JSON rows, or as the service answers.

The rows of a node, VRF and network are the next hops of one route. ``Next_Hop`` is what Batfish calls a next hop, as text or
as an object: ``interface X``, ``interface X ip A``, ``ip A``, ``discard``, ``vni N vtep A``. Older versions have the columns
``Next_Hop_IP`` and ``Next_Hop_Interface`` instead.

Source: pybatfish/datamodel/route.py and the columns of Batfish's RoutesAnswererUtil; untested on files of our own.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pauseproof.readers.csv_rows import csv_rows, header_of
from pauseproof.readers.ip_prefix import parse_address, parse_prefix
from pauseproof.readers.json_lines import parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import NextHop, RouteKind, RouteRecords
from pauseproof.readers.route_groups import HopRows
from pauseproof.readers.route_rows import RouteRows
from pauseproof.readers.source import Source

NAME = "batfish-routes"

_COLUMNS = {"node", "vrf", "network"}
_JSON = re.compile(rb'\s*(?:\[\s*\{\s*"|\{\s*"answerElements"\s*:)')
_ROW = (b'"Node"', b'"VRF"', b'"Network"', b'"Next_Hop')
_HOP = re.compile(
    r"(?P<discard>discard)|(?:interface (?P<interface>\"[^\"]+\"|\S+)(?: ip (?P<via>\S+))?)|(?:ip (?P<ip>\S+))"
    r"|(?:vni [0-9]+ vtep (?P<vtep>\S+))"
)
_NO_ADDRESS = re.compile(r"(?:AUTO/NONE.*|None|nan)?", re.IGNORECASE)
_EXPECTED = "expected 'interface X', 'interface X ip A', 'ip A', 'vni N vtep A' or 'discard'"

Row = Mapping[str, Any]


def matches(head: bytes) -> bool:
    """The columns of the question: in the header of a CSV file, or as the keys of the first row."""
    if _JSON.match(head):
        return all(key in head for key in _ROW) and b'"Status"' not in head
    header = set(header_of(head))
    return header >= _COLUMNS and bool(header & {"next_hop", "next_hop_ip"}) and "status" not in header


def read(source: Source) -> tuple[RouteRecords, ...]:
    """The routes, a record for each node and VRF. Raises BadInput."""
    problems = Problems(source.path)
    hops = HopRows(problems)
    empty = True
    for line, row in _json_rows(source, problems) if _JSON.match(source.head) else csv_rows(source, problems):
        empty = False
        try:
            _take(row, line, hops)
        except ValueError as error:
            problems.add(line, str(error))
    if empty:
        problems.add(0, "has no rows; expected one for each next hop")
    rows = RouteRows(source.path, NAME, problems)
    hops.into(rows)
    problems.raise_any()
    return rows.records()


def _json_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Each row with its line, its keys in lower case."""
    document = parse(source)
    path: tuple[str | int, ...] = ()
    value = document.value
    if isinstance(value, dict):
        path = ("answerElements", 0, "rows")
        try:
            value = value["answerElements"][0]["rows"]
        except (KeyError, IndexError, TypeError):
            return
    for i, row in enumerate(value if isinstance(value, list) else ()):
        if isinstance(row, dict):
            yield document.line_of(*path, i), {key.lower(): cell for key, cell in row.items()}
        else:
            problems.add(document.line_of(*path, i), "is no row; expected an object")


def _take(row: Row, line: int, hops: HopRows) -> None:
    """One row. Raises ValueError."""
    node = row.get("node")
    name = node.get("name") if isinstance(node, dict) else node
    vrf, network = row.get("vrf"), row.get("network")
    if not (isinstance(name, str) and isinstance(vrf, str) and isinstance(network, str) and name and vrf):
        raise ValueError("the row has no Node, VRF or Network")
    key = name, vrf, parse_prefix(network)
    hop = _next_hop(row)
    kind = RouteKind.DISCARD if hop is None else RouteKind.LOCAL if row.get("protocol") == "local" else RouteKind.FORWARD
    hops.add(key, kind, hop, line)


def _next_hop(row: Row) -> NextHop | None:
    """The next hop of a row, None where it drops. Raises ValueError."""
    told = row.get("next_hop")
    text = _as_text(told) if isinstance(told, dict) else str(told or "")
    found = _HOP.fullmatch(text)
    if found is None and "next_hop_ip" in row:
        return _older(row)
    if found is None:
        raise ValueError(f"{text!r} is no next hop that is modelled; {_EXPECTED}")
    if found["discard"]:
        return None
    return _checked(found["via"] or found["ip"] or "", (found["interface"] or "").strip('"'), found["vtep"] or "")


def _older(row: Row) -> NextHop | None:
    """The next hop in the columns of older versions."""
    address, interface = (str(row.get(key) or "") for key in ("next_hop_ip", "next_hop_interface"))
    if interface == "null_interface":
        return None
    return _checked("" if _NO_ADDRESS.fullmatch(address) else address, "" if interface == "dynamic" else interface, "")


def _checked(address: str, interface: str, tunnel: str) -> NextHop:
    for text in (address, tunnel):
        if text:
            parse_address(text)
    if not (address or interface or tunnel):
        raise ValueError(f"the row has neither an address nor an interface; {_EXPECTED}")
    return NextHop(address, interface, 1, tunnel)


def _as_text(hop: Mapping[str, Any]) -> str:
    """An object as the text that Batfish has for it."""
    if hop.get("type") == "discard":
        return "discard"
    order = ("interface", "ip", "vni", "vtep", "vrf")
    return " ".join(f"{key} {hop[key]}" for key in order if hop.get(key) is not None)
