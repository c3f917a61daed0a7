"""Route records as plain words, for tests."""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from pauseproof.readers.roce_records import AddressRecords, NextHop, RouteRecords

Told = tuple[str, tuple[str, ...]]  # kind, next hops


def prefix_text(family: int, high: int, low: int, length: int) -> str:
    """A prefix as it is written."""
    bits = high << 64 | low
    return str(IPv4Network((bits, length)) if family == 4 else IPv6Network((bits, length)))


def hop_text(hop: NextHop) -> str:
    """``address@interface``, with ``*weight`` where that is not 1, and ``>tunnel`` where there is one."""
    weight = f"*{hop.weight}" if hop.weight != 1 else ""
    return f"{hop.address}@{hop.interface}{weight}" + (f">{hop.tunnel}" if hop.tunnel else "")


def table(record: RouteRecords) -> dict[str, Told]:
    """Prefix -> kind and next hops, in the order of the file."""
    columns = (record.family, record.high, record.low, record.length)
    prefixes = [prefix_text(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    groups = [record.groups[number] for number in record.group.tolist()]
    assert len(set(prefixes)) == len(prefixes)
    return {prefix: (str(group.kind), tuple(map(hop_text, group.hops))) for prefix, group in zip(prefixes, groups, strict=True)}


def tables(records: Iterable[RouteRecords | AddressRecords]) -> dict[tuple[str, str], dict[str, Told]]:
    """Device and VRF -> table."""
    return {(one.device, one.vrf): table(one) for one in records if isinstance(one, RouteRecords)}


def unordered(facts: Mapping[str, Told]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The same with the next hops of a route sorted: routers need not list them in one order."""
    return {prefix: (kind, tuple(sorted(hops))) for prefix, (kind, hops) in facts.items()}


def addresses(record: AddressRecords) -> list[str]:
    """``interface address/length`` of each row, with the VRF where that is not the default."""
    out = []
    for i, interface in enumerate(record.interface):
        bits = int(record.high[i]) << 64 | int(record.low[i])
        address = IPv4Address(bits) if record.family[i] == 4 else IPv6Address(bits)
        vrf = f" in {record.vrf[i]}" if record.vrf[i] != "default" else ""
        out.append(f"{interface} {address}/{record.length[i]}{vrf}")
    return out
