"""``pauseproof explain``: the page of a rule, or one finding of a fabric with the page of its rule."""

from typing import TYPE_CHECKING, Any

import click

from pauseproof.cli.options import checked, colour_option, traffic_options
from pauseproof.findings.rules import RULES, Rule, UnknownRule, rule

if TYPE_CHECKING:
    from pauseproof.findings.report import FabricReport, Finding
    from pauseproof.reports.styled import Line

HELP = """Tell what a rule or a finding means and how to fix it.

RULE is a code or a slug. ID is that of a finding in a report: give the PATHs, and the options, with which it was found. Without
either, all rules are listed.

\b
Examples:
  pauseproof explain
  pauseproof explain PP101
  pauseproof explain black-hole
  pauseproof explain 391620cd topologies/opensm/ring5_minhop
"""


@click.command(help=HELP, short_help="Tell what a rule or a finding means and how to fix it.")
@click.argument("what", required=False, metavar="[RULE|ID]")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@traffic_options
@colour_option
def command(
    what: str | None,
    paths: tuple[str, ...],
    no_colour: bool,
    **asked: Any,
) -> int:
    """Explain."""
    from pauseproof.reports.pages import rule_page, rule_table
    from pauseproof.reports.styled import BLANK, show
    from pauseproof.reports.text import finding_lines

    colour = False if no_colour else None
    if what is None:
        show(rule_table(RULES), colour=colour)
        return 0
    lines: list[Line] = []
    if paths and (found := _finding(what, paths, asked)):
        lines, known = [*finding_lines(*found), BLANK], rule(found[0].rule)
    else:
        known = _rule(what, bool(paths))
    show([*lines, *rule_page(known)], colour=colour)
    return 0


def _rule(what: str, searched: bool) -> Rule:
    try:
        return rule(what)
    except UnknownRule as error:
        hint = "and no finding of these paths has that id" if searched else "for the id of a finding, add its PATHs"
        raise click.UsageError(f"{error} ({hint})") from error


def _finding(what: str, paths: tuple[str, ...], asked: dict[str, Any]) -> "tuple[Finding, FabricReport] | None":
    from pauseproof.findings.identity import find_by_id

    _, report = checked(paths, asked)
    return next(((finding, fabric) for fabric in report.fabrics for finding in find_by_id(fabric.findings, what)), None)
