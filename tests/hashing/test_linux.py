"""Linux's hash against the reference; tests/software/test_linux.py holds it against a kernel."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import headers, packets, words32
from hashing.test_algorithms import solved
from pauseproof.hashing.headers import constants
from pauseproof.hashing.linux import Linux


@settings(max_examples=80, deadline=None)
@given(packets(), st.integers(0, 3), words32, st.integers(0, 0xFFF))
def test_it_is_its_reference(packet: reference.Packet, policy: int, seed: int, mask: int) -> None:
    function, h = Linux(policy, seed, mask), headers([packet])
    expected = reference.linux(packet, policy, seed, mask)
    assert function.value(h) == [expected]
    assert solved(function.value(constants(h))) == expected
    assert expected < 1 << function.bits


def test_fields() -> None:
    assert Linux(0, 1).fields == ("src-ip", "dst-ip", "proto", "flow-label")
    assert Linux(1, 1).fields[-1] == "l4-dst-port"
    assert Linux(3, 1, 0x11).fields == ("src-ip", "l4-src-port")
    assert Linux(3, 1).fields == ("src-ip", "dst-ip", "proto")
