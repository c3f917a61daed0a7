from dataclasses import replace

from pauseproof.findings.report import Carries, DependencyFact, FlowWords, Report, Severity, Verdict
from pauseproof.reports.styled import plain
from pauseproof.reports.text import report_lines
from sample_reports import fabric_report, finding, loop_finding, report, ring_report


def text(one: Report, paths: str = "PATH...") -> str:
    return plain(report_lines(one, paths))


def test_the_verdict_comes_first() -> None:
    assert text(ring_report()).startswith("DEADLOCK_POSSIBLE  ring5, infiniband, traffic: hosts\n")


def test_parts_come_in_the_order_a_reader_needs_them() -> None:
    shown = text(ring_report(), "my-fabric")
    parts = ["Loop", "and back to the first", "Findings", "What the verdict covers", "It assumes", "With other traffic", "Next"]
    places = [shown.index(f"\n{part}" if part != "and back to the first" else part) for part in parts]
    assert places == sorted(places)
    commands = ["draw my-fabric -o loop.svg", "replay my-fabric", "repair my-fabric", "explain PP101"]
    assert shown.endswith("Next\n" + "".join(f"  pauseproof {command}\n" for command in commands))


def test_hashes_are_to_be_asked_where_they_are_known() -> None:
    fabric = replace(fabric_report(Verdict.DEADLOCK_POSSIBLE, loop_finding()), hashes_to_ask=True)
    shown = text(report(fabric), "my-fabric").partition("\nNext\n")[2].splitlines()
    assert shown[3:] == ["  pauseproof verify my-fabric --realize", "  pauseproof explain PP101"] and len(shown) == 5


def test_a_stuck_set_without_a_loop_is_not_drawn_but_replayed_and_repaired() -> None:
    shown = text(report(fabric_report(Verdict.DEADLOCK_POSSIBLE, finding("PP104", "escape-set-fails", Severity.ERROR))))
    assert shown.endswith("Next\n  pauseproof replay PATH...\n  pauseproof repair PATH...\n  pauseproof explain PP104\n")


def test_what_is_known_of_dependencies_is_told_in_the_names_of_the_loop() -> None:
    loop = loop_finding()
    flow = FlowWords("H0x0", "H2x1", "0")
    a, b = loop.loop[0].buffer, loop.loop[1].buffer
    told = (None, "time was up", None), (False, "", None), (True, "", flow)
    facts = tuple(DependencyFact(a, b, routable, why, some) for routable, why, some in told)
    shown = text(report(fabric_report(Verdict.DEADLOCK_POSSIBLE, replace(loop, carries=Carries(facts, (), False)))))
    here, after = "S0 port 1 -> S1 port 2, VL 0", "S1 port 1 -> S2 port 2, VL 0"
    assert f"  undecided: whether a packet in {here} waits for {after}: time was up\n" in shown
    assert f"  unroutable: no packet in {here} waits for {after}\n" in shown
    assert f"  routable: H0x0 to H2x1, SL 0 waits in {here}\n" in shown and "0x0000" not in shown


def test_flows_are_told_with_the_word_of_the_fabric_for_a_label() -> None:
    flows = ((FlowWords("H0x0", "H2x1", "0"), 2),)
    one = fabric_report(Verdict.DEADLOCK_POSSIBLE, replace(loop_finding(), carries=Carries((), flows, True)))
    assert "  flow: H0x0 to H2x1, SL 0, carries 2 dependencies\n" in text(report(one))
    assert "  flow: H0x0 to H2x1, label 0, carries" in text(report(replace(one, kind="roce")))


def test_each_hop_names_both_ports_the_lane_and_the_packet() -> None:
    shown = text(ring_report())
    assert "  S0 port 1 -> S1 port 2, VL 0\n      waits for the next: H0x0 -> H2x1, SL 0, row at opensm.fdbs:12\n" in shown
    assert shown.count("waits for the next") == 5


def test_priorities_on_ethernet() -> None:
    fabric = replace(fabric_report(Verdict.DEADLOCK_POSSIBLE, loop_finding()), kind="roce")
    assert "S1 port 2, priority 0" in text(report(fabric))


def test_loops_are_numbered_and_long_lists_are_cut() -> None:
    loops = [replace(loop_finding(), identity=f"loop {i:02}") for i in range(12)]
    shown = text(report(fabric_report(Verdict.DEADLOCK_POSSIBLE, *loops)))
    assert "\nLoop 10 of 12 " in shown and "\nLoop 11 of 12 " not in shown
    assert "and 2 more; --format json has all of them" in shown


def test_many_findings_of_one_rule_are_cut() -> None:
    many = [finding("PP204", "route-to-dead-port", Severity.WARNING, f"port {i:03}") for i in range(25)]
    shown = text(report(fabric_report(Verdict.DEADLOCK_FREE, *many)))
    assert shown.count("warning PP204") == 10
    assert "and 15 more of PP204" in shown


def test_free_without_findings_says_what_it_covers_and_no_more() -> None:
    shown = text(report(fabric_report(Verdict.DEADLOCK_FREE)))
    assert "  5 switches, 10 hosts, 5 tables\n  90 pairs, 0 unroutable pairs\n  30 buffers\n" in shown
    assert "Findings" not in shown and "Next" not in shown and "Loop" not in shown


def test_undecided_points_to_the_rule_that_names_the_missing() -> None:
    missing = finding("PP206", "table-missing", Severity.WARNING, "S3")
    assert text(report(fabric_report(Verdict.UNDECIDED, missing))).endswith(
        "Next\n  pauseproof show PATH...\n  pauseproof explain PP206\n"
    )


def test_hostile_names_cannot_steer_the_terminal() -> None:
    nasty = finding("PP203", "black-hole", Severity.WARNING, "\x1b[2J\nDEADLOCK_FREE")
    shown = text(report(fabric_report(Verdict.UNDECIDED, nasty, name="x\x1b[31m")))
    assert "\x1b" not in shown
    assert not any(row.startswith("DEADLOCK_FREE") for row in shown.splitlines())
