from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashed_by_hand import Tiny
from pauseproof.deadlock.realize_bits import Draw, changed, free_bits, packet
from pauseproof.deadlock.realize_ends import Endpoints
from pauseproof.deadlock.realize_solve import Answer, Problem, Proof, for_all_headers, solve
from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.linux import Linux
from pauseproof.hashing.selection import buckets, modulo, threshold

SOURCE, TO = (0, 0x0A000100), (0, 0x0A000200)


@st.composite
def tiny_draws(draw: st.DrawFn) -> list[Draw]:
    random = Random(draw(st.integers(0, 10**6)))
    tables = [tuple(random.getrandbits(8) for _ in range(random.choice((8, 8, 256)))) for _ in range(2)]
    out = []
    for _ in range(random.randint(1, 4)):
        n = random.choice((2, 3, 4, 5, 8))
        selection = random.choice(
            (modulo(n), modulo(n, range(1, n + 1)), buckets([i % n for i in range(n + 3)], n, value_bits=16))
        )
        out.append(Draw(Tiny(random.choice(tables), random.getrandbits(3)), 0, selection, (random.randrange(n),)))
    return out


@settings(deadline=None)
@given(tiny_draws(), st.integers(0, 2), st.integers(0, 2))
def test_a_header_is_found_where_one_is(draws: list[Draw], source: int, to: int) -> None:
    h, free = packet(4, SOURCE, TO), free_bits(draws, 4, source, to)
    every = changed(h, [bit for bit in free if bit[0] != "sport" or bit[1] < 2], [1 << j for j in range(source + to + 2)], 0)
    made = np.all([draw.holds(every) for draw in draws], axis=0).any()
    found = solve(draws, h, free)
    assert found.answer is (Answer.MADE if made else Answer.REFUTED)
    if found.header is not None:
        assert all(draw.holds(found.header)[0] for draw in draws)


@settings(deadline=None)
@given(tiny_draws())
def test_what_is_refuted_for_all_headers_no_header_makes(draws: list[Draw]) -> None:
    every = changed(
        packet(4), [(c, b) for c in ("sip_low", "dip_low", "sport") for b in range(3)], [1 << j for j in range(9)], 0
    )
    made = np.all([draw.holds(every) for draw in draws], axis=0).any()
    found = for_all_headers(draws, 4, roce=True)
    assert not (made and found.answer is Answer.REFUTED)
    if all(draw.function.linear for draw in draws):
        assert made or found.answer is Answer.REFUTED


def only(numbers: Sequence[int]) -> Endpoints:
    """A sender, and a receiver whose free low byte may have these values only."""
    holes = tuple((TO[1] + x, TO[1] + x) for x in range(256) if x not in numbers)
    low = np.array([SOURCE[1] + 1, TO[1] + numbers[0]], np.uint64)
    column, free = np.array([-1, -1]), np.array([0, 8])
    return Endpoints(4, np.arange(2), np.arange(2), column, low & np.uint64(0), low, free, [(), holes], 50000)


def never() -> bool:
    return False


@pytest.mark.parametrize("numbers", [(1,), (1, 2), (7, 99), (128, 129, 200)])
def test_addresses_that_are_nobodys_are_not_chosen(numbers: tuple[int, ...]) -> None:
    function = hash_function("crc16", ("src-ip", "dst-ip"))
    for member in range(4):
        draws, ends = (Draw(function, 0, modulo(4), (member,)),), only(numbers)
        solved, _, _ = Problem(draws, ends, never).between(np.array([0]), np.array([1]))
        mine = [packet(4, ends.of(0), (0, TO[1] + x), 50000) for x in numbers]
        makes = [h for h in mine if draws[0].holds(h)[0]]
        assert solved.answer is not Answer.REFUTED
        assert (solved.answer is Answer.MADE) is bool(makes)
        if solved.header is not None:
            assert _number(solved.header) in numbers


def _number(h: Headers) -> int:
    return int(h.dip_low[0]) - TO[1]


def test_nobody_sends_to_itself() -> None:
    draws = (Draw(hash_function("crc16"), 0, modulo(2), (0,)),)
    ends = only((1,))
    solved, _, _ = Problem(draws, ends, never).between(np.array([1]), np.array([1]))
    assert solved.proof is Proof.PAIRS


def test_a_function_that_is_not_linear_is_tried() -> None:
    draws = [Draw(Linux(1, 5), 0, threshold(3, (1, 2, 1)), (member,)) for member in (0, 2)]
    h = packet(4, SOURCE, TO)
    free = free_bits(draws[:1], 4, 0, 0)
    for draw in draws:
        found = solve([draw], h, free)
        assert found.header is not None
        assert draw.holds(found.header)[0]
    assert solve(draws, h, free).proof is Proof.VALUES
    assert for_all_headers(draws, 4, roce=True).proof is Proof.SAME
