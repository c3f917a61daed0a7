"""Static balance and effective bisection bandwidth for people."""

from collections.abc import Iterator, Sequence

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.findings.loads import between
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Finding
from pauseproof.loads.balance import Balance
from pauseproof.loads.bisection import HALVES, PERMUTATION, Bisection
from pauseproof.reports.styled import BLANK, Line, Span, line, title
from pauseproof.reports.text import bare_finding
from pauseproof.reports.words import count, printable

PATTERNS = {
    PERMUTATION: ("random permutation", "random permutations"),
    HALVES: ("random division into halves", "random divisions into halves"),
}


def balance_lines(fabric: Fabric, used: Balance, findings: Sequence[Finding]) -> Iterator[Line]:
    """How many destinations the links between each two tiers serve, and which links serve none."""
    some = f"{used.idle:,} of {count(fabric.n_links, 'link')} serve{'s' if fabric.n_links == 1 else ''} no destination"
    headline = Span(some, "bad") if used.idle else Span("Every link serves some destination", "good")
    yield line(headline, f"  {printable(fabric.name)}, {count(used.columns, 'destination')}")
    yield BLANK
    yield title("Destinations a link serves")
    rows = [(f"{count(len(level.links), 'link')} {between(level)}", level) for level in used.levels]
    width = max((len(words) for words, _ in rows), default=0)
    for words, level in rows:
        served = level.destinations
        numbers = f"least {served.min():,}, mean {served.mean():,.1f}, most {served.max():,}"
        unused = [Span(f", {len(level.idle):,} idle", "bad")] if len(level.idle) else []
        yield line(f"  {words:<{width}}  {numbers}", *unused)
    if findings:
        yield BLANK
        yield title("Findings")
        for finding in sorted(findings, key=by_severity):
            yield from bare_finding(finding)


def bisection_lines(fabric: Fabric, found: Bisection, assumptions: Sequence[str]) -> Iterator[Line]:
    """The mean first, then how it varies."""
    about = f"  {printable(fabric.name)}, {count(found.hosts, 'host')}, {count(len(found.mean), *PATTERNS[found.pattern])}, "
    yield line(Span(f"EFFECTIVE BISECTION BANDWIDTH {found.effective:.1%}", "title"), about, f"seed {found.seed}")
    low, middle, high = (f"{q:.1%}" for q in np.quantile(found.mean, (0.05, 0.5, 0.95)).tolist())
    flows = int(found.flows.sum())
    silent = f" ({found.silent:,} times a host drew itself and sent nothing)" if found.silent else ""
    yield line(f"  a flow gets this part of its own link on average, over all {flows:,} flows of all permutations{silent}")
    yield line(f"  by permutation: 5% below {low}, half below {middle}, 95% below {high}")
    yield line(f"  the worst flow of all gets {found.least.min():.1%}; at most {found.crowd.max():,.6g} flows share a link")
    if found.failed:
        yield line(Span(f"  {found.failed:,} of {count(flows, 'flow')} do not arrive and get nothing", "bad"))
    if assumptions:
        yield BLANK
        yield title("It assumes")
        yield from (line("  - ", printable(assumption)) for assumption in assumptions)
