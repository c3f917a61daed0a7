"""Cyclic redundancy checks and exclusive-or folds over a message of words: linear over GF(2).

A CRC here is *reflected* (the least significant bit of each byte comes first), starts at zero, has no final exclusive-or, and
its result is read with the bits in reverse order, as switch silicon does.

Notation: ``m`` a message, as words of 32 bits taken byte by byte from the low end; ``r`` the register.
"""

from collections.abc import Callable, Sequence

from pauseproof.hashing.algebra import LOW16, LOW32, Word, reversed_bits, shr
from pauseproof.hashing.names import RTAG7

BISYNC, CCITT, CASTAGNOLI = 0xA001, 0x8408, 0x82F63B78  # the polynomials, reflected


def crc(m: Sequence[Word], polynomial: int, width: int) -> Word:
    """The CRC of the message, ``width`` bits."""
    r = m[0] & 0
    for word in m:
        r = r ^ word
        for _ in range(32):  # with the whole word in the register at once, since width <= 32 and zeros follow
            r = shr(r, 1) ^ (-(r & 1) & polynomial)
    return reversed_bits(r, width)


def xor16(m: Sequence[Word]) -> Word:
    """All 16-bit halves, exclusive-or."""
    folded = m[0]
    for word in m[1:]:
        folded = folded ^ word
    return (folded ^ shr(folded, 16)) & LOW16


def xor_fold(m: Sequence[Word], width: int) -> Word:
    """The same, folded in half until it has ``width`` bits (8, 4, 2 or 1)."""
    folded, now = xor16(m), 16
    while now > width:
        now //= 2
        folded = (folded ^ shr(folded, now)) & ((1 << now) - 1)
    return folded


def crc16(m: Sequence[Word]) -> Word:
    """CRC16-BISYNC, polynomial 0x8005."""
    return crc(m, BISYNC, 16)


def ccitt(m: Sequence[Word]) -> Word:
    """CRC16-CCITT, polynomial 0x1021."""
    return crc(m, CCITT, 16)


def crc32_low(m: Sequence[Word]) -> Word:
    """The low half of CRC-32C (Castagnoli)."""
    return crc(m, CASTAGNOLI, 32) & LOW16


def crc32_high(m: Sequence[Word]) -> Word:
    """The high half of CRC-32C."""
    return shr(crc(m, CASTAGNOLI, 32) & LOW32, 16)


def _mixed(width: int) -> Callable[[Sequence[Word]], Word]:
    """The high byte of CRC16-BISYNC above a fold of ``width`` bits."""

    def value(m: Sequence[Word]) -> Word:
        return (crc16(m) & 0xFF00) | xor_fold(m, width)

    return value


FUNCTIONS: dict[str, Callable[[Sequence[Word]], Word]] = {
    "crc16": crc16,
    "crc16-xor1": _mixed(1),
    "crc16-xor2": _mixed(2),
    "crc16-xor4": _mixed(4),
    "crc16-xor8": _mixed(8),
    "xor16": xor16,
    "ccitt": ccitt,
    "crc32lo": crc32_low,
    "crc32hi": crc32_high,
}  # all of 16 bits

assert set(FUNCTIONS) == set(RTAG7)
