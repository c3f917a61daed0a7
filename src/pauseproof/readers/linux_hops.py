"""Next hops as iproute2 prints them in JSON: of a route, of a hop in its list, and of a next-hop object.

An address is ``gateway``, or ``via`` where it is of the other family than the prefix. Where the weight is 1 it may be
absent. A ``dead`` next hop, whose interface is down, is not used. ``encap`` with ``ip`` or ``ip6`` is a tunnel.
"""

from collections.abc import Mapping
from typing import Any

from pauseproof.readers.ip_prefix import parse_address
from pauseproof.readers.roce_records import NextHop
from pauseproof.readers.route_rows import MOST_WEIGHT

Json = Mapping[str, Any]

_TUNNELS = ("ip", "ip6")


class Unusable(ValueError):
    """A row that cannot be understood; the message says why."""


def flags_of(row: Json) -> tuple[str, ...]:
    """The flags of a row. Raises Unusable where they are no list of words."""
    flags = row.get("flags", [])
    if not isinstance(flags, list) or not all(isinstance(flag, str) for flag in flags):
        raise Unusable(f"flags {flags!r}; expected a list of words")
    return tuple(flags)


def is_dead(hop: Json) -> bool:
    """Is the interface of this hop down? Raises Unusable."""
    return "dead" in flags_of(hop)


def next_hop(hop: Json) -> NextHop:
    """One next hop. Raises Unusable."""
    address, interface, weight = gateway(hop), hop.get("dev", ""), hop.get("weight", 1)
    if not isinstance(interface, str) or not (address or interface):
        raise Unusable('neither an address nor an interface; expected "gateway", "via" or "dev"')
    if type(weight) is not int or not 1 <= weight <= MOST_WEIGHT:
        raise Unusable(f"{weight!r} is no weight of a next hop; expected a whole number from 1 to {MOST_WEIGHT}")
    return NextHop(address, interface, weight, _tunnel(hop))


def gateway(hop: Json) -> str:
    """The address of the next hop, empty where there is none. Raises Unusable."""
    via = hop.get("via")
    address = hop.get("gateway", "") if via is None else via.get("host") if isinstance(via, dict) else via
    if address == "":
        return ""
    if not isinstance(address, str):
        raise Unusable(f"{address!r} is no address of a next hop")
    try:
        parse_address(address)
    except ValueError as error:
        raise Unusable(f"the next hop {error}") from error
    return address


def _tunnel(hop: Json) -> str:
    kind = hop.get("encap")
    if kind is None:
        return ""
    end = hop.get("dst") if kind in _TUNNELS else None
    if not isinstance(end, str):
        raise Unusable(f"encapsulation {kind!r} is not modelled; expected none, or one of {', '.join(_TUNNELS)}")
    return end
