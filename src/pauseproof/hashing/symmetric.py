"""Symmetric hashing: both directions of a flow have one value, since the smaller address and the smaller port come first.

Addresses and ports are put in order each on its own, as Linux does it. How a switch chip does it is its vendor's affair; some
add the two ends up instead.
"""

from dataclasses import dataclass, replace

from pauseproof.hashing.algebra import Word, below, below_pair, where
from pauseproof.hashing.function import Wrapped
from pauseproof.hashing.headers import Headers


@dataclass(frozen=True)
class Symmetric(Wrapped):
    """``function`` of the packet with its two ends in order."""

    linear = False  # which end is smaller is no linear question

    @property
    def name(self) -> str:
        """The name of the function, and that it is symmetric."""
        return f"symmetric-{self.function.name}"

    def value(self, h: Headers) -> Word:
        """The value for each packet."""
        return self.function.value(in_order(h))


def in_order(h: Headers) -> Headers:
    """The same packets with the smaller address as source, and the smaller port as source port."""
    swap = below_pair((h.dip_high, h.dip_low), (h.sip_high, h.sip_low))
    swap_ports = below(h.dport, h.sport)
    return replace(
        h,
        sip_high=where(swap, h.dip_high, h.sip_high),
        sip_low=where(swap, h.dip_low, h.sip_low),
        dip_high=where(swap, h.sip_high, h.dip_high),
        dip_low=where(swap, h.sip_low, h.dip_low),
        sport=where(swap_ports, h.dport, h.sport),
        dport=where(swap_ports, h.sport, h.dport),
    )
