"""lookup3 against the answers that its author prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import words32
from pauseproof.hashing.algebra import words
from pauseproof.hashing.jenkins import lookup3

FOUR_SCORE = b"Four score and seven years ago" + bytes(2)


@pytest.mark.parametrize(("seed", "value"), [(0, 0x17770551), (1, 0xCD628161)])
def test_four_score_and_seven_years_ago(seed: int, value: int) -> None:
    m = [int.from_bytes(FOUR_SCORE[i : i + 4], "little") for i in range(0, 32, 4)]
    length_of_text = (seed - 2) % 2**32  # 30 bytes, where hashword counts 32
    assert lookup3([words(w) for w in m], length_of_text) == reference.lookup3(m, length_of_text) == value


@given(st.lists(words32, min_size=1, max_size=9), words32)
def test_it_is_its_reference(m: list[int], seed: int) -> None:
    assert lookup3([words(w) for w in m], seed) == reference.lookup3(m, seed)
