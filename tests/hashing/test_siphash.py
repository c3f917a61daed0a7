"""SipHash-2-4 against the vectors published with it: key 00..0f, messages 00, 00 01, 00 01 02, ..."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashing import reference
from pauseproof.hashing.algebra import words
from pauseproof.hashing.siphash import siphash

KEY = bytes(range(16))
VECTORS = {
    0: "310e0edd47db6f72",
    1: "fd67dc93c539f874",
    2: "5a4fa9d909806c0d",
    3: "2d7efbd796666785",
    7: "37d1018bf50002ab",
    8: "6224939a79f5f593",
    15: "e545be4961ca29a1",
}


def ours(data: bytes, key: bytes) -> int:
    whole = len(data) // 8 * 8
    m = [words(int.from_bytes(data[i : i + 8], "little")) for i in range(0, whole, 8)]
    halves = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    return int(siphash(m, len(data), halves, words(int.from_bytes(data[whole:], "little")))[0])


@pytest.mark.parametrize("length", VECTORS)
def test_published_vectors(length: int) -> None:
    expected = int.from_bytes(bytes.fromhex(VECTORS[length]), "little")
    assert ours(bytes(range(length)), KEY) == reference.siphash(bytes(range(length)), KEY) == expected


@given(st.binary(max_size=80), st.binary(min_size=16, max_size=16))
def test_it_is_its_reference(data: bytes, key: bytes) -> None:
    assert ours(data, key) == reference.siphash(data, key)
