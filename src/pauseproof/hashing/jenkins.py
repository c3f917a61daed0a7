"""Bob Jenkins's lookup3 (2006) on 32-bit words: in Linux's custom multipath policy, and by name in SAI. Not linear.

Notation: ``a``, ``b``, ``c`` the state, words of 32 bits.
"""

from collections.abc import Sequence

from pauseproof.hashing.algebra import LOW32, Word, rotated_left

_START = 0xDEADBEEF


def lookup3(m: Sequence[Word], seed: int) -> Word:
    """The hash of one or more 32-bit words, which Jenkins calls hashword: 32 bits."""
    start = (m[0] & 0) + ((_START + 4 * len(m) + seed) & LOW32)
    a = b = c = start
    left = list(m)
    while len(left) > 3:
        a, b, c = (x + y & LOW32 for x, y in zip((a, b, c), left, strict=False))
        a, b, c = _mix(a, b, c)
        left = left[3:]
    a, b, c = (x + y & LOW32 for x, y in zip((a, b, c), [*left, 0, 0], strict=False))
    return _final(a, b, c)


def _mix(a: Word, b: Word, c: Word) -> tuple[Word, Word, Word]:
    for turn in (4, 6, 8, 16, 19, 4):
        a = (a - c & LOW32) ^ rotated_left(c, turn, 32)
        c = c + b & LOW32
        a, b, c = b, c, a
    return a, b, c


def _final(a: Word, b: Word, c: Word) -> Word:
    for turn in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - rotated_left(b, turn, 32) & LOW32
        a, b, c = b, c, a
    return b
