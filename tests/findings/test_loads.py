"""Findings about loads: each rule on a job that fires it and on one, as near to it as can be, that does not."""

from collections.abc import Callable

import pytest

import pauseproof
from pauseproof.findings.loads import load_findings
from pauseproof.loads.balance import balance
from pauseproof.loads.flows import Flows
from pauseproof.loads.hot import hot_links
from pauseproof.loads.job_load import job_load
from pauseproof.loads.next_hops import next_hops

TREE, BALANCED = "topologies/opensm/fattree4_minhop", "topologies/fat-tree-k4.yaml"
Jobs = dict[str, tuple[tuple[str, Callable[[], list[Flows]]], ...]]


def shifted(by: int, hosts: int = 16) -> list[Flows]:
    """Every host sends to the one so many places on."""
    return [Flows.of(list(range(hosts)), [(h + by) % hosts for h in range(hosts)], 1e9)]


CASES: Jobs = {
    "hot-link": ((TREE, lambda: shifted(8)), (BALANCED, lambda: shifted(8))),
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


def fired(path: str, flows: Callable[[], list[Flows]]) -> set[str]:
    network = pauseproof.load(path)
    found = job_load(network, ("the job",), flows)
    used = balance(next_hops(network), network.traffics["hosts"])
    return {finding.slug for finding in load_findings(found, hot_links(found, flows), used)}


@pytest.mark.parametrize("slug", CASES)
def test_it_fires(slug: str) -> None:
    assert slug in fired(*CASES[slug][0])


@pytest.mark.parametrize("slug", CASES)
def test_it_stays_silent(slug: str) -> None:
    assert slug not in fired(*CASES[slug][1])


def test_the_words_name_the_link_and_what_lies_beside_it() -> None:
    network = pauseproof.load(TREE)
    found = job_load(network, ("shift",), lambda: shifted(8))
    hot = hot_links(found, lambda: shifted(8))
    (finding,) = (
        one for one in load_findings(found, hot, balance(next_hops(network), network.traffics["hosts"])) if one.rule == "PP501"
    )
    assert "makes shift take 2.00 times as long" in finding.message and "1 of them nothing" in finding.message
    assert finding.where and finding.where[0].file.endswith("opensm.fdbs")
