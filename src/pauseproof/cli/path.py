"""``pauseproof path``: the way of one packet, hop by hop."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from pauseproof.cli.numbers import bits
from pauseproof.cli.options import colour_option, report_options
from pauseproof.cli.output import deliver, targets
from pauseproof.findings.outcome import CLEAN, FOUND, UNDECIDED

if TYPE_CHECKING:
    from pauseproof.hashing.ends import End, Ends
    from pauseproof.hashing.trace import Trace
    from pauseproof.routing.network import Network

HELP = """Show which way a packet takes, hop by hop.

SRC and DST are hosts: a name, NAME:PORT where it has several ports, an IP address, a GUID, or lid:N. Each hop shows the table
row with its file and line, the hash with its value and the member picked, and label and lane. Where a decision is not known, or
hashes what was not given, every member is possible, and all ways are followed.

Exit 0 where the packet arrives whichever way it takes, 1 where it can be dropped or go round, 3 where that is not known.

\b
Examples:
  pauseproof path H0x0 H3x1 topologies/opensm/ring5_lash
  pauseproof path h0 lid:15 topologies/opensm/ring5_dfsssp_lmc1 --sl 0
  pauseproof path leaf1:swp31 10.10.3.7 topologies/frr/healthy topologies/frr/clos4x2.clab.yml --sport 49152
  pauseproof path leaf0-h0 leaf1-h0 topologies/leaf-spine.yaml --qpn 0x11 0x22 --format json
"""


@click.command(help=HELP, short_help="Show which way a packet takes, hop by hop.")
@click.argument("src")
@click.argument("dst")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--sport", type=bits(16), metavar="N", help="UDP source port.")
@click.option("--qpn", nargs=2, type=bits(24), metavar="A B", help="Queue pairs of SRC and DST: gives the port, and the BTH's.")
@click.option("--flow-label", type=bits(20), metavar="N", help="Flow label: gives the port where --sport does not.")
@click.option("--vlan", type=bits(12), metavar="N", help="VLAN id, where switches hash it.")
@click.option("--opcode", type=bits(8), metavar="N", help="Opcode of the BTH, where switches hash it.")
@click.option("--sl", type=click.IntRange(0, 15), metavar="N", help="Service level, whatever the path record says.")
@click.option("--label", metavar="NAME", help="Ethernet: the label (DSCP, priority) that the packet leaves with.")
@report_options
@colour_option
def command(
    src: str,
    dst: str,
    paths: tuple[str, ...],
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
    **said: Any,
) -> int:
    """Read, follow, print."""
    wanted = targets(formats, outputs)
    import pauseproof
    from pauseproof.hashing.ends import Ends
    from pauseproof.hashing.settings import hashes_of
    from pauseproof.hashing.trace import trace
    from pauseproof.reports.documents import rendered
    from pauseproof.reports.path import path_json, path_lines

    network = pauseproof.load(*paths)
    hashes = hashes_of(network, _family(src, dst))
    source, target = _ends(Ends(network, hashes.family), src, dst)
    header = _header(network, said)
    found = trace(network, hashes, network.traffics["hosts"], _question(network, source, target, header, said))
    deliver(
        wanted,
        lambda: path_lines(network, found, source, target, header),
        lambda: rendered(path_json(network, found, source, target, header)),
        no_colour=no_colour,
    )
    return _exit_code(found)


def _family(*words: str) -> int | None:
    """The family of an end that is an address; None where both are names."""
    from ipaddress import ip_address

    for word in words:
        with suppress(ValueError):
            return ip_address(word).version
    return None


def _ends(ends: "Ends", src: str, dst: str) -> "tuple[End, End]":
    try:
        source, target = ends.end(src), ends.end(dst)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    fabric = ends.network.fabric
    if fabric.host_node[source.host] == fabric.host_node[target.host]:
        raise click.UsageError(f"{src} and {dst} are one node; nothing is sent over the fabric")
    if target.column < 0:
        raise click.UsageError(f"no table knows {dst}: it has no address that packets could be for")
    return source, target


def _header(network: "Network", said: dict[str, Any]) -> dict[str, int]:
    """The fields that are known: given, following from what was given, or declared for all traffic."""
    from pauseproof.hashing.algebra import words
    from pauseproof.hashing.source_port import flow_label_of_qps, sport_of_flow_label

    out = {"proto": 17, "dport": 4791}
    out |= {name: said[name] for name in ("sport", "flow_label", "vlan", "opcode") if said[name] is not None}
    if said["qpn"]:
        out["qp"] = said["qpn"][1]
        if not said["flow_label"]:
            out["flow_label"] = int(flow_label_of_qps(*map(words, said["qpn"]))[0])
    if "flow_label" in out and "sport" not in out:
        out["sport"] = int(sport_of_flow_label(words(out["flow_label"]))[0])
    if "sport" not in out and network.hashes.sport >= 0:
        out["sport"] = network.hashes.sport
    return {} if network.fabric.kind == "infiniband" else out


def _question(network: "Network", source: "End", target: "End", header: dict[str, int], said: dict[str, Any]) -> Any:
    from pauseproof.hashing.headers import COLUMNS_OF, roce
    from pauseproof.hashing.trace import Question

    label = _label(network, said)
    if source.address is None or target.address is None:
        return Question(source.host, target.host, target.column, label=label)
    a, b = source.address, target.address
    columns = {"sip_high", "sip_low", "dip_high", "dip_low", *header, *(["flow_label"] if a.family == 4 else [])}
    given = frozenset(field for field, of in COLUMNS_OF.items() if columns.issuperset(of))
    rest: dict[str, Any] = {"sport": 0, **header}
    h = roce(a.family, (a.high, a.low), (b.high, b.low), rest.pop("sport"), **rest)
    return Question(source.host, target.host, target.column, h, given, label)


def _label(network: "Network", said: dict[str, Any]) -> int | None:
    """The index of the label that was asked for."""
    names = network.lanes.label_names
    word = said["label"] if said["sl"] is None else str(said["sl"])
    if word is None:
        return None
    if word not in names:
        raise click.UsageError(f"there is no label {word}; expected one of {', '.join(names[:16])}")
    return names.index(word)


def _exit_code(found: "Trace") -> int:
    from pauseproof.routing.packets import Outcome

    if found.outcome is Outcome.ROUTED:
        return CLEAN
    return UNDECIDED if found.outcome is Outcome.UNKNOWN else FOUND
