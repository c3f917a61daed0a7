import json
from typing import Any

import pytest

from pauseproof.readers.linux_addresses import matches, read
from pauseproof.readers.source import open_source
from route_facts import addresses
from route_files import LINUX_ADDRESSES, LINUX_NEXTHOPS, LINUX_ROUTES
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of

GLOBAL = {"family": "inet", "local": "10.0.0.1", "prefixlen": 31, "scope": "global"}


def interface(name: str, *found: Any, **more: Any) -> dict[str, Any]:
    return {"ifindex": 1, "ifname": name, "flags": ["UP"], "addr_info": list(found), **more}


def told(*interfaces: Any) -> list[str]:
    return addresses(read(source_of(json.dumps(interfaces))))


def test_a_small_dump() -> None:
    record = read(source_of(LINUX_ADDRESSES, "leaf2.ip_j_addr.json"))
    assert record.device == "leaf2"
    assert addresses(record) == ["lo 10.0.0.12/32", "swp1 10.1.1.4/31", "swp1 fe80::5/64"]
    assert record.line.tolist() == [3, 5, 6]


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, LINUX_ADDRESSES) == [len(LINUX_ADDRESSES) - 1]


def test_interfaces_without_addresses_and_empty_ones() -> None:
    assert told({}, interface("e1"), {"ifindex": 3, "ifname": "e2"}) == []


@pytest.mark.parametrize(
    "vrf",
    [
        interface("red", flags=["NOARP", "MASTER", "UP"]),
        interface("red", linkinfo={"info_kind": "vrf", "info_data": {"table": 1001}}),
    ],
)
def test_the_vrf_of_an_interface_is_its_master(vrf: dict[str, Any]) -> None:
    assert told(vrf, interface("e1", GLOBAL, master="red")) == ["e1 10.0.0.1/31 in red"]


def test_a_bond_or_bridge_is_no_vrf() -> None:
    bond = interface("bond0", flags=["BROADCAST", "MULTICAST", "MASTER", "UP"])
    bridge = interface("br0", linkinfo={"info_kind": "bridge"}, flags=["MASTER", "NOARP"])
    for master in (bond, bridge):
        assert told(master, interface("e1", GLOBAL, master=master["ifname"])) == ["e1 10.0.0.1/31"]


def test_a_master_that_is_not_in_the_file_is_a_vrf_where_the_port_says_so() -> None:
    assert told(interface("e1", GLOBAL, master="red", linkinfo={"info_slave_kind": "vrf"})) == ["e1 10.0.0.1/31 in red"]
    assert told(interface("e1", GLOBAL, master="red")) == ["e1 10.0.0.1/31"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (interface("e", {**GLOBAL, "local": "10.0.0.256"}), "e: '10.0.0.256' is no IP address"),
        (interface("e", {**GLOBAL, "local": None}), "e: 'None' is no IP address"),
        (interface("e", {**GLOBAL, "prefixlen": 33}), "e: 33 is no length of an IPv4 prefix"),
        (interface("e", {**GLOBAL, "prefixlen": "31"}), "e: '31' is no length of an IPv4 prefix"),
        (interface("e", {**GLOBAL, "family": "inet6"}), "10.0.0.1 is not of family inet6"),
        (interface("e", 7), "e has 7 as an address"),
        ({"ifindex": 3, "addr_info": []}, "is no interface"),
        (7, "is no interface"),
    ],
)
def test_bad_interfaces(bad: Any, said: str) -> None:
    (problem,) = refusal(read, f"[{json.dumps(interface('lo'))},\n{json.dumps(bad)}]")
    assert problem.startswith("2: ") and said in problem


@pytest.mark.parametrize("text", [LINUX_ROUTES, LINUX_NEXTHOPS, "[]", '[{"ifindex":1,"ifname":"lo","flags":[]}]'])
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())


def test_a_real_dump() -> None:
    record = read(open_source(shared_case("frr/clos4x2_distinct_as/healthy/leaf2.ip_j_addr.json")))
    found = [row for row in addresses(record) if "fe80" not in row]
    assert found == ["lo 10.0.0.12/32", "swp1 10.1.1.4/31", "swp2 10.1.2.4/31", "swp31 10.10.2.1/24"]
