"""Ethernet cabling files and the hosts that a caller found, as one :class:`Fabric`.

Ports have names; their numbers are 1, 2, ... in natural order among all ports of the device that are cabled or that other
files know. A device is a switch where the caller or a cabling file says so, else a host.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.readers.ethernet_cables import Cable, agreed_cables, stated_cables
from pauseproof.readers.ethernet_names import Aliases, End, Names, names_in_use
from pauseproof.readers.natural_order import natural_order
from pauseproof.readers.roce_records import CableRecords

NAN = float("nan")


@dataclass(frozen=True)
class BuiltEthernet:
    """The fabric; ``node`` by device name, ``port`` numbers by (device, port name or alias), as any file writes them."""

    fabric: Fabric
    node: Mapping[str, int]
    port: Mapping[End, int]
    names: Names
    remarks: tuple[Remark, ...] = ()


def ethernet_fabric(
    name: str,
    records: Sequence[CableRecords],
    *,
    switches: Collection[str],
    extra_ports: Mapping[str, Collection[str]],
    hosts: Mapping[End, str] | None = None,
    aliases: Aliases | None = None,
) -> BuiltEthernet:
    """The fabric of all cabling files together. Raises BadInput.

    ``switches`` are the devices with tables or configurations, ``extra_ports`` their ports that no cabling file need know,
    ``hosts`` gives uncabled ports (device, port) the name of the host that is there; a host with several has NICs 0, 1, ...
    """
    names = names_in_use(records, {*switches, *(aliases or {})}, aliases or {})
    stated = stated_cables(records, names)
    devices = {end[0] for cable in stated for end in cable.ends} | {*switches, *extra_ports}
    kinds = _kinds(records, names, switches, devices)
    cables, remarks = agreed_cables(stated, records, {device for device, kind in kinds.items() if kind == NodeKind.SWITCH})
    used = {end[0] for cable in cables for end in cable.ends} | {*extra_ports}
    kinds = {device: kind for device, kind in kinds.items() if kind == NodeKind.SWITCH or device in used}
    cables += _attached(hosts or {}, kinds, records)
    ports = _ports(kinds, cables, extra_ports, names)
    built = _fabric(name, kinds, ports, cables, tuple(record.file for record in records))
    node = {device: i for i, device in enumerate(built.node_name)}
    node |= {written: node[device] for written, device in names.devices.items() if device in node}
    return BuiltEthernet(built, node, _numbers(ports, names), names, tuple(remarks))


def _kinds(
    records: Sequence[CableRecords], names: Names, switches: Collection[str], devices: Collection[str]
) -> dict[str, NodeKind]:
    """What each device is, in the order of names."""
    says_switch = {names.device(device) for one in records for device, role in one.roles.items() if role == "switch"}
    tabled = frozenset(switches)
    return {
        device: NodeKind.SWITCH if device in tabled or device in says_switch else NodeKind.HOST for device in sorted(devices)
    }


def _attached(hosts: Mapping[End, str], kinds: dict[str, NodeKind], records: Sequence[CableRecords]) -> list[Cable]:
    """A cable to each host that the caller found; its name joins ``kinds``."""
    nics: dict[str, int] = defaultdict(int)
    out = []
    for end in sorted(hosts, key=lambda one: (one[0], natural_order(one[1]))):
        host = hosts[end]
        if kinds.setdefault(host, NodeKind.HOST) == NodeKind.SWITCH:
            file = records[0].file if records else "-"
            raise BadInput.at(Place(file), f"the host {host!r} at port {end[1]} of {end[0]!r} has the name of a switch")
        nic = (host, f"nic{nics[host]}")
        nics[host] += 1
        out.append(Cable((min(nic, end), max(nic, end)), []))
    return out


def _ports(
    kinds: Mapping[str, NodeKind], cables: Sequence[Cable], extra: Mapping[str, Collection[str]], names: Names
) -> dict[str, list[str]]:
    """The ports of each device in natural order; number 0 is the device itself."""
    found: dict[str, set[str]] = {device: set() for device in kinds}
    for cable in cables:
        for device, port in cable.ends:
            found.setdefault(device, set()).add(port)
    for device, more in extra.items():
        found[device].update(names.end(device, port)[1] for port in more)
    return {device: ["", *sorted(ports, key=natural_order)] for device, ports in found.items()}


def _numbers(ports: Mapping[str, Sequence[str]], names: Names) -> dict[End, int]:
    number = {(device, port): p for device, some in ports.items() for p, port in enumerate(some) if p}
    aliased = [(names.device(device), alias, port) for device, some in names.ports.items() for alias, port in some.items()]
    for device, alias, port in aliased:
        if (device, port) in number:
            number.setdefault((device, alias), number[device, port])
    for written, device in names.devices.items():
        number |= {(written, port): number[device, port] for port in ports.get(device, ())[1:]}
    return number


def _fabric(
    name: str,
    kinds: Mapping[str, NodeKind],
    ports: Mapping[str, Sequence[str]],
    cables: Sequence[Cable],
    files: tuple[str, ...],
) -> Fabric:
    devices = sorted(ports)
    node = {device: i for i, device in enumerate(devices)}
    number = {(device, port): p for device, some in ports.items() for p, port in enumerate(some)}
    rows = [
        (node[a[0]], number[a], node[b[0]], number[b], *(cable.said[0][:2] if cable.said else (-1, 0)))
        for cable in cables
        for a, b in [cable.ends]
    ]
    table = np.array(rows, np.int32).reshape(-1, 6)
    speed = [max((one.speed for one in cable.said if one.speed == one.speed), default=NAN) for cable in cables]
    length = [max((one.length for one in cable.said if one.length == one.length), default=NAN) for cable in cables]
    nodes = Nodes(
        devices,
        np.zeros(len(devices), np.uint64),
        np.array([kinds.get(device, NodeKind.HOST) for device in devices], np.uint8),
        np.array([len(ports[device]) - 1 for device in devices], np.int32),
        port_names={i: ports[device] for i, device in enumerate(devices)},
    )
    a, a_port, b, b_port = (np.ascontiguousarray(table[:, i]) for i in range(4))
    stated = Cables(
        *(a, a_port, b, b_port),
        place=np.ascontiguousarray(table[:, 4:]),
        speed=np.array(speed, np.float32),
        length=np.array(length, np.float32),
    )
    return make_fabric(name, "roce", nodes, stated, files)
