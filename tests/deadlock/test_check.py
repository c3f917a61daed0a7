"""The checker accepts what is true and refuses what is not: the catalogue, random networks, thousands of changes to each."""

import ast
import copy
import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauseproof
from certificate_damage import changed
from certificate_truth import Reference
from examples import on_some
from pauseproof.deadlock.check import Refused, check
from pauseproof.fabric.places import BadInput
from pauseproof.findings.verdict import Undecided, certificate_of, judge
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.network import Network
from shared_cases import SHARED
from strategies import Case, anything, sane
from test_toy_truths import with_tree


def name(path: Path) -> str:
    return path.name


ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = [*sorted((ROOT / "topologies").glob("*.yaml")), *sorted((ROOT / "topologies" / "opensm").iterdir())]
BESIDE = SHARED / "cases" / "opensm"
CASES = [case for case in sorted(BESIDE.iterdir()) if case.name not in map(name, CATALOGUE)] if BESIDE.exists() else []
ROUNDS = max(1, int(os.environ.get("PAUSEPROOF_EXAMPLES", "300")) // 5)  # changes to each small certificate
SMALL = [
    "black-hole.yaml",
    "clos4x2-two-failures.yaml",
    "dead-port.yaml",
    "dual-port-host.yaml",
    "forwarding-loop.yaml",
    "loop-back-cable.yaml",
    "mesh4x4-adaptive-escape.yaml",
    "ring3-parallel-reselecting.yaml",
    "ring4-infiniband-shared-vl.yaml",
    "ring4-infiniband-sl.yaml",
    "ring5.yaml",
    "ring6-adaptive-committed.yaml",
    "two-buffer-hashed.yaml",
    "two-buffer-reselecting.yaml",
    "unknown-row-harmless.yaml",
    "unknown-row-with-loop.yaml",
    "opensm/ring5_lash",
    "opensm/ring5_minhop",
]


@cache
def loaded(path: Path) -> Network:
    return pauseproof.load(path)


@cache
def proved(path: Path) -> Any:
    """Its certificate, None where it is undecided."""
    try:
        return json.loads(json.dumps(pauseproof.prove(loaded(path))))
    except Undecided:
        return None


def accepts(certificate: Any, network: Network) -> str:
    """Empty where the certificate is accepted, else why not."""
    try:
        check(certificate, network)
    except (Refused, BadInput) as error:
        return str(error) or "refused"
    return ""


@pytest.mark.parametrize("path", [*CATALOGUE, *CASES], ids=name)
def test_what_is_proved_is_accepted_and_of_another_fabric_refused(path: Path) -> None:
    certificate = proved(path)
    if certificate is None:
        assert path.name == "unknown-row.yaml"
        return
    assert check(certificate, loaded(path)) == certificate["verdict"]
    others = [other for other in CATALOGUE if loaded(other).inputs[0].sha256 != loaded(path).inputs[0].sha256]
    for other in others:
        assert "other files" in accepts(certificate, loaded(other)) or path.name == other.name


def test_of_another_fabric_it_is_refused_for_what_it_says_even_under_the_other_s_name() -> None:
    """The digests alone do not decide: with the inputs of the other, the evidence is refused for itself."""
    paths = [ROOT / "topologies" / one for one in SMALL]
    tried, references = Counter[bool](), {path: Reference(loaded(path)) for path in paths}
    for path in paths:
        for other in paths:
            claim = {**copy.deepcopy(proved(path)), "inputs": proved(other)["inputs"], "fabric": proved(other)["fabric"]}
            for key in ("coverage", "cyclic_components", "assumptions", "question"):
                claim[key] = copy.deepcopy(proved(other)[key])
            true = references[other].holds(claim)
            assert (not accepts(claim, loaded(other))) == true
            tried[true] += 1
            assert true or path != other
    assert tried[False] > 250


@pytest.mark.parametrize("which", SMALL)
def test_of_changed_certificates_exactly_those_still_true_are_accepted(which: str) -> None:
    path, random = ROOT / "topologies" / which, Random(which)
    network, reference, seen = loaded(path), Reference(loaded(path)), Counter[bool]()
    assert reference.holds(proved(path))
    for _ in range(ROUNDS):
        how, certificate = changed(proved(path), random)
        why = accepts(certificate, network)
        true = reference.holds(certificate)
        assert (not why) == true, f"{how}: {'true, but ' + why if true else 'not true, but accepted'}"
        seen[true and certificate != proved(path)] += 1
    assert ROUNDS < 50 or (seen[True] > 0 and seen[False] > seen[True])


def with_shared_queues() -> Network:
    """The ring of four that two SLs keep free, but each packet waits for both lanes of the queue: stuck."""
    network = loaded(ROOT / "topologies" / "ring4-infiniband-sl.yaml")
    both = ((1,), (0,))
    return replace(network, lanes=replace(network.lanes, coupled=(both,) * len(network.lanes.step)))


def with_a_tree() -> Network:
    """Up-down on a ring of five, and a tree through the turn that up-down leaves out: stuck."""
    return with_tree(loaded(ROOT / "topologies" / "ring5-updown.yaml"), [("s2", "s3"), ("s3", "s4")])


def with_coupled_hosts() -> Network:
    return loaded(ROOT / "topologies" / "leaf-spine.yaml")


@pytest.mark.parametrize(
    ("make", "coupled"), [(with_shared_queues, ()), (with_a_tree, ()), (with_coupled_hosts, ("leaf0-*", "leaf1-h0"))]
)
def test_so_it_is_with_trees_coupled_hosts_and_queues_that_lanes_share(
    make: Callable[[], Network], coupled: tuple[str, ...]
) -> None:
    network, random = make(), Random(0)
    certificate, reference = json.loads(json.dumps(pauseproof.prove(network, endpoint_coupled=coupled))), Reference(network)
    assert certificate["verdict"] == "DEADLOCK_POSSIBLE"
    assert reference.holds(certificate) and accepts(certificate, network) == ""
    for _ in range(8 * ROUNDS):
        how, other = changed(certificate, random)
        why = accepts(other, network)
        assert (not why) == reference.holds(other), f"{how}: {why}"


def test_a_host_that_is_left_out_or_on_no_switch_of_the_tree_sends_no_copies(tmp_path: Path) -> None:
    (tmp_path / "ring.yaml").write_text("ring: {switches: 5, hosts: 2}\nrouting: {engine: updown, roots: [s0]}\n")
    network = with_tree(pauseproof.load(tmp_path / "ring.yaml"), [("s2", "s3"), ("s3", "s4")])
    hosts = {h.name: f"{h.name}/{h.port}" for h in network.fabric.hosts()}
    certificate = json.loads(json.dumps(pauseproof.prove(network, exclude=["s2-h1"])))
    copies = [e["packet"] for w in certificate["witnesses"] for e in w if e["packet"]["destination"] == "tree"]
    assert copies and accepts(certificate, network) == ""
    packet = next(packet for packet in copies if packet["source"] == hosts["s2-h0"])
    for other in ("s2-h1", "s0-h0"):
        packet["source"] = hosts[other]
        assert "does not wait so" in accepts(certificate, network)


def hold_to_the_reference(case: Case, random: Random, coupled: tuple[str, ...]) -> None:
    """The engine's certificate is true and accepted; changed ones are accepted as far as they are true."""
    question = Question(case.traffic.name, endpoint_coupled=coupled)
    try:
        ask(case.network, question)
    except BadInput:
        return  # nobody sends
    try:
        certificate = json.loads(json.dumps(certificate_of(judge(case.network, question))))
    except Undecided:
        return
    reference = Reference(case.network)
    assert accepts(certificate, case.network) == ""
    assert reference.holds(certificate)
    for _ in range(6):
        how, other = changed(certificate, random)
        why = accepts(other, case.network)
        assert (not why) == reference.holds(other), f"{how}: {why}: {other}"


coupling = st.sampled_from([(), (), (), ("*",), ("h1", "h2")])


@on_some
@given(anything(), st.integers(0, 2**32), coupling)
def test_on_any_network_exactly_what_is_true_is_accepted(case: Case, seed: int, coupled: tuple[str, ...]) -> None:
    hold_to_the_reference(case, Random(seed), coupled)


@on_some
@given(sane(), st.integers(0, 2**32), coupling)
def test_on_sane_networks_exactly_what_is_true_is_accepted(case: Case, seed: int, coupled: tuple[str, ...]) -> None:
    hold_to_the_reference(case, Random(seed), coupled)


def imported_by(module: str) -> set[str]:
    """The modules of the package that importing ``module`` brings along, and those it imports later."""
    met, ahead = set[str](), [module]
    while ahead:
        one = ahead.pop()
        file = ROOT / "src" / Path(*one.split(".")).with_suffix(".py")
        if one in met or not file.exists():
            continue
        met.add(one)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                ahead += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                ahead += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return met


def test_the_checker_has_never_seen_the_engine() -> None:
    met = imported_by("pauseproof.deadlock.check")
    assert {"pauseproof.routing.walk", "pauseproof.routing.packets", "pauseproof.deadlock.claim"} <= met
    assert {one for one in met if one.startswith(("pauseproof.dependency", "pauseproof.deadlock"))} == {
        "pauseproof.deadlock.check",
        "pauseproof.deadlock.check_hashes",
        "pauseproof.deadlock.check_unroutable",
        "pauseproof.deadlock.claim",
        "pauseproof.deadlock.hash_assumptions",
    }
    assert "pauseproof.dependency.plan" in imported_by("pauseproof.deadlock.certificate")  # the walk of imports sees it there


def test_a_deep_certificate_is_refused_and_not_followed_to_its_bottom() -> None:
    path = ROOT / "topologies" / "ring5.yaml"
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for key in proved(path):
        assert accepts({**proved(path), key: deep}, loaded(path))
    while deep:
        deep = deep.pop()  # else its end would be met by recursion


def test_progress_is_told_column_by_column() -> None:
    path, told = ROOT / "topologies" / "ring5.yaml", list[tuple[int, int]]()
    check(proved(path), loaded(path), lambda done, total: told.append((done, total)))
    assert told == [(done, 5) for done in range(5)]
