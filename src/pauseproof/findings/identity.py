"""Short names for findings, the same from every input format and in every run."""

from collections.abc import Iterable

from pauseproof.findings.report import Finding

SHORT = 8  # hex digits: among a million findings, two alike are less likely than a broken disk


def short_id(finding: Finding) -> str:
    """Eight hex digits that stand for the finding's rule and identity."""
    import hashlib

    return hashlib.sha256(f"{finding.rule}\0{finding.identity}".encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]


def find_by_id(findings: Iterable[Finding], name: str) -> list[Finding]:
    """The findings whose full identity is ``name``, or whose short id starts with it (four digits or more)."""
    wanted = name.lower()
    return [
        finding
        for finding in findings
        if finding.identity == name or (len(wanted) >= 4 and short_id(finding).startswith(wanted))
    ]
