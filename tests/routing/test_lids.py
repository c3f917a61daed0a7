"""LIDs beyond the base LIDs that a cabling without LMC states."""

import re
from pathlib import Path

from hostile_inputs import case
from pauseproof import load, verify
from pauseproof.findings.report import Severity
from pauseproof.routing.lids import LMC_SEEN, LMC_UNKNOWN

MINHOP = case("ring5_minhop")


def test_lids_that_the_tables_hand_to_a_host_are_its_own(tmp_path: Path) -> None:
    """LID 16 goes wherever LID 15 goes: the paths to it count, though opensm-subnet.lst tells no LMC."""
    for name, content in MINHOP.items():
        (tmp_path / name).write_bytes(content)
    before = load(tmp_path)
    again = re.sub(rb"(?m)^0x000F( : .*)$", rb"0x000F\1\n0x0010\1", MINHOP["opensm.fdbs"])
    (tmp_path / "opensm.fdbs").write_bytes(again)
    after = load(tmp_path)
    assert LMC_UNKNOWN in before.assumptions and LMC_SEEN in after.assumptions
    pairs = [int(verify(network).fabrics[0].coverage["pairs"]) for network in (before, after)]
    assert pairs == [90, 99]
    at_16 = list(after.destinations.names).index("16")
    assert after.destinations.members(at_16) == after.destinations.members(list(after.destinations.names).index("15"))
    (report,) = verify(after).fabrics
    assert "lid-without-owner" not in {finding.slug for finding in report.findings}


def test_a_lid_of_nobody_behind_a_port_without_a_cable_is_an_error(tmp_path: Path) -> None:
    """Cabling without some hosts: the tables know them, and nothing that they send or receive is in the verdict."""
    lost = rb"(?m)^.*\{H[234]x\d\}.*\n"
    for name, content in MINHOP.items():
        (tmp_path / name).write_bytes(re.sub(lost, b"", content) if name.endswith(".lst") else content)
    (report,) = verify(load(tmp_path)).fabrics
    found = [finding for finding in report.findings if finding.slug == "route-to-dead-port"]
    assert {finding.severity for finding in found} == {Severity.ERROR}
    assert found[0].message.startswith("S2 sends packets for LID 10 and 1 more out of port 3, which has no cable in the input")
    assert [str(place).removeprefix(f"{tmp_path}/") for place in found[0].where] == ["opensm.fdbs:46"]
