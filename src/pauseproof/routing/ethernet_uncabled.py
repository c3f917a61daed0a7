"""What lies behind ports that routes lead out of and no input cables: one switch that nothing was read of.

Nobody knows where such a cable ends, perhaps at another such port. So all of them are taken to lead to one switch without a
table: a packet that gets there may come back by any of them, and no verdict of freedom rests on its being dropped.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from pauseproof.readers.roce_records import CableRecords
from pauseproof.routing.ethernet_devices import Device
from pauseproof.routing.ethernet_hosts import Cabled, Port, led_out_of

NAME = "(uncabled)"


def stand_in(devices: Mapping[str, Device], cabled: Cabled) -> str:
    """The name of that switch, which no device has.

    >>> stand_in({}, Cabled({}, {}))
    '(uncabled)'
    """
    name, taken = NAME, devices.keys() | cabled.devices
    while name in taken:
        name += "'"
    return name


def stand_in_cables(devices: Mapping[str, Device], cabled: Cabled, hosts: Collection[Port]) -> list[CableRecords]:
    """The cables to it, a record for each device; ports with a host of their own have none."""
    name = stand_in(devices, cabled)
    loose: dict[str, list[str]] = {}
    for device, interface in led_out_of(devices, cabled):
        ports = [port for port in device.interfaces.ports(interface) if (device.name, port) not in hosts]
        loose.setdefault(device.name, []).extend(ports)
    return [_record(devices[device], tuple(dict.fromkeys(ports)), name) for device, ports in sorted(loose.items()) if ports]


def _record(device: Device, ports: Sequence[str], name: str) -> CableRecords:
    n = len(ports)
    nan = np.full(n, np.nan, np.float32)
    far = [f"{device.name}:{port}" for port in ports]
    zero = np.zeros(n, np.int32)
    return CableRecords(
        device.tables[0].file, "", [device.name] * n, ports, [name] * n, far, nan, nan, zero, {name: "switch"}, declared=False
    )
