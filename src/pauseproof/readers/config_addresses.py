"""The addresses of a SONiC device's interfaces: keys ``interface|address/length`` of the interface tables."""

import ipaddress

import numpy as np

from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import AddressRecords, ConfigDb

TABLES = ("INTERFACE", "PORTCHANNEL_INTERFACE", "VLAN_INTERFACE", "VLAN_SUB_INTERFACE", "LOOPBACK_INTERFACE")
_LOW = (1 << 64) - 1


def addresses_of(config: ConfigDb, problems: Problems) -> AddressRecords | None:
    """The addresses with the VRF of their interface (``default`` where none is given); None where there are none."""
    rows = []
    for table in TABLES:
        for key in config.tables.get(table, {}):
            interface, bar, text = key.partition("|")
            if bar:
                vrf = config.tables[table].get(interface, {}).get("vrf_name", "default")
                rows.append((interface, text, vrf, config.lines[table, key]))
    found = [(name, _address(text, line, problems), vrf, line) for name, text, vrf, line in rows]
    known = [(name, address, vrf, line) for name, address, vrf, line in found if address is not None]
    if not known:
        return None
    numbers = [int(address) for _, address, _, _ in known]
    return AddressRecords(
        config.file,
        config.device,
        interface=[name for name, *_ in known],
        family=np.array([address.version for _, address, _, _ in known], np.uint8),
        high=np.array([number >> 64 for number in numbers], np.uint64),
        low=np.array([number & _LOW for number in numbers], np.uint64),
        length=np.array([address.network.prefixlen for _, address, _, _ in known], np.uint8),
        line=np.array([line for *_, line in known], np.int32),
        vrf=[vrf for _, _, vrf, _ in known],
    )


def _address(text: str, line: int, problems: Problems) -> ipaddress.IPv4Interface | ipaddress.IPv6Interface | None:
    try:
        return ipaddress.ip_interface(text)
    except ValueError:
        problems.add(line, f"{text!r} is no address of an interface; expected one as 10.0.0.1/31")
        return None
