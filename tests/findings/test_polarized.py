"""Polarization as findings: what is told, where, and what is proposed."""

from pathlib import Path

import pytest

import pauseproof
from pauseproof.findings import polarized
from pauseproof.findings.polarized import polarization_report

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
TIERS = """
switches: {t0: , t1: , l0: , l1: , s0: , s1: , r0: , r1: }
hosts: {h0: , h1: }
cables: [[t0, h0], [t0, l0], [t0, l1], [l0, s0], [l0, s1], [l1, s0], [l1, s1], [s0, r0], [s0, r1], [s1, r0], [s1, r1],
         [r0, t1], [r1, t1], [t1, h1]]
hashing:
  algorithm: crc
  switches:
    "t*": {sonic-type: ToRRouter}
    "l*": {sonic-type: LeafRouter}
    "s*": {sonic-type: SpineRouter}
    "r*": {sonic-type: LeafRouter}
"""


def test_the_change_that_is_proposed_is_the_one_that_helps() -> None:
    report = polarization_report(pauseproof.load(TOPOLOGIES / "fat-tree-k8-polarized.yaml"), seconds=10)
    found = {finding.rule: finding for finding in report.findings}
    assert set(found) == {"PP406", "PP410", "PP411"}
    assert "4 of 16 combinations (rank), 4 times fewer" in found["PP410"].message
    assert found["PP410"].fix.startswith("Set offset 2 for tier 1: 16 of 16 combinations then")
    assert "another seed alone changes nothing" in found["PP410"].fix
    assert {place.line for place in found["PP410"].where} == {5, 6}
    assert found["PP411"].message.startswith("32 groups of tier 1: 3 of 4 members carry nothing")
    assert report.found.proofs == ("proved",) * 96


def test_what_hashes_apart_has_nothing_to_tell() -> None:
    report = polarization_report(pauseproof.load(TOPOLOGIES / "fat-tree-k8-offsets.yaml"))
    assert report.findings == () and report.found.unreached == ()


def test_sonics_defaults_leave_tor_and_spine_alike(tmp_path: Path) -> None:
    """Seeds 0, 10, 25 and offsets 0, 10, 0: what the spines pick is what the ToR picked."""
    (tmp_path / "tiers.yaml").write_text(TIERS)
    report = polarization_report(pauseproof.load(tmp_path / "tiers.yaml"))
    one = next(one for one in report.found.chains if one.chain.switches[0] == 6 and len(one.chain.met) == 3)
    assert [met.tier for met in one.chain.met] == [0, 1, 2]
    assert (one.count.combinations, one.count.possible, one.factor) == (4, 8, 2)
    assert one.repeats == ((0, 2),)
    finding = next(f for f in report.findings if f.identity == "chain/0.ecmp.2/1.ecmp.2/2.ecmp.2")
    assert "The hash of tier 2 repeats that of tier 0" in finding.message


def test_large_fabrics_are_referred_to_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polarized, "MOST_ENTRIES", 10)
    report = pauseproof.verify(pauseproof.load(TOPOLOGIES / "fat-tree-k8-polarized.yaml"))
    assert {f.slug for f in report.fabrics[0].findings} >= {"chains-not-counted"}
