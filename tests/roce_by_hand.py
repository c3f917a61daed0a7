"""Ethernet records written by hand: tables as mappings from prefixes, cables as ``"leaf1:swp1 spine1:swp1"``.

A route is ``"drop"``, ``"local"``, an interface that is connected (``"swp1"``), or a list of next hops, each
``"ADDRESS INTERFACE"`` with either left out, ``"x2"`` behind it for a weight, ``">ADDRESS"`` for the end of a tunnel.
"""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_interface, ip_network

import numpy as np

from pauseproof.readers import declarations
from pauseproof.readers.declared import Declarations
from pauseproof.readers.roce_records import (
    AddressRecords,
    CableRecords,
    Group,
    NextHop,
    RouteKind,
    RouteRecords,
)
from pauseproof.routing.address_classes import PrefixRows
from texts import source_of

Said = str | Sequence[str]


def routes(
    device: str, rows: Mapping[str, Said], *, vrf: str = "default", file: str = "", complete: bool = True
) -> RouteRecords:
    """The table of one device; row ``i`` is line ``i + 1``."""
    groups: dict[Group, int] = {}
    number = [groups.setdefault(group(said), len(groups)) for said in rows.values()]
    prefix = PrefixRows.of([ip_network(text) for text in rows])
    lines = np.arange(1, len(rows) + 1, dtype=np.int32)
    name = file or f"{device}.json"
    return RouteRecords(name, "test", device, vrf, *prefix, np.array(number, np.int32), tuple(groups), lines, complete)


def group(said: Said) -> Group:
    """What one route says."""
    if said == "drop":
        return Group(RouteKind.DISCARD, ())
    if said == "local":
        return Group(RouteKind.LOCAL, ())
    if isinstance(said, str):
        return Group(RouteKind.CONNECTED, (NextHop("", said),))
    return Group(RouteKind.FORWARD, tuple(map(next_hop, said)))


def next_hop(text: str) -> NextHop:
    """``"10.0.0.1 swp1 x2"``, ``"10.0.0.1"``, ``"swp1"``, ``">10.1.0.2"``."""
    hop = NextHop("", "")
    for word in text.split():
        if word[0] == ">":
            hop = hop._replace(tunnel=word[1:])
        elif word[0] == "x" and word[1:].isdigit():
            hop = hop._replace(weight=int(word[1:]))
        elif _is_address(word):
            hop = hop._replace(address=word)
        else:
            hop = hop._replace(interface=word)
    return hop


def _is_address(word: str) -> bool:
    try:
        ip_address(word)
    except ValueError:
        return False
    return True


def addresses(device: str, *texts: str) -> AddressRecords:
    """``"swp1 10.0.0.1/31"``."""
    pairs = [text.split() for text in texts]
    found = [ip_interface(address) for _, address in pairs]
    numbers = [int(one) for one in found]
    return AddressRecords(
        f"{device}.addr.json",
        device,
        [interface for interface, _ in pairs],
        np.array([one.version for one in found], np.uint8),
        np.array([number >> 64 for number in numbers], np.uint64),
        np.array([number & 0xFFFFFFFFFFFFFFFF for number in numbers], np.uint64),
        np.array([one.network.prefixlen for one in found], np.uint8),
        np.arange(1, len(found) + 1, dtype=np.int32),
    )


def cables(*texts: str, speed: float = float("nan"), roles: Mapping[str, str] | None = None) -> CableRecords:
    """``"leaf1:swp1 spine1:swp1"``; cable ``i`` is line ``i + 1``."""
    ends = [[end.split(":") for end in text.split()] for text in texts]
    n = len(ends)
    return CableRecords(
        "cables.csv",
        "test",
        [a[0] for a, _ in ends],
        [a[1] for a, _ in ends],
        [b[0] for _, b in ends],
        [b[1] for _, b in ends],
        np.full(n, speed, np.float32),
        np.full(n, np.nan, np.float32),
        np.arange(1, n + 1, dtype=np.int32),
        roles or {},
    )


def declared(text: str) -> list[Declarations]:
    """What a ``pauseproof.yaml`` of this text declares."""
    return [declarations.read(source_of(text, "pauseproof.yaml"))]
