import pytest

from pauseproof.findings.outcome import by_severity, exit_code
from pauseproof.findings.report import Severity, Verdict
from sample_reports import fabric_report, finding, loop_finding, report

FREE, POSSIBLE, UNDECIDED = Verdict
WARN = finding("PP203", "black-hole", Severity.WARNING)
INFO = finding("PP210", "lid-without-owner", Severity.INFO)
LOOPING = finding("PP202", "forwarding-loop", Severity.ERROR)


@pytest.mark.parametrize(
    ("fabrics", "fail_on", "code"),
    [
        ([fabric_report(FREE)], Severity.INFO, 0),
        ([fabric_report(FREE, WARN, INFO)], Severity.ERROR, 0),
        ([fabric_report(FREE, WARN, INFO)], Severity.WARNING, 1),
        ([fabric_report(FREE, INFO)], Severity.WARNING, 0),
        ([fabric_report(FREE, INFO)], Severity.INFO, 1),
        ([fabric_report(FREE, LOOPING)], Severity.ERROR, 1),
        ([fabric_report(POSSIBLE, loop_finding())], Severity.ERROR, 1),
        ([fabric_report(POSSIBLE)], Severity.ERROR, 1),
        ([fabric_report(UNDECIDED)], Severity.INFO, 3),
        ([fabric_report(UNDECIDED, WARN)], Severity.ERROR, 3),
        ([fabric_report(UNDECIDED, WARN)], Severity.WARNING, 1),
        ([fabric_report(FREE), fabric_report(UNDECIDED)], Severity.ERROR, 3),
        ([fabric_report(UNDECIDED), fabric_report(POSSIBLE)], Severity.ERROR, 1),
        ([], Severity.ERROR, 2),
    ],
)
def test_the_exit_code(fabrics: list, fail_on: Severity, code: int) -> None:  # type: ignore[type-arg]
    assert exit_code(report(*fabrics), fail_on) == code


def test_the_worst_comes_first_then_the_rule_then_the_identity() -> None:
    b = finding("PP203", "black-hole", Severity.WARNING, "b")
    a = finding("PP203", "black-hole", Severity.WARNING, "a")
    early = finding("PP201", "unroutable-pairs", Severity.WARNING, "z")
    assert sorted([INFO, b, a, LOOPING, early], key=by_severity) == [LOOPING, early, a, b, INFO]
