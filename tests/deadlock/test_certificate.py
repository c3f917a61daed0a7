"""What a certificate holds, and that it is the same whatever the dumps were that the fabric was read from."""

import json
from pathlib import Path
from typing import Any

import pytest

import pauseproof
from pauseproof.deadlock.certificate import VERSION
from pauseproof.findings.verdict import Undecided

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
MINHOP = TOPOLOGIES / "opensm" / "ring5_minhop"
HEAD = {"format", "version", "tool", "inputs", "fabric", "question", "verdict", "assumptions", "coverage", "cyclic_components"}


def proved(*paths: Path, **asked: Any) -> Any:
    return pauseproof.prove(pauseproof.load(*paths), **asked)


def test_a_free_fabric_has_a_rank_for_each_reachable_buffer_and_nothing_else() -> None:
    certificate = proved(TOPOLOGIES / "clos4x2.yaml")
    assert set(certificate) == {*HEAD, "ranks"}
    assert (certificate["format"], certificate["version"]) == ("pauseproof certificate", VERSION)
    assert certificate["verdict"] == "DEADLOCK_FREE"
    assert len(certificate["ranks"]) == certificate["coverage"]["buffers"]
    rank = certificate["ranks"]
    assert 0 < rank["leaf1/swp31/0"] < rank["spine1/swp1/0"] < rank["leaf1/swp1/0"] < rank["h1/1/0"]
    assert list(certificate["ranks"]) == sorted(certificate["ranks"])


def test_a_loop_is_told_packet_by_packet_under_names_of_guid_and_port() -> None:
    certificate = proved(MINHOP)
    assert set(certificate) == {*HEAD, "witnesses"}
    assert [len(witness) for witness in certificate["witnesses"]] == certificate["cyclic_components"] == [5, 5]
    for witness in certificate["witnesses"]:
        for entry, after in zip(witness, [*witness[1:], witness[0]], strict=True):
            assert entry["waits_for"] == [after["buffer"]]
            assert entry["buffer"].startswith("0x00000000002000")
            assert set(entry["packet"]) == {"source", "destination", "member", "label"}
            assert entry["packet"]["label"] == "0"


def test_a_stuck_set_of_adaptive_choices_is_one_witness_closed_under_its_choices() -> None:
    certificate = proved(TOPOLOGIES / "ring3-parallel-reselecting.yaml")
    (witness,) = certificate["witnesses"]
    inside = {entry["buffer"] for entry in witness}
    assert all(inside.issuperset(entry["waits_for"]) for entry in witness)
    assert max(len(entry["waits_for"]) for entry in witness) > 1


def test_the_question_is_kept() -> None:
    asked = {"traffic": "hosts+switches", "only": ["*"], "exclude": ["H4*"], "all_on_sl": 0, "endpoint_coupled": ["H1*"]}
    question = proved(MINHOP, adaptive="committed", **asked)["question"]
    asked["all_on"] = asked.pop("all_on_sl")
    assert question == {**asked, "adaptive": "committed"}


def test_every_input_is_named_by_its_digest() -> None:
    network = pauseproof.load(MINHOP)
    inputs = pauseproof.prove(network)["inputs"]
    assert {one["sha256"] for one in inputs} == {one.sha256 for one in network.inputs if one.format}
    assert all(len(one["sha256"]) == 64 for one in inputs) and len(inputs) == 2


@pytest.mark.parametrize(
    ("folder", "table", "other"),
    [
        ("siblings_ftree", "opensm.fdbs", "opensm-lfts.dump"),
        ("irregular_updn", "opensm.fdbs", "opensm-lfts.dump.gz"),
        ("io_nodes_ftree", "opensm.fdbs", "opensm-lfts.dump"),
    ],
)
def test_from_other_dumps_of_the_same_fabric_it_says_the_same_of_buffers_and_packets(
    folder: str, table: str, other: str
) -> None:
    here = TOPOLOGIES / "opensm" / folder
    one, two = (proved(here / "opensm-subnet.lst", here / file) for file in (table, other))
    assert one["inputs"] != two["inputs"]
    of_dumps: dict[str, list[str]] = {"inputs": [], "assumptions": []}  # one of the two gives no LMC
    assert {**one, **of_dumps} == {**two, **of_dumps}


def test_without_a_verdict_there_is_nothing_to_prove() -> None:
    with pytest.raises(Undecided, match="could"):
        proved(TOPOLOGIES / "unknown-row.yaml")


def test_it_is_plain_data() -> None:
    certificate = proved(TOPOLOGIES / "ring5.yaml", endpoint_coupled=["*"])
    assert json.loads(json.dumps(certificate)) == certificate
