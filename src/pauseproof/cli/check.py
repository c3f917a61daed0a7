"""``pauseproof check``: does a certificate hold?"""

import sys
import time

import click

from pauseproof.cli.options import paths_argument
from pauseproof.findings.outcome import CLEAN, FOUND

HELP = """Check a certificate against the files that it was made from.

Every choice set of every packet is derived again from the tables, by the slow reference walker and never by the engine, and
held against the certificate. Exit 0 where it holds, 1 where it does not (the message says why), 2 for bad input.

\b
Examples:
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
        verdict = check(content, network, _Progress())
    except Refused as error:
        print(f"REFUSED  {printable(certificate)}: {printable(str(error))}")
        return FOUND
    asked = content["question"]
    print(
        f"HOLDS  {verdict}, traffic: {printable(asked['traffic'])}; checked against {sum(bool(i.format) for i in network.inputs)} inputs"
    )
    return CLEAN


class _Progress:
    """A line on a terminal's stderr, once a second; nothing elsewhere."""

    def __init__(self) -> None:
        self.next = time.monotonic() + 1

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= self.next and sys.stderr.isatty():
            self.next = now + 1
            print(f"\rchecked {done:,} of {total:,} destinations", end="", file=sys.stderr, flush=True)
