"""Every entry of the catalogue: its ``expected:`` is what the naive walker finds, its text what the schema allows.

Beside the walker, which reads our own tables, some counts are held to formulas that know nothing of tables.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from pauseproof.fabric.generators import GENERATORS
from pauseproof.routing.engines import ENGINES
from pauseproof.routing.native import load_native
from routing.truth import truth

ROOT = Path(__file__).parents[2]
CATALOGUE = {path.stem: path for path in sorted((ROOT / "topologies").glob("*.yaml"))}
LARGE = {"fat-tree-k8-offsets", "fat-tree-k8-polarized"}  # the walker would take long; formulas and certificates tell the same
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "schema" / "topology.schema.json").read_text())


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(CATALOGUE[name].read_text())["expected"]
    return found


def in_full(told: dict[str, Any]) -> dict[str, Any]:
    told = {"unknown_pairs": 0, **told, "cyclic_components": tuple(told["cyclic_components"])}
    told.pop("with_switches", None)
    return told


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name not in LARGE])
def test_the_walker_finds_what_is_expected(name: str) -> None:
    network, told = load_native(CATALOGUE[name]), expected(name)
    assert truth(network) == in_full(told)
    assert ("hosts+switches" in network.traffics) == ("with_switches" in told)
    if "with_switches" in told:
        assert truth(network, "hosts+switches") == in_full(told["with_switches"])


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_schema_allows_it(name: str) -> None:
    jsonschema.validate(yaml.safe_load(CATALOGUE[name].read_text()), SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        "ring: {switches: 5}\nhots: 1",
        "ring: {switches: 5, seed: 1}",
        "ring: {switches: 5}\nmesh: {size: [2]}",
        "name: x",
        "ring: {}",
        "torus: {size: []}",
        "ring: {switches: 5}\nrouting: ecpm",
        "ring: {switches: 5}\nrouting: {engine: bgp, as: same}",
        "ring: {switches: 5}\nrouting: {engine: bgp, allowas-in: 11}",
        "switches: [a]\ncables: [[a, b, c]]",
        "switches: [a]\nlane-rules: [{at: a}]",
        "switches: [a]\nexpected: {}",
        "ring: {switches: 5}\nhashing: {algoritm: crc}",
        "ring: {switches: 5}\nhashing: {fields: [src-mac]}",
        "ring: {switches: 5}\nhashing: {tiers: {0: {offset: 16}}}",
        "ring: {switches: 5}\naddresses: [s0-h0]",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text), SCHEMA)


def test_the_schema_is_a_schema_and_knows_all_generators_and_engines() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for generator in GENERATORS.values():
        assert set(SCHEMA["properties"][generator.name]["properties"]) == {p.name for p in generator.parameters}
    assert set(SCHEMA["properties"]["routing"]["anyOf"][0]["enum"]) == {"tables", *ENGINES}


def test_the_schema_allows_hashes_and_addresses() -> None:
    hashing = "hashing: {algorithm: crc, seed: 1, lag: {mode: dlb}, source-port: by-qp, tiers: {1: {sonic-type: LeafRouter}}}"
    text = f"ring: {{switches: 5}}\n{hashing}\naddresses: {{s0-h0: 10.0.0.1, 's1*': [10.0.1.1]}}\n"
    told = yaml.safe_load(text)
    told["hashing"]["tiers"] = {str(tier): said for tier, said in told["hashing"]["tiers"].items()}
    jsonschema.validate(told, SCHEMA)


def test_every_generator_and_engine_has_an_entry() -> None:
    told = [yaml.safe_load(path.read_text()) for path in CATALOGUE.values()]
    assert set(GENERATORS) <= {key for entry in told for key in entry}
    engines = [entry.get("routing", "tables") for entry in told]
    assert {e if isinstance(e, str) else e["engine"] for e in engines} == {"tables", *ENGINES}


@pytest.mark.parametrize(("name", "half"), [("fat-tree-k4", 2), *((name, 4) for name in sorted(LARGE))])
def test_a_fat_tree_counts_as_its_tiers_say(name: str, half: int) -> None:
    told = expected(name)
    hosts = edge_links = core_links = 2 * half**3  # of each tier, one direction
    up = hosts * (half - 1 + half) + edge_links * (half - 1 + half) + core_links * (2 * half - 1)
    down = core_links * half + edge_links * half
    assert told["dependencies"] == up + down
    assert told["buffers"] == 2 * (hosts + edge_links + core_links)
    assert told["pairs"] == hosts * (hosts - 1)
    assert (told["verdict"], told["cyclic_components"], told["switches"]) == ("DEADLOCK_FREE", [], 5 * half**2)


def test_a_ring_counts_as_its_ways_round() -> None:
    told, n = expected("ring5"), 5
    assert told["dependencies"] == 2 * (n + n + n)  # host to link, link to link, link to host, both ways round
    assert told["buffers"] == 4 * n
    assert told["cyclic_components"] == [n, n]


def test_the_broken_clos_counts_as_the_routers_did() -> None:
    """Measured on real routers with the same cabling; a bounce lane leaves 18 buffers between switches."""
    whole, broken = expected("clos4x2"), expected("clos4x2-two-failures")
    assert (whole["buffers"], whole["dependencies"]) == (24, 40)
    assert (broken["buffers"], broken["dependencies"], broken["cyclic_components"]) == (20, 28, [4, 4])
    assert expected("clos4x2-two-failures-bounce-lane")["buffers"] == 18 + 4 + 6  # hosts send on one lane; two receive on both


def test_bgp_counts_as_the_routers_did() -> None:
    """Measured on real routers: an AS for each spine with relax; one AS for both; a priority raised at each bounce."""
    assert expected("clos4x2-bgp") == expected("clos4x2")
    broken = expected("clos4x2-two-failures")
    assert expected("clos4x2-bgp-two-failures") == expected("clos4x2-bgp-two-failures-allowas-in") == broken
    parted = expected("clos4x2-bgp-two-failures-one-spine-as")
    assert (parted["unroutable_pairs"], parted["cyclic_components"]) == (2, [])  # leaf1 to leaf3 and back
    raised = expected("clos4x2-bgp-two-failures-dscp")
    assert raised == expected("clos4x2-two-failures-bounce-lane")


def test_the_document_shows_the_rules_of_the_entry() -> None:
    text = (ROOT / "docs" / "native-format.md").read_text()
    entry = CATALOGUE["clos4x2-bgp-two-failures-dscp"].read_text()
    assert entry[entry.index("lanes:") : entry.index("expected:")] in text


def test_dimension_order_on_a_mesh_counts_turns_as_coordinates_allow() -> None:
    n = 4
    straight = 2 * n * 2 * (n - 2)  # both dimensions, n lines, both ways, n - 2 middles
    turns = (2 * (n - 1)) ** 2  # of every line of the first dimension each link, into each link of the second there
    hosts = 2 * (2 * 2 * n * (n - 1))  # a host's link to every link of its switch, and back
    assert expected("mesh4x4-dimension-order")["dependencies"] == straight + turns + hosts
