"""Short names for findings, the same from every input format and in every run."""

from collections.abc import Iterable, Sequence

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


def number_of(loops: Sequence[Finding], which: str) -> int:
    """The number, from 1, of the loop that has this number or id. Raises ValueError where none or several do."""
    if which.isdecimal() and 1 <= int(which) <= len(loops):
        return int(which)
    found = find_by_id(loops, which)
    if len(found) != 1:
        known = ", ".join(short_id(loop) for loop in loops[:8])
        raise ValueError(f"{which!r} is no loop; expected a number from 1 to {len(loops)}, or an id such as {known}")
    return loops.index(found[0]) + 1
