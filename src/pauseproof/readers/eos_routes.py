"""Arista EOS ``show ip route vrf all | json`` and ``show ipv6 route vrf all | json``.

An object ``vrfs`` with the routes of each VRF by prefix; a route has ``routeAction`` ``forward`` or ``drop`` and ``vias``. A
via has an address and an interface; that of a connected route only the interface; one into a VXLAN a ``vtepAddr``.

Source: the structure that public tools for EOS read; untested on files of our own.
"""

import re
from collections.abc import Mapping
from typing import Any

from pauseproof.readers.device_name import device_of
from pauseproof.readers.ip_prefix import parse_address, parse_prefix
from pauseproof.readers.json_lines import JsonFile, parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, RouteRecords
from pauseproof.readers.route_rows import DISCARD, MOST_WEIGHT, RouteRows, group_of
from pauseproof.readers.source import Source

NAME = "eos-routes"

_START = re.compile(rb'\s*\{\s*"vrfs"\s*:\s*\{')
_SIGN = re.compile(rb'"(?:routes|allRoutesProgrammed(?:Hardware|Kernel)|routingDisabled)"\s*:')
_NOT = re.compile(rb'"(?:bgpRoute|peers|routerId|asn)')
_NULL = re.compile(r"null ?0", re.IGNORECASE)
_LOCAL = ("receive", "local")


class _Unusable(ValueError):
    """A route that cannot be understood; the message says why."""


def matches(head: bytes) -> bool:
    """VRFs with routes in them, which are no BGP routes."""
    return bool(_START.match(head)) and bool(_SIGN.search(head)) and not _NOT.search(head)


def read(source: Source) -> tuple[RouteRecords, ...]:
    """The routes, a record for each VRF. Raises BadInput."""
    document, problems = parse(source), Problems(source.path)
    rows = RouteRows(source.path, NAME, problems)
    vrfs = document.value.get("vrfs")
    if not isinstance(vrfs, dict):
        problems.add(1, 'has no VRFs; expected {"vrfs": {"default": {"routes": {..}}}}')
        vrfs = {}
    for vrf, content in vrfs.items():
        routes = content.get("routes") if isinstance(content, dict) else None
        if isinstance(routes, dict):
            _take(document, vrf, routes, rows, problems)
        else:
            problems.add(document.line_of("vrfs", vrf), f'VRF {vrf} has no routes; expected {{"routes": {{..}}}}')
    problems.raise_any()
    return rows.records()


def _take(document: JsonFile, vrf: str, routes: Mapping[str, Any], rows: RouteRows, problems: Problems) -> None:
    """The routes of one VRF."""
    device = device_of(rows.file)
    rows.table(device, vrf)
    lines = document.lines("vrfs", vrf, "routes")
    for text, route in routes.items():
        try:
            rows.add(device, vrf, parse_prefix(text), _group(route), lines[text])
            if route.get("hardwareProgrammed") is False:
                rows.not_installed(device, vrf, text, lines[text])
        except ValueError as error:
            problems.add(lines[text], f"the route to {text}: {error}")


def _group(route: Any) -> Group:
    """What a route says. Raises ValueError."""
    if not isinstance(route, dict):
        raise _Unusable('is no route; expected {"routeAction": .., "vias": [..]}')
    action = route.get("routeAction", "forward")
    if action == "drop":
        return DISCARD
    vias = route.get("vias")
    if action != "forward" or not isinstance(vias, list) or not all(isinstance(via, dict) for via in vias):
        raise _Unusable(f'action {action!r}; expected "forward" with a list of "vias", or "drop"')
    if vias and all(_NULL.fullmatch(str(via.get("interface", ""))) for via in vias):
        return DISCARD
    hops = tuple(map(_next_hop, vias))
    if not hops:
        raise _Unusable("is forwarded without any via")
    return group_of(hops, local=route.get("routeType") in _LOCAL)


def _next_hop(via: Mapping[str, Any]) -> NextHop:
    """One via. Raises ValueError."""
    address, interface, tunnel = (via.get(key) or "" for key in ("nexthopAddr", "interface", "vtepAddr"))
    weight = via.get("weight", 1)
    if not all(isinstance(text, str) for text in (address, interface, tunnel)) or not (address or interface or tunnel):
        raise _Unusable('a via has neither an address nor an interface; expected "nexthopAddr", "interface" or "vtepAddr"')
    if "labelStack" in via or "label" in via:
        raise _Unusable("a via pushes MPLS labels, which are not modelled")
    if type(weight) is not int or not 1 <= weight <= MOST_WEIGHT:
        raise _Unusable(f"{weight!r} is no weight of a via")
    for text in (address, tunnel):
        if text:
            parse_address(text)
    return NextHop(address, interface, weight, tunnel)
