"""Rank and matrix of the linear functions: known answers, and every value by enumeration."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import headers, packets, some_fields, words32
from pauseproof.hashing import crc
from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.gf2 import Form, basis, form, free_bits, rank
from pauseproof.hashing.headers import FIVE_TUPLE, halves, roce

SPORT = free_bits({"sport": 0x3FFF})
FIXED = roce(4, halves("10.0.1.1")[1], halves("10.0.2.1")[1], 0xC000)


@pytest.mark.parametrize(
    ("name", "expected"), [("crc16", 14), ("ccitt", 14), ("crc32lo", 14), ("crc32hi", 14), ("xor16", 14), ("crc16-xor8", 13)]
)
def test_rank_over_the_source_port(name: str, expected: int) -> None:
    assert form(hash_function(name), FIXED, SPORT).rank == expected


def test_combinations_of_two_tiers() -> None:
    """SONiC's role defaults: the same polynomial at every tier, seeds 0, 10, 25 and offsets 0, 10, 0."""
    free = free_bits({"sport": 0x3FFF, "sip_low": 0xFFFFFF, "dip_low": 0xFFFFFF})
    tor, leaf, spine = (
        form(hash_function("crc16", seed=seed, offset=offset), FIXED, free) for seed, offset in ((0, 0), (10, 10), (25, 0))
    )

    def combinations(*tiers: tuple[Form, int]) -> int:
        return rank([f.rows[i] for f, width in tiers for i in range(width)])

    assert combinations((tor, 3), (leaf, 3)) == 6
    assert combinations((tor, 6), (leaf, 6)) == 12
    assert combinations((tor, 7), (leaf, 7)) == 13  # rotation by ten wraps round
    assert combinations((tor, 3), (spine, 3)) == 3  # fully correlated
    other = form(hash_function("ccitt"), FIXED, free)
    assert combinations((tor, 4), (form(hash_function("crc16", seed=99), FIXED, free), 4)) == 4
    assert combinations((tor, 4), (other, 4)) == 8


@settings(max_examples=40, deadline=None)
@given(
    *(packets(), st.sampled_from(sorted(crc.FUNCTIONS)), some_fields, words32, st.integers(0, 15)),
    *(st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, (1 << 24) - 1)),
)
def test_a_form_is_the_function(
    packet: reference.Packet, name: str, fields: tuple[str, ...], seed: int, offset: int, sport: int, sip: int, x: int
) -> None:
    free = free_bits({"sport": sport, "sip_low": sip})
    x &= (1 << len(free)) - 1
    made = form(hash_function(name, fields, seed=seed, offset=offset), headers([packet]), free)
    moved_sport, moved_sip = packet.sport & ~sport, packet.sip & ~sip
    for j, (column, bit) in enumerate(free):
        moved_sport |= (x >> j & 1) << bit if column == "sport" else 0
        moved_sip |= (x >> j & 1) << bit if column == "sip_low" else 0
    moved = packet._replace(sport=moved_sport, sip=moved_sip)
    assert made.value(x) == reference.rtag7(moved, name, fields, seed, offset)


@given(st.lists(st.integers(0, 0x3F), max_size=7))
def test_rank_is_how_many_sums_there_are(rows: list[int]) -> None:
    sums = {0}
    for row in rows:
        sums |= {s ^ row for s in sums}
    assert len(sums) == 1 << rank(rows)
    assert all(row.bit_length() - 1 == top for top, row in basis(rows).items())


def test_what_is_not_linear_has_no_form() -> None:
    for function in (hash_function("jenkins-lo"), hash_function("crc16", FIVE_TUPLE, symmetric=True)):
        with pytest.raises(ValueError, match="not linear"):
            form(function, FIXED, SPORT)
