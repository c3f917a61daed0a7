import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.readers.declarations import KEYS, matches, read
from pauseproof.readers.declared import Declarations
from texts import refusal, source_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA: dict[str, Any] = json.loads((DOCS / "schema" / "declarations.schema.json").read_text())
EXAMPLES = re.findall(r"```yaml\n(.*?)```", (DOCS / "declarations.md").read_text(), re.S)


def as_json(value: Any) -> Any:
    """Keys are texts, and a key with no value is as good as not there."""
    if isinstance(value, dict):
        return {str(key): as_json(one) for key, one in value.items() if one is not None}
    return [as_json(one) for one in value] if isinstance(value, list) else value


def declared(text: str) -> Declarations:
    return read(source_of(text, "pauseproof.yaml"))


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_the_page_shows_is_read_and_fits_the_schema(text: str) -> None:
    assert matches(text.encode())
    declared(text)
    jsonschema.validate(as_json(yaml.safe_load(text)), SCHEMA)


def test_the_page_and_the_schema_name_every_key() -> None:
    assert set(SCHEMA["properties"]) == set(KEYS)
    shown = set().union(*(yaml.safe_load(text) for text in EXAMPLES))
    assert shown == set(KEYS)


def test_classes_traffic_and_roles() -> None:
    found = declared(EXAMPLES[0])
    assert found.classes.lossless == (3, 4) and found.classes.groups == ((2, 3),)
    assert found.classes.dscp == {**dict.fromkeys(range(24, 32), 3), 32: 4}
    assert found.traffic == {"data": (26,), "ack": (26,), "cnp": (48,), "cts": (26,)}
    (role,) = found.roles
    assert (role.name.text, role.match[0].text, role.classes.lossless, role.classes.dscp) == (
        "storage",
        "storage-*",
        (4,),
        {26: 4},
    )


def test_remaps_match_everything_unless_they_say_otherwise() -> None:
    first, second = declared("remaps: [{dscp: {1: 2}}, {at: [a, b], in: x, dscp: {3: 4}, queue: old}]").remaps
    assert [[word.text for word in words] for words in (first.at, first.into, first.out)] == [["*"], ["*"], ["*"]]
    assert [word.text for word in second.at] == ["a", "b"] and second.queue == "old" and first.queue == "new"
    assert second.place.line == 1 and second.dscp == {3: 4}


def test_a_host_with_addresses_of_its_own_on_each_port_is_told_port_by_port() -> None:
    found = declared(EXAMPLES[2])
    told = [(h.name.text, [f"{e.node}:{e.port}" for e in h.ports], [a.text for a in h.addresses]) for h in found.hosts]
    assert told == [
        ("gpu1", ["leaf1:swp1", "leaf2:swp1"], ["10.0.0.1"]),
        ("gpu2", ["leaf1:swp2"], ["10.0.1.2"]),
        ("gpu2", ["leaf2:swp2"], ["10.0.2.2"]),
    ]
    assert [word.text for word in found.lags["leaf1", "bond1"]] == ["swp1", "swp3"]
    assert [word.text for word in found.vlans["leaf1", "vlan100"]] == ["swp4", "swp5"]


