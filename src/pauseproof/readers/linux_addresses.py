"""``ip -j addr``: the interface addresses of a Linux device.

Addresses of scope ``host`` (127.0.0.1, ::1) are nobody's next hop and left out; link-local ones are kept, for routes
that name them. The VRF of an interface is its master, where that is a VRF: ``ip -d`` says so; without it a VRF is known
by its flags, MASTER and NOARP.
"""

import re
from typing import Any

import numpy as np

from pauseproof.readers.device_name import device_of
from pauseproof.readers.ip_prefix import WIDTH, parse_address
from pauseproof.readers.json_lines import parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import AddressRecords
from pauseproof.readers.route_rows import DEFAULT_VRF
from pauseproof.readers.source import Source

NAME = "ip-addr"

_START = re.compile(rb'\s*\[\s*(?:\{\s*\}\s*,\s*)*\{\s*"ifindex"\s*:')
_FAMILIES = {"inet": 4, "inet6": 6}
_EXPECTED = 'expected {"ifindex": .., "ifname": "..", "flags": [..], "addr_info": [..]}'

_Row = tuple[str, str, int, int, int, int, int]  # interface, VRF, family, high, low, length, line


def matches(head: bytes) -> bool:
    """A list of interfaces, the first of them with its addresses."""
    return bool(_START.match(head)) and b'"addr_info"' in head


def read(source: Source) -> AddressRecords:
    """The addresses. Raises BadInput."""
    document, problems, rows = parse(source), Problems(source.path), list[_Row]()
    interfaces = {i: item for i, item in enumerate(document.value) if item != {}}
    for i, item in interfaces.items():
        if not _is_interface(item):
            problems.add(document.line_of(i), f"is no interface; {_EXPECTED}")
    problems.raise_any()
    vrfs = [item["ifname"] for item in interfaces.values() if _is_vrf(item)]
    for i, item in interfaces.items():
        vrf = item.get("master") if item.get("master") in vrfs or _is_enslaved(item) else DEFAULT_VRF
        for j, address in enumerate(item.get("addr_info", ())):
            _take(address, item["ifname"], str(vrf), document.line_of(i, "addr_info", j), rows, problems)
    problems.raise_any()
    columns = list(zip(*rows, strict=True)) or [()] * 7
    return AddressRecords(
        file=source.path,
        device=device_of(source.path),
        interface=columns[0],
        family=np.array(columns[2], np.uint8),
        high=np.array(columns[3], np.uint64),
        low=np.array(columns[4], np.uint64),
        length=np.array(columns[5], np.uint8),
        line=np.array(columns[6], np.int32),
        vrf=columns[1],
    )


def _take(address: Any, interface: str, vrf: str, line: int, rows: list[_Row], problems: Problems) -> None:
    """One address of an interface."""
    if not isinstance(address, dict):
        problems.add(line, f'{interface} has {address!r} as an address; expected {{"family": .., "local": ..}}')
        return
    if str(address.get("family")) not in _FAMILIES or address.get("scope") == "host":
        return
    try:
        found = parse_address(str(address.get("local")))
    except ValueError as error:
        problems.add(line, f"{interface}: {error}")
        return
    length = address.get("prefixlen")
    if found.family != _FAMILIES[address["family"]]:
        problems.add(line, f"{interface}: {address['local']} is not of family {address['family']}")
    elif type(length) is not int or not 0 <= length <= WIDTH[found.family]:
        problems.add(line, f"{interface}: {length!r} is no length of an IPv{found.family} prefix")
    else:
        rows.append((interface, vrf, *found, length, line))


def _is_interface(item: Any) -> bool:
    """Has the item the form of an interface?"""
    return (
        isinstance(item, dict)
        and isinstance(item.get("ifname"), str)
        and isinstance(item.get("flags", []), list)
        and isinstance(item.get("addr_info", []), list)
    )


def _is_vrf(item: dict[str, Any]) -> bool:
    link = item.get("linkinfo")
    if isinstance(link, dict) and "info_kind" in link:
        return bool(link["info_kind"] == "vrf")
    flags = item.get("flags", ())
    return "MASTER" in flags and "NOARP" in flags


def _is_enslaved(item: dict[str, Any]) -> bool:
    link = item.get("linkinfo")
    return isinstance(link, dict) and link.get("info_slave_kind") == "vrf"
