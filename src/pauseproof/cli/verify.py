"""``pauseproof verify``: the verdict, as many reports as asked for, and an exit code."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pauseproof.cli.numbers import Seconds
from pauseproof.cli.options import (
    checked,
    colour_option,
    fail_on_option,
    paths_argument,
    report_options,
    traffic_options,
    typed_again,
)
from pauseproof.cli.output import STDOUT, Target, deliver, refuse_same_file, targets, write
from pauseproof.findings.outcome import exit_code
from pauseproof.findings.report import Severity

if TYPE_CHECKING:
    from pauseproof.findings.report import Report
    from pauseproof.readers.snapshot import InputFile

HELP = """Decide whether the fabric can deadlock.

PATH is a file, a folder, or - for stdin; .gz is read as it is. Give everything that was dumped at the same moment: cabling,
tables, and where the fabric uses them SL-to-VL maps and path SLs. Files of a folder that are not recognised are skipped.

The k-th --output takes the k-th --format. A format without an output goes to stdout.

\b
Examples:
  pauseproof verify topologies/ring5.yaml
  pauseproof verify topologies/opensm/ring5_minhop
  pauseproof verify topologies/frr/two_failures topologies/frr/clos4x2.clab.yml
  pauseproof verify topologies/opensm/ring5_lash --all-on-sl 0
  pauseproof verify topologies/opensm/ring5_minhop --traffic hosts+switches --fail-on warning
  pauseproof verify topologies/ring5.yaml --conditions
  pauseproof verify topologies/hotnets-four-switches.yaml --flows topologies/flows/hotnets-three.yaml
  pauseproof verify topologies/polarized-offset.yaml --realize
  pauseproof verify topologies/opensm/ring5_minhop --format json --output report.json
  pauseproof verify topologies/opensm/fattree4_minhop --job topologies/jobs/shift.yaml
  pauseproof verify topologies/opensm/ring5_minhop --certificate ring5.cert.json.gz
  pauseproof verify topologies/opensm/ring5_minhop --format json --output report.json --format text
"""


@click.command(help=HELP, short_help="Decide whether the fabric can deadlock.")
@paths_argument
@traffic_options
@fail_on_option
@click.option("--escape-lane", "escape_lanes", multiple=True, metavar="LANE", help="Check that these lanes are an escape.")
@click.option("--smallest", type=Seconds(0.001), metavar="SECONDS", help="Look so long for the smallest stuck set.")
@click.option(
    "--conditions", is_flag=True, help="Say what can fill each loop: links that can be overloaded, pauses that back up."
)
@click.option("--realize", is_flag=True, help="Find packets that hash onto each dependency of a loop; prove where none does.")
@click.option("--budget", type=Seconds(0.001), default=30.0, show_default=True, metavar="SECONDS", help="For --realize.")
@click.option(
    "--flows", "flow_file", metavar="FILE", help="With --conditions: what these flows bring to the links of each loop."
)
@click.option("--replay", is_flag=True, help="Add whether a packet-level model of the first loop stops for good.")
@click.option(
    "--job",
    "jobs",
    multiple=True,
    metavar="FILE",
    help="Add what this job overloads; with --realize, whether it closes a loop.",
)
@click.option("--certificate", metavar="FILE", help="Also write a certificate, as `pauseproof prove` does.")
@report_options
@colour_option
def command(
    paths: tuple[str, ...],
    fail_on: str,
    certificate: str | None,
    flow_file: str | None,
    jobs: tuple[str, ...],
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
    **asked: Any,
) -> int:
    """Verify and report."""
    from pauseproof.reports.text import report_lines

    wanted = targets(formats, outputs)
    refuse_same_file(certificate, *(target.path for target in wanted))
    flow_input = _with_flows(asked, flow_file) if flow_file else ()
    asked |= {"jobs": jobs} if jobs else {}
    report = _proved(paths, asked, certificate) if certificate else checked(paths, asked)[1]
    report = replace(report, inputs=(*report.inputs, *flow_input))
    report = _with_job(report, paths, jobs) if jobs else report
    again = typed_again(paths, asked), typed_again(paths, {})
    deliver(wanted, lambda: report_lines(report, *again), lambda: _json(report), no_colour=no_colour)
    if all(target.path != STDOUT for target in wanted):
        _summary(report, wanted)
    return exit_code(report, Severity(fail_on))


def _with_flows(asked: dict[str, Any], path: str) -> "tuple[InputFile, ...]":
    """Put the flows of a file into what is asked; the file."""
    from pauseproof.library import read_flows

    asked["flows"], read = read_flows(path)
    return (read,)


def _with_job(report: "Report", paths: tuple[str, ...], jobs: tuple[str, ...]) -> "Report":
    """The report, with what the load of a job adds to the findings of the fabric."""
    import pauseproof
    from pauseproof.findings.of_job import findings_of_job

    found = findings_of_job(pauseproof.load(*paths), jobs)
    fabrics = tuple(replace(fabric, findings=(*fabric.findings, *found)) for fabric in report.fabrics)
    return replace(report, fabrics=fabrics)


def _proved(paths: tuple[str, ...], asked: dict[str, Any], certificate: str) -> "Report":
    """The report, after its certificate was written."""
    import pauseproof
    from pauseproof.deadlock.certificate_file import certificate_bytes
    from pauseproof.library import verify_and_prove

    report, proof = verify_and_prove(pauseproof.load(*paths), **asked)
    if proof is None:
        print(f"UNDECIDED: there is nothing to prove, so {certificate} is not written", file=sys.stderr)
    else:
        write(certificate, certificate_bytes(proof, certificate))
    return report


def _json(report: "Report") -> str:
    from pauseproof.reports.json import render_json

    return render_json(report)


def _summary(report: "Report", wanted: list[Target]) -> None:
    """All reports went to files: one line, so that the user is not left without an answer."""
    verdicts = ", ".join(sorted({fabric.verdict.value for fabric in report.fabrics}))
    print(f"{verdicts}; written: {', '.join(target.path for target in wanted)}", file=sys.stderr)
