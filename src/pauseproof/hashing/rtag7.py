"""The hash of Broadcom's switch chips, RTAG7, as its vendor's public software model of the Trident family computes it.

A packet fills 13 *bins* of 16 bits. Chosen bins and a 32-bit seed make a message of seven 32-bit words; the seed is data of
the message, so with a linear function another seed only adds a constant. A function of :mod:`pauseproof.hashing.crc` is taken
of the message, its 16 bits rotated right by an offset, and the low bits go to the selection.

Two *engines* A and B choose fields and seed of their own, and each has two functions: A0, A1, B0, B1. *Sub-select* names the
one that a group uses. With *macro flows* a byte of one more hash picks sub-select and offset from a table of 256 rows.

Bins 2 to 11 are the vendor's. No public source names bins for the BTH and the flow label; ours are the destination QP in
bin 2 and the low byte of bin 1, the opcode in the high byte of bin 1, the flow label in bin 0 and the high byte of bin 4.

Notation: ``m`` the message, ``h`` headers.
"""

from dataclasses import dataclass

from pauseproof.hashing import crc
from pauseproof.hashing.algebra import LOW16, LOW32, Word, like, lookup, shr
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.names import FIVE_TUPLE

SUB_SELECTS = ("A0", "B0", "A1", "B1")
IPV6_FOLD, IPV6_LOW = "fold", "low"


@dataclass(frozen=True)
class Engine:
    """Which fields are hashed, and with what seed.

    ``preprocess`` mixes each bin with itself. ``ipv6``: an address of 128 bits becomes 32 by exclusive-or of its four words
    (fold), or is cut to the lowest (low). ``overlay``: bin 12, which is empty, lies over the low half of the seed.
    """

    fields: tuple[str, ...] = FIVE_TUPLE
    seed: int = 0
    preprocess: bool = False
    ipv6: str = IPV6_FOLD
    overlay: bool = False

    def message(self, h: Headers) -> list[Word]:
        """The seven words."""
        zero = h.sip_low & 0
        bins = [_mixed(b) & LOW16 if self.preprocess else b for b in self._bins(h, zero)]
        seed = self.seed & 0xFFFF0000 if self.overlay else self.seed
        return [*(bins[e] | (bins[e + 1] << 16) for e in range(0, 12, 2)), like(h.sip_low, seed)]

    def _bins(self, h: Headers, zero: Word) -> list[Word]:
        """Bins 0 to 11; zero where its field is not chosen."""

        def if_chosen(field: str, word: Word) -> Word:
            return word if field in self.fields else zero

        sip = if_chosen("src-ip", self._collapsed(h.sip_high, h.sip_low))
        dip = if_chosen("dst-ip", self._collapsed(h.dip_high, h.dip_low))
        qp, opcode = if_chosen("dest-qp", h.qp), if_chosen("bth-opcode", h.opcode)
        label = if_chosen("flow-label", h.flow_label)
        return [
            label & LOW16,
            shr(qp, 16) | (opcode << 8),
            qp & LOW16,
            if_chosen("in-port", h.in_port),
            if_chosen("proto", h.proto) | (shr(label, 16) << 8),
            if_chosen("l4-dst-port", h.dport),
            if_chosen("l4-src-port", h.sport),
            if_chosen("vlan", h.vlan),
            *(dip & LOW16, shr(dip, 16), sip & LOW16, shr(sip, 16)),
        ]

    def _collapsed(self, high: Word, low: Word) -> Word:
        """An address in 32 bits; an IPv4 address stays as it is either way."""
        if self.ipv6 == IPV6_LOW:
            return low & LOW32
        folded = high ^ low
        return (folded ^ shr(folded, 32)) & LOW32


PLAIN = Engine()


def _mixed(b: Word) -> Word:
    return b ^ shr(b, 3) ^ (b << 2)


def rotated_right(value: Word, offset: Word) -> Word:
    """16 bits rotated right by 0 to 15."""
    return shr(value | (value << 16), offset) & LOW16


@dataclass(frozen=True)
class Rtag7:
    """One function of one engine, as for a group with a fixed sub-select."""

    name: str
    engine: Engine = PLAIN
    offset: int = 0

    bits = 16
    linear = True

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the engine looks at."""
        return self.engine.fields

    def value(self, h: Headers) -> Word:
        """The value after rotation."""
        return rotated_right(crc.FUNCTIONS[self.name](self.engine.message(h)), self.offset)


@dataclass(frozen=True)
class MacroFlows:
    """Sub-select and offset for each macro flow: linear within one, not across them.

    ``a0`` and ``a1`` are names of functions of ``engine_a``, ``b0`` and ``b1`` of ``engine_b``. ``picker`` is the function of
    engine A whose byte (the high one where ``high_byte``) is the macro flow, a row of ``table``: (sub-select, offset).
    """

    engine_a: Engine
    engine_b: Engine
    table: tuple[tuple[str, int], ...]
    a0: str = "crc16"
    a1: str = "crc16"
    b0: str = "crc16"
    b1: str = "crc16"
    picker: str = "crc16"
    high_byte: bool = False

    name = "macro-flow"
    bits = 16
    linear = False

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that either engine looks at."""
        return tuple(dict.fromkeys((*self.engine_a.fields, *self.engine_b.fields)))

    def value(self, h: Headers) -> Word:
        """The value after rotation, of the function that the packet's macro flow names."""
        m_a, m_b = self.engine_a.message(h), self.engine_b.message(h)
        picked = crc.FUNCTIONS[self.picker](m_a)
        row = (shr(picked, 8) if self.high_byte else picked) & 0xFF
        chosen = lookup([SUB_SELECTS.index(select) for select, _ in self.table], row)
        value = row & 0
        for which, (name, m) in enumerate(((self.a0, m_a), (self.b0, m_b), (self.a1, m_a), (self.b1, m_b))):
            value = value | (crc.FUNCTIONS[name](m) & _if_equal(chosen, which))
        return rotated_right(value, lookup([offset for _, offset in self.table], row))


def _if_equal(x: Word, n: int) -> Word:
    """All bits where ``x == n``, both below 4; else none."""
    differs = x ^ n
    return (((differs | shr(differs, 1)) & 1) ^ 1) * ((1 << 64) - 1)
