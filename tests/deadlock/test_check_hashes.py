from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashed_by_hand import Tiny
from pauseproof.deadlock.check_hashes import Ask, any_header, differ, free_bits, none_makes
from pauseproof.hashing.addresses import HostAddress
from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.headers import roce
from pauseproof.hashing.linux import Linux
from pauseproof.hashing.selection import buckets, modulo

SOURCE, TO = 0x0A000100, 0x0A000200
FREE = [("sip_low", 0), ("sip_low", 1), ("dip_low", 0), ("sport", 0), ("sport", 1)]


@st.composite
def tiny_asks(draw: st.DrawFn) -> list[Ask]:
    random = Random(draw(st.integers(0, 10**6)))
    tables = [tuple(random.getrandbits(8) for _ in range(random.choice((8, 8, 256)))) for _ in range(2)]
    out = []
    for _ in range(random.randint(1, 5)):
        n = random.choice((2, 3, 4, 5, 8))
        selection = random.choice(
            (modulo(n), modulo(n, range(1, n + 1)), buckets([i % n for i in range(n + 3)], n, value_bits=16))
        )
        wanted = tuple(sorted(random.sample(range(n), random.choice((1, 1, 1, 2)))))
        out.append(Ask(Tiny(random.choice(tables), random.getrandbits(3)), 0, selection, wanted))
    return out


@settings(deadline=None)
@given(tiny_asks())
def test_no_header_makes_them_where_trying_all_finds_none(asks: list[Ask]) -> None:
    every = [roce(4, (0, SOURCE + s), (0, TO + d), 0xC000 + p) for s in range(4) for d in range(2) for p in range(4)]
    made = [all(ask.selection.member(ask.function.value(h))[0] in ask.wanted for ask in asks) for h in every]
    assert none_makes(asks, any_header(4, -1, (0, SOURCE), (0, TO)), FREE) is (not any(made))
    assert not (differ(asks) and any(made))


def test_members_that_differ_only_all_together() -> None:
    """No two of the three exclude each other."""
    function, pick = hash_function("crc16", ("src-ip",)), modulo(3)
    asks = [Ask(function, 0, pick, wanted) for wanted in ((0, 1), (1, 2), (0, 2))]
    assert differ(asks) and not any(differ(asks[:i] + asks[i + 1 :]) for i in range(3))


@pytest.mark.parametrize(("free", "sure"), [(4, True), (9, False)])
def test_of_more_headers_than_can_be_tried_nothing_is_said(free: int, sure: bool) -> None:
    """Two selections that exclude each other, by a hash that is not linear: found by trying, as far as that goes."""
    asks = [Ask(Linux(1, 0), 0, modulo(2), (0,)), Ask(Linux(1, 0), 0, modulo(4), (1,))]
    a, to = HostAddress(4, 0, SOURCE, free, ()), HostAddress(4, 0, TO, 0, ())
    assert none_makes(asks, any_header(4, -1, (0, SOURCE), (0, TO)), free_bits(asks, 4, -1, a, to)) is sure
    assert not differ(asks)
