"""What a hash can see of a packet: its addresses, ports and RoCE fields, a column each, one row a packet.

A *column* is one word of :class:`Headers`; a *field* is what switches call it in their configuration, and names one column or
two (an address has 128 bits: two columns). Columns are arrays [P], or [1] where all packets have the same, or z3 terms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any

import numpy as np

from pauseproof.hashing.algebra import Word, is_term, like, words
from pauseproof.hashing.names import FIELDS as FIELDS
from pauseproof.hashing.names import FIVE_TUPLE as FIVE_TUPLE

UDP, ROCE_PORT = 17, 4791

BITS: Mapping[str, int] = MappingProxyType(
    {
        **{"sip_high": 64, "sip_low": 64, "dip_high": 64, "dip_low": 64, "proto": 8, "sport": 16, "dport": 16},
        **{"qp": 24, "opcode": 8, "flow_label": 20, "vlan": 12, "in_port": 16},
    }
)  # column -> how many bits of its word can be set

COLUMNS_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "src-ip": ("sip_high", "sip_low"),
        "dst-ip": ("dip_high", "dip_low"),
        "proto": ("proto",),
        "l4-src-port": ("sport",),
        "l4-dst-port": ("dport",),
        "dest-qp": ("qp",),
        "bth-opcode": ("opcode",),
        "in-port": ("in_port",),
        "vlan": ("vlan",),
        "flow-label": ("flow_label",),
    }
)


@dataclass(frozen=True)
class Headers:
    """The headers of packets of one address family (4 or 6). An IPv4 address is in ``sip_low`` and ``dip_low``.

    ``qp`` and ``opcode`` are those of the BTH, ``in_port`` the number of the port by which the packet entered the switch.
    """

    family: int
    sip_high: Word
    sip_low: Word
    dip_high: Word
    dip_low: Word
    proto: Word
    sport: Word
    dport: Word
    qp: Word
    opcode: Word
    flow_label: Word
    vlan: Word
    in_port: Word

    @property
    def symbolic(self) -> bool:
        """Are these z3 terms?"""
        return is_term(self.sip_low)

    def __len__(self) -> int:
        """How many packets."""
        return int(np.broadcast_shapes(*(np.shape(getattr(self, name)) for name in BITS))[0])

    def columns(self) -> dict[str, Word]:
        """Every column by its name."""
        return {name: getattr(self, name) for name in BITS}

    def rows(self, chosen: Any) -> "Headers":
        """The packets of a slice, a mask or indices; columns of one row stay as they are."""
        own = {name: column[chosen] for name, column in self.columns().items() if len(column) > 1}
        return replace(self, **own)

    def at_port(self, in_port: Any) -> "Headers":
        """The same packets as they enter a switch by ``in_port``."""
        known = like(self.sip_low, in_port) if isinstance(in_port, int) else in_port if self.symbolic else words(in_port)
        return replace(self, in_port=known)


def roce(
    family: int,
    sip: tuple[Any, Any],
    dip: tuple[Any, Any],
    sport: Any,
    *,
    proto: Any = UDP,
    dport: Any = ROCE_PORT,
    qp: Any = 0,
    opcode: Any = 0,
    flow_label: Any = 0,
    vlan: Any = 0,
    in_port: Any = 0,
) -> Headers:
    """RoCEv2 packets: addresses as (high, low) halves, everything an integer or an array.

    >>> roce(4, (0, 0x0A000101), (0, 0x0A000201), [49152, 49153]).dport
    array([4791], dtype=uint64)
    """
    in_order = (*sip, *dip, proto, sport, dport, qp, opcode, flow_label, vlan, in_port)
    return Headers(family, *map(words, in_order))


def halves(address: str) -> tuple[int, tuple[int, int]]:
    """The family of an address as text, and its halves. Raises ValueError.

    >>> halves("10.0.1.1")
    (4, (0, 167772417))
    """
    made = ip_address(address)
    return made.version, (int(made) >> 64, int(made) & (1 << 64) - 1)


def unknowns(name: str, family: int) -> Headers:
    """The headers of one packet as z3 variables ``<name>_<column>``; :func:`within` says what values they can have."""
    import z3

    return Headers(family, *(z3.BitVec(f"{name}_{column}", 64) for column in BITS))


def within(h: Headers) -> list[Any]:
    """That no variable of ``h`` has a bit beyond its column's width, as z3 constraints."""
    import z3

    widths = {**BITS, **({"sip_high": 0, "dip_high": 0, "sip_low": 32, "dip_low": 32} if h.family == 4 else {})}
    return [z3.LShR(getattr(h, name), width) == 0 for name, width in widths.items() if width < 64]


def constants(h: Headers) -> Headers:
    """One packet's headers as z3 constants."""
    import z3

    return replace(h, **{name: z3.BitVecVal(int(column[0]), 64) for name, column in h.columns().items()})


assert tuple(COLUMNS_OF) == FIELDS
assert list(BITS) == [field.name for field in fields(Headers)][1:]
