"""Faults that are easily taken for something else, or for nothing."""

import re
from pathlib import Path

from hostile_inputs import Files, case
from pauseproof import load, verify
from pauseproof.findings.report import FabricReport, Severity, Verdict

MINHOP = case("ring5_minhop")
END = "{ CA Ports:01 SystemGUID:%s NodeGUID:%s PortGUID:%s VenID:000000 DevID:0000 Rev:00000000 {%s} LID:00%s PN:01 }"


def asked(files: Files, folder: Path) -> FabricReport:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (report,) = verify(load(folder)).fabrics
    return report


def test_two_hosts_on_one_cable_are_only_unroutable(tmp_path: Path) -> None:
    a, b = (END % (*[f"{0x1000FE + i:016x}"] * 3, f"x{i}", 30 + i) for i in (0, 1))
    cables = "".join(f"{one} {two} PHY=4x LOG=ACT SPD=25\n" for one, two in ((a, b), (b, a)))
    report = asked(MINHOP | {"opensm-subnet.lst": MINHOP["opensm-subnet.lst"] + cables.encode()}, tmp_path)
    assert report.coverage["hosts"] == 12
    assert not [finding for finding in report.findings if finding.slug == "wrong-host"]


def test_a_verdict_on_tables_that_route_nothing_is_an_error(tmp_path: Path) -> None:
    report = asked(MINHOP | {"opensm.fdbs": re.sub(rb": 00\d ", b": 000 ", MINHOP["opensm.fdbs"])}, tmp_path)
    assert report.verdict is Verdict.DEADLOCK_FREE
    (finding,) = (finding for finding in report.findings if finding.slug == "unroutable-pairs")
    assert finding.severity is Severity.ERROR
