import json

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.roce_records import SysctlRecords
from pauseproof.routing.hash_facts import facts_read, in_tier
from pauseproof.routing.native import load_native
from roce_by_hand import declared
from small_clos import clos
from sonic_texts import config, configs


def test_statements_keep_their_names_and_places() -> None:
    tables = {"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["SRC_IP", "DST_IP"]}}, "SWITCH_TABLE": {"switch": {"lag_hash@": "x"}}}
    read = configs(config("leaf1", {}, **tables))
    found = facts_read(
        read, [SysctlRecords("s", "leaf1", {"net.ipv4.fib_multipath_hash_seed": 7}, {"net.ipv4.fib_multipath_hash_seed": 3})]
    )
    said = {name: value.text for name, value in found["leaf1"].items()}
    assert said == {
        "DEVICE_METADATA.hostname": "leaf1",
        "DEVICE_METADATA.type": "ToRRouter",
        "SWITCH_HASH.ecmp_hash": "SRC_IP,DST_IP",
        "SWITCH_TABLE.lag_hash": "x",
        "net.ipv4.fib_multipath_hash_seed": "7",
    }
    assert str(found["leaf1"]["net.ipv4.fib_multipath_hash_seed"].place) == "s:3"


def test_a_contradiction_is_kept() -> None:
    one, other = (configs(config("leaf1", {}, SWITCH_TABLE={"switch": {"ecmp_hash_seed": seed}})) for seed in ("1", "2"))
    said = facts_read([*one, *other, *one], [])["leaf1"]["SWITCH_TABLE.ecmp_hash_seed"]
    assert said.text == "1" and said.also is not None


def test_roles_and_switches_of_the_section_are_looked_up() -> None:
    text = """\
    hashing: {seed: 1, source-port: 49152, switches: {leaf1: {seed: 2}, "leaf*": {seed: 3}}}
    roles:
      a: {match: "leaf*", hashing: {seed: 4}}
      b: {match: leaf1, hashing: {seed: 5}}
    """
    network = clos(declarations=declared(text.replace("\n    ", "\n").strip()))
    seeds = {
        network.fabric.node_name[s]: [line.ecmp.values["seed"] for line in facts.declared]
        for s, facts in enumerate(network.hashes.switches)
    }
    assert seeds == {"leaf1": [3, 2, 5, 4], "leaf2": [3, 4], "spine1": [], "spine2": []}
    assert network.hashes.every.ecmp.values == {"seed": 1} and network.hashes.sport == 49152
    assert network.hashes.spoken_of and not clos().hashes.spoken_of


@pytest.mark.parametrize("text", ["hashing: {switches: {laef1: {seed: 1}}}", "roles: {a: {match: laef1, hashing: {seed: 1}}}"])
def test_words_that_mean_no_switch_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="no switch is called 'laef1'; did you mean 'leaf1'"):
        clos(declarations=declared(text))


def test_a_role_for_hashes_alone_says_nothing_of_classes() -> None:
    text = "lossless: [3]\ntraffic: {data: 26}\n"
    without = clos(declarations=declared(text))
    network = clos(declarations=declared(text + "roles: {a: {match: leaf1, hashing: {seed: 4}}}\n"))
    assert network.lanes.lane_names == without.lanes.lane_names and network.assumptions == without.assumptions
    assert json.dumps(network.lanes.step.tolist()) == json.dumps(without.lanes.step.tolist())
    assert clos(declarations=declared("roles: {a: {match: leaf1, hashing: {seed: 4}}}")).assumptions == clos().assumptions


def test_tiers_are_those_of_the_topology(tmp_path: object) -> None:
    import pathlib

    path = pathlib.Path(str(tmp_path)) / "t.yaml"
    base = "leaf-spine: {leaves: 2, spines: 2}\nhashing: {tiers: {TIER: {offset: 3}}, switches: {leaf0: {seed: 1}}}\n"
    path.write_text(base.replace("TIER", "1"))
    facts = load_native(path).hashes.switches
    assert [[line.ecmp.values for line in one.declared] for one in facts] == [
        [{"seed": 1}],
        [],
        [{"offset": 3}],
        [{"offset": 3}],
    ]
    path.write_text(base.replace("TIER", "2"))
    with pytest.raises(BadInput, match=r"t.yaml:2:\d+: no switch is in tier 2; there are \[0, 1\]"):
        load_native(path)
    assert in_tier(None, 0) == []
