"""Hand-made reports for tests of everything that shows them."""

from typing import NamedTuple

from pauseproof.fabric.places import Place
from pauseproof.findings.report import (
    Because,
    Evidence,
    FabricReport,
    Finding,
    LoopHop,
    Report,
    Severity,
    Verdict,
)


class SampleInput(NamedTuple):
    """A file as reports see it."""

    path: str
    sha256: str
    format: str = ""
    skipped: str = ""


def ring_loop(n: int = 5) -> tuple[LoopHop, ...]:
    """The clockwise loop of a ring of ``n`` switches: out by port 1, in by port 2."""
    return tuple(
        LoopHop(
            f"S{(i + 1) % n}",
            f"0x{0x200000 + (i + 1) % n:016x}",
            "2",
            "0",
            f"S{i}",
            f"0x{0x200000 + i:016x}",
            "1",
            Because(f"H{i}x0", f"H{(i + 2) % n}x1", "0", f"S{(i + 1) % n}", Place("opensm.fdbs", 12 + 20 * i)),
        )
        for i in range(n)
    )


def loop_finding(n: int = 5) -> Finding:
    """One loop of ``n`` buffers."""
    loop = ring_loop(n)
    return Finding(
        "PP101",
        "cyclic-buffer-dependency",
        Severity.ERROR,
        f"{n} buffers wait for each other in a loop",
        " ".join(hop.buffer for hop in loop),
        (Place("opensm.fdbs", 12),),
        loop,
        "take one turn of the loop out of the routes",
    )


def finding(rule: str, slug: str, severity: Severity, identity: str = "x", line: int = 7) -> Finding:
    """A finding without a loop."""
    return Finding(rule, slug, severity, f"something about {identity}", identity, (Place("opensm.fdbs", line),), (), "mend it")


def fabric_report(verdict: Verdict, *findings: Finding, name: str = "ring5") -> FabricReport:
    """The report of one fabric."""
    return FabricReport(
        name,
        "infiniband",
        verdict,
        "because the test says so",
        (Evidence("structural", "5 buffers in a loop"),),
        ("every packet is on SL 0",),
        {"traffic": "hosts", "switches": 5, "hosts": 10, "pairs": 90, "unroutable_pairs": 0, "buffers": 30, "tables": 5},
        (5, 5) if verdict is Verdict.DEADLOCK_POSSIBLE else (),
        findings,
        {"hosts+switches": Verdict.UNDECIDED},
    )


def report(*fabrics: FabricReport) -> Report:
    """A report of some fabrics."""
    return Report(
        (SampleInput("ring5/opensm.fdbs", "0" * 64, "opensm.fdbs"), SampleInput("ring5/expected.yaml", "1" * 64, "", "no")),
        fabrics,
    )


def ring_report() -> Report:
    """A ring that can deadlock, with a warning beside."""
    return report(fabric_report(Verdict.DEADLOCK_POSSIBLE, finding("PP203", "black-hole", Severity.WARNING), loop_finding()))
