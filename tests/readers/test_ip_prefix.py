from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.ip_prefix import parse_address, parse_masked, parse_prefix, parse_prefix_or_host

NETWORKS = st.builds(lambda bits, n: IPv4Network((bits, n), strict=False), st.integers(0, 2**32 - 1), st.integers(0, 32))
NETWORKS6 = st.builds(lambda bits, n: IPv6Network((bits, n), strict=False), st.integers(0, 2**128 - 1), st.integers(0, 128))


@given(NETWORKS | NETWORKS6)
def test_prefixes_as_the_standard_library_has_them(network: IPv4Network | IPv6Network) -> None:
    family, high, low, length = parse_prefix(str(network))
    assert (family, high << 64 | low, length) == (network.version, int(network.network_address), network.prefixlen)
    assert high == 0 or family == 6


@given(st.integers(0, 2**32 - 1), st.integers(0, 32))
def test_bits_behind_the_length_are_refused_or_cleared(bits: int, length: int) -> None:
    text = f"{ip_address(bits)}/{length}"
    cleared = parse_prefix(str(ip_network(text, strict=False)))
    assert parse_masked(text) == cleared
    if cleared.low == bits:
        assert parse_prefix(text) == cleared
    else:
        with pytest.raises(ValueError, match="has bits set behind its length"):
            parse_prefix(text)


def test_a_host_route_needs_no_length_where_that_is_usual() -> None:
    assert parse_prefix_or_host("10.0.0.1") == (4, 0, 0x0A000001, 32)
    assert parse_prefix_or_host("2001:db8::1") == (6, 0x20010DB8 << 32, 1, 128)
    with pytest.raises(ValueError, match="with a length"):
        parse_prefix("10.0.0.1")


BAD = ["", "10.0.0", "10.0.0.01/24", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/024", "10.0.0.0/-1", "::/129", "x/8", "fe80::%e0/64"]


@pytest.mark.parametrize("text", [*BAD, "10.0.0.0/24/8", "10.0.0.0/٣", " 10.0.0.0/8", "1.2.3.4.5/8"])
def test_what_is_no_prefix(text: str) -> None:
    for parse in (parse_prefix, parse_prefix_or_host, parse_masked):
        with pytest.raises(ValueError, match=r"prefix|longer"):
            parse(text)


@pytest.mark.parametrize("text", ["", "10.0.0.256", "10.0.0.1/32", "fe80::1%eth0", "::g", "0x0a.0.0.1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="is no IP address"):
        parse_address(text)


def test_what_no_router_forwards() -> None:
    unforwarded = ["224.0.0.0/4", "239.1.1.1/32", "fe80::/64", "fe80::/10", "ff00::/8", "ff02::1/128"]
    forwarded = ["0.0.0.0/0", "::/0", "fe00::/8", "fec0::/10", "223.0.0.0/8", "240.0.0.0/4", "128.0.0.0/1", "8000::/1"]
    assert [text for text in unforwarded + forwarded if parse_prefix(text).is_unforwarded] == unforwarded
