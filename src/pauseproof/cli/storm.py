"""``pauseproof storm``: how many hosts stand still when one host port pauses for good."""

from typing import Any

import click

from pauseproof.cli.options import colour_option, paths_argument, report_options, traffic_options
from pauseproof.cli.output import deliver, targets

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
@report_options
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

    wanted = targets(formats, outputs)
    network = pauseproof.load(*paths)
    report = storms(network, hosts=hosts, **asked)
    deliver(wanted, lambda: storm_lines(report), lambda: render_storms(report, network.inputs), no_colour=no_colour)
