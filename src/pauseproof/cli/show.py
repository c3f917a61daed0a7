"""``pauseproof show``: what was read, what was skipped, and the fabric in a few numbers."""

import click

from pauseproof.cli.options import colour_option, paths_argument

HELP = """List what was read, what was skipped, and why.

On Ethernet also how switches hash, as far as was read or declared. Nothing is decided. Use it first on a new folder, and
whenever a verdict is UNDECIDED.

\b
Examples:
  pauseproof show topologies/opensm/ring5_lash
  pauseproof show topologies/ring5.yaml
"""


@click.command(help=HELP, short_help="List what was read, what was skipped, and why.")
@paths_argument
@colour_option
def command(paths: tuple[str, ...], no_colour: bool) -> int:
    """Show."""
    import pauseproof
    from pauseproof.reports.inventory import inventory_lines
    from pauseproof.reports.styled import show

    show(inventory_lines(pauseproof.load(*paths)), colour=False if no_colour else None)
    return 0
