"""Addresses of hosts against a list of all addresses of their subnets, on small prefixes."""

from ipaddress import IPv4Network, ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.hashing.addresses import addresses_in, host_addresses, main_family
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network
from roce_by_hand import Said, addresses, declared
from small_clos import clos


def told(network: Network, family: int = 4) -> dict[str, str]:
    """``address/free`` by host."""
    book = host_addresses(network, family)
    found = {network.fabric.host(h).name: book.of(h) for h in range(network.fabric.n_hosts)}
    return {name: f"{ip_address(one.number)}/{one.free}" for name, one in found.items() if one is not None}


def test_any_address_of_the_subnet_but_for_those_of_switches() -> None:
    own = addresses("leaf1", "swp31 10.10.1.1/24", "swp1 10.1.1.2/31", "swp2 10.1.2.2/31")
    network = clos(addresses=[own])
    assert told(network) == {"leaf1:swp31": "10.10.1.2/8", "leaf2:swp31": "10.10.2.1/8"}
    found = host_addresses(network).of(0)
    assert found is not None
    assert [tuple(str(ip_address(a)) for a in hole) for hole in found.holes] == [
        ("10.10.1.0", "10.10.1.1"),
        ("10.10.1.255", "10.10.1.255"),
    ]
    assert main_family(network) == 4 and told(network, 6) == {}


def test_declared_addresses_are_known() -> None:
    text = "hosts: [{name: gpu, ports: leaf1:swp31, addresses: [10.10.1.77]}]"
    network = clos(declarations=declared(text))
    assert told(network) == {"gpu": "10.10.1.77/0", "leaf2:swp31": "10.10.2.1/8"}


def test_servers_of_one_subnet_have_addresses_of_their_own() -> None:
    vlans = declared("vlans: {leaf1: {vlan10: [swp31, swp32, swp33]}}")
    network = clos({"leaf1": {"10.10.1.0/24": "vlan10"}}, declarations=vlans)
    assert [told(network)[f"leaf1:swp3{i}"] for i in (1, 2, 3)] == ["10.10.1.1/8", "10.10.1.2/8", "10.10.1.3/8"]


def test_ports_of_a_bond_have_one_address() -> None:
    network = clos({"leaf1": {"10.10.1.0/24": "bond1"}}, declarations=declared("lags: {leaf1: {bond1: [swp31, swp32]}}"))
    book = host_addresses(network)
    bond = [h for h in range(network.fabric.n_hosts) if network.fabric.host(h).name == "leaf1:bond1"]
    assert len(bond) == 2 and len({book.of(h) for h in bond}) == 1


def test_ipv6_alone() -> None:
    changes: dict[str, dict[str, Said | None]] = {
        "leaf1": {"10.10.1.0/24": None, "10.10.2.0/24": None, "2001:db8:1::/64": "swp31", "2001:db8:2::/64": ["fe80::1 swp1"]},
        "leaf2": {"10.10.1.0/24": None, "10.10.2.0/24": None, "2001:db8:2::/64": "swp31", "2001:db8:1::/64": ["fe80::1 swp1"]},
        "spine1": {"2001:db8:1::/64": ["fe80::1 swp1"], "2001:db8:2::/64": ["fe80::1 swp2"]},
    }
    network = clos(changes)
    assert main_family(network) == 6
    assert told(network, 6) == {"leaf1:swp31": "2001:db8:1::1/64", "leaf2:swp31": "2001:db8:2::1/64"}


@st.composite
def inside(draw: st.DrawFn) -> list[IPv4Network]:
    """Prefixes inside 10.10.1.0/27."""
    out = []
    for _ in range(draw(st.integers(0, 4))):
        length = draw(st.integers(28, 32))
        out.append(IPv4Network((0x0A0A0100 + draw(st.integers(0, 31)), length), strict=False))
    return out


@settings(deadline=None, max_examples=60)
@given(inside(), st.sets(st.integers(0x0A0A0100, 0x0A0A011F), max_size=3), st.integers(1, 6))
def test_the_kth_server_has_the_kth_address_that_is_nobody_elses(longer: list[IPv4Network], own: set[int], n: int) -> None:
    ports = [f"swp{31 + i}" for i in range(n)]
    vlans = declared(f"vlans: {{leaf1: {{vlan10: [{', '.join(ports)}]}}}}")
    rows: dict[str, Said | None] = {"10.10.1.0/24": None, "10.10.1.0/27": "vlan10"}
    rows |= {str(network): "drop" for network in longer}
    interfaces = [f"swp1 {ip_address(number)}/32" for number in sorted(own)]
    network = clos({"leaf1": rows}, declarations=vlans, addresses=[addresses("spine1", *interfaces)] if interfaces else [])
    whole = ip_network("10.10.1.0/27")
    free = [
        a for a in whole if a not in (whole[0], whole[-1]) and int(a) not in own and not any(a in network for network in longer)
    ]
    if not free:
        return
    found = told(network)
    assert [found[f"leaf1:{port}"] for port in ports] == [f"{free[i % len(free)]}/5" for i in range(n)]
    book = host_addresses(network)
    one = book.of(list(found).index("leaf1:swp31")) if "leaf1:swp31" in found else None
    assert one is not None
    open_ones = [a for a in whole if not any(first <= int(a) <= last for first, last in one.holes)]
    assert open_ones == free


def test_topology_files_by_the_rule(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("leaf-spine: {leaves: 2, spines: 1, hosts: 2}\naddresses: {leaf1-h1: 10.0.0.2, leaf1-h0: '2001:db8::1'}\n")
    network = load_native(path)
    assert told(network) == {"leaf0-h0": "10.0.0.1/0", "leaf0-h1": "10.0.0.3/0", "leaf1-h1": "10.0.0.2/0"}
    assert told(network, 6) == {"leaf1-h0": "2001:db8::1/0"} and main_family(network) == 4
    members = addresses_in(network, 0)
    assert {ip_address(one.number).compressed for one in members.values()} <= {"10.0.0.1", "10.0.0.3"}


def test_large_switches_need_larger_blocks(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("leaf-spine: {leaves: 2, spines: 1, hosts: 300}\n")
    assert told(load_native(path))["leaf1-h000"] == "10.0.2.1/0"


def test_too_many_hosts_for_the_rule_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("leaf-spine: {leaves: 8, spines: 1, hosts: 2}\n")
    network = load_native(path)
    monkeypatch.setattr("pauseproof.hashing.addresses.ROOM_BITS", 5)
    assert told(network)["leaf7-h1"] == "10.0.0.30/0"
    monkeypatch.setattr("pauseproof.hashing.addresses.ROOM_BITS", 4)
    with pytest.raises(BadInput, match=r"16 hosts on 8 switches have no room in 10\.0\.0\.0/8"):
        host_addresses(network)
