"""Can some packet make all these draws? Exactly where that is a matter of few enough bits, else by trying, else unknown.

Equations are solved by elimination. What is left, values modulo a number that is no power of two, thresholds, weights, and
functions that are not linear, is tried on the solutions: of linear functions only those that differ in some value, which are at
most 2 to the rank of these values; of others all, where they are few enough.

A problem is decided *for all headers* first: where no header at all makes the draws, no pair of hosts does. Then for pairs:
with a linear function the source address and the destination address add to each equation independently, so which hosts fit
together is a matter of comparing two keys.

Notation: ``h`` the header of a packet, ``x`` its free bits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.deadlock.realize_bits import (
    ANY_PORT,
    Draw,
    bits_of,
    changed,
    eliminate,
    equations,
    form_of,
    free_bits,
    joined,
    merged,
    null_space,
    packet,
    parity,
    solution,
    width,
)
from pauseproof.deadlock.realize_ends import Endpoints
from pauseproof.dependency.plan import I64
from pauseproof.hashing.gf2 import Bit, all_bits, basis, zeros
from pauseproof.hashing.headers import Headers

MOST_TRIED = 18  # 2 to this many headers are tried at a time
MOST_PAIRS = 1 << 12  # pairs that are tried one by one for the same draws
Keys = NDArray[np.uint8]


class Answer(StrEnum):
    """What is known of some draws."""

    MADE = "made"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Proof(StrEnum):
    """Why no packet makes some draws: each is checked again in another way by ``deadlock/check_unroutable.py``."""

    SAME = "same"  # one hash would have to select two members
    COMBINATION = "combination"  # equations that add up to 0 = 1, whatever the header
    VALUES = "values"  # none of the values that the functions can take together
    PAIRS = "pairs"  # none of the pairs of hosts that would have to send so, whatever their free bits


class Solved(NamedTuple):
    """``header`` where some packet was found; else why there is none, where there is none; ``combination`` of (draw, bit)."""

    answer: Answer
    header: Headers | None = None
    proof: Proof | None = None
    combination: tuple[tuple[int, int], ...] = ()


def for_all_headers(draws: Sequence[Draw], family: int, *, roce: bool, sport: int = ANY_PORT) -> Solved:
    """Is there any header that makes the draws? REFUTED is for all hosts; and for whatever else comes by, unless ``roce``."""
    some = merged(draws)
    if some is None:
        return Solved(Answer.REFUTED, proof=Proof.SAME)
    linear = [i for i, draw in enumerate(draws) if draw.function.linear]
    part = [draws[i] for i in linear]
    free = free_bits(part, family, width(family), width(family), sport)
    if not roce:
        free = tuple(dict.fromkeys(bit for draw in part for bit in all_bits(draw.function, family) if bit[0] != "in_port"))
    found = solve(part, packet(family, sport=sport) if roce else zeros(family), free)
    if found.answer is not Answer.REFUTED:
        return Solved(Answer.UNKNOWN) if len(part) < len(draws) else found
    back = tuple((linear[i], bit) for i, bit in found.combination)
    return found._replace(combination=back)


Allowed = Callable[[Headers], NDArray[np.bool_]]


def anything(h: Headers) -> NDArray[np.bool_]:
    """Every header is allowed."""
    return np.ones(len(h), np.bool_)


def solve(draws: Sequence[Draw], h: Headers, free: Sequence[Bit], allowed: Allowed = anything) -> Solved:
    """Does some setting of the free bits of ``h`` make the draws? Bits that need not change stay."""
    asked = equations(draws, h, free)
    found, right = eliminate(asked.left), joined(asked.right)
    for of in found.nothing:
        if parity(of & right):
            combination = tuple(place for i, place in enumerate(asked.place) if of >> i & 1)
            return Solved(Answer.REFUTED, proof=Proof.COMBINATION, combination=combination)
    x = solution(found, right, bits_of(h, free))
    rest, changes = [draw for draw in draws if not draw.bits], null_space(found, len(free))
    vectors = _that_matter(rest, h, free, changes)
    whole = len(vectors) <= MOST_TRIED
    for some in (vectors[:MOST_TRIED], changes[-MOST_TRIED:]):
        tried = changed(h, free, some, x)
        left = np.arange(len(tried))
        for draw in rest:
            left = left[draw.holds(tried.rows(left))] if len(left) else left
        if whole and not len(left):
            return Solved(Answer.REFUTED, proof=Proof.VALUES)
        whole = False  # some header makes the draws, if only with an address that is nobody's
        if len(left := left[allowed(tried.rows(left))]):
            return Solved(Answer.MADE, _one(tried, int(left[0])))
    return Solved(Answer.UNKNOWN)


def _one(h: Headers, row: int) -> Headers:
    return Headers(h.family, **{name: column[row : row + 1] for name, column in h.columns().items()})


def _that_matter(draws: Sequence[Draw], h: Headers, free: Sequence[Bit], vectors: Sequence[int]) -> list[int]:
    """Of changes to the free bits an independent part that makes every difference to the draws' values that all make."""
    if not draws:
        return []
    if not all(draw.function.linear for draw in draws):
        return list(vectors)
    forms = [form_of(draw, h, free) for draw in draws]
    kept, seen = [], dict[int, int]()
    for vector in vectors:
        image = 0
        for one in forms:
            image = image << 64 | (one.value(vector) ^ one.constant)
        if len(grown := basis([*seen.values(), image])) > len(seen):
            seen = grown
            kept.append(vector)
    return kept


