"""The hashes of whole fabrics: from dumps, configurations and declarations to decisions."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pauseproof.hashing.headers import halves, roce
from pauseproof.hashing.paths import follow
from pauseproof.hashing.settings import DEALT_BY_WEIGHT, FILLED, MODELLED, SONIC_ORDER, TOO_HEAVY, hashes_of
from pauseproof.readers.roce_records import ConfigDb
from pauseproof.routing.groups import Grouping, Member, plain
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network
from roce_by_hand import Said, declared
from small_clos import LEAF_SPINE, clos, link_words


def up(network: Network, switch: str) -> tuple[int, tuple[int, ...]]:
    """A leaf, and its group of links to spines."""
    fabric = network.fabric
    s = list(fabric.node_name).index(switch)
    return s, tuple(l for l in range(fabric.n_links) if fabric.link_src[l] == s and fabric.link_dst[l] < fabric.n_switches)


def test_a_known_answer_by_a_whole_fabric() -> None:
    """roce.md 4.2: CRC16 of 10.0.1.1, 10.0.2.1, 17, 49152, 4791 with seed 0 is 0xa3cf: odd, so the second next hop."""
    network = clos(declarations=declared("hashing: {algorithm: crc16, seed: 0}"))
    hashes = hashes_of(network)
    s, links = up(network, "leaf1")
    decision = hashes.decision(s, links)
    (_, source), (_, sink) = halves("10.0.1.1"), halves("10.0.2.1")
    h = roce(4, source, sink, [49152])
    assert [link_words(network, link) for link in decision.links(h).tolist()] == ["leaf1>spine2"]
    assert hashes.decision(s, links) is decision and list(hashes.groups(s)) == [decision]
    assert [one.name for one in network.fabric.switches() if any(hashes.groups(one.id))] == [
        "leaf1",
        "leaf2",
    ]


def test_sonic_switches_by_their_types() -> None:
    read = [
        ConfigDb(
            f"{name}.json", name, {"DEVICE_METADATA": {"localhost": {"type": kind}}}, {("DEVICE_METADATA", "localhost"): 3}
        )
        for name, kind in (("leaf1", "ToRRouter"), ("spine1", "LeafRouter"))
    ]
    hashes = hashes_of(clos(configs=read))
    told = [(hashes.ecmp(s).algorithm, hashes.ecmp(s).seed, hashes.lag(s).offset) for s in range(4)]
    assert told == [("crc16", 0, 0), ("", None, 0), ("crc16", 10, 10), ("", None, 0)]
    assert SONIC_ORDER in hashes.assumptions and MODELLED in hashes.assumptions
    assert "by default: seed 10, SONiC's default for type LeafRouter (spine1)" in hashes.assumptions
    assert "by default: algorithm CRC, the default of SAI (leaf1, spine1)" in hashes.assumptions
    assert len(set(hashes.assumptions)) == len(hashes.assumptions) and set(hashes.counting) < set(hashes.assumptions)


def test_bundles_are_a_second_stage() -> None:
    cabled = (*LEAF_SPINE, "leaf1:swp3 spine1:swp3")
    lags = "lags: {leaf1: {bond1: [swp1, swp3]}, spine1: {bond9: [swp1, swp3]}}"
    text = f"hashing: {{algorithm: crc16, lag: {{algorithm: xor16}}}}\n{lags}"
    rows: dict[str, Said | None] = {"10.1.1.2/31": "bond1", "10.10.2.0/24": ["10.1.1.3 bond1", "10.1.2.3 swp2"]}
    spine: dict[str, Said | None] = {"10.1.1.2/31": "bond9", "10.10.1.0/24": ["10.1.1.2 bond9"]}
    network = clos({"leaf1": rows, "spine1": spine}, cabled, declarations=declared(text))
    hashes = hashes_of(network)
    s, links = up(network, "leaf1")
    decision = hashes.decision(s, links)
    assert [stage.name for stage in decision.stages] == ["ecmp", "lag"] and decision.shares == (0.25, 0.25, 0.5)
    spine1 = list(network.fabric.node_name).index("spine1")
    (at_spine,) = hashes.groups(spine1)
    assert at_spine.ecmp is None and [stage.setting.algorithm for stage in at_spine.stages] == ["xor16"]


def test_a_bond_of_a_server_is_a_group_of_its_switch() -> None:
    text = "hashing: {lag: {algorithm: xor16}}\nlags: {leaf1: {bond1: [swp31, swp32]}}"
    network = clos({"leaf1": {"10.10.1.0/24": "bond1"}}, declarations=declared(text))
    bonds = [d for d in hashes_of(network).groups(0) if d.ecmp is None]
    assert [len(d.group) for d in bonds] == [2] and bonds[0].known


@pytest.mark.parametrize("routing", ["ecmp", "{engine: updown, roots: [spine0]}", "minimal-adaptive"])
def test_groups_are_those_that_the_tables_list(tmp_path: Path, routing: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(
        f"leaf-spine: {{leaves: 3, spines: 3, hosts: 2, cables: 2}}\nrouting: {routing}\nwithout: [[leaf0, spine1]]\n"
    )
    network = load_native(path)
    hashes = hashes_of(network)
    for s in range(network.fabric.n_switches):
        routes = [network.routes.route(s, d) for d in range(len(network.destinations))]
        listed = {route.links for route in routes if len(route.links) > 1 and route.kind.name in ("HASHED", "ADAPTIVE")}
        assert [decision.group for decision in hashes.groups(s)] == sorted(listed)


def test_parallel_cables_are_next_hops_or_bundles(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    text = "leaf-spine: {leaves: 2, spines: 2, cables: 2}\nhashing: {algorithm: crc16, lag: {algorithm: crc16}}\n"
    told = {}
    for kind in ("ecmp", "bundle"):
        path.write_text(f"{text}parallel-cables: {kind}\n")
        hashes = hashes_of(load_native(path))
        told[kind] = [(s, [len(m.links) for m in d.grouping.members]) for s in range(4) for d in hashes.groups(s)]
    leaves, spines = [0, 1], [2, 3]
    assert told["ecmp"] == [(s, [1, 1, 1, 1]) for s in leaves] + [(s, [1, 1]) for s in spines for _ in leaves]
    assert told["bundle"] == [(s, [2, 2]) for s in leaves] + [(s, [2]) for s in spines for _ in leaves]
    assert "a hash counts the cables of a bundle in the order of their far ends" in hashes.assumptions


def test_topology_files_by_tier(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(
        "fat-tree: {k: 4}\nhashing: {algorithm: crc16, fields: [l4-src-port], tiers: {1: {offset: 3}, 2: {mode: spray}}}\n"
    )
    network = load_native(path)
    hashes = hashes_of(network)
    offsets = {network.fabric.node_name[s]: hashes.ecmp(s).offset for s in range(network.fabric.n_switches)}
    assert (
        offsets["edge0-0"] == 0
        and offsets["agg0-0"] == 3
        and hashes.ecmp(list(network.fabric.node_name).index("core0")).kind == "spray"
    )
    edge = list(network.fabric.node_name).index("edge0-0")
    (decision,) = hashes.groups(edge)
    taken = decision.links(roce(4, (0, 1), (0, 2), np.arange(0xC000, 0x10000)))
    assert np.bincount(taken)[list(decision.group)].tolist() == [8192, 8192]


def test_two_groups_over_the_same_links_are_two_decisions() -> None:
    heavy: dict[str, Said | None] = {"10.10.2.0/25": ["10.1.1.3 swp1 x3", "10.1.2.3 swp2"]}
    network = clos({"leaf1": heavy}, declarations=declared("hashing: {algorithm: crc16}"))
    hashes = hashes_of(network)
    s, links = up(network, "leaf1")
    even, uneven = hashes.groups(s)
    assert (even.shares, uneven.shares) == ((0.5, 0.5), (0.75, 0.25)) and even.known and uneven.known
    columns = list(network.destinations.names)
    of = [hashes.of_route(s, network.routes.route(s, columns.index(name)), links) for name in ("10.10.2.0/24", "10.10.2.0/25")]
    assert of == [even, uneven]
    assert not hashes.decision(s, links).known and "several groups" in hashes.decision(s, links).unknown[0]
    assert hashes.of_route(s, network.routes.route(s, 0), links[:1]).known


def test_packets_follow_the_group_of_their_own_route() -> None:
    heavy: dict[str, Said | None] = {"10.10.2.0/25": ["10.1.1.3 swp1 x3", "10.1.2.3 swp2"]}
    network = clos({"leaf1": heavy}, declarations=declared("hashing: {algorithm: crc16, fields: [l4-src-port]}"))
    n, columns = 4096, list(network.destinations.names)
    h = roce(4, (0, 1), (0, 2), np.arange(0xC000, 0xC000 + n))
    taken = {}
    for name in ("10.10.2.0/24", "10.10.2.0/25"):
        column = np.full(n, columns.index(name), np.int32)
        found = follow(
            network, hashes_of(network), h, np.zeros(n, np.int32), np.ones(n, np.int32), column, np.zeros(n, np.int32)
        )
        taken[name] = np.unique(found.links[:, 1], return_counts=True)[1].tolist()
    assert taken == {"10.10.2.0/24": [2048, 2048], "10.10.2.0/25": [3072, 1024]}


def test_resilient_groups_are_an_assumption() -> None:
    network = clos()
    s, links = up(network, "leaf1")
    bucketed = replace(network, groups={(s, links): (Grouping(plain(links).members, buckets=32),)})
    assert FILLED in hashes_of(bucketed).assumptions and FILLED not in hashes_of(network).assumptions
    stage = hashes_of(bucketed).decision(s, links).ecmp
    assert stage is not None and stage.selection.kind == "buckets"


@pytest.mark.parametrize(("weights", "known"), [((1 << 15, 1 << 15), True), ((1 << 20, 1), False)])
def test_weights_that_no_table_of_slots_holds(weights: tuple[int, int], known: bool) -> None:
    for algorithm, exact in (("crc16", known), ("linux, policy: 1", True)):
        network = clos(declarations=declared(f"hashing: {{algorithm: {algorithm}, seed: 1}}"))
        s, links = up(network, "leaf1")
        members = tuple(Member((link,), weight) for link, weight in zip(links, weights, strict=True))
        decision = hashes_of(replace(network, groups={(s, links): (Grouping(members),)})).decision(s, links, 0)
        assert decision.known is exact and (exact or decision.unknown == (f"order: {TOO_HEAVY}",))


@pytest.mark.parametrize(("algorithm", "known"), [("crc16", False), ("linux, policy: 1", True)])
def test_buckets_of_a_chip_are_dealt_out_to_equal_members_alone(algorithm: str, known: bool) -> None:
    network = clos(declarations=declared(f"hashing: {{algorithm: {algorithm}, seed: 1, buckets: 8}}"))
    s, links = up(network, "leaf1")
    for weights, exact in (((1, 1), True), ((1, 2), known)):
        members = tuple(Member((link,), weight) for link, weight in zip(links, weights, strict=True))
        decision = hashes_of(replace(network, groups={(s, links): (Grouping(members),)})).decision(s, links, 0)
        assert decision.known is exact and (exact or decision.unknown == (f"order: {DEALT_BY_WEIGHT}",))
