"""What an interface of a switch is made of: a port, a bundle of ports (LAG), a VLAN with its member ports, or nothing cabled.

Names tell the kind where no configuration does: ``PortChannel0001``, ``bond0``, ``Vlan1000``, ``lo``, ``eth0``. A
sub-interface (``swp1.100``) is its parent's ports.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pauseproof.readers.roce_records import ConfigDb

_BUNDLE = re.compile(r"(port-?channel|bond|lag|ae|po|team|bundle-ether|peerlink)[\d_.-]*$", re.IGNORECASE)
_VLAN = re.compile(r"(vlan|irb|bvi|svi|br|bridge|br_\w+)[\d_.-]*$", re.IGNORECASE)
_VIRTUAL = re.compile(
    r"(lo(opback)?[\d_.-]*|dummy.*|null.*|vx.*|vtep.*|tun.*|tap.*|gre.*|erspan.*|sit\d+|ip6.*|docker.*|virbr.*|ifb.*|mux.*|vrf.*"
    r"|pimreg.*|cpu|inband.*)$",
    re.IGNORECASE,
)
_NOWHERE = re.compile(r"(lo(opback)?[\d_.-]*|dummy.*|null.*)$", re.IGNORECASE)
_MANAGEMENT = re.compile(r"(eth0|ma\d+(/\d+)*|management\d+(/\d+)*|mgmt[\d_-]*|fxp\d|em0|bmc\d*|usb\d)$", re.IGNORECASE)


@dataclass(frozen=True)
class Interfaces:
    """Of one device: ``bundles`` and ``vlans`` list the member interfaces that configurations or declarations name."""

    bundles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    vlans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def bundled(self) -> frozenset[str]:
        """Ports that are members of a bundle."""
        return frozenset(port for members in self.bundles.values() for port in members)

    def ports(self, interface: str) -> tuple[str, ...]:
        """The ports behind an interface, each once; the interface itself where it has no known members.

        >>> Interfaces({"bond1": ("swp1", "swp2")}, {"vlan9": ("bond1", "swp3")}).ports("vlan9")
        ('swp1', 'swp2', 'swp3')
        >>> Interfaces().ports("swp1.100")
        ('swp1',)
        """
        name = self.known(interface)
        members = self.vlans.get(name) or self.bundles.get(name)
        if not members:
            return (name,)
        return tuple(dict.fromkeys(port for member in members for port in self.ports(member)))

    def known(self, interface: str) -> str:
        """The interface without its sub-interface number, unless that names an interface of its own."""
        if interface in self.bundles or interface in self.vlans or "." not in interface:
            return interface
        parent, _, number = interface.rpartition(".")
        return parent if number.isdigit() and parent else interface

    def is_vlan(self, interface: str) -> bool:
        """A VLAN interface or a bridge: several neighbours may lie behind it."""
        name = self.known(interface)
        return name in self.vlans or (name not in self.bundles and _VLAN.match(name) is not None)

    def is_bundle(self, interface: str) -> bool:
        """A LAG: a flow is hashed to one of its ports."""
        name = self.known(interface)
        return name in self.bundles or (name not in self.vlans and _BUNDLE.match(name) is not None)

    def may_have_hosts(self, interface: str) -> bool:
        """Whether a host can be cabled to it: no loopback, tunnel or management port, and no VLAN without known ports."""
        name = self.known(interface)
        if self.is_vlan(name):
            return bool(self.vlans.get(name))
        return not (_VIRTUAL.match(name) or _MANAGEMENT.match(name))

    def is_inner(self, interface: str) -> bool:
        """Leads into the device itself or over other ports: a tunnel, another VRF, the CPU; but not nowhere, as a loopback."""
        name = self.known(interface)
        virtual = _VIRTUAL.match(name) is not None and _NOWHERE.match(name) is None
        return virtual and not (self.is_vlan(name) or self.is_bundle(name))

    def is_management(self, interface: str) -> bool:
        """A port that data never takes."""
        return _MANAGEMENT.match(self.known(interface)) is not None


def interfaces_of(configs: "tuple[ConfigDb, ...]", declared: "Interfaces | None" = None) -> Interfaces:
    """From the PORTCHANNEL_MEMBER and VLAN_MEMBER tables of a device's configurations, and from what was declared."""
    bundles: dict[str, list[str]] = {}
    vlans: dict[str, list[str]] = {}
    for config in configs:
        for table, found in (("PORTCHANNEL_MEMBER", bundles), ("VLAN_MEMBER", vlans)):
            for key in config.tables.get(table, {}):
                whole, _, member = key.partition("|")
                found.setdefault(whole, []).append(member)
    together = Interfaces(_frozen(bundles), _frozen(vlans))
    if declared is None:
        return together
    return Interfaces({**together.bundles, **declared.bundles}, {**together.vlans, **declared.vlans})


def _frozen(members: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {whole: tuple(dict.fromkeys(parts)) for whole, parts in members.items()}
