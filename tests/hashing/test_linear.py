"""Linear hashes by tables: contributions of columns add up to the value."""

import numpy as np
import pytest

from pauseproof.hashing import crc
from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.headers import FIELDS, roce
from pauseproof.hashing.linear import LinearHash, fast
from pauseproof.hashing.linux import Linux


@pytest.mark.parametrize("name", crc.FUNCTIONS)
@pytest.mark.parametrize("family", [4, 6])
def test_per_host_contributions_make_the_values_of_all_pairs(name: str, family: int) -> None:
    rng = np.random.default_rng(7)
    n, top = 40, 1 << 32 if family == 4 else (1 << 64) - 1
    low = rng.integers(0, top, n, np.uint64)
    high = rng.integers(0, 1 << 63, n, np.uint64) if family == 6 else np.zeros(n, np.uint64)
    hosts = roce(family, (high, low), (high, low), 0)
    function = hash_function(name, FIELDS, seed=77, offset=3)
    quick = fast(function, family)
    assert isinstance(quick, LinearHash)
    a = quick.contribution(hosts, ("sip_high", "sip_low"))
    b = quick.contribution(hosts, ("dip_high", "dip_low"))
    rest = quick.contribution(roce(family, (0, 0), (0, 0), 50000), ("proto", "sport", "dport"))
    i, j = (index.ravel() for index in np.indices((n, n)))
    pairs = roce(family, (high[i], low[i]), (high[j], low[j]), 50000)
    assert np.array_equal(a[i] ^ b[j] ^ rest ^ np.uint64(quick.constant), function.value(pairs))
    assert np.array_equal(quick.value(pairs), function.value(pairs))


def test_more_packets_than_are_taken_at_once() -> None:
    sports = np.arange(200_000) % 65536
    h = roce(4, (0, 1), (0, 2), sports)
    assert np.array_equal(fast(hash_function("crc16"), 4).value(h), hash_function("crc16").value(h))


def test_what_is_not_linear_is_computed_in_parts() -> None:
    sports = np.arange(40_000) % 65536
    h = roce(4, (0, 1), (0, 2), sports)
    quick = fast(Linux(1, 5), 4)
    assert np.array_equal(quick.value(h), Linux(1, 5).value(h))
    assert (quick.name, quick.bits, quick.linear) == ("linux-policy-1", 31, False)
    assert quick.fields == Linux(1, 5).fields


def test_the_form_says_what_the_function_says() -> None:
    quick = LinearHash(hash_function("ccitt", ("src-ip",)), 4)
    assert (quick.name, quick.bits, quick.fields, quick.columns) == ("ccitt", 16, ("src-ip",), ("sip_low",))
