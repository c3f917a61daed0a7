"""``pauseproof hash sport``: the UDP source port that a RoCE connection has."""

import click

from pauseproof.cli.numbers import bits
from pauseproof.cli.options import report_options
from pauseproof.cli.output import deliver, targets

HELP = """Print the UDP source port of a RoCEv2 connection.

It is 0xC000 and 14 bits of the flow label, folded. Where the flow label is 0, as NCCL leaves it, the label is made from the
two queue pair numbers, and is the same in both directions.

\b
Examples:
  pauseproof hash sport --qpn 0x11 0x22
  pauseproof hash sport --flow-label 0x12345
"""


@click.command(help=HELP, short_help="Print the UDP source port of a RoCE connection.")
@click.option("--qpn", nargs=2, type=bits(24), metavar="A B", help="The queue pair numbers of both ends.")
@click.option("--flow-label", type=bits(20), metavar="N", help="The flow label; 0 is one that is made from --qpn.")
@report_options
def command(qpn: tuple[int, int] | None, flow_label: int | None, formats: tuple[str, ...], outputs: tuple[str, ...]) -> int:
    """Compute and print."""
    if qpn is None and not flow_label:
        raise click.UsageError("no flow label and no queue pairs; expected --flow-label N, or --qpn A B for a flow label of 0")
    wanted = targets(formats, outputs)
    from pauseproof.hashing.algebra import words
    from pauseproof.hashing.source_port import flow_label_of_qps, sport_of_flow_label
    from pauseproof.reports.documents import document, rendered
    from pauseproof.reports.styled import line

    label = flow_label or int(flow_label_of_qps(*map(words, qpn or ()))[0])
    port = int(sport_of_flow_label(words(label))[0])
    told = document(flow_label=label, source_port=port, made_from_queue_pairs=not flow_label)
    deliver(wanted, lambda: [line(str(port))], lambda: rendered(told), no_colour=True)
    return 0
