import json
from typing import Any

import pytest

from pauseproof.readers.aft import matches, read
from route_facts import table, tables
from route_files import AFT
from texts import cuts_that_pass, refusal, source_of


def content() -> Any:
    return json.loads(AFT)


def afts(value: Any) -> Any:
    return value["openconfig-network-instance:network-instances"]["network-instance"][0]["afts"]


def changed(*path: Any, to: Any) -> str:
    """The small dump with another value at a path within its ``afts``."""
    whole = content()
    at = afts(whole)
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = to
    return json.dumps(whole)


EXPECTED = {
    "10.10.4.0/24": ("forward", ("10.1.1.5@Ethernet1", "10.1.2.5@Ethernet2")),
    "10.10.2.0/24": ("connected", ("@Ethernet31",)),
}


def test_a_small_dump() -> None:
    (record,) = read(source_of(AFT, "leaf2.json"))
    assert (record.device, record.vrf, record.format) == ("leaf2", "default", "openconfig-aft")
    assert table(record) == EXPECTED
    assert record.line.tolist() == [4, 5]


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, AFT) == [len(AFT) - 1]


def prefixed(value: Any, module: str) -> Any:
    if isinstance(value, dict):
        return {f"{module}:{key.rpartition(':')[2]}": prefixed(inner, module) for key, inner in value.items()}
    return [prefixed(inner, module) for inner in value] if isinstance(value, list) else value


def test_wherever_the_file_begins_and_whatever_the_prefixes() -> None:
    inner = afts(content())
    wholes = [
        inner,
        {"afts": inner},
        {"network-instance": [{"name": "default", "afts": inner}]},
        prefixed(content(), "openconfig-aft"),
    ]
    for whole in wholes:
        text = json.dumps(whole)
        assert matches(text.encode())
        assert tables(read(source_of(text, "s"))) == {("s", "default"): EXPECTED}


def test_numbers_may_be_numbers_and_keys_only_in_state() -> None:
    text = AFT
    for number in "1237":
        text = text.replace(f'"next-hop-group": "{number}"', f'"next-hop-group": {number}').replace(
            f'"id": "{number}"', f'"id": {number}'
        )
    assert tables(read(source_of(text, "s"))) == {("s", "default"): EXPECTED}
    text = AFT.replace('{"id": "7", "state"', '{"state"').replace('{"prefix": "10.10.4.0/24", "state"', '{"state"')
    assert tables(read(source_of(text, "s"))) == {("s", "default"): EXPECTED}


def test_weights_tunnels_drops_and_ipv6() -> None:
    whole = content()
    inner = afts(whole)
    inner["next-hop-groups"]["next-hop-group"][0]["next-hops"]["next-hop"][0]["state"]["weight"] = "64"
    inner["next-hops"]["next-hop"][1]["ip-in-ip"] = {"state": {"src-ip": "10.0.0.1", "dst-ip": "10.9.0.1"}}
    inner["next-hops"]["next-hop"][2]["interface-ref"]["state"]["interface"] = "Null0"
    entry = {"prefix": "2001:db8::/64", "state": {"next-hop-group": "7"}}
    inner["ipv6-unicast"] = {"ipv6-entry": [entry]}
    hops = ("forward", ("10.1.1.5@Ethernet1*64", "10.1.2.5@Ethernet2>10.9.0.1"))
    assert tables(read(source_of(json.dumps(whole), "s")))["s", "default"] == {
        "10.10.4.0/24": hops,
        "10.10.2.0/24": ("discard", ()),
        "2001:db8::/64": hops,
    }


def test_several_network_instances() -> None:
    whole = content()
    instances = whole["openconfig-network-instance:network-instances"]["network-instance"]
    instances.append({"name": "red", "afts": instances[0]["afts"]})
    instances.append({"name": "empty"})
    assert set(tables(read(source_of(json.dumps(whole), "s")))) == {("s", "default"), ("s", "red")}


GROUP, HOPS = ("next-hop-groups", "next-hop-group", 0), ("next-hops", "next-hop")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (changed("ipv4-unicast", "ipv4-entry", 0, "prefix", to="10.0.0.1/24"), "has bits set behind its length"),
        (changed("ipv4-unicast", "ipv4-entry", 0, "state", to={}), "the next-hop group '' is not in this network instance"),
        (changed(*GROUP, "id", to="9"), "the next-hop group '7' is not in this network instance"),
        (changed(*GROUP, *HOPS, 0, "index", to="9"), "the next hop '9' is not in this network instance"),
        (changed(*GROUP, *HOPS, 0, "state", "weight", to="0"), "'0' is no weight of the next hop '1'"),
        (changed(*GROUP, *HOPS, 0, "state", "weight", to="x"), "'x' is no weight of the next hop '1'"),
        (changed(*HOPS, 2, "interface-ref", to={}), "the next hop '3' has neither an address nor an interface"),
        (changed(*HOPS, 0, "state", to={"ip-address": "x"}), "'x' is no IP address"),
        (changed("ipv4-unicast", "ipv4-entry", to={}), "'ipv4-entry' is no list"),
        (changed(*HOPS, to=[7]), "an item of 'next-hop' is no object"),
    ],
)
def test_bad_tables(text: str, said: str) -> None:
    (problem,) = refusal(read, text)
    assert said in problem


def test_a_bad_entry_is_told_with_its_line() -> None:
    text = AFT.replace('"next-hop-group": "8"', '"next-hop-group": "88"')
    assert refusal(read, text)[0].startswith("5: the entry of 10.10.2.0/24: ")


@pytest.mark.parametrize("text", ['{"network-instances": {}}', '{"interfaces": {"interface": []}}', "[]", '{"vrfs": {}}'])
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())
