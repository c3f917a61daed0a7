"""``pauseproof load``: what a job puts on every link, effective bisection bandwidth, and the static balance of tables."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pauseproof.cli.draw import format_of
from pauseproof.cli.options import colour_option, fail_on_option, paths_argument, report_options
from pauseproof.cli.output import deliver, refuse_same_file, targets, write
from pauseproof.cli.progress import Progress
from pauseproof.findings.outcome import CLEAN, FOUND, any_at
from pauseproof.findings.report import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pauseproof.findings.report import Finding
    from pauseproof.reports.load import LoadReport
    from pauseproof.reports.styled import Line
    from pauseproof.routing.network import Network

HOSTS = "hosts"
PERMUTATIONS = 1000
PERFECT_HASH = (
    "a flow takes one member of every hashed group, as a perfect hash would give it; groups picked by load divide flows evenly"
)

HELP = """Tell what a job puts on every link, and which links make it slow.

--job takes a job description (docs/jobs.md), or the logs of NCCL: give the option once for each, or a folder. The slowdown is
held against a perfectly spread fabric of the same cables; the report says how exact it is, and why the hottest links are hot.

Without any of the options --balance is told: how many destinations each link serves, and which links serve none. --bisection
sends random permutations of all hosts through the tables and tells what a flow gets on average.

\b
Examples:
  pauseproof load topologies/opensm/fattree4_minhop --job topologies/jobs/shift.yaml
  pauseproof load topologies/fat-tree-k4.yaml --job topologies/jobs/all-to-all.yaml --format json
  pauseproof load topologies/opensm/fattree4_minhop --job topologies/jobs/shift.yaml --draw fabric.svg --chart load.png
  pauseproof load topologies/opensm/ring5_minhop
  pauseproof load topologies/opensm/ring5_minhop --bisection
  pauseproof load topologies/fat-tree-k4.yaml --bisection 200 --seed 7 --format json
