"""Node kinds of containerlab: what they are, and what their ports are called inside.

Source: the pages on kinds in the documentation of containerlab.
"""

import re
from collections.abc import Callable

PSEUDO_NODES = ("host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy")
BRIDGES = ("bridge", "ovs-bridge")

_SR_LINUX = ("srl", "nokia_srlinux")
_EOS = ("ceos", "arista_ceos")
_SONIC = ("sonic-vs", "sonic-vm", "sonic-vpp")
_IOS_XR = ("xrd", "cisco_xrd")
SWITCHES = (
    *_SR_LINUX,
    *_EOS,
    *_SONIC,
    *_IOS_XR,
    *("vr-veos", "arista_veos", "vr-vmx", "juniper_vmx", "vr-vqfx", "juniper_vqfx", "vr-vjunosswitch"),
    *("juniper_vjunosswitch", "juniper_vjunosevolved", "crpd", "juniper_crpd", "vr-n9kv", "cisco_n9kv", "vr-sros"),
    *("nokia_sros", "nokia_srsim", "cvx", "cumulus_cvx", "dell_sonic", "vr-ftosv", "dell_ftosv", "rare", "6wind_vsr"),
)


def _sr_linux(port: str) -> str:
    found = re.fullmatch(r"e([0-9]{1,2})-([0-9]{1,3})(?:-([0-9]{1,2}))?", port)
    return "ethernet-" + "/".join(part for part in found.groups() if part) if found else port


def _eos(port: str) -> str:
    found = re.fullmatch(r"et(?:h)?([0-9]{1,3}(?:_[0-9]{1,3}){0,2})", port)
    return "Ethernet" + found[1].replace("_", "/") if found else port


def _sonic(port: str) -> str:
    found = re.fullmatch(r"eth([0-9]{1,3})", port)
    return f"Ethernet{4 * (int(found[1]) - 1)}" if found and int(found[1]) else port


def _ios_xr(port: str) -> str:
    found = re.fullmatch(r"Gi([0-9]{1,3}(?:-[0-9]{1,3}){3})", port)
    return "GigabitEthernet" + found[1].replace("-", "/") if found else port


_NAMES: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(_SR_LINUX, _sr_linux),
    **dict.fromkeys(_EOS, _eos),
    **dict.fromkeys(_SONIC, _sonic),
    **dict.fromkeys(_IOS_XR, _ios_xr),
}


def name_inside(kind: str, port: str) -> str:
    """What a node of this kind calls the port itself; the same name where that is not known.

    >>> name_inside("nokia_srlinux", "e1-1"), name_inside("ceos", "eth1_2"), name_inside("linux", "swp1")
    ('ethernet-1/1', 'Ethernet1/2', 'swp1')
    """
    return _NAMES[kind](port) if kind in _NAMES else port
