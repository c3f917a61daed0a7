"""What findings on hash settings say, and of which switches."""

import json
from pathlib import Path

import pauseproof
from findings.test_firing import bundled, configured, declaring, ethernet, written
from pauseproof.findings.report import Finding
from pauseproof.findings.verdict import SPREAD_COMMITS


def found(path: Path) -> list[Finding]:
    (report,) = pauseproof.verify(pauseproof.load(path)).fabrics
    return [finding for finding in report.findings if finding.rule.startswith("PP40")]


def told(path: Path) -> list[str]:
    return [
        f"{one.slug}: {one.message} ({', '.join(f'{p.file.rpartition(chr(47))[2]}:{p.line}' for p in one.where)})"
        for one in found(path)
    ]


def test_nothing_is_said_where_nothing_speaks_of_hashes(tmp_path: Path) -> None:
    assert found(ethernet()(tmp_path)) == []


def test_unknown_settings_are_said_once_for_all_switches_alike(tmp_path: Path) -> None:
    (one,) = found(declaring("hashing: {seed: 1}\n")(tmp_path))
    assert one.message == "how leaf1, leaf2, leaf3 hash over next hops is not known: algorithm: nothing tells it"
    assert one.identity == "hash-unknown/leaf1/ecmp/algorithm"


def test_only_the_configured_switch_is_known(tmp_path: Path) -> None:
    assert told(configured(type="LeafRouter")(tmp_path)) == [
        "hash-unknown: how leaf2, leaf3 hash over next hops is not known: algorithm: nothing tells it ()"
    ]


def test_places_of_settings(tmp_path: Path) -> None:
    text = "hashing:\n  algorithm: crc16\n  fields: [src-ip, dst-ip]\n  source-port: 49152\n"
    assert told(declaring(text)(tmp_path)) == [
        "fixed-source-port: all traffic has the UDP source port 49152: 0 of 14 bits are free, and leaf1, leaf2, leaf3 hash what"
        " two hosts send each other to one path (pauseproof.yaml:4)",
        "hash-without-flow-fields: leaf1, leaf2, leaf3 hash src-ip, dst-ip over next hops: all queue pairs of two hosts"
        " take one path (pauseproof.yaml:3)",
    ]


def test_a_port_that_is_fixed_does_no_harm_where_queue_pairs_are_hashed(tmp_path: Path) -> None:
    assert told(declaring("hashing: {algorithm: crc16, fields: [dest-qp], source-port: 49152}\n")(tmp_path)) == []


def test_bundles(tmp_path: Path) -> None:
    five = "src-ip, dst-ip, proto, l4-src-port, l4-dst-port"
    message = f"leaf1 picks a cable by the hash that picked its bundle (crc16 of {five}; seed 1): 1 of 2 cables are used"
    (one,) = found(bundled("{algorithm: crc16, seed: 1}")(tmp_path))
    assert (one.message.partition("; taken by default: ")[0], one.where[0].line) == (message, 2)


def test_bundles_of_a_sonic_switch_with_one_algorithm_for_both(tmp_path: Path) -> None:
    """As in sonic-buildimage issue 5681: bundles are picked by ECMP, and their cables by the same settings."""
    path = bundled("{algorithm: xor16}")(tmp_path)
    row = {"ecmp_hash_algorithm": "CRC", "lag_hash_algorithm": "CRC", "ecmp_hash": ["L4_SRC_PORT"], "lag_hash": ["L4_SRC_PORT"]}
    tables = {"DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "type": "ToRRouter"}}, "SWITCH_HASH": {"GLOBAL": row}}
    (path / "leaf1.json").write_text(json.dumps(tables, indent=1))
    for algorithm, fired in (("CRC", True), ("CRC_CCITT", False)):
        row["lag_hash_algorithm"] = algorithm
        (path / "leaf1.json").write_text(json.dumps(tables, indent=1))
        slugs = [one.slug for one in found(path) if one.slug == "lag-hash-repeats-ecmp"]
        assert slugs == ["lag-hash-repeats-ecmp"] * fired


def test_linear_hashes_told_apart_by_seeds_name_both_seeds(tmp_path: Path) -> None:
    text = "fat-tree: {k: 4}\nhashing:\n  algorithm: crc16\n  seed: 0\n  tiers: {1: {seed: 10}}\n"
    (one,) = found(written(text)(tmp_path))
    assert [place.line for place in one.where] == [4, 5]
    assert "edge0-0 hashes with seed 0 and agg0-0 after it with seed 10, else alike (crc16 of src-ip" in one.message


def test_a_hash_that_is_not_linear_is_told_apart_by_its_seed(tmp_path: Path) -> None:
    text = "fat-tree: {k: 4}\nhashing: {algorithm: linux, policy: 1, seed: 1, tiers: {1: {seed: 10}}}\n"
    assert found(written(text)(tmp_path)) == []


def test_groups_that_are_no_power_of_two_are_not_spoken_of(tmp_path: Path) -> None:
    text = "fat-tree: {k: 6}\nhashing: {algorithm: crc16, tiers: {1: {seed: 10}}}\n"
    assert found(written(text)(tmp_path)) == []


def test_spread_flows_are_an_assumption_of_the_verdict(tmp_path: Path) -> None:
    for text, named in (("hashing: {mode: dlb}\n", True), ("hashing: {algorithm: crc16}\n", False)):
        folder = tmp_path / str(named)
        folder.mkdir()
        (report,) = pauseproof.verify(pauseproof.load(declaring(text)(folder))).fabrics
        assert (SPREAD_COMMITS in report.assumptions) == named


def test_two_groups_that_no_destination_meets_one_after_the_other_are_no_chain(tmp_path: Path) -> None:
    pinned = "  - {switch: [leaf1, leaf2], destination: leaf0, out: spine1}\n"
    for pin, said in (("", 1), (pinned, 0)):
        folder = tmp_path / str(said)
        folder.mkdir()
        tables = "tables:\n  - {switch: spine0, destination: leaf0, out: [leaf1, leaf2]}\n" + pin
        text = "leaf-spine: {leaves: 3, spines: 2}\nhashing: {algorithm: crc16, tiers: {1: {seed: 10}}}\n"
        slugs = [one.slug for one in found(written(text + tables)(folder))]
        assert slugs.count("only-seeds-differ") == said * 2  # from leaves to the spine, and back
