"""What interfaces are made of, and what their names tell."""

import numpy as np
import pytest

from pauseproof.readers.roce_records import ConfigDb
from pauseproof.routing.interfaces import Interfaces, interfaces_of

CONFIG = ConfigDb(
    "leaf1.json",
    "leaf1",
    {
        "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}, "PortChannel1|Ethernet4": {}},
        "VLAN_MEMBER": {"Vlan9|PortChannel1": {}, "Vlan9|Ethernet8": {}},
    },
    {},
)


def test_members_come_from_configurations() -> None:
    found = interfaces_of((CONFIG,))
    assert found.ports("PortChannel1") == ("Ethernet0", "Ethernet4")
    assert found.ports("Vlan9") == ("Ethernet0", "Ethernet4", "Ethernet8")
    assert found.ports("Ethernet8") == ("Ethernet8",)


def test_declared_members_replace_configured_ones() -> None:
    found = interfaces_of((CONFIG,), Interfaces({"PortChannel1": ("Ethernet0",)}, {"br0": ("Ethernet12",)}))
    assert found.ports("Vlan9") == ("Ethernet0", "Ethernet8")
    assert found.ports("br0") == ("Ethernet12",)


@pytest.mark.parametrize(
    ("name", "known"),
    [("swp1.100", "swp1"), ("swp1", "swp1"), ("ethernet-1/1.0", "ethernet-1/1"), ("a.b", "a.b"), (".5", ".5")],
)
def test_sub_interfaces_are_their_parent_s(name: str, known: str) -> None:
    assert Interfaces().known(name) == known


def test_a_sub_interface_with_members_of_its_own_is_itself() -> None:
    assert Interfaces({}, {"br0.7": ("swp1",)}).ports("br0.7") == ("swp1",)


@pytest.mark.parametrize(
    "name", ["lo", "lo0", "Loopback0", "eth0", "mgmt0", "Management1", "vxlan10", "docker0", "tun0", "Vlan10", "br0"]
)
def test_hosts_are_not_cabled_to(name: str) -> None:
    assert not Interfaces().may_have_hosts(name)


@pytest.mark.parametrize(
    "name", ["swp31", "Ethernet0", "eth1", "Eth1/1", "et-0/0/1", "ethernet-1/3", "bond7", "PortChannel12", "swp3.9", "lag1"]
)
def test_hosts_may_be_cabled_to(name: str) -> None:
    assert Interfaces().may_have_hosts(name)


def test_a_vlan_with_ports_may_have_hosts() -> None:
    assert Interfaces({}, {"Vlan10": ("Ethernet0",)}).may_have_hosts("Vlan10")


@pytest.mark.parametrize(("name", "vlan", "bundle"), [("Vlan10", True, False), ("bond0", False, True), ("swp1", False, False)])
def test_kinds_by_name(name: str, vlan: bool, bundle: bool) -> None:
    assert (Interfaces().is_vlan(name), Interfaces().is_bundle(name)) == (vlan, bundle)


def test_what_is_configured_counts_before_the_name() -> None:
    assert Interfaces({"Vlan10": ("swp1",)}).is_bundle("Vlan10")
    assert Interfaces({}, {"bond0": ("swp1",)}).is_vlan("bond0")
    assert not Interfaces({}, {"bond0": ("swp1",)}).is_bundle("bond0")
    assert np.all([Interfaces().is_management(name) for name in ("eth0", "mgmt0")])
