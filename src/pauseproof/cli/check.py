"""``pauseproof check``: does a certificate hold?"""

import click

from pauseproof.cli.options import paths_argument
from pauseproof.cli.progress import Progress
from pauseproof.findings.outcome import CLEAN, FOUND

HELP = """Check a certificate against the files that it was made from.

Every choice set of every packet is derived again from the tables, by the slow reference walker and never by the engine, and
held against the certificate. Exit 0 where it holds, 1 where it does not (the message says why), 2 for bad input.

\b
Examples:
  pauseproof prove topologies/opensm/ring5_lash -o lash.cert.json.gz
  pauseproof check lash.cert.json.gz topologies/opensm/ring5_lash
"""


@click.command(help=HELP, short_help="Check a certificate without trusting the engine.")
@click.argument("certificate", metavar="CERTIFICATE")
@paths_argument
def command(certificate: str, paths: tuple[str, ...]) -> int:
    """Check."""
    import pauseproof
    from pauseproof.deadlock.certificate_file import read_certificate
    from pauseproof.deadlock.check import Refused, check
    from pauseproof.reports.words import printable

    content = read_certificate(certificate)
    network = pauseproof.load(*paths)
    try:
        with Progress("checked {done} of {total} destinations") as progress:
            verdict, refusal = check(content, network, progress), ""
    except Refused as error:
        refusal = str(error)
    if refusal:
        print(f"REFUSED  {printable(certificate)}: {printable(refusal)}")
        return FOUND
    inputs = sum(bool(one.format) for one in network.inputs)
    traffic = printable(content["question"]["traffic"])
    print(f"HOLDS  {verdict}, traffic: {traffic}; checked against {inputs} input{'s' * (inputs != 1)}")
    return CLEAN
