from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauseproof
from pauseproof.findings.report import Verdict
from pauseproof.hashing.addresses import host_addresses
from pauseproof.hashing.headers import roce
from pauseproof.hashing.settings import hashes_of
from pauseproof.loads.carried import carried_dependencies
from pauseproof.loads.flows import Flows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind
from pauseproof.routing.walk import walk_known

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
ALL_TO_ALL = "job: all to all\nnodes: h*\nqps: 64\ncollectives: [{kind: all-to-all, bytes: 1GiB}]\n"


def links_of(network: Network, h: int, g: int, sport: int) -> list[int]:
    """One packet, hop by hop."""
    fabric, hashes, book = network.fabric, hashes_of(network), host_addresses(network)
    sip, dip = ((int(book.high[end]), int(book.low[end])) for end in (h, g))
    (d,) = (d for d in range(len(network.destinations)) if g in network.destinations.members(d))
    links = [fabric.host(h).up]
    while (s := fabric.link(links[-1]).dst) < fabric.n_switches:
        kind, group, _, _, number = network.routes.route(s, d)
        packet = roce(4, sip, dip, sport, in_port=fabric.link(links[-1]).dst_port)
        last = kind == ChoiceKind.DELIVER
        links.append(fabric.host(g).down if last else int(hashes.decision(s, group, number).links(packet)[0]))
    return links


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(["polarized", "polarized-offset"]), st.integers(0, 999))
def test_what_flows_carry_is_what_each_makes_wait(name: str, seed: int) -> None:
    network, random = pauseproof.load(TOPOLOGIES / f"{name}.yaml"), Random(seed)
    traffic = network.traffics["hosts"]
    pairs = [(h, g) for h in range(4) for g in range(4) if h != g]
    flows = [(*random.choice(pairs), random.randint(0xC000, 0xFFFF)) for _ in range(random.randint(1, 12))]
    src, dst, sport = (np.array(column) for column in zip(*flows, strict=True))
    every = walk_known(network, traffic).dependencies
    found = carried_dependencies(network, traffic, [Flows.of(src, dst, 1.0, sport=sport)], every)
    ways = [links_of(network, *flow) for flow in flows]
    assert found == {((a, 0), (b, 0)) for links in ways for a, b in pairwise(links)}


def test_a_flow_of_unknown_header_carries_what_comes_before_the_first_hash() -> None:
    network = pauseproof.load(TOPOLOGIES / "polarized-offset.yaml")
    every = walk_known(network, network.traffics["hosts"]).dependencies
    assert carried_dependencies(network, network.traffics["hosts"], [Flows.of([0], [2], 1.0)], every) == frozenset()


@pytest.mark.parametrize(("name", "carried"), [("polarized-offset", True), ("hotnets-four-switches", False)])
def test_a_job_closes_a_loop_or_not(tmp_path: Path, name: str, carried: bool) -> None:
    nodes = "h*" if name.startswith("polarized") else "[a, c]"
    (tmp_path / "job.yaml").write_text(ALL_TO_ALL.replace("h*", nodes))
    network = pauseproof.load(TOPOLOGIES / f"{name}.yaml")
    report = pauseproof.verify(network, realize=True, jobs=[str(tmp_path / "job.yaml")]).fabrics[0]
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert ("carried" in [fact.kind for fact in report.evidence]) is carried
    assert ("loop-not-carried" in [finding.slug for finding in report.findings]) is not carried
    told = [fact.carried for finding in report.findings if finding.carries for fact in finding.carries.dependencies]
    assert None not in told


def test_pinned_routes_carry_flows_without_ports() -> None:
    network = pauseproof.load(TOPOLOGIES / "opensm" / "ring5_minhop")
    job = str(TOPOLOGIES / "jobs" / "ring5-data-parallel.yaml")
    report = pauseproof.verify(network, realize=True, jobs=[job]).fabrics[0]
    told = [fact.carried for finding in report.findings if finding.carries for fact in finding.carries.dependencies]
    assert told.count(True) == 4
