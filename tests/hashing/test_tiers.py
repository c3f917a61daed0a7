"""Hashes one after the other, as tiers have them: how many members of the last group are used by flows of one path so far.

The answers are those that 20,000 random flows were published to give; z3 proves the unused ones unreachable.
"""

from typing import NamedTuple

import numpy as np
import pytest

from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.headers import Headers, roce, unknowns, within
from pauseproof.hashing.linear import fast
from pauseproof.hashing.selection import modulo


class Tier(NamedTuple):
    name: str
    seed: int
    offset: int
    members: int


def crc(seed: int, offset: int, members: int) -> Tier:
    return Tier("crc16", seed, offset, members)


def member(tier: Tier, h: Headers) -> object:
    return modulo(tier.members).member(fast(hash_function(tier.name, seed=tier.seed, offset=tier.offset), 4).value(h))


@pytest.mark.parametrize(
    ("tiers", "used"),
    [
        ([crc(0, 0, 8), crc(0, 0, 8)], 1),
        ([crc(0, 0, 8), crc(0, 0, 8), crc(0, 0, 8)], 1),
        ([crc(0, 0, 8), crc(10, 0, 8)], 1),
        ([crc(0, 0, 8), crc(10, 0, 8), crc(25, 0, 8)], 1),
        ([crc(0, 0, 8), crc(10, 10, 8)], 8),
        ([crc(0, 0, 8), crc(10, 10, 8), crc(25, 0, 8)], 1),
        ([crc(0, 0, 8), Tier("ccitt", 10, 0, 8)], 8),
        ([crc(0, 0, 6), crc(10, 0, 6)], 3),
        ([crc(0, 0, 6), crc(0, 0, 6)], 1),
        ([crc(0, 0, 12), crc(0, 0, 8)], 2),
    ],
    ids=str,
)
def test_members_that_are_used_at_the_last_tier(tiers: list[Tier], used: int) -> None:
    rng = np.random.default_rng(5)
    sip, dip = rng.integers(0, 1 << 32, (2, 20_000), np.uint64)
    h = roce(4, (0, sip), (0, dip), rng.integers(0xC000, 1 << 16, 20_000))
    rest = np.ones(len(h), np.bool_)
    for tier in tiers[:-1]:
        picked = np.asarray(member(tier, h))
        rest &= picked == picked[rest][0]
    assert len(np.unique(np.asarray(member(tiers[-1], h))[rest])) == used


@pytest.mark.parametrize(("second", "reachable"), [(crc(7, 0, 16), 1), (Tier("ccitt", 7, 0, 16), 16), (crc(10, 10, 16), 16)])
def test_z3_proves_the_others_unreachable(second: Tier, reachable: int) -> None:
    """16 ways and then 16: of 256 combinations the same polynomial has 16."""
    import z3

    h = unknowns("p", 4)
    solver = z3.Solver()
    solver.add(*within(h), member(crc(0, 0, 16), h) == 5)
    answers = [solver.check(member(second, h) == m) for m in range(16)]
    assert (answers.count(z3.sat), answers.count(z3.unsat)) == (reachable, 16 - reachable)
