"""What FRR's entries for a prefix, and their next hops, say of the forwarding table.

A prefix has several entries, one for each protocol that knows it. The one in the forwarding table is ``selected`` and
``installed``; of its next hops, those with ``fib`` forward. A ``recursive`` one stands for those that follow it, a
``duplicate`` one for one before it. FRR of 2017 and before knew neither ``installed`` nor ``internalStatus``: there a
selected entry with a ``fib`` next hop is installed.

Source: zebra/zebra_vty.c and lib/nexthop.c of FRR; dumps of FRR 8.4.4 and of SONiC.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pauseproof.readers.ip_prefix import parse_address
from pauseproof.readers.roce_records import Group, NextHop
from pauseproof.readers.route_rows import DISCARD, MOST_WEIGHT, group_of

Json = Mapping[str, Any]

_DISCARDS = ("unreachable", "blackhole", "reject", "adminProhibited")
_IMPLICIT_NULL = 3  # a label that is not put on the packet


class Unusable(ValueError):
    """An entry that cannot be understood; the message says why."""


class Hops(NamedTuple):
    """An array of next hops: what those that forward say, or why they are not understood; has any of them ``fib``?"""

    fib: bool
    group: Group | None
    wrong: str = ""


def in_fib(entry: Json, hops: Hops) -> bool:
    """Is the entry, with these next hops, the one that the forwarding table has?"""
    if not entry.get("selected"):
        return False
    return bool(entry.get("installed") or (hops.fib and "internalStatus" not in entry and "table" not in entry))


def hops_of(array: Any) -> Hops:
    """An entry's array of next hops, which need not forward. Raises Unusable where it is no such array."""
    if not isinstance(array, list) or not all(isinstance(hop, dict) for hop in array):
        raise Unusable('an entry has no list of next hops; expected "nexthops": [{..}]')
    fib = any(hop.get("fib") for hop in array)
    try:
        return Hops(fib, group_of_hops(array))
    except Unusable as error:
        return Hops(fib, None, str(error))


def group_of_entry(entry: Json, hops: Hops) -> Group:
    """What the entry says, given its next hops. Raises Unusable."""
    if entry.get("blackhole") or entry.get("reject"):
        return DISCARD
    if hops.group is None:
        raise Unusable(hops.wrong)
    return group_of(hops.group.hops, local=True) if entry.get("protocol") == "local" else hops.group


def group_of_hops(hops: Sequence[Json]) -> Group:
    """The next hops that forward. Raises Unusable."""
    found = [hop for hop in hops if hop.get("fib")] or [hop for hop in hops if hop.get("active")]
    found = [hop for hop in found if not hop.get("recursive") and not hop.get("duplicate")]
    if not found:
        raise Unusable('the installed route has no next hop in the forwarding table; expected one with "fib": true')
    if any(hop.get(key) for hop in found for key in _DISCARDS):
        return DISCARD
    return group_of(tuple(map(next_hop, found)))


def next_hop(hop: Json) -> NextHop:
    """One next hop. Raises Unusable."""
    address, interface, weight = hop.get("ip", ""), hop.get("interfaceName", ""), hop.get("weight", 1)
    if not isinstance(address, str) or not isinstance(interface, str) or not (address or interface):
        raise Unusable('a next hop has neither an address nor an interface; expected "ip" or "interfaceName"')
    if type(weight) is not int or not 1 <= weight <= MOST_WEIGHT:
        raise Unusable(f"{weight!r} is no weight of a next hop; expected a whole number from 1 to {MOST_WEIGHT}")
    if address:
        try:
            parse_address(address)
        except ValueError as error:
            raise Unusable(f"the next hop {error}") from error
    return NextHop(address, interface, weight, _tunnel(hop, address))


def _tunnel(hop: Json, address: str) -> str:
    """The tunnel end point of an EVPN next hop: its label is a VNI, and its address is reached over the underlay."""
    labels = [label for label in _listed(hop.get("labels")) if label != _IMPLICIT_NULL]
    if hop.get("seg6") or hop.get("seg6local") or (labels and not hop.get("onLink")):
        raise Unusable("a next hop pushes MPLS labels or SRv6 segments, which are not modelled")
    return address if labels else ""


def _listed(value: Any) -> Sequence[Any]:
    """What may be a list, one value, or not there."""
    return value if isinstance(value, list) else () if value is None else (value,)
