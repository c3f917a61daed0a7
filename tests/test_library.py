"""``verify(load(path))``, end to end: what a user of the library gets."""

from pathlib import Path

import pytest

import pauseproof
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import FabricReport, Verdict
from pauseproof.routing.network import Network

TOPOLOGIES = Path(__file__).resolve().parents[1] / "topologies"
LASH = TOPOLOGIES / "opensm" / "ring5_lash"


def ask(network: Network, **question: object) -> FabricReport:
    (report,) = pauseproof.verify(network, **question).fabrics  # type: ignore[arg-type]
    return report


def test_a_report_says_what_it_is_about_and_rests_on() -> None:
    network = pauseproof.load(LASH)
    report = pauseproof.verify(network)
    assert report.inputs == network.inputs
    read = {Path(file.path).name for file in report.inputs if not file.skipped}
    assert read == {"opensm.fdbs", "opensm-sl2vl.dump", "opensm-subnet.lst", "path-sl.psl"}
    assert [Path(file.path).name for file in report.inputs if file.skipped] == ["expected.yaml"]
    (fabric,) = report.fabrics
    assert (fabric.name, fabric.kind, fabric.coverage["traffic"]) == ("ring5_lash", "infiniband", "hosts")
    assert fabric.verdict is Verdict.DEADLOCK_FREE
    assert [evidence.kind for evidence in fabric.evidence] == ["certificate"]
    assert any("SL of its path record" in said for said in fabric.assumptions)
    assert len(set(fabric.assumptions)) == len(fabric.assumptions)


def test_the_same_question_has_the_same_answer() -> None:
    first, again = (pauseproof.verify(pauseproof.load(LASH)).fabrics for _ in range(2))
    assert first == again


def test_a_free_verdict_names_what_would_undo_it() -> None:
    report = ask(pauseproof.load(LASH))
    assert report.other_traffic == {"hosts+switches": Verdict.DEADLOCK_POSSIBLE}
    assert {"depends-on-path-sl", "other-traffic-differs"} <= {finding.slug for finding in report.findings}
    for question in ({"all_on_sl": 0}, {"traffic": "hosts+switches"}):
        undone = ask(pauseproof.load(LASH), **question)
        assert undone.verdict is Verdict.DEADLOCK_POSSIBLE
        assert undone.cyclic_components == (5, 5)


def test_more_traffic_never_takes_a_loop_away() -> None:
    report = ask(pauseproof.load(TOPOLOGIES / "opensm" / "ring5_minhop"))
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert set(report.other_traffic.values()) == {Verdict.DEADLOCK_POSSIBLE}


def test_half_the_hosts_of_a_ring_may_talk() -> None:
    """Packets between S0 and S1 turn nowhere; those of a third switch more still do not close the ring."""
    network = pauseproof.load(TOPOLOGIES / "opensm" / "ring5_minhop")
    two = ask(network, only=["H0x*", "H1x*"])
    assert two.verdict is Verdict.DEADLOCK_FREE
    assert (two.coverage["hosts"], two.coverage["pairs"]) == (4, 12)
    assert ask(network, exclude=["H[0-2]x*"]).verdict is Verdict.DEADLOCK_FREE


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("unknown-row", Verdict.UNDECIDED),
        ("unknown-row-harmless", Verdict.DEADLOCK_FREE),
        ("unknown-row-with-loop", Verdict.DEADLOCK_POSSIBLE),
    ],
)
def test_what_is_unknown_counts_only_where_it_matters(name: str, verdict: Verdict) -> None:
    report = ask(pauseproof.load(TOPOLOGIES / f"{name}.yaml"))
    assert report.verdict is verdict
    assert ("unknown-may-loop" in {finding.slug for finding in report.findings}) == (verdict is Verdict.UNDECIDED)
    assert bool(report.evidence) == (verdict is not Verdict.UNDECIDED)


def test_a_loop_through_endpoints_is_told_without_a_table_row_for_the_host() -> None:
    report = ask(pauseproof.load(TOPOLOGIES / "opensm" / "ring5_minhop"), endpoint_coupled=["*"])
    loop = next(finding.loop for finding in report.findings if finding.loop)
    at_hosts = [hop for hop in loop if hop.device.startswith("H")]
    assert at_hosts
    assert all(hop.because is not None for hop in loop)
    assert all(hop.because is not None and hop.because.place is None for hop in at_hosts)
    assert report.cyclic_components == (30,)


def test_findings_come_worst_first() -> None:
    severities = [finding.severity for finding in ask(pauseproof.load(TOPOLOGIES / "opensm" / "io_nodes_ftree")).findings]
    rank = {"error": 0, "warning": 1, "info": 2}
    assert [rank[s.value] for s in severities] == sorted(rank[s.value] for s in severities)
    assert len(set(severities)) > 1


@pytest.mark.parametrize(
    ("paths", "problem"),
    [
        (["ring5.yaml", "fat-tree-k4.yaml"], "fat-tree-k4.yaml: a second topology beside .*ring5.yaml"),
        (["ring5.yaml", "opensm/ring5_minhop/opensm.fdbs"], "a dump beside a topology file"),
        (["opensm/ring5_minhop/opensm.fdbs", "opensm/ring5_lash/opensm-sl2vl.dump"], "forwarding tables, but no cabling"),
        (["nothing-here"], "nothing-here: cannot be read"),
    ],
)
def test_what_does_not_belong_together_is_refused(paths: list[str], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        pauseproof.load(*(TOPOLOGIES / path for path in paths))
