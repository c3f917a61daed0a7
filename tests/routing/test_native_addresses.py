from ipaddress import ip_address
from pathlib import Path

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.routing.host_prefixes import HostAddresses
from pauseproof.routing.native import load_native

RING = "ring: {switches: 3, hosts: 2}\n"


def given(folder: Path, text: str) -> dict[str, str]:
    path = folder / "t.yaml"
    path.write_text(text)
    network = load_native(path)
    assert isinstance(network.addresses, HostAddresses)
    fabric = network.fabric
    return {fabric.host(h).name: str(ip_address(number)) for h, (_, number) in network.addresses.given.items()}


def test_addresses_and_subnets(tmp_path: Path) -> None:
    found = given(tmp_path, RING + 'addresses: {"s*": 10.0.0.0/24, s1-h0: 10.9.9.9, "s2-h?": "2001:db8::/64"}')
    assert found == {
        **{"s0-h0": "10.0.0.1", "s0-h1": "10.0.0.2", "s1-h0": "10.9.9.9", "s1-h1": "10.0.0.4"},
        **{"s2-h0": "2001:db8::1", "s2-h1": "2001:db8::2"},
    }


def test_a_host_with_several_ports_has_as_many(tmp_path: Path) -> None:
    text = "switches: {a: , b: }\nhosts: {h: {ports: 2}, g: }\ncables: [[a, b], [a, h], [b, h], [a, g]]\n"
    path = tmp_path / "t.yaml"
    path.write_text(text + "addresses: {h: [10.0.0.1, 10.0.1.1]}")
    addresses = load_native(path).addresses
    assert isinstance(addresses, HostAddresses) and sorted(n for _, n in addresses.given.values()) == [0x0A000001, 0x0A000101]
    path.write_text(text + "addresses: {h: 10.0.0.1}")
    with pytest.raises(BadInput, match="1 addresses for 2 ports; expected one for each, or a subnet"):
        load_native(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("addresses: {s9-h0: 10.0.0.1}", "no host is called 's9-h0'"),
        ("addresses: {s0: 10.0.0.1}", "no host is called 's0'"),
        ("addresses: {'s*': 10.0.0.0/30}", "10.0.0.0/30 has room for 2 hosts, and 6 are meant"),
        ("addresses: {s0-h0: 10.0.0.1, s0-h1: 10.0.0.1}", "s0-h0 and s0-h1 have the same address"),
        ("addresses: {'s0-h*': [10.0.0.0/30, 10.0.0.4]}", "a subnet in a list; expected addresses, one for each port"),
        ("kind: infiniband\naddresses: {s0-h0: 10.0.0.1}", "addresses are for kind roce"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        given(tmp_path, RING + text)
