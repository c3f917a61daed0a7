"""From a report to an exit code.

0: nothing at or above the threshold; 1: findings, or a deadlock; 2 is for input that is refused, never for a report;
3: undecided.
"""

from collections.abc import Iterable

from pauseproof.findings.report import FabricReport, Finding, Report, Severity, Verdict

CLEAN, FOUND, REFUSED, UNDECIDED = 0, 1, 2, 3
_WEIGHT = {severity: weight for weight, severity in enumerate(Severity)}


def weight(severity: Severity) -> int:
    """How much a finding matters, as a number to sort by: larger is worse."""
    return _WEIGHT[severity]


def by_severity(finding: Finding) -> tuple[int, str, str, str]:
    """A sort key: worst first, then by rule and identity, so that output never depends on the order of discovery."""
    return -weight(finding.severity), finding.rule, finding.identity, finding.message


def exit_code(report: Report, fail_on: Severity = Severity.ERROR) -> int:
    """The exit code for ``report`` when findings of ``fail_on`` and above count.

    >>> exit_code(Report((), ()))
    2
    """
    if not report.fabrics:
        return REFUSED
    if any(_found(fabric, fail_on) for fabric in report.fabrics):
        return FOUND
    return UNDECIDED if any(fabric.verdict is Verdict.UNDECIDED for fabric in report.fabrics) else CLEAN


def _found(fabric: FabricReport, fail_on: Severity) -> bool:
    return fabric.verdict is Verdict.DEADLOCK_POSSIBLE or any_at(fabric.findings, fail_on)


def any_at(findings: Iterable[Finding], fail_on: Severity) -> bool:
    """Is there a finding of this severity or above?"""
    return any(weight(finding.severity) >= weight(fail_on) for finding in findings)
