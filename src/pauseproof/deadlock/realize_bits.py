"""Hash values that must select a member, as equations over GF(2), and the header bits that a sender may choose.

A *draw* is one hash value that has to select a member: the value of ``function`` for a packet that entered by ``in_port``,
given to ``selection``, must give one of ``wanted``. Where the function is linear and the selection takes some bits of the
value, a draw is a few *equations*, one a bit. Elimination says that they can be met, or gives a *combination*: equations
whose sum has no free bit on the left and 1 on the right.
Ref: H(x) = M x + c(seed) for CRC and XOR hashes (Zhang et al., ATC 2021).

Packets are RoCEv2: UDP to port 4791 from one of the 2^14 source ports from 49152 on, or from the one that is declared.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.gf2 import Bit, Form, form
from pauseproof.hashing.headers import BITS, COLUMNS_OF, Headers, roce
from pauseproof.hashing.linear import fast
from pauseproof.hashing.selection import Selection

U64 = NDArray[np.uint64]
SPORT_BASE, SPORT_BITS, ANY_PORT = 0xC000, 14, -1


class Draw(NamedTuple):
    """See above. ``wanted`` is ascending."""

    function: HashFunction
    in_port: int
    selection: Selection
    wanted: tuple[int, ...]

    @property
    def same(self) -> tuple[Any, ...]:
        """Draws with the same key give every packet the same member."""
        return self.function, self.in_port if "in-port" in self.function.fields else 0, self.selection

    @property
    def bits(self) -> tuple[int, ...]:
        """The bits of the value that must be those of the one wanted member; none where it is not a matter of bits."""
        plain = self.function.linear and len(self.wanted) == 1
        return (self.selection.index_bits or ()) if plain else ()

    def holds(self, h: Headers) -> NDArray[np.bool_]:
        """Which packets select a wanted member; their in-port is set here."""
        value = fast(self.function, h.family).value(h.at_port(np.full(len(h), self.in_port)))
        return np.broadcast_to(np.isin(self.selection.member(value), self.wanted), len(h))


def merged(draws: Sequence[Draw]) -> tuple[Draw, ...] | None:
    """The draws with one for each key; None where two of a key want different members."""
    found: dict[tuple[Any, ...], Draw] = {}
    for draw in draws:
        before = found.setdefault(draw.same, draw)
        both = tuple(sorted(set(before.wanted) & set(draw.wanted)))
        if not both:
            return None
        found[draw.same] = before._replace(wanted=both)
    return tuple(found.values())


def free_bits(draws: Sequence[Draw], family: int, source: int, destination: int, sport: int = ANY_PORT) -> tuple[Bit, ...]:
    """The bits that a sender may choose, of the columns that the draws look at, with so many free low bits of the addresses.

    Those of the source port come last: elimination changes them first.
    """
    seen = {column for draw in draws for name in draw.function.fields for column in COLUMNS_OF[name]}
    free = {"sport": SPORT_BITS if sport == ANY_PORT else 0, "qp": BITS["qp"], "opcode": BITS["opcode"], "vlan": BITS["vlan"]}
    if family == 6:
        free["flow_label"] = BITS["flow_label"]
    free |= {"sip_low": min(source, 64), "sip_high": max(source - 64, 0)}
    free |= {"dip_low": min(destination, 64), "dip_high": max(destination - 64, 0)}
    last = sorted(seen & free.keys(), key=lambda column: (column == "sport", column))
    return tuple((column, bit) for column in last for bit in range(free[column]))


def packet(family: int, sip: tuple[int, int] = (0, 0), dip: tuple[int, int] = (0, 0), sport: int = ANY_PORT) -> Headers:
    """One packet with the given source port, or the lowest, all other free columns zero."""
    return roce(family, sip, dip, SPORT_BASE if sport == ANY_PORT else sport)


def width(family: int) -> int:
    """Bits of an address."""
    return 32 if family == 4 else 128


class Equations(NamedTuple):
    """``place`` (draw, bit of its value) of each; ``left`` its free bits as an integer; ``right`` what they must add up to, for
    the packet that was given."""

    place: tuple[tuple[int, int], ...]
    left: tuple[int, ...]
    right: tuple[int, ...]


def form_of(draw: Draw, h: Headers, free: Sequence[Bit]) -> Form:
    """What the draw's function makes of the free bits of one packet."""
    return form(fast(draw.function, h.family), h.at_port([draw.in_port]), free)


