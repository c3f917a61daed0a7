"""Members by value: each way against a loop that does what its description says."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.hashing.algebra import words
from pauseproof.hashing.selection import Selection, buckets, filled_buckets, modulo, threshold

weights = st.lists(st.integers(1, 256), min_size=1, max_size=9)
values = st.integers(0, (1 << 31) - 1)


def kernel_member(value: int, w: list[int]) -> int:
    """The first next hop whose upper bound is not below the value."""
    so_far = 0
    for member, weight in enumerate(w):
        so_far += weight
        bound = int(Fraction(so_far << 31, sum(w)) + Fraction(1, 2)) - 1  # to the nearest, as DIV_ROUND_CLOSEST_ULL
        if value <= bound:
            return member
    raise AssertionError


def bits_of(value: int, bits: tuple[int, ...]) -> int:
    return sum((value >> bit & 1) << i for i, bit in enumerate(bits))


def both(selection: Selection, value: int) -> int:
    """The member, as an array and as a term."""
    import z3

    (member,) = selection.member(words(value)).tolist()
    assert z3.simplify(selection.member(z3.BitVecVal(value, 64))).as_long() == member
    return int(member)


@settings(deadline=None)
@given(weights, values)
def test_threshold_is_the_kernels_loop(w: list[int], value: int) -> None:
    selection = threshold(len(w), w)
    for edge in (value, 0, (1 << 31) - 1, *selection.bounds, *(min(b + 1, (1 << 31) - 1) for b in selection.bounds)):
        assert both(selection, edge) == kernel_member(edge, w)
    assert sum(selection.shares) == pytest.approx(1)


@settings(deadline=None)
@given(weights, values)
def test_modulo_counts_slots(w: list[int], value: int) -> None:
    selection = modulo(len(w), w)
    slots = [member for member, weight in enumerate(w) for _ in range(weight)]
    assert both(selection, value) == slots[(value & 0xFFFF) % len(slots)]


def test_a_modulo_of_fewer_bits() -> None:
    selection = modulo(6, value_bits=10)
    assert both(selection, 0xFFFF) == 1023 % 6
    counted = [sum(v % 6 == m for v in range(1024)) / 1024 for m in range(6)]
    assert selection.shares == tuple(counted)


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), values)
def test_buckets_keep_their_member(table: list[int], value: int) -> None:
    selection = buckets(table, 5)
    assert both(selection, value) == table[value % len(table)]


@given(st.integers(1, 64), weights)
def test_a_new_group_fills_its_buckets_in_order(count: int, w: list[int]) -> None:
    table = filled_buckets(count, len(w), w)
    assert len(table) == count
    assert list(table) == sorted(table, reverse=True)
    for member, weight in enumerate(w):
        assert abs(table.count(member) - Fraction(count * weight, sum(w))) <= 1


@settings(deadline=None)
@given(st.sampled_from([modulo, threshold]), st.integers(0, 4), st.integers(1, 3), values)
def test_index_bits_are_the_member(make: object, width: int, weight: int, value: int) -> None:
    selection: Selection = make(1 << width, [weight] * (1 << width))  # type: ignore[operator]
    bits = selection.index_bits
    assert (bits is None) == (make is modulo and weight == 3)
    if bits is not None:
        assert selection.index_flip ^ bits_of(value, bits) == both(selection, value)


@given(st.integers(0, 3), st.integers(0, 3), values)
def test_index_bits_of_buckets(width: int, more: int, value: int) -> None:
    n = 1 << width
    filled = filled_buckets(n << more, n)
    for table in (filled, filled[::-1], tuple(i % n for i in range(n << more))):
        selection = buckets(table, n)
        assert selection.index_bits is not None
        assert selection.index_flip ^ bits_of(value, selection.index_bits) == table[value % len(table)]
    assert buckets((0, 1, 1, 0), 2).index_bits is None


def test_no_selection_of_bits() -> None:
    assert [s.index_bits for s in (modulo(6), threshold(3), threshold(2, (1, 2)), modulo(2, (3, 1)))] == [None] * 4


@pytest.mark.parametrize("wrong", [(0, ()), (2, (1,)), (2, (1, 0))])
def test_refused(wrong: tuple[int, tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="expected a positive weight each"):
        threshold(*wrong)
    with pytest.raises(ValueError, match="members outside"):
        buckets((0, 2), 2)
