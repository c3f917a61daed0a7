"""Packets between hosts of which some address bits are free: by sending every header of every pair."""

from collections.abc import Sequence
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hashed_by_hand import Tiny
from pauseproof.deadlock.realize_bits import Draw
from pauseproof.deadlock.realize_ends import Endpoints
from pauseproof.deadlock.realize_solve import Answer, Problem
from pauseproof.hashing.headers import roce
from pauseproof.hashing.selection import buckets, modulo, threshold

SPORTS = [0xC000 + i for i in range(4)]


def endpoints(random: Random) -> Endpoints:
    """Hosts with up to two free bits each, on few nodes, some with a hole in their subnet."""
    n = random.randint(2, 5)
    free = np.array([random.randrange(3) for _ in range(n)], np.int64)
    low = np.array([random.randrange(8) >> f << f for f in free.tolist()], np.uint64)
    holes = [((int(a), int(a)),) if f and random.random() < 0.4 else () for a, f in zip(low, free, strict=True)]
    hosts, node = np.arange(n), np.array([random.randrange(n) for _ in range(n)], np.int64)
    return Endpoints(4, hosts, node, np.full(n, -1), np.zeros(n, np.uint64), low, free, holes)


def draws_of(random: Random) -> tuple[Draw, ...]:
    tables = [
        tuple(random.getrandbits(random.choice((2, 4, 8))) for _ in range(random.choice((8, 8, 8, 256)))) for _ in range(2)
    ]
    out = []
    for _ in range(random.randint(1, 4)):
        size = random.choice((2, 3, 4, 5))
        some = modulo(size), modulo(size, [1 + i % 2 for i in range(size)]), threshold(size), buckets([0, *range(size)], size)
        wanted = tuple(sorted(random.sample(range(size), random.choice((1, 1, 1, 2)))))
        out.append(Draw(Tiny(random.choice(tables), random.getrandbits(2)), 0, random.choice(some), wanted))
    return tuple(out)


def addresses(ends: Endpoints, e: int) -> list[int]:
    low, holes = int(ends.low[e]), ends.holes[e]
    return [low | x for x in range(1 << int(ends.free[e])) if not any(a <= low | x <= b for a, b in holes)]


def some_header(draws: Sequence[Draw], ends: Endpoints) -> bool:
    pairs = [(a, b) for a in range(len(ends)) for b in range(len(ends)) if ends.node[a] != ends.node[b]]
    every = [(x, y, z) for a, b in pairs for x in addresses(ends, a) for y in addresses(ends, b) for z in SPORTS]
    if not every:
        return False
    sip, dip, sport = np.array(every, np.uint64).T
    h = roce(4, (0, sip), (0, dip), sport)
    return bool(np.logical_and.reduce([draw.holds(h) for draw in draws]).any())


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1 << 40))
def test_pairs_are_refuted_where_none_of_their_headers_makes_the_draws(seed: int) -> None:
    random = Random(seed)
    ends, draws = endpoints(random), draws_of(random)
    every = np.arange(len(ends))
    solved, a, b = Problem(draws, ends, lambda: False).between(every, every)
    assert solved.answer is Answer.UNKNOWN or (solved.answer is Answer.MADE) is some_header(draws, ends)
    assert solved.answer is not Answer.UNKNOWN or any(ends.holes)
    if solved.header is not None:
        assert all(draw.holds(solved.header)[0] for draw in draws)
        assert int(solved.header.sip_low[0]) in addresses(ends, a) and int(solved.header.dip_low[0]) in addresses(ends, b)


def test_as_many_free_bits_of_other_ends_are_other_packets() -> None:
    """Pairs with free bits (0, 1) and (1, 0) whose fixed bits give the same value do not take the same values."""
    for seed in (1203, 1397, 3585, 4078):
        random = Random(seed)
        ends, draws = endpoints(random), draws_of(random)
        every = np.arange(len(ends))
        assert Problem(draws, ends, lambda: False).between(every, every)[0].answer is Answer.MADE
