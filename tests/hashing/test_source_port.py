"""Source ports: known answers, the sum of small steps in Python's own integers, arrays and terms alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashing.test_algorithms import solved
from pauseproof.hashing.algebra import words
from pauseproof.hashing.source_port import (
    flow_label_of_qps,
    sport,
    sport_of_flow_label,
    sport_of_qps,
)

qpns = st.integers(0, (1 << 24) - 1)


def term(n: int) -> object:
    import z3

    return z3.BitVecVal(n, 64)


@pytest.mark.parametrize(("l", "r", "label", "port"), [(0x11, 0x22, 0x242, 49730), (0x2A5, 0x31B, 0x83667, 63047)])
def test_known_answers(l: int, r: int, label: int, port: int) -> None:
    assert flow_label_of_qps(words(l), words(r)) == [label]
    assert sport_of_qps(words(l), words(r)) == [port]


def test_a_known_flow_label() -> None:
    assert sport_of_flow_label(words(0x12345)) == [58177]


@given(qpns, qpns)
def test_queue_pairs(l: int, r: int) -> None:
    product = l * r
    folded = product ^ product // 2**20
    label = (folded ^ folded // 2**40) % 2**20
    assert flow_label_of_qps(words(l), words(r)) == [label]
    assert flow_label_of_qps(words(r), words(l)) == [label]
    assert solved(flow_label_of_qps(term(l), term(r))) == label
    port = 0xC000 + (label % 2**14 ^ label // 2**14)
    assert sport_of_qps(words(l), words(r)) == [port]
    assert solved(sport_of_qps(term(l), term(r))) == port
    assert sport(words(0), words(l), words(r)) == [port]


@given(st.integers(1, (1 << 20) - 1), qpns)
def test_a_flow_label_goes_first(label: int, l: int) -> None:
    assert sport(words(label), words(l), words(l)) == sport_of_flow_label(words(label))
    assert solved(sport(term(label), term(l), term(l))) == 0xC000 + (label % 2**14 ^ label // 2**14)