@dataclass
class Problem:
    """Some draws, to be made by packets between hosts; what does not depend on the hosts is found once.

    ``late`` is asked between pieces of work whether time is up.
    """

    draws: tuple[Draw, ...]
    ends: Endpoints
    late: Callable[[], bool]
    _tried: int = 0
    _checks: dict[tuple[int, int], tuple[Keys, Keys, bool]] = field(default_factory=dict)
    _cosets: set[tuple[int, ...]] = field(default_factory=set)

    def between(self, sources: I64, destinations: I64) -> tuple[Solved, int, int]:
        """A packet from one of these endpoints to one on another node, with the two; UNKNOWN where not all was tried."""
        answer = Answer.REFUTED
        for a in sources.tolist():
            others = destinations[self.ends.node[destinations] != self.ends.node[a]]
            for kind in self._kinds(a, others):
                for b in self._fitting(a, others, kind):
                    solved = self._pair(a, b)
                    if solved.answer is Answer.MADE:
                        return solved, a, b
                    if solved.answer is Answer.UNKNOWN:
                        answer = Answer.UNKNOWN
                        break
        return Solved(answer, proof=Proof.PAIRS if answer is Answer.REFUTED else None), -1, -1

    def _kinds(self, a: int, others: I64) -> list[tuple[int, int]]:
        """(free bits of the source, of the destination) of the pairs."""
        return [(int(self.ends.free[a]), int(free)) for free in np.unique(self.ends.free[others])]

    def _fitting(self, a: int, others: I64, kind: tuple[int, int]) -> Iterator[int]:
        """The endpoints with which the equations can be met."""
        some = others[self.ends.free[others] == kind[1]]
        of_source, of_destination, exact = self._key(kind)
        fit = some[(of_destination[some] == of_source[a]).all(axis=1)]
        # Where the equations are all there is, and any address is allowed, one that fits is enough.
        return islice(iter(fit.tolist()), 1 if exact else None)

    def _key(self, kind: tuple[int, int]) -> tuple[Keys, Keys, bool]:
        """(key [E] of each source, key of each destination, whether there is nothing but equations)."""
        if kind not in self._checks:
            zero = packet(self.ends.family, sport=self.ends.sport)
            asked = equations(self.draws, zero, free_bits(self.draws, self.ends.family, *kind, self.ends.sport))
            nothing = eliminate(asked.left).nothing
            right = joined(asked.right)
            constant = np.array([parity(of & right) for of in nothing], np.uint8)
            source, destination = (self._sides(side, asked.place, nothing) for side in ("s", "d"))
            exact = all(draw.bits for draw in self.draws) and not any(self.ends.holes)
            self._checks[kind] = source ^ constant, destination, exact
        return self._checks[kind]

    def _sides(self, side: str, place: Sequence[tuple[int, int]], nothing: Sequence[int]) -> Keys:
        """[E, checks]: what the address of each endpoint, on one side, adds to each sum of equations."""
        zero = packet(self.ends.family)
        columns = {**zero.columns(), f"{side}ip_high": self.ends.high, f"{side}ip_low": self.ends.low}
        h = Headers(self.ends.family, **columns)
        out = np.zeros((len(self.ends), len(nothing)), np.uint8)
        for i in sorted({i for i, _ in place}):
            function, port = self.draws[i].function, [self.draws[i].in_port]
            value = np.broadcast_to(function.value(h.at_port(port)) ^ function.value(zero.at_port(port)), len(out))
            for k, of in enumerate(nothing):
                mask = sum(1 << bit for e, (j, bit) in enumerate(place) if j == i and of >> e & 1)
                out[:, k] ^= (np.bitwise_count(value & np.uint64(mask)) & 1).astype(np.uint8)
        return out

    def _pair(self, a: int, b: int) -> Solved:
        if self._tried >= MOST_PAIRS or self.late():
            return Solved(Answer.UNKNOWN)
        ends = self.ends
        header = packet(ends.family, ends.of(a), ends.of(b), ends.sport)
        free = free_bits(self.draws, ends.family, int(ends.free[a]), int(ends.free[b]), ends.sport)
        coset = self._coset(header, free, (int(ends.free[a]), int(ends.free[b])))
        if coset in self._cosets:
            return Solved(Answer.REFUTED)
        self._tried += 1
        solved = solve(self.draws, header, free, lambda h: self.ends.allowed(h, a, b))
        if solved.answer is Answer.REFUTED and coset:
            self._cosets.add(coset)
        return solved

    def _coset(self, h: Headers, free: Sequence[Bit], kind: tuple[int, int]) -> tuple[int, ...]:
        """What pairs have alike whose packets can take the same values: empty where some function is not linear.

        Of pairs of one ``kind`` the free bits add the same; others may have as many bits, but of other ends.
        """
        if not all(draw.function.linear for draw in self.draws):
            return ()
        forms = [form_of(draw, h, free) for draw in self.draws]
        constant, images = 0, [0] * len(free)
        for one in forms:
            constant = constant << 64 | one.constant
            for j in range(len(free)):
                images[j] = images[j] << 64 | (one.value(1 << j) ^ one.constant)
        for top, row in sorted(basis(images).items(), reverse=True):
            constant ^= row if constant >> top & 1 else 0
        return constant, *kind
