"""Does any header make some hashes pick what is asked of them? Reckoned for those who do not trust the engine.

What linear functions must give are equations over the bits that a sender may choose. Gauss solves them, and what meets them is
tried one by one: of linear functions one header for each set of values, of others every header. Where these are more than
2^22 nothing is said.

Notation: ``free`` are the bits that a sender may choose; a number ``x`` has bit ``j`` for the ``j``-th of them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pauseproof.hashing.addresses import HostAddress
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.gf2 import Bit, Form, all_bits, basis, form, rank
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.selection import Selection

MOST_BITS = 22  # of headers that are tried one by one
SPORT, SPORT_BITS = 0xC000, 14
Halves = tuple[int, int]


class Ask(NamedTuple):
    """One hash value, of a packet that came in by a port, has to select one of some members."""

    function: HashFunction
    port: int
    selection: Selection
    wanted: tuple[int, ...]

    @property
    def bits(self) -> tuple[int, ...]:
        """The bits of a linear value that are the member's index, where they are."""
        plain = self.function.linear and len(self.wanted) == 1
        return (self.selection.index_bits or ()) if plain else ()


def differ(asks: Sequence[Ask]) -> bool:
    """Whether one hash is asked for members of which none is the same."""
    left: dict[object, set[int]] = {}
    for ask in asks:
        one_hash = ask.function, ask.selection, ask.port if "in-port" in ask.function.fields else 0
        left.setdefault(one_hash, set(ask.wanted)).intersection_update(ask.wanted)
    return not all(left.values())


def any_header(family: int, sport: int, sip: Halves = (0, 0), dip: Halves = (0, 0)) -> Headers:
    """One that a host may send between these addresses; ``sport`` is -1 where the source port is any."""
    return roce(family, sip, dip, SPORT if sport < 0 else sport)


def free_bits(
    asks: Sequence[Ask], family: int, sport: int, source: HostAddress | None = None, to: HostAddress | None = None
) -> tuple[Bit, ...]:
    """The header bits that a sender may choose, of those that some function looks at: all of an address that is None."""
    seen = dict.fromkeys(bit for ask in asks for bit in all_bits(ask.function, family))
    low = {"sip": 128 if source is None else source.free, "dip": 128 if to is None else to.free}

    def may(column: str, bit: int) -> bool:
        if column in ("proto", "dport", "in_port"):
            return False
        if column == "sport":
            return sport < 0 and bit < SPORT_BITS
        if column == "flow_label":  # IPv4 has none
            return family == 6
        end, _, half = column.partition("_")
        return end not in low or bit + (64 if half == "high" else 0) < low[end]

    return tuple(bit for bit in seen if may(*bit))


def _form(ask: Ask, h: Headers, free: Sequence[Bit]) -> Form:
    return form(ask.function, h.at_port([ask.port]), free)


def adds_up(asks: Sequence[Sequence[Ask]], family: int, sport: int, combination: Sequence[tuple[int, int, int]]) -> bool:
    """Is the sum of these bits 0 whatever the header, where the members that are asked for add up to 1?"""
    flat = [ask for some in asks for ask in some]
    free, row, odd = free_bits(flat, family, sport), 0, 0
    for turn, which, bit in combination:
        if not (0 <= turn < len(asks) and 0 <= which < len(asks[turn])):
            return False
        ask = asks[turn][which]
        if bit not in ask.bits:
            return False
        made = _form(ask, any_header(family, sport), free)
        row ^= made.rows[bit]
        odd ^= (made.constant >> bit ^ ask.wanted[0] >> ask.bits.index(bit)) & 1
    return row == 0 and odd == 1


def none_makes(asks: Sequence[Ask], h: Headers, free: Sequence[Bit]) -> bool:
    """Whether no setting of the free bits makes all asks; also False where there are too many to try.

    The bits that linear functions must have are equations. What meets these is tried one by one; of linear functions
    one header for each set of values.
    """
    solved = _solved(asks, h, free)
    if solved is None:
        return True
    start, changes = solved
    rest = [ask for ask in asks if not ask.bits]
    if all(ask.function.linear for ask in rest):
        changes = _that_differ(rest, h, free, changes)
    if len(changes) > MOST_BITS:
        return False
    left = _headers(h, free, start, changes)
    for ask in rest:
        value = ask.function.value(left.at_port([ask.port]))
        taken = np.flatnonzero(np.broadcast_to(np.isin(ask.selection.member(value), ask.wanted), len(left)))
        if not len(taken):
            return True
        left = left.rows(taken)
    return False


def _solved(asks: Sequence[Ask], h: Headers, free: Sequence[Bit]) -> tuple[int, list[int]] | None:
    """Free bits that meet the equations, and independent changes that keep them met; None where they cannot be met."""
    rows = []  # bit 0 is the right side, bit j + 1 belongs to free bit j
    for ask in asks:
        if ask.bits:
            made = _form(ask, h, free)
            rows += [made.rows[bit] << 1 | (made.constant >> bit ^ ask.wanted[0] >> i) & 1 for i, bit in enumerate(ask.bits)]
    leading = basis(rows)
    if 0 in leading:
        return None

    def completed(x: int) -> int:
        for top in sorted(leading):  # all other bits of its row are lower, and are set
            x |= ((leading[top] & x).bit_count() & 1) << top
        return x >> 1

    return completed(1), [completed(2 << j) for j in range(len(free)) if j + 1 not in leading]


def _that_differ(asks: Sequence[Ask], h: Headers, free: Sequence[Bit], changes: Sequence[int]) -> list[int]:
    """Some of the changes, which make of linear functions all the values that all make."""
    forms = [_form(ask, h, free) for ask in asks]
    images = [sum((made.value(x) ^ made.constant) << 64 * i for i, made in enumerate(forms)) for x in changes]
    return [x for i, x in enumerate(changes) if rank(images[: i + 1]) > rank(images[:i])]


def _headers(h: Headers, free: Sequence[Bit], start: int, changes: Sequence[int]) -> Headers:
    """[2^n]: one header with the free bits as in ``start``, and every sum of changes made to them."""
    columns: dict[str, Any] = {}
    for name, word in h.columns().items():
        own = [(j, bit) for j, (column, bit) in enumerate(free) if column == name]
        first, *masks = (sum((x >> j & 1) << bit for j, bit in own) for x in (start, *changes))
        value = np.array([int(word[0]) & ~sum(1 << bit for _, bit in own) | first], np.uint64)
        for mask in masks if own else ():
            value = np.concatenate((value, value ^ np.uint64(mask)))
        columns[name] = np.broadcast_to(value, 1 << len(changes))
    return Headers(h.family, **columns)
