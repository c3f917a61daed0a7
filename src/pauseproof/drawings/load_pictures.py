"""The two pictures of a job's load: the folded fabric with link heat, and the chart of all links.

Both show the run that the report tells: where headers or hashes are not known, the median sample.
"""

from pauseproof.drawings.document import Dot
from pauseproof.drawings.heat import heat_dot
from pauseproof.drawings.load_chart import Row, chart_dot
from pauseproof.findings.loads import between
from pauseproof.loads.measured import LOWER_BOUND
from pauseproof.reports.load import LoadReport, time_words
from pauseproof.reports.words import printable


def load_heat(report: LoadReport) -> Dot:
    """All phases together, on the fabric folded by tier."""
    found = report.found
    return heat_dot(found.fabric, found.load.bytes.sum(axis=0), found.speeds.rate, _title(report))


def load_chart(report: LoadReport) -> Dot:
    """All phases together, a row for each two tiers."""
    found = report.found
    time = found.load.bytes.sum(axis=0) / found.speeds.rate
    perfect = (found.perfect.sum(axis=0) / found.speeds.rate).max(initial=0.0)
    rows = [Row(between(level), time[level.links]) for level in report.used.levels]
    longest = max(float(perfect), float(time.max(initial=0.0)))
    return chart_dot(_title(report), rows, float(perfect), time_words(found, longest))


def _title(report: LoadReport) -> str:
    drawn = report.chance is not None or report.measured.kind == LOWER_BOUND
    method = "" if drawn else f" ({report.found.method})"
    return printable(f"{report.job} on {report.found.fabric.name}: slowdown {report.slowdown_words.lower()}{method}")
