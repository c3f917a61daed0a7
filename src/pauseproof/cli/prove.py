"""``pauseproof prove``: a certificate of the verdict, or the ranking problem for an SMT solver."""

import sys
from typing import Any

import click

from pauseproof.cli.options import paths_argument, traffic_options
from pauseproof.cli.output import write
from pauseproof.findings.outcome import CLEAN, UNDECIDED

HELP = """Write a certificate that others can check.

It holds the rank of every reachable buffer where the fabric is free, and for each loop the packets that close it where it is
not, with the sha256 of every input. `pauseproof check` reads it without the engine that made it. --smtlib writes the ranking
problem in SMT-LIB2 (QF_IDL) instead, for z3, cvc5 or any other solver: sat means free.

Exit 0 when the certificate is written, whatever the verdict; 3 when there is no verdict to prove.

\b
Examples:
  pauseproof prove topologies/opensm/ring5_lash -o lash.cert.json.gz
  pauseproof prove topologies/fat-tree-k4.yaml -o fat-tree.cert.json
  pauseproof prove topologies/ring5.yaml --smtlib -o ring5.smt2
"""


@click.command(help=HELP, short_help="Write a certificate that others can check.")
@paths_argument
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to; gzip where the name ends in .gz; - is stdout.")
@click.option("--smtlib", is_flag=True, help="The ranking problem in SMT-LIB2 instead.")
@traffic_options
def command(paths: tuple[str, ...], output: str, smtlib: bool, **asked: Any) -> int:
    """Prove."""
    import pauseproof
    from pauseproof.deadlock.certificate_file import certificate_bytes
    from pauseproof.findings.verdict import Undecided
    from pauseproof.library import ranking_problem

    network = pauseproof.load(*paths)
    try:
        if smtlib:
            verdict, content = ranking_problem(network, **asked)
        else:
            certificate = pauseproof.prove(network, **asked)
            verdict, content = certificate["verdict"], certificate_bytes(certificate, output)
    except Undecided as error:
        print(f"UNDECIDED: {error}; there is nothing to prove", file=sys.stderr)
        return UNDECIDED
    write(output, content)
    print(f"{verdict}; written: {output}", file=sys.stderr)
    return CLEAN
