"""``pauseproof storm``: how many hosts stand still when one host port pauses for good."""

from typing import Any

import click

from pauseproof.cli.options import colour_option, paths_argument, traffic_options
from pauseproof.cli.output import FORMATS, STDOUT, targets, write

HELP = """Say how many hosts stand still when one host port pauses for good.

A broken NIC that sends pause frames without end, or a host that returns no credits, holds up every buffer whose packets wait
for it, and those behind them. The numbers are the most that can happen: every host sends to every host, at any load, and no
watchdog drops anything. They are of use on fabrics without a loop too. docs/conditions.md says more.

\b
Examples:
  pauseproof storm topologies/fat-tree-k4.yaml
  pauseproof storm topologies/opensm/irregular_updn --host H1x0
  pauseproof storm topologies/frr/healthy topologies/frr/clos4x2.clab.yml --format json
"""


@click.command(help=HELP, short_help="Say how many hosts one pausing host port holds up.")
@paths_argument
@traffic_options
@click.option(
    "--host", "hosts", multiple=True, metavar="GLOB", help="Only these host ports, with the names of whom they hold up."
)
@click.option("--format", "formats", type=click.Choice(FORMATS), multiple=True, help="Repeatable; default text.")
@click.option("--output", "outputs", metavar="FILE", multiple=True, help="Repeatable; written whole or not at all.")
@colour_option
def command(
    paths: tuple[str, ...],
    hosts: tuple[str, ...],
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
    **asked: Any,
) -> None:
    """Report on storms."""
    import pauseproof
    from pauseproof.library import storms
    from pauseproof.reports.storm import render_storms, storm_lines
    from pauseproof.reports.styled import plain, show

    wanted = targets(formats, outputs)
    network = pauseproof.load(*paths)
    report = storms(network, hosts=hosts, **asked)
    for target in sorted(wanted, key=lambda target: target.path == STDOUT):
        if target.format == "json":
            write(target.path, render_storms(report, network.inputs).encode())
        elif target.path == STDOUT:
            show(storm_lines(report), colour=False if no_colour else None)
        else:
            write(target.path, plain(storm_lines(report)).encode("utf-8", "backslashreplace"))
