"""``pauseproof hash --samples``: measured egress ports against the models."""

from typing import TYPE_CHECKING

import click

from pauseproof.cli.numbers import Number, bits
from pauseproof.cli.options import colour_option
from pauseproof.cli.output import FORMATS, STDOUT, targets, write
from pauseproof.findings.outcome import CLEAN, FOUND, UNDECIDED

if TYPE_CHECKING:
    from pauseproof.hashing.samples import Explained


@click.command(help="Hold modelled functions against measured egress ports.")
@click.option("--samples", metavar="FILE", help="CSV: device, sip, dip, sport, ..., egress. Which models explain the ports?")
@click.option("--seed", "seeds", type=bits(32), multiple=True, help="Seeds to try with --samples (repeatable); default 0.")
@click.option("--members", type=Number(1, 4096), metavar="N", help="Size of the groups in --samples; default: the ports seen.")
@click.option("--format", "formats", type=click.Choice(FORMATS), multiple=True, help="Repeatable; default text.")
@click.option("--output", "outputs", metavar="FILE", multiple=True, help="Repeatable; written whole or not at all.")
@colour_option
def command(
    samples: str | None,
    seeds: tuple[int, ...],
    members: int | None,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
) -> int:
    """Read, compare, report."""
    if samples is None:
        raise click.UsageError("nothing to do; expected --samples FILE, or one of the commands value and sport")
    wanted = targets(formats, outputs)
    from pauseproof.hashing.samples import explained
    from pauseproof.readers import hash_samples
    from pauseproof.readers.source import open_source
    from pauseproof.reports.documents import rendered
    from pauseproof.reports.hash_samples import sample_lines, samples_json
    from pauseproof.reports.styled import plain, show

    source = open_source(samples)
    records = hash_samples.read(source)
    try:
        found = explained(records.samples, seeds, members)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    inputs = [{"path": samples, "sha256": source.sha256, "format": hash_samples.NAME}]
    for target in sorted(wanted, key=lambda target: target.path == STDOUT):
        if target.format == "json":
            write(target.path, rendered(samples_json(inputs, found)).encode())
        elif target.path == STDOUT:
            show(sample_lines(samples, found), colour=False if no_colour else None)
        else:
            write(target.path, plain(sample_lines(samples, found)).encode("utf-8", "backslashreplace"))
    return _outcome(found)


def _outcome(found: "list[Explained]") -> int:
    """1 where a device's samples refute every model, 3 where some device's tell too little."""
    if any(not one.consistent for one in found):
        return FOUND
    return CLEAN if all(one.telling for one in found) else UNDECIDED
