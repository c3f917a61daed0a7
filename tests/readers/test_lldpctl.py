import json
from typing import Any

import pytest

from pauseproof.readers.lldpctl import matches, read
from texts import cuts_that_pass, refusal, source_of


def neighbour(device: str, kind: str, port: str, descr: str = "") -> dict[str, Any]:
    identity = {"id": {"type": "mac", "value": "0c:42:a1:00:00:09"}, "descr": "Linux", "capability": {"type": "Bridge"}}
    chassis = {device: identity} if device else identity
    return {"via": "LLDP", "chassis": chassis, "port": {"id": {"type": kind, "value": port}, "descr": descr, "ttl": "120"}}


SEEN = [
    ("swp1", neighbour("spine1", "ifname", "swp4", "to leaf1")),
    ("swp2", neighbour("server1", "mac", "0c:42:a1:00:00:01", "enp1s0")),
    ("swp2", neighbour("server2", "mac", "0c:42:a1:00:00:02")),
    ("swp3", neighbour("", "local", "7", "port 7")),
]
EXPECTED = [
    ("swp1", "spine1", "swp4"),
    ("swp2", "server1", "enp1s0"),
    ("swp2", "server2", "0c:42:a1:00:00:02"),
    ("swp3", "0c:42:a1:00:00:09", "7"),
]


def as_json0(interface: str, seen: dict[str, Any]) -> dict[str, Any]:
    name = next((key for key in seen["chassis"] if key not in ("id", "descr", "capability")), "")
    identity = seen["chassis"][name] if name else seen["chassis"]
    chassis = {"id": [identity["id"]], **({"name": [{"value": name}]} if name else {}), "descr": [{"value": "Linux"}]}
    port = {"id": [seen["port"]["id"]], "descr": [{"value": seen["port"]["descr"]}]}
    return {"name": interface, "via": "LLDP", "chassis": [chassis], "port": [port]}


def ends(text: str) -> list[tuple[str, str, str]]:
    found = read(source_of(text, "leaf1.lldp.json"))
    assert set(found.a_device) <= {"leaf1"} and not found.declared and not found.whole
    return list(zip(found.a_port, found.b_device, found.b_port, strict=True))


def test_json_with_a_list_of_interfaces() -> None:
    text = json.dumps({"lldp": {"interface": [{name: seen} for name, seen in SEEN]}}, indent=1)
    assert matches(text.encode()) and ends(text) == EXPECTED
    lines = read(source_of(text)).line.tolist()
    assert [text.split("\n")[line - 1].strip() for line in lines] == [f'"{name}": {{' for name, _ in SEEN]


def test_json_with_one_interface_has_no_list() -> None:
    text = json.dumps({"lldp": {"interface": dict(SEEN[:1])}})
    assert ends(text) == EXPECTED[:1]


def test_json0_is_all_lists() -> None:
    text = json.dumps({"lldp": [{"interface": [as_json0(*one) for one in SEEN]}]}, indent=1)
    assert matches(text.encode()) and ends(text) == EXPECTED


@pytest.mark.parametrize("text", ['{"lldp": {}}', '{"lldp": [{}]}', '{"lldp": {"interface": []}}', '{"lldp": []}'])
def test_no_neighbours_are_no_error(text: str) -> None:
    assert ends(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"lldp": {}, "x": 1}', '1: expected {"lldp": {"interface": ...}}'),
        ('{"lldp": {"interface":\n{"swp1": {}}}}', "2: the neighbour at swp1 has no chassis or no port id"),
        ('{"lldp": {"interface":\n{"swp1": 7}}}', "2: the neighbour at swp1 has no chassis or no port id"),
        ('{"lldp": {"interface":\n[{"name": "swp1"}]}}', "2: the neighbour at swp1 has no chassis or no port id"),
        (json.dumps({"lldp": {"interface": {"": SEEN[0][1]}}}), "1: no port at the first end of a cable"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    assert refusal(read, text)[0].startswith(said)


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, json.dumps({"lldp": {"interface": dict(SEEN[:1])}})) == []