def equations(draws: Sequence[Draw], h: Headers, free: Sequence[Bit]) -> Equations:
    """All equations of the draws for one packet with free bits."""
    place, left, right = [], [], []
    for i, draw in enumerate(draws):
        if draw.bits:
            made = form_of(draw, h, free)
            for index, bit in enumerate(draw.bits):
                place.append((i, bit))
                left.append(made.rows[bit])
                right.append((made.constant >> bit ^ draw.wanted[0] >> index) & 1)
    return Equations(tuple(place), tuple(left), tuple(right))


class Eliminated(NamedTuple):
    """``rows``: (pivot, left side, which equations it is the sum of), each pivot in one row alone; ``nothing``: sums of
    equations with no free bit on the left."""

    rows: tuple[tuple[int, int, int], ...]
    nothing: tuple[int, ...]


def eliminate(left: Sequence[int]) -> Eliminated:
    """Gauss and Jordan.

    >>> eliminate([0b11, 0b01, 0b10]).nothing
    (7,)
    """
    rows: list[tuple[int, int, int]] = []
    nothing = []
    for i, row in enumerate(left):
        of = 1 << i
        for pivot, other, sum_of in rows:
            if row >> pivot & 1:
                row, of = row ^ other, of ^ sum_of
        if row:
            pivot = row.bit_length() - 1
            rows = [(p, r ^ row, s ^ of) if r >> pivot & 1 else (p, r, s) for p, r, s in rows]
            rows.append((pivot, row, of))
        else:
            nothing.append(of)
    return Eliminated(tuple(rows), tuple(nothing))


def solution(found: Eliminated, right: int, start: int) -> int:
    """Free bits that meet the equations, given their right sides as one integer: ``start`` but for pivots."""
    kept = start & ~sum(1 << pivot for pivot, _, _ in found.rows)
    return kept | sum((parity(of & right) ^ parity(row & kept)) << pivot for pivot, row, of in found.rows)


def null_space(found: Eliminated, n: int) -> list[int]:
    """Independent changes of the ``n`` free bits that leave all left sides as they are."""
    pivots = {pivot for pivot, _, _ in found.rows}
    return [1 << j | sum(1 << pivot for pivot, row, _ in found.rows if row >> j & 1) for j in range(n) if j not in pivots]


def parity(x: int) -> int:
    """1 where an odd number of bits is set."""
    return x.bit_count() & 1


def joined(bits: Sequence[int]) -> int:
    """Bits as an integer, the first the lowest."""
    return sum(bit << i for i, bit in enumerate(bits))


def sums(vectors: Sequence[int]) -> U64:
    """[2^n]: the sum of every subset; bit ``j`` of the index says whether vector ``j`` is in it.

    >>> sums([1, 6]).tolist()
    [0, 1, 6, 7]
    """
    out = np.zeros(1, np.uint64)
    for vector in vectors:
        out = np.concatenate((out, out ^ np.uint64(vector)))
    return out


def changed(h: Headers, free: Sequence[Bit], vectors: Sequence[int], base: int) -> Headers:
    """[2^n] packets: ``h`` with its free bits those of ``base``, and of every subset of ``vectors`` flipped."""
    columns = h.columns()
    for name in dict.fromkeys(column for column, _ in free):
        own = [(j, bit) for j, (column, bit) in enumerate(free) if column == name]
        first, *masks = (sum((x >> j & 1) << bit for j, bit in own) for x in (base, *vectors))
        rest = columns[name][:1] & np.uint64((1 << 64) - 1 - sum(1 << bit for _, bit in own))
        columns[name] = rest ^ np.uint64(first) ^ sums(masks)
    return Headers(h.family, **{name: np.broadcast_to(column, 1 << len(vectors)) for name, column in columns.items()})


def bits_of(h: Headers, free: Sequence[Bit]) -> int:
    """The free bits as the packet has them."""
    columns = h.columns()
    return joined([int(columns[column][0]) >> bit & 1 for column, bit in free])
