import pytest

from pauseproof.readers.linux_hops import Unusable, gateway, is_dead, next_hop
from pauseproof.readers.roce_records import NextHop


def test_all_forms() -> None:
    assert next_hop({"gateway": "10.0.0.1", "dev": "e1"}) == NextHop("10.0.0.1", "e1")
    assert next_hop({"via": {"family": "inet6", "host": "fe80::1"}, "dev": "e1", "weight": 7}) == NextHop("fe80::1", "e1", 7)
    assert next_hop({"gateway": "10.0.0.1"}) == NextHop("10.0.0.1", "")
    assert next_hop({"dev": "e1"}) == NextHop("", "e1")
    assert next_hop({"dev": "t", "encap": "ip6", "dst": "2001:db8::1"}) == NextHop("", "t", 1, "2001:db8::1")


def test_dead_interfaces() -> None:
    assert is_dead({"flags": ["dead", "linkdown"]})
    assert not is_dead({"flags": ["linkdown"]}) and not is_dead({})
    for bad in (None, "dead", [7]):
        with pytest.raises(Unusable, match="expected a list of words"):
            is_dead({"flags": bad})


def test_a_gateway_that_is_none() -> None:
    assert gateway({"dev": "e1"}) == ""
    bads: list[dict[str, object]] = [{"gateway": 7}, {"gateway": "e1"}, {"via": {}}, {"via": 7}]
    for bad in bads:
        with pytest.raises(Unusable):
            gateway(bad)


def test_a_tunnel_without_an_end() -> None:
    with pytest.raises(Unusable, match="encapsulation 'ip' is not modelled"):
        next_hop({"dev": "t", "encap": "ip"})
