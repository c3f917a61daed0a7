import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.deadlock.realize_bits import (
    Draw,
    bits_of,
    changed,
    eliminate,
    equations,
    free_bits,
    merged,
    null_space,
    packet,
    parity,
    solution,
)
from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.selection import modulo

CRC = hash_function("crc16")
rows_of_bits = st.lists(st.integers(0, 63), max_size=6)


@given(rows_of_bits, st.integers(0, 63), st.integers(0, 63))
def test_equations_are_met_by_the_solution_or_by_nothing(left: list[int], right: int, start: int) -> None:
    found = eliminate(left)
    met = [x for x in range(64) if all(parity(row & x) == right >> i & 1 for i, row in enumerate(left))]
    if any(parity(of & right) for of in found.nothing):
        assert not met
    else:
        x = solution(found, right, start)
        assert x in met
        space = null_space(found, 6)
        assert {x ^ y for y in _sums(space)} == set(met)


def _sums(vectors: list[int]) -> set[int]:
    out = {0}
    for vector in vectors:
        out |= {x ^ vector for x in out}
    return out


@given(rows_of_bits)
def test_what_adds_up_to_nothing_has_nothing_on_the_left(left: list[int]) -> None:
    for of in eliminate(left).nothing:
        assert of
        total = 0
        for i, row in enumerate(left):
            total ^= row if of >> i & 1 else 0
        assert total == 0


def test_one_hash_cannot_select_two_members() -> None:
    a, b = (Draw(CRC, 1, modulo(6), (member,)) for member in (0, 1))
    assert merged([a, b]) is None
    assert merged([a, a]) == (a,)
    assert merged([a, b._replace(function=hash_function("ccitt"))]) is not None


def test_only_columns_that_some_hash_looks_at_are_free() -> None:
    draw = Draw(hash_function("crc16", ("dst-ip", "l4-src-port")), 1, modulo(4), (0,))
    free = free_bits([draw], 4, 8, 2)
    assert {column for column, _ in free} == {"dip_low", "sport"}
    assert (len(free), free[-1]) == (16, ("sport", 13))
    assert len(free_bits([draw], 4, 8, 2, sport=50000)) == 2


def test_equations_hold_for_the_packets_that_select_the_member() -> None:
    draw = Draw(CRC, 1, modulo(8), (5,))
    h = packet(4, (0, 0x0A000101), (0, 0x0A000201))
    free = free_bits([draw], 4, 0, 0)
    asked = equations([draw], h, free)
    every = changed(h, free, [1 << j for j in range(14)], 0)
    met = [all(parity(row & x) == right for row, right in zip(asked.left, asked.right, strict=True)) for x in range(1 << 14)]
    assert draw.holds(every).tolist() == met
    assert len(np.unique(every.sport)) == 1 << 14


def test_free_bits_are_read_back() -> None:
    draw = Draw(CRC, 1, modulo(8), (5,))
    free = free_bits([draw], 4, 3, 3)
    h = changed(packet(4, (0, 7), (0, 1)), free, [], 0b101)
    assert bits_of(h, free) == 0b101
