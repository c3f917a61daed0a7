"""SipHash-2-4 (Aumasson and Bernstein, 2012): the keyed hash of 64 bits that Linux takes of a flow's keys. Not linear.

Notation: ``v`` the four words of the state, ``m`` the message as little-endian words of 64 bits.
"""

from collections.abc import Sequence

from pauseproof.hashing.algebra import Word, like, rotated_left

_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)  # "somepseudorandomlygeneratedbytes"


def siphash(m: Sequence[Word], length: int, key: tuple[int, int], tail: Word | int = 0) -> Word:
    """The hash of ``length`` bytes: the whole words in ``m``, and the ``length % 8`` bytes left over in ``tail``."""
    v = [like(m[0] if m else tail, constant ^ key[i % 2]) for i, constant in enumerate(_START)]
    for word in (*m, tail | ((length % 256) << 56)):
        v[3] = v[3] ^ word
        v = _round(_round(v))
        v[0] = v[0] ^ word
    v[2] = v[2] ^ 0xFF
    v = _round(_round(_round(_round(v))))
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _round(v: list[Word]) -> list[Word]:
    a, b, c, d = v
    a = a + b
    b = rotated_left(b, 13) ^ a
    a = rotated_left(a, 32)
    c = c + d
    d = rotated_left(d, 16) ^ c
    a = a + d
    d = rotated_left(d, 21) ^ a
    c = c + b
    b = rotated_left(b, 17) ^ c
    c = rotated_left(c, 32)
    return [a, b, c, d]
