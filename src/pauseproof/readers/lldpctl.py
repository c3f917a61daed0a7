"""``lldpctl -f json`` and ``-f json0``: the neighbours of one device. The device is the file name up to the first dot.

    {"lldp": {"interface": {"swp1": {"chassis": {"spine1": {...}}, "port": {"id": {"type": "ifname", "value": "swp4"}}}}}}

``json`` names interfaces and neighbours by keys and drops lists of one; ``json0`` writes everything as a list of objects. A
port id that is no interface's name names no port: then the description is the port, if there is one. A neighbour without a
name goes by the id of its chassis.

Source: the manual page lldpcli(8).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.device_name import device_of
from pauseproof.readers.json_lines import JsonFile, Step, key_paths, parse
from pauseproof.readers.json_steps import list_in, object_in, text_in
from pauseproof.readers.lldp_table import port_and_device
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source

NAME = "lldpctl"
FIELDS = ("id", "name", "descr", "mgmt-ip", "mgmt-iface", "capability")  # of a chassis that has no name


class _Seen(NamedTuple):
    """One neighbour at one interface."""

    interface: str
    value: Any
    line: int


def matches(head: bytes) -> bool:
    """Whether the file begins with the one key ``lldp``.

    >>> matches(b'{"lldp": {"interface":'), matches(b'{"lldp": [{"interface":')
    (True, True)
    """
    return key_paths(head)[:1] == (("lldp",),)


def read(source: Source) -> CableRecords:
    """The neighbours. Raises BadInput."""
    found, rows = parse(source), CableRows(source.path, NAME)
    me = device_of(source.path)
    if not isinstance(found.value, dict) or list(found.value) != ["lldp"]:
        rows.problems.add(1, 'expected {"lldp": {"interface": ...}}')
    for seen in _interfaces(found):
        chassis, port = (
            object_in(_one(object_in(seen.value).get("chassis"))),
            object_in(_one(object_in(seen.value).get("port"))),
        )
        identity, kind = _value(port.get("id")), text_in(object_in(_one(port.get("id"))).get("type"))
        device = _device(chassis)
        if not device or not identity:
            rows.problems.add(seen.line, f"the neighbour at {seen.interface or '?'} has no chassis or no port id")
            continue
        is_name = kind in ("ifname", "local", "ifalias", "")
        _, name = port_and_device(identity, _value(port.get("descr")), device, id_is_mac=None if is_name else True)
        rows.add(seen.line, (me, seen.interface), (device, name))
    return rows.records(declared=False, whole=False, may_be_empty=True)


def _one(value: Any) -> Any:
    """The value, or the first of a list."""
    return (value or [None])[0] if isinstance(value, list) else value


def _value(value: Any) -> str:
    """Of ``"x"``, ``{"value": "x"}``, or a list that begins with one of them."""
    one = _one(value)
    return text_in(one.get("value")) if isinstance(one, dict) else text_in(one)


def _device(chassis: dict[str, Any]) -> str:
    """The name of a neighbour, else the id of its chassis."""
    if name := _value(chassis.get("name")):
        return name
    names = [key for key, value in chassis.items() if key not in FIELDS and isinstance(value, dict)]
    return names[0] if len(names) == 1 else _value(chassis.get("id"))


def _interfaces(found: JsonFile) -> Iterator[_Seen]:
    lldp = object_in(found.value).get("lldp")
    path: tuple[Step, ...] = ("lldp", 0) if isinstance(lldp, list) else ("lldp",)
    interface = object_in(_one(lldp)).get("interface")
    for step, one in enumerate(list_in(interface)) if isinstance(interface, list) else [("", interface)]:
        here = (*path, "interface") if step == "" else (*path, "interface", step)
        if isinstance(one, dict) and "name" in one:
            yield _Seen(text_in(one["name"]), one, found.line_of(*here))
            continue
        for name, value in object_in(one).items():
            for neighbour in value if isinstance(value, list) else [value]:
                yield _Seen(name, neighbour, found.line_of(*here, name))
