from pauseproof.findings.identity import find_by_id, short_id
from pauseproof.findings.report import Severity
from sample_reports import finding, loop_finding

A = finding("PP203", "black-hole", Severity.WARNING, "a")
B = finding("PP203", "black-hole", Severity.WARNING, "b")


def test_an_id_depends_on_rule_and_identity_only() -> None:
    moved = finding("PP203", "black-hole", Severity.INFO, "a", line=99)
    other = finding("PP204", "route-to-dead-port", Severity.WARNING, "a")
    assert short_id(A) == short_id(moved)
    assert len({short_id(A), short_id(B), short_id(other)}) == 3


def test_an_id_survives_names_that_are_no_text() -> None:
    assert short_id(finding("PP203", "black-hole", Severity.INFO, "\udc80")) != short_id(A)


def test_found_by_identity_by_short_id_and_by_its_start() -> None:
    loop = loop_finding()
    for name in (loop.identity, short_id(loop), short_id(loop).upper(), short_id(loop)[:4]):
        assert find_by_id([A, B, loop], name) == [loop]


def test_three_digits_are_too_few() -> None:
    assert find_by_id([A], short_id(A)[:3]) == []
