"""``pauseproof repair``: changes that make the fabric provably safe, with their costs, and the files that bring them about."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pauseproof.cli.numbers import Seconds
from pauseproof.cli.options import colour_option, paths_argument, report_options, traffic_options, typed_again
from pauseproof.cli.output import deliver, targets
from pauseproof.cli.progress import Progress
from pauseproof.cli.repair_files import write_repair
from pauseproof.findings.outcome import CLEAN, FOUND, UNDECIDED
from pauseproof.findings.report import Verdict
from pauseproof.repair.kinds import KINDS

HELP = """Find changes that make the fabric provably safe.

Each kind of change is searched for the cheapest set that leaves no stuck set and keeps every pair connected that is connected
today. What is found is applied in memory, verified like any fabric, and certified; nothing else is offered. docs/repair.md
tells what each kind minimises, and over what.

--write puts into FOLDER, in a folder a kind, what an operator loads: for InfiniBand an LFT file for `opensm -R file -U`, path
SLs and SL-to-VL tables; for Ethernet routes, declarations for `verify`, and SONiC's maps. It also tells the command that
verifies what was written.

Exit 0 where there is an alternative or nothing to repair, 1 where none was found, 3 where the fabric is undecided.

\b
Examples:
  pauseproof repair topologies/opensm/ring5_minhop
  pauseproof repair topologies/opensm/siblings_ftree --kind routes --write repaired
  pauseproof repair topologies/ring5.yaml --format json
  pauseproof repair topologies/frr/two_failures topologies/frr/clos4x2.layer1_topology.json --kind raises
"""


@click.command(help=HELP, short_help="Find changes that make the fabric provably safe.")
@paths_argument
@traffic_options
@click.option("--kind", "kinds", type=click.Choice(tuple(KINDS)), multiple=True, help="Only these kinds (repeatable).")
@click.option(
    "--budget",
    type=Seconds(0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Search no longer than this.",
)
@click.option(
    "--lossless-classes",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    metavar="N",
    help="How many lossless priorities Ethernet switches have buffers for.",
)
@click.option("--write", "folder", metavar="FOLDER", help="Put there what an operator loads; the folder must not exist yet.")
@report_options
@colour_option
def command(
    paths: tuple[str, ...],
    kinds: tuple[str, ...],
    budget: float,
    lossless_classes: int,
    folder: str | None,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
    **asked: Any,
) -> int:
    """Repair."""
    import pauseproof
    from pauseproof.library import repairs
    from pauseproof.reports.repair import render_repair, repair_lines

    wanted = targets(formats, outputs)
    if folder is not None and Path(folder).exists():
        raise click.UsageError(f"--write {folder}: it is there already; expected a folder that is not there yet")
    network = pauseproof.load(*paths)
    with Progress("") as progress:
        watch = _watch(progress, budget)
        found = repairs(network, kinds=kinds, seconds=budget, lossless_classes=lossless_classes, watch=watch, **asked)
    if folder is not None:
        write_repair(found, folder, paths, asked)
    again = typed_again(paths, asked)
    deliver(wanted, lambda: repair_lines(found, again), lambda: render_repair(found), no_colour=no_colour)
    if found.before.verdict is Verdict.UNDECIDED:
        return UNDECIDED
    return CLEAN if found.offered or found.before.verdict is Verdict.DEADLOCK_FREE else FOUND


def _watch(progress: Progress, budget: float) -> Callable[[str], None]:
    """Shows what is done, and how much of the budget is spent."""
    start = time.monotonic()

    def watch(what: str) -> None:
        progress.words = f"{what}: {{done}} of at most {{total}} seconds"
        progress(int(time.monotonic() - start), int(budget))

    return watch
