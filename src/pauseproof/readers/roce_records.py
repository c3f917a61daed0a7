"""What the readers of Ethernet dumps hand on: the facts of one file, by device name, each with its line.

Addresses are (family, high, low): family 4 or 6, and the 128 bits in two uint64 halves (an IPv4 address is in ``low``).
A device's name is what the file says of itself, else the file name up to the first dot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Remark
from pauseproof.readers.declared import Declarations

U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]


@dataclass(frozen=True)
class CableRecords:
    """Cables by device and port name, arrays and lists [c]; a cable may occur twice, from either end.

    ``speed`` Gb/s and ``length`` metres, NaN where not known. ``roles`` says of a device that it is a ``switch`` or a
    ``host`` where the file does. ``declared``: planned (minigraph, DEVICE_NEIGHBOR, a design file), not observed (LLDP).
    ``whole``: the file claims to hold every cable of the fabric, not those of one device only.
    ``aliases`` gives ports that the file knows by another name than the device does: device -> alias -> name.
    """

    file: str
    format: str
    a_device: Sequence[str]
    a_port: Sequence[str]
    b_device: Sequence[str]
    b_port: Sequence[str]
    speed: NDArray[np.float32]
    length: NDArray[np.float32]
    line: I32
    roles: Mapping[str, str] = field(default_factory=dict)
    declared: bool = True
    whole: bool = False
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


class RouteKind(StrEnum):
    """What a route does with a packet."""

    FORWARD = "forward"  # to one of its next hops
    CONNECTED = "connected"  # to the neighbour with the packet's own address, on the interface
    LOCAL = "local"  # to the device itself
    DISCARD = "discard"  # blackhole, null, unreachable, prohibit


class NextHop(NamedTuple):
    """One installed next hop. ``address`` is text as read, empty where there is only an ``interface``; and the reverse."""

    address: str
    interface: str
    weight: int = 1
    tunnel: str = ""  # the remote tunnel end point where the packet is encapsulated (VXLAN vtep, IP-in-IP peer)


class Group(NamedTuple):
    """What a route says: its kind, and the next hops among which a flow is hashed, in the order of the dump.

    ``buckets`` is the size of the table by which a resilient group is hashed, 0 where there is none, ``banks`` the number of
    parts of that table; ``object`` the number of the kernel's next-hop object that the route names, 0 where it names none.
    """

    kind: RouteKind
    hops: tuple[NextHop, ...]
    buckets: int = 0
    object: int = 0
    banks: int = 0


@dataclass(frozen=True)
class RouteRecords:
    """The installed routes of one device and VRF in one file: the best one of each prefix. Arrays [n].

    ``family`` is 4 or 6, ``high`` and ``low`` the prefix's address bits, ``length`` its length; ``groups[group[i]]`` is what
    route ``i`` says. ``complete`` is False where the file was cut off: prefixes that it does not name are unknown then.
    ``families`` are those that the file tells of: ``show ip route`` has no IPv6 routes, which does not mean that they drop.
    ``awaited`` gives the next-hop id of groups whose next hops are in another file: see readers/linux_nexthops.py.
    """

    file: str
    format: str
    device: str
    vrf: str
    family: NDArray[np.uint8]
    high: U64
    low: U64
    length: NDArray[np.uint8]
    group: I32
    groups: Sequence[Group]
    line: I32
    complete: bool = True
    families: frozenset[int] = frozenset((4, 6))
    awaited: Mapping[int, int] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class NextHopRecords:
    """The next-hop objects of one device in one file (``ip -j nexthop``): what each id stands for, and its line."""

    file: str
    device: str
    groups: Mapping[int, Group]
    lines: Mapping[int, int]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class AddressRecords:
    """Interface addresses of one device in one file. Arrays and lists [n]; ``length`` is the prefix length of the subnet."""

    file: str
    device: str
    interface: Sequence[str]
    family: NDArray[np.uint8]
    high: U64
    low: U64
    length: NDArray[np.uint8]
    line: I32
    vrf: Sequence[str] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class ConfigDb:
    """A SONiC config_db.json (or a dump of APPL_DB rows of the same shape): ``tables[table][key][field]``, all strings.

    Brackets around references are stripped. ``lines`` gives the line of a (table, key).
    """

    file: str
    device: str
    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    lines: Mapping[tuple[str, str], int]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class SysctlRecords:
    """Settings of one Linux device in one file, by name (``net.ipv4.fib_multipath_hash_policy``), and their lines."""

    file: str
    device: str
    values: Mapping[str, int]
    lines: Mapping[str, int]
    remarks: tuple[Remark, ...] = ()


RoceRecords = CableRecords | RouteRecords | NextHopRecords | AddressRecords | ConfigDb | SysctlRecords | Declarations
