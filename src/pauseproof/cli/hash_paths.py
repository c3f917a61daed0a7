"""``pauseproof hash PATH``: what the hashes of a fabric do to each other; with ``--samples``, what was measured."""

from typing import TYPE_CHECKING

import click

from pauseproof.cli.numbers import Number, Seconds, bits
from pauseproof.cli.options import colour_option, fail_on_option, report_options
from pauseproof.cli.output import deliver, targets
from pauseproof.findings.outcome import CLEAN, FOUND, UNDECIDED, any_at
from pauseproof.findings.report import Severity

if TYPE_CHECKING:
    from pauseproof.cli.output import Target
    from pauseproof.hashing.measured import Held
    from pauseproof.hashing.samples import Explained


@click.command(help="Count what the hashes of a fabric can do together, or hold them against measured egress ports.")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option(
    "--samples", metavar="FILE", help="CSV: device, sip, ..., egress. Which models explain the ports? Exit 1 where none does."
)
@click.option("--seed", "seeds", type=bits(32), multiple=True, help="Seeds to try with --samples (repeatable); default 0.")
@click.option("--members", type=Number(1, 4096), metavar="N", help="Size of the groups in --samples; default: the ports seen.")
@click.option(
    "--prove",
    is_flag=False,
    flag_value=10.0,
    type=Seconds(0.001),
    metavar="[SECONDS]",
    help="Let z3 prove of each member that no packet reaches that it is so, in so many seconds each (10).",
)
@fail_on_option
@report_options
@colour_option
def command(
    paths: tuple[str, ...],
    samples: str | None,
    seeds: tuple[int, ...],
    members: int | None,
    prove: float | None,
    fail_on: str,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
) -> int:
    """Read, compare, report."""
    if samples is None and not paths:
        raise click.UsageError("nothing to do; expected the PATH of a fabric, --samples FILE, or a command: value, sport")
    if samples is not None and prove is not None:
        raise click.UsageError("--prove is about the hashes of a fabric, not about --samples")
    wanted = targets(formats, outputs)
    if samples is None:
        return _polarized(paths, prove, Severity(fail_on), wanted, no_colour)
    return _measured(paths, samples, seeds, members, wanted, no_colour)


def _polarized(paths: tuple[str, ...], prove: float | None, fail_on: Severity, wanted: "list[Target]", no_colour: bool) -> int:
    """Count the chains of a fabric."""
    import pauseproof
    from pauseproof.cli.progress import Progress
    from pauseproof.findings.polarized import polarization_report
    from pauseproof.reports.polarization import polarization_lines, render_polarization

    network = pauseproof.load(*paths)
    with Progress("proving: {done} of {total} members") as progress:
        report = polarization_report(network, seconds=prove, done=progress)
    deliver(
        wanted,
        lambda: polarization_lines(report, paths),
        lambda: render_polarization(report, network.inputs),
        no_colour=no_colour,
    )
    if any_at(report.findings, fail_on):
        return FOUND
    return CLEAN if report.all_counted else UNDECIDED


def _measured(
    paths: tuple[str, ...],
    samples: str,
    seeds: tuple[int, ...],
    members: int | None,
    wanted: "list[Target]",
    no_colour: bool,
) -> int:
    """Hold models against samples."""
    from pauseproof.hashing.samples import explained
    from pauseproof.readers import hash_samples
    from pauseproof.readers.snapshot import InputFile
    from pauseproof.readers.source import open_source
    from pauseproof.reports.documents import rendered
    from pauseproof.reports.hash_samples import sample_lines, samples_json

    source = open_source(samples)
    records = hash_samples.read(source)
    inputs = [InputFile(source.path, source, hash_samples.NAME)]
    of_fabric: list[Held] = []
    if paths:
        import pauseproof
        from pauseproof.hashing.measured import held, seeds_of

        network = pauseproof.load(*paths)
        of_fabric = held(network, records)
        seeds = tuple(dict.fromkeys((*(seeds or (0,)), *seeds_of(network, records))))
        inputs += network.inputs
    try:
        found = explained(records.samples, seeds, members)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    deliver(
        wanted,
        lambda: sample_lines(samples, found, of_fabric),
        lambda: rendered(samples_json(inputs, found, of_fabric)),
        no_colour=no_colour,
    )
    return _outcome_of_fabric(of_fabric) if paths else _outcome(found)


def _outcome_of_fabric(of_fabric: "list[Held]") -> int:
    """1 where a sample refutes what the fabric says, 3 where nothing can be told of some device's."""
    if any(one.refuted for one in of_fabric):
        return FOUND
    return CLEAN if all(one.agree for one in of_fabric) else UNDECIDED


def _outcome(found: "list[Explained]") -> int:
    """1 where a device's samples refute every model, 3 where some device's tell too little."""
    if any(not one.consistent for one in found):
        return FOUND
    return CLEAN if all(one.telling for one in found) else UNDECIDED