"""


@click.command(help=HELP, short_help="Tell what a job puts on every link, and which make it slow.")
@paths_argument
@click.option("--job", "jobs", multiple=True, metavar="FILE", help="A job description, or a log of NCCL (repeatable).")
@click.option(
    "--bisection",
    is_flag=False,
    flag_value=PERMUTATIONS,
    type=click.IntRange(1, 1_000_000),
    metavar="[N]",
    help=f"Effective bisection bandwidth over N random permutations ({PERMUTATIONS}).",
)
@click.option("--draw", "heat", metavar="FILE", help="With --job: the fabric folded by tier with the heat of its links.")
@click.option("--chart", metavar="FILE", help="With --job: the loads of links as bars, tier by tier (svg, png, pdf or dot).")
@click.option(
    "--balance",
    is_flag=True,
    help="How many destinations each link serves, before any job runs (told where nothing else is asked).",
)
@click.option(
    "--pattern",
    type=click.Choice(("permutation", "halves")),
    default="permutation",
    show_default=True,
    help="For --bisection: every host sends, or one half sends to the other.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="For everything that is drawn.")
@fail_on_option
@report_options
@colour_option
def command(
    paths: tuple[str, ...],
    jobs: tuple[str, ...],
    heat: str | None,
    chart: str | None,
    bisection: int | None,
    balance: bool,
    pattern: str,
    seed: int,
    fail_on: str,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
) -> int:
    """Load."""
    import pauseproof

    wanted = targets(formats, outputs)
    refuse_same_file(heat, chart, *(target.path for target in wanted))
    if bool(jobs) + (bisection is not None) + balance > 1:
        raise click.UsageError("expected no more than one of --job FILE, --bisection and --balance")
    if (heat or chart) and not jobs:
        raise click.UsageError("--draw and --chart show the load of a job; expected --job FILE")
    pictures = {name: (path, format_of(path, f"--{name}")) for name, path in (("draw", heat), ("chart", chart)) if path}
    network = pauseproof.load(*paths)
    if jobs:
        again = shlex.join([*paths, *(word for job in jobs for word in ("--job", job))])
        told = _job(network, jobs, pictures, seed, again)
    else:
        told = _balance(network) if bisection is None else _bisection(network, bisection, pattern, seed)
    deliver(wanted, told.lines, told.json, no_colour=no_colour)
    return FOUND if any_at(told.findings, Severity(fail_on)) else CLEAN


class _Told(NamedTuple):
    """One answer, as text and as JSON; each is made when it is asked for."""

    lines: "Callable[[], Iterable[Line]]"
    json: "Callable[[], str]"
    findings: "Sequence[Finding]" = ()


def _job(network: "Network", jobs: tuple[str, ...], pictures: "Mapping[str, tuple[str, str]]", seed: int, again: str) -> _Told:
    from pauseproof.findings.loads import load_findings
    from pauseproof.loads.balance import balance
    from pauseproof.loads.job_files import job_inputs, placed_job
    from pauseproof.loads.measured import measured
    from pauseproof.reports.documents import rendered
    from pauseproof.reports.load import LoadReport, load_lines
    from pauseproof.reports.load_json import load_json

    placed = placed_job(jobs, network)
    with Progress("followed {done} of {total} flows") as progress:
        found = measured(network, placed, seed, progress)
    used = balance(found.mean.hashing.hops, network.traffics[HOSTS])
    findings = load_findings(found, used)
    name = ", ".join(Path(job).name for job in jobs)
    report = LoadReport(name, found, used, findings, (*found.mean.assumptions, *placed.assumptions))
    for which, (path, format) in pictures.items():
        _draw(report, which, path, format)
    return _Told(
        lambda: load_lines(report, again),
        lambda: rendered(load_json(report, network.inputs, job_inputs(jobs))),
        findings,
    )


def _draw(report: "LoadReport", which: str, path: str, format: str) -> None:
    from pauseproof.drawings.load_pictures import load_chart, load_heat
    from pauseproof.drawings.render import CannotDraw, render

    dot = load_heat(report) if which == "draw" else load_chart(report)
    try:
        write(path, render(dot.source, dot.engine, format))
    except CannotDraw as error:
        raise click.ClickException(str(error)) from error


def _balance(network: "Network") -> _Told:
    from pauseproof.findings.loads import balance_findings
    from pauseproof.loads.balance import balance
    from pauseproof.loads.next_hops import next_hops
    from pauseproof.reports.documents import rendered
    from pauseproof.reports.fabric_use import balance_lines
    from pauseproof.reports.load_json import balance_json

    used = balance(next_hops(network), network.traffics[HOSTS])
    findings = balance_findings(network, used)
    return _Told(
        lambda: balance_lines(network.fabric, used, findings),
        lambda: rendered(balance_json(network.fabric, used, findings, network.inputs)),
        findings,
    )


def _bisection(network: "Network", permutations: int, pattern: str, seed: int) -> _Told:
    import numpy as np

    from pauseproof.fabric.places import BadInput, Place
    from pauseproof.loads.bisection import bisection
    from pauseproof.loads.next_hops import next_hops
    from pauseproof.loads.speeds import speeds
    from pauseproof.reports.documents import rendered
    from pauseproof.reports.fabric_use import bisection_lines
    from pauseproof.reports.load_json import bisection_json

    fabric, rate = network.fabric, speeds(network.fabric)
    hosts = np.flatnonzero(network.traffics[HOSTS].host_sends).astype(np.int32)
    hops = next_hops(network)
    try:
        with Progress("followed {done} of {total} permutations") as progress:
            found = bisection(hops, hosts, rate.rate, permutations=permutations, pattern=pattern, seed=seed, progress=progress)
    except ValueError as error:
        raise BadInput.at(Place(fabric.name), f"{error}; expected a fabric with hosts on two nodes or more") from error
    assumptions = (*rate.assumptions, *([PERFECT_HASH] if hops.chooses else []))
    return _Told(
        lambda: bisection_lines(fabric, found, assumptions),
        lambda: rendered(bisection_json(fabric, found, network.inputs, assumptions)),
    )
