"""Findings about loads: each rule on a job that fires it and on one, as near to it as can be, that does not."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

import pauseproof
from pauseproof.findings.loads import load_findings
from pauseproof.findings.report import Finding
from pauseproof.loads import chance
from pauseproof.loads.balance import balance
from pauseproof.loads.flows import Flows
from pauseproof.loads.measured import measured
from pauseproof.loads.next_hops import next_hops

TREE, BALANCED = "topologies/opensm/fattree4_minhop", "topologies/fat-tree-k4.yaml"
Jobs = dict[str, tuple[tuple[str, Callable[[], list[Flows]]], ...]]


def shifted(by: int, hosts: int = 16) -> list[Flows]:
    """Every host sends to the one so many places on."""
    return [Flows.of(list(range(hosts)), [(h + by) % hosts for h in range(hosts)], 1e9)]


CASES: Jobs = {
    "hot-link": ((TREE, lambda: shifted(8)), (TREE, lambda: shifted(1))),
    "idle-links": ((TREE, lambda: shifted(1)), (BALANCED, lambda: shifted(1))),
    "incast": (
        (BALANCED, lambda: [Flows.of([1, 2, 3, 4], [0, 0, 0, 0], 1e9)]),
        (BALANCED, lambda: [Flows.of([1, 2, 3, 4], [5, 6, 7, 8], 1e9)]),
    ),
    "job-not-delivered": (
        ("topologies/black-hole.yaml", lambda: shifted(1, 3)),
        ("topologies/clos4x2.yaml", lambda: shifted(1, 3)),
    ),
}


@dataclass(frozen=True)
class Job:
    """Flows in one phase."""

    traffic: Callable[[], list[Flows]]
    phases: tuple[str, ...] = ("the job",)


def found(path: str, flows: Callable[[], list[Flows]]) -> list[Finding]:
    network = pauseproof.load(path)
    used = balance(next_hops(network), network.traffics["hosts"])
    return load_findings(measured(network, Job(flows)), used)


def fired(path: str, flows: Callable[[], list[Flows]]) -> set[str]:
    return {finding.slug for finding in found(path, flows)}


@pytest.mark.parametrize("slug", CASES)
def test_it_fires(slug: str) -> None:
    assert slug in fired(*CASES[slug][0])


@pytest.mark.parametrize("slug", CASES)
def test_it_stays_silent(slug: str) -> None:
    assert slug not in fired(*CASES[slug][1])


def test_the_words_name_the_link_and_what_lies_beside_it() -> None:
    (finding,) = (one for one in found(TREE, lambda: shifted(8)) if one.rule == "PP501")
    assert "makes the job take 2.00 times as long" in finding.message and "1 of them nothing" in finding.message
    assert finding.where and finding.where[0].file.endswith("opensm.fdbs")


def test_infiniband_is_told_of_routes_and_ethernet_of_hashes() -> None:
    native, routed = (next(one for one in found(path, lambda: shifted(8)) if one.rule == "PP501") for path in (TREE, BALANCED))
    assert "LMC" in native.fix and "hash" not in native.fix and "hash" in routed.fix


def test_whole_flows_that_collide_are_hot_though_mean_loads_are_even() -> None:
    hot = [one for one in found(BALANCED, lambda: shifted(8)) if one.rule == "PP501"]
    assert [one.identity for one in hot] == ["hot-drawn/0"]
    assert hot[0].message.startswith("half of 64 samples of the job take 3.00 times as long")
    assert "in the median sample most is on agg" in hot[0].message
    assert "hot-link" not in fired(BALANCED, lambda: [Flows.of([0], [8], 1e9)])


def test_a_lower_bound_is_never_taken_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "slowdown-not-sampled" not in fired(BALANCED, lambda: shifted(8))
    monkeypatch.setattr(chance, "WALKS", 1)
    (finding,) = (one for one in found(BALANCED, lambda: shifted(8)) if one.rule == "PP505")
    assert "at least 1.00 on average" in finding.message
    assert "slowdown-not-sampled" not in fired(TREE, lambda: shifted(8))
