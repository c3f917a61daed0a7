"""Every modelled function: known answers, and the same values as the bit-by-bit reference, as arrays, fast, and as z3 terms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import headers, packets, some_fields, words32
from pauseproof.hashing import crc
from pauseproof.hashing.algebra import Word
from pauseproof.hashing.algorithms import ALGORITHMS, SAI, hash_function, sai_algorithm
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.headers import constants, halves, roce
from pauseproof.hashing.linear import fast
from pauseproof.hashing.rtag7 import Engine, Rtag7

KNOWN = roce(4, halves("10.0.1.1")[1], halves("10.0.2.1")[1], 49152)


def solved(term: Word) -> int:
    import z3

    return int(z3.simplify(term).as_long())


def all_ways(function: HashFunction, packet: reference.Packet) -> set[int]:
    """The value as an array, by tables, and as a term of either."""
    h = headers([packet])
    quick = fast(function, packet.family)
    terms = [solved(f.value(constants(h))) for f in (function, quick)]
    return {int(function.value(h)[0]), int(quick.value(h)[0]), *terms}


@pytest.mark.parametrize(("name", "value"), [("crc16", 0xA3CF), ("ccitt", 0x72CC), ("crc32lo", 0x23E7)])
def test_known_answers(name: str, value: int) -> None:
    assert hash_function(name).value(KNOWN) == [value]


@pytest.mark.parametrize("name", crc.FUNCTIONS)
@settings(max_examples=15, deadline=None)
@given(packets(), some_fields, words32, st.integers(0, 15), st.booleans(), st.sampled_from(["fold", "low"]))
def test_rtag7_is_its_reference(
    name: str, packet: reference.Packet, fields: tuple[str, ...], seed: int, offset: int, pre: bool, ipv6: str
) -> None:
    function = Rtag7(name, Engine(fields, seed, pre, ipv6), offset)
    assert all_ways(function, packet) == {reference.rtag7(packet, name, fields, seed, offset, pre, ipv6)}


@pytest.mark.parametrize("name", ["jenkins-lo", "jenkins-hi"])
@settings(max_examples=20, deadline=None)
@given(packets(), some_fields, words32, st.integers(0, 15))
def test_jenkins_is_its_reference(name: str, packet: reference.Packet, fields: tuple[str, ...], seed: int, offset: int) -> None:
    m = reference.message(packet, fields, 0)
    words = [int.from_bytes(m[i : i + 4], "little") for i in range(0, 24, 4)]
    whole = reference.lookup3(words, seed)
    expected = reference.rotated(whole % 65536 if name == "jenkins-lo" else whole // 65536, offset)
    assert all_ways(hash_function(name, fields, seed=seed, offset=offset), packet) == {expected}


@settings(max_examples=30, deadline=None)
@given(packets(), st.sampled_from(ALGORITHMS), some_fields)
def test_symmetric_hashes_are_the_same_both_ways(packet: reference.Packet, name: str, fields: tuple[str, ...]) -> None:
    function = hash_function(name, fields, symmetric=True)
    back = packet._replace(sip=packet.dip, dip=packet.sip, sport=packet.dport, dport=packet.sport)
    low, high = sorted((packet.sip, packet.dip))
    ports = sorted((packet.sport, packet.dport))
    ordered = packet._replace(sip=low, dip=high, sport=ports[0], dport=ports[1])
    plain = {int(hash_function(name, fields).value(headers([ordered]))[0])}
    assert all_ways(function, packet) == all_ways(function, back) == plain


def test_overlay_empties_the_low_half_of_the_seed() -> None:
    whole, low = (Rtag7("crc16", Engine(seed=seed, overlay=True)).value(KNOWN) for seed in (0x12340000, 0x1234FFFF))
    assert whole == low


def test_only_a_constant_comes_of_a_seed() -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    addresses = rng.integers(0, 1 << 32, (2, 200), np.uint64)
    h = roce(4, (0, addresses[0]), (0, addresses[1]), rng.integers(0xC000, 0x10000, 200))
    apart = hash_function("crc16", seed=0).value(h) ^ hash_function("crc16", seed=10).value(h)
    assert set(apart.tolist()) == {0xC01B}


def test_names_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="no modelled hash 'md5'; expected one of crc16"):
        hash_function("md5")
    with pytest.raises(ValueError, match="no hash field 'ttl'"):
        hash_function("crc16", ("ttl",))
    for wrong in ({"seed": 1 << 32}, {"seed": -1}, {"offset": 16}, {"offset": -1}):
        with pytest.raises(ValueError, match="expected 32 bits, and 0 to 15"):
            hash_function("crc16", **wrong)  # type: ignore[arg-type]


def test_sai_names() -> None:
    assert [a.number for a in SAI] == list(range(11))
    assert all(a.stands_for in ALGORITHMS for a in SAI if a.spread == "hash")
    assert all(not a.stands_for for a in SAI if a.spread != "hash")
    for word in ("crc", "SAI_HASH_ALGORITHM_CRC", "0", "CRC"):
        assert sai_algorithm(word) is SAI[0]
    for word in ("crc-32lo", "CRC_32LO", "crc32lo", "3"):
        assert sai_algorithm(word) is SAI[3]
    assert sai_algorithm("sha1") is None
