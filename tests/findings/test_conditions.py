"""Conditions of loops whose answer is known: the four switches of Hu et al., a loop that one host feeds, a stuck set."""

from pathlib import Path

import pytest

import pauseproof
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import Conditions, FabricReport
from pauseproof.readers.flow_file import FlowLine, read_flow_file
from texts import source_of

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
FOUR = """
switches: {A: , B: , C: , D: }
hosts: {a: , b: , c: , d: }
cables: [[A, B], [B, C], [C, D], [D, A], [A, a], [B, b], [C, c], [D, d]]
tables:
  - {switch: A, destination: d, out: B}
  - {switch: B, destination: d, out: C}
  - {switch: C, destination: d, out: D}
  - {switch: C, destination: b, out: D}
  - {switch: D, destination: b, out: A}
  - {switch: A, destination: b, out: B}
"""


def of_file(path: Path) -> FabricReport:
    return pauseproof.verify(pauseproof.load(path), conditions=True).fabrics[0]


def told(fabric: FabricReport) -> list[Conditions]:
    return [finding.conditions for finding in fabric.findings if finding.conditions]


def test_four_switches_two_receivers(tmp_path: Path) -> None:
    """Only d and b receive. B -> C carries packets for d alone and D -> A for b alone: d's own link bounds one, b's the other.

    A -> B and C -> D carry both, and two senders overload them. Both receivers are behind the loop.
    """
    (tmp_path / "four.yaml").write_text(FOUR)
    (conditions,) = told(of_file(tmp_path / "four.yaml"))
    most = {(link.from_device, link.device): link.most for link in conditions.links}
    assert most == {("A", "B"): 2.0, ("B", "C"): 1.0, ("C", "D"): 2.0, ("D", "A"): 1.0}
    assert {len(link.sends) for link in conditions.links if link.most > 1} == {2}
    assert [host for host, _ in conditions.triggers] == ["b", "d"]


@pytest.mark.parametrize("speed", [100, 400])
def test_rates_are_in_gigabits_where_speeds_are_known(tmp_path: Path, speed: int) -> None:
    (tmp_path / "four.yaml").write_text(f"speed: {speed}\n{FOUR}")
    (conditions,) = told(of_file(tmp_path / "four.yaml"))
    assert {(link.rate, link.relative) for link in conditions.links} == {(float(speed), False)}
    assert {link.most for link in conditions.links} == {float(speed), 2.0 * speed}


def test_a_stuck_set_has_triggers_too() -> None:
    (conditions,) = told(of_file(TOPOLOGIES / "mesh4x4-adaptive-reselecting.yaml"))
    assert conditions.triggers


def test_without_a_loop_there_is_nothing_to_fill() -> None:
    fabric = of_file(TOPOLOGIES / "fat-tree-k4.yaml")
    assert told(fabric) == []
    assert {fact.kind for fact in fabric.evidence} == {"certificate"}


def flows(text: str) -> tuple[FlowLine, ...]:
    return read_flow_file(source_of(text, "flows.yaml"))


def test_declared_flows_of_four_switches() -> None:
    """At half rate two flows oversubscribe nothing; the third one overloads B -> C (Hu et al., HotNets 2016)."""
    network = pauseproof.load(TOPOLOGIES / "hotnets-four-switches.yaml")
    two = "flows: [{src: a, dst: d, rate: 0.5}, {src: c, dst: b, rate: 20G}]"
    for text, expected in (
        (two, {"A": 40.0, "B": 20.0, "C": 40.0, "D": 20.0}),
        (two[:-1] + ", {src: b, dst: c}]", {"A": 40.0, "B": 60.0, "C": 40.0, "D": 20.0}),
    ):
        fabric = pauseproof.verify(network, flows=flows(text)).fabrics[0]
        (conditions,) = told(fabric)
        assert {link.from_device: link.declared for link in conditions.links} == {a: (x, x) for a, x in expected.items()}
        said = [fact.statement for fact in fabric.evidence if "declared flows" in fact.statement]
        assert len(said) == ("src: b" in text)


def test_what_a_hash_decides_is_told_from_to() -> None:
    network = pauseproof.load(TOPOLOGIES / "clos4x2-two-failures.yaml")
    hosts = sorted(h.name for h in network.fabric.hosts())
    lines = ", ".join(f"{{src: {a}, dst: {b}, rate: 0.25}}" for a in hosts for b in hosts if a[:5] != b[:5])
    (first, _) = told(pauseproof.verify(network, flows=flows(f"flows: [{lines}]")).fabrics[0])
    for link in first.links:
        assert link.declared is not None and 0 <= link.declared[0] < link.declared[1]


def test_flows_of_nobody_are_refused() -> None:
    with pytest.raises(BadInput, match="no host is called 'x'"):
        pauseproof.verify(pauseproof.load(TOPOLOGIES / "ring5.yaml"), flows=flows("flows: [{src: x, dst: s1-h0}]"))
