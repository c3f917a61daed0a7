"""``pauseproof draw``: one loop with its surroundings, or the fabric folded by tier."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pauseproof.cli.options import checked, paths_argument, traffic_options
from pauseproof.cli.output import STDOUT, write
from pauseproof.drawings.render import FORMATS, CannotDraw, render

if TYPE_CHECKING:
    from pauseproof.drawings.document import Dot
    from pauseproof.findings.report import Report
    from pauseproof.routing.network import Network

HELP = """Draw a loop with its surroundings, or the whole fabric folded.

The format follows from the name of the file: svg, png, pdf (needs Graphviz) or dot. A loop within one tier becomes a circle, a
loop over several tiers keeps them as ranks; the loop is red, one hop around it is grey.

\b
Examples:
  pauseproof draw topologies/opensm/ring5_minhop -o loop.svg
  pauseproof draw topologies/opensm/ring5_minhop --loop 2 -o loop.png
  pauseproof draw topologies/clos4x2-two-failures.yaml -o clos.svg
  pauseproof draw topologies/fat-tree-k4.yaml --folded -o fabric.svg
"""


@click.command(help=HELP, short_help="Draw a loop with its surroundings, or the whole fabric folded.")
@paths_argument
@click.option("-o", "--output", metavar="FILE", required=True, help="svg, png, pdf or dot by its name; - is dot on stdout.")
@click.option("--loop", "which", metavar="N|ID", default="1", show_default=True, help="A loop's number or id in the report.")
@click.option("--folded", is_flag=True, help="The whole fabric, alike switches as one node; no loop is needed.")
@traffic_options
def command(
    paths: tuple[str, ...],
    output: str,
    which: str,
    folded: bool,
    **asked: Any,
) -> int:
    """Draw."""
    format = format_of(output)
    if folded:
        dot = _folded(paths)
    else:
        network, report = checked(paths, asked)
        dot = _loop(network, report, which)
    try:
        write(output, render(dot.source, dot.engine, format))
    except CannotDraw as error:
        raise click.ClickException(str(error)) from error
    return 0


def format_of(output: str, option: str = "--output") -> str:
    """The format that the name of the file, given with ``option``, asks for. Raises click.UsageError."""
    suffix = "dot" if output == STDOUT else Path(output).suffix.removeprefix(".").lower().replace("gv", "dot")
    if suffix not in FORMATS:
        raise click.UsageError(f"{option} {output} ends in no format that is drawn: {', '.join(FORMATS)}")
    return suffix


def _folded(paths: tuple[str, ...]) -> "Dot":
    import pauseproof
    from pauseproof.drawings.folded import folded_dot

    return folded_dot(pauseproof.load(*paths).fabric)


def _loop(network: "Network", report: "Report", which: str) -> "Dot":
    from pauseproof.drawings.dot import loop_dot
    from pauseproof.drawings.picture import loop_picture
    from pauseproof.findings.identity import number_of
    from pauseproof.reports.text import loops_of
    from pauseproof.reports.words import count

    loops = [finding for fabric in report.fabrics for finding in loops_of(fabric)]
    if not loops:
        verdicts = ", ".join(fabric.verdict.value for fabric in report.fabrics)
        stuck = any(finding.loop for fabric in report.fabrics for finding in fabric.findings)
        why = "a stuck set, of which `pauseproof verify` lists the buffers, is not drawn" if stuck else verdicts
        raise click.ClickException(f"there is no loop to draw: {why}; --folded draws the fabric")
    try:
        number = number_of(loops, which)
    except ValueError as error:
        raise click.UsageError(f"--loop: {error}") from error
    finding = loops[number - 1]
    click.echo(f"loop {number} of {len(loops)}, {count(len(finding.loop), 'buffer')}", err=True)
    return loop_dot(loop_picture(finding, network.fabric))