def test_tunnels_and_the_rest() -> None:
    (tunnel,) = declared(EXAMPLES[3]).tunnels
    assert (tunnel.at.text, tunnel.to.text, tunnel.address, tunnel.mode) == ("tor1", "tor2", "10.1.0.2", "pipe")
    assert tunnel.dscp == {3: 2, 4: 6} and [word.text for word in tunnel.standby] == ["192.168.0.7", "192.168.1.0/24"]
    rest = declared(EXAMPLES[5])
    assert (rest.incomplete_arp, rest.ttl, rest.adaptive, rest.vrf) == ("flood", 64, "reselecting", "Vrf-gpu")
    silent = declared("vrf: x")
    assert (silent.incomplete_arp, silent.ttl, silent.adaptive, silent.traffic) == ("", 0, "", {})
    assert silent.classes.silent


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["0: is empty; expected some of " + ", ".join(KEYS)]),
        ("losless: [3]", ["1: unknown key 'losless' in the declarations; did you mean 'lossless'?"]),
        ("lossless: [8]", ["1: a lossless priority must be a whole number from 0 to 7, found '8'"]),
        ("lossless: [3]\nlossless: [4]", ["2: the key 'lossless' is there twice, first in line 1"]),
        ("dscp: {64: 1}", ["1: '64' is no DSCP; expected 0..63, or a range as 24-31"]),
        ("dscp: {31-24: 1}", ["1: '31-24' is no DSCP; expected 0..63, or a range as 24-31"]),
        ("dscp: {24-31: 3,\n 26: 4}", ["2: DSCP 26 is there twice"]),
        ("groups: [[2, 3], [3, 4]]", ["1: a priority is in two groups; each has one priority group"]),
        ("groups: [[]]", ["1: a priority group holds at least one priority"]),
        ("traffic: {ack: 26}", ["1: traffic needs the key 'data'"]),
        ("traffic: {data: 26, akc: 3}", ["1: unknown key 'akc' in traffic; did you mean 'ack'?"]),
        ("roles: {a: {lossless: [3]}}", ["1: the role 'a' needs the key 'match'"]),
        ("remaps: [{at: a}]", ["1: a remap needs the key 'dscp'"]),
        ("remaps: [{dscp: {1: 2}, queue: odl}]", ["1: queue 'odl' is not known; did you mean 'old'?"]),
        ("hosts: [{name: a, ports: swp1}]\nttl: 64", ["1: 'swp1' is no port of a switch; expected DEVICE:PORT"]),
        ("hosts: [{name: a, ports: l:1, addresses: 10.0.0}]\nttl: 64", ["1: '10.0.0' is no IPv4 or IPv6 address"]),
        ("hosts: [{name: a, ports: {l:1: 10.0.0.1}, addresses: 10.0.0.1}]", ["1: 'addresses' are given port by port already"]),
        ("lags: {leaf1: {bond1: []}}", ["1: bond1 of leaf1 is an empty list; expected a name or more"]),
        ("tunnels: [{at: a, to: b, standby: 10.0.0.0/33}]", ["1: '10.0.0.0/33' is no IPv4 or IPv6 address"]),
        ("assume: {incomplete-arp: fload}", ["1: incomplete-arp 'fload' is not known; did you mean 'flood'?"]),
        ("ttl: 0", ["1: ttl must be a whole number from 1 to 255, found '0'"]),
        (
            "ttl: 0\nvrf: [a]",
            ["1: ttl must be a whole number from 1 to 255, found '0'", "2: vrf must be a single value, found a list"],
        ),
        ("roles: [a]", ["1: roles must be a mapping, found a list"]),
        ("- 1", ["1: the declarations must be a mapping, found a list"]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, problems: list[str]) -> None:
    found = refusal(read, text)
    assert found == problems if text else found[0].endswith(problems[0][3:])


def test_topology_files_are_no_declarations() -> None:
    assert not matches(b"name: x\ntopology:\n  nodes: {}\n")
    assert not matches(b"fat-tree: {k: 4}\nrouting: ecmp\n")
    assert not matches(b"hosts: [a]\nswitches: [b]\n")
    assert not matches(b"hosts: {gpu1: [a, b]}\ncollectives: []\n")  # a job


VALUES = st.recursive(
    st.none() | st.integers(-1, 70) | st.sampled_from(["a", "a:b", "10.0.0.1", "flood", "*", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*KEYS, "data", "match", "at", "in", "to", "name", "ports", "24-31", "3"]), inner, max_size=3
        )
    ),
)


@settings(deadline=None)
@example({"lags": {"leaf1": {"bond1": [None]}}})
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=3))
def test_whatever_is_read_fits_the_schema(content: dict[str, Any]) -> None:
    text = yaml.safe_dump(content)
    try:
        declared(text)
    except BadInput as error:
        assert all(problem.place.file == "pauseproof.yaml" for problem in error.problems)
        return
    jsonschema.validate(as_json(content), SCHEMA)
