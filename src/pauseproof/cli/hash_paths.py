"""``pauseproof hash --samples``: measured egress ports against the models."""

from typing import TYPE_CHECKING

import click

from pauseproof.cli.numbers import Number, bits
from pauseproof.cli.options import colour_option
from pauseproof.cli.output import FORMATS, STDOUT, targets, write
from pauseproof.findings.outcome import CLEAN, FOUND, UNDECIDED

if TYPE_CHECKING:
    from pauseproof.hashing.measured import Held
    from pauseproof.hashing.samples import Explained


@click.command(help="Hold modelled functions, and a fabric's settings, against measured egress ports.")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--samples", metavar="FILE", help="CSV: device, sip, dip, sport, ..., egress. Which models explain the ports?")
@click.option("--seed", "seeds", type=bits(32), multiple=True, help="Seeds to try with --samples (repeatable); default 0.")
@click.option("--members", type=Number(1, 4096), metavar="N", help="Size of the groups in --samples; default: the ports seen.")
@click.option("--format", "formats", type=click.Choice(FORMATS), multiple=True, help="Repeatable; default text.")
@click.option("--output", "outputs", metavar="FILE", multiple=True, help="Repeatable; written whole or not at all.")
@colour_option
def command(
    paths: tuple[str, ...],
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
    from pauseproof.reports.json import input_json
    from pauseproof.reports.styled import plain, show

    source = open_source(samples)
    records = hash_samples.read(source)
    try:
        found = explained(records.samples, seeds, members)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    inputs = [{"path": samples, "sha256": source.sha256, "format": hash_samples.NAME}]
    of_fabric: list[Held] = []
    if paths:
        import pauseproof
        from pauseproof.hashing.measured import held

        network = pauseproof.load(*paths)
        of_fabric = held(network, records)
        inputs += [input_json(entry) for entry in sorted(network.inputs, key=lambda entry: entry.path)]
    for target in sorted(wanted, key=lambda target: target.path == STDOUT):
        if target.format == "json":
            write(target.path, rendered(samples_json(inputs, found, of_fabric)).encode())
        elif target.path == STDOUT:
            show(sample_lines(samples, found, of_fabric), colour=False if no_colour else None)
        else:
            write(target.path, plain(sample_lines(samples, found, of_fabric)).encode("utf-8", "backslashreplace"))
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
