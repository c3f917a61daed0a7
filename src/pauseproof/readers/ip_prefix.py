"""IP prefixes and addresses as (family, high, low): family 4 or 6, 128 bits in two halves, an IPv4 address in ``low``.

Strict: no leading zeros, no bits set behind the length of a prefix. What was parsed is remembered, for the tables of a
fabric name the same prefixes again and again.
"""

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

_LENGTH = re.compile(r"0|[1-9][0-9]{0,2}")
_HALF = (1 << 64) - 1


class Address(NamedTuple):
    """An IP address."""

    family: int
    high: int
    low: int


class Prefix(NamedTuple):
    """An IP prefix."""

    family: int
    high: int
    low: int
    length: int

    @property
    def is_unforwarded(self) -> bool:
        """No router forwards a unicast packet for these: link-local and multicast addresses."""
        if self.family == 4:
            return self.length >= 4 and self.low >> 28 == 0xE
        top = self.high >> 48
        return (top & 0xFFC0 == 0xFE80 and self.length >= 10) or (top >> 8 == 0xFF and self.length >= 8)


WIDTH = {4: 32, 6: 128}


@lru_cache(1 << 17)
def parse_address(text: str) -> Address:
    """An address. Raises ValueError with a phrase that tells what is wrong.

    >>> parse_address("10.0.0.1")
    Address(family=4, high=0, low=167772161)
    """
    try:
        if ":" not in text:
            return Address(4, 0, int(IPv4Address(text)))
        bits = int(IPv6Address(text)) if "%" not in text else _no_zone()
    except AddressValueError as error:
        raise ValueError(f"{text!r} is no IP address") from error
    return Address(6, bits >> 64, bits & _HALF)


@lru_cache(1 << 17)
def parse_prefix(text: str) -> Prefix:
    """A prefix with its length, and no bits set behind it. Raises ValueError with a phrase that tells what is wrong.

    >>> parse_prefix("10.0.0.0/24").length
    24
    >>> parse_prefix("10.0.0.1/24")
    Traceback (most recent call last):
    ValueError: '10.0.0.1/24' has bits set behind its length
    """
    prefix, exact = _masked(text, need_length=True)
    if not exact:
        raise ValueError(f"{text!r} has bits set behind its length")
    return prefix


@lru_cache(1 << 17)
def parse_prefix_or_host(text: str) -> Prefix:
    """Like :func:`parse_prefix`; an address without a length is a host route."""
    return parse_prefix(text) if "/" in text else _masked(text, need_length=False)[0]


@lru_cache(1 << 17)
def parse_masked(text: str) -> Prefix:
    """Like :func:`parse_prefix_or_host`, with the bits behind the length cleared, as switches do.

    >>> parse_masked("10.0.0.1/24") == parse_prefix("10.0.0.0/24")
    True
    """
    return _masked(text, need_length=False)[0]


def _masked(text: str, *, need_length: bool) -> tuple[Prefix, bool]:
    """The prefix, bits behind its length cleared, and whether there were none set."""
    address, slash, length_text = text.partition("/")
    try:
        family, high, low = parse_address(address)
    except ValueError as error:
        raise ValueError(f"{text!r} is no IP prefix") from error
    if (need_length or slash) and not _LENGTH.fullmatch(length_text):
        raise ValueError(f"{text!r} is no IP prefix with a length, such as 10.0.0.0/24")
    width = WIDTH[family]
    length = int(length_text) if slash else width
    if length > width:
        raise ValueError(f"{text!r} is longer than the {width} bits of an IPv{family} address")
    bits = high << 64 | low
    kept = bits >> (width - length) << (width - length)
    return Prefix(family, kept >> 64, kept & _HALF, length), kept == bits


def _no_zone() -> int:
    raise AddressValueError("an address with a zone")
