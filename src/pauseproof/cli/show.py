"""``pauseproof show``: what was read, what was skipped, and the fabric in a few numbers."""

import click

from pauseproof.cli.options import colour_option, paths_argument

HELP = """List what was read, what was skipped, and why.

On Ethernet also how switches hash, as far as was read or declared. Nothing is decided. Use it first on a new folder, and
whenever a verdict is UNDECIDED. Where no fabric can be made of the files, it lists them and says what is missing.

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
    from pathlib import Path

    from pauseproof.fabric.places import BadInput
    from pauseproof.library import assembled
    from pauseproof.readers.snapshot import read_snapshot
    from pauseproof.reports.inventory import incomplete_lines, inventory_lines
    from pauseproof.reports.styled import show

    snapshot = read_snapshot(paths)
    try:
        lines = inventory_lines(assembled(snapshot, Path(paths[0]).name or paths[0]))
    except BadInput as error:
        if snapshot.native:  # a topology is whole or wrong
            raise
        lines = incomplete_lines(snapshot.inputs, error.problems)
    show(lines, colour=False if no_colour else None)
    return 0
