"""``pauseproof hash value``: one packet, one function."""

from typing import TYPE_CHECKING, Any

import click

from pauseproof.cli.numbers import IpAddress, Number, bits
from pauseproof.cli.options import report_options
from pauseproof.cli.output import deliver, targets
from pauseproof.hashing.names import FIELDS, FIVE_TUPLE, LINUX, MODELLED

if TYPE_CHECKING:
    from pauseproof.hashing.function import HashFunction
    from pauseproof.hashing.headers import Headers

HELP = f"""Print the hash value of one packet.

The functions are modelled: Broadcom's RTAG7 with its CRCs and folds, Jenkins's lookup3, and Linux's multipath hash, which alone
was checked against the real thing. docs/hashing.md tells what each computes. With --members the member that a group of so many
would use is printed too: the value modulo the members, or Linux's thresholds.

Fields: {", ".join(FIELDS)}.

\b
Examples:
  pauseproof hash value --algorithm crc16 --sip 10.0.1.1 --dip 10.0.2.1 --proto 17 --sport 49152 --dport 4791
  pauseproof hash value --algorithm ccitt --sip fd00::1 --dip fd00::2 --sport 0xc001 --seed 10 --offset 10 --members 8
  pauseproof hash value --algorithm linux --policy 1 --seed 12345 --sip 10.0.1.1 --dip 10.0.2.1 --sport 49152
"""
POLICIES = Number(0, 3)


@click.command(help=HELP, short_help="Print the hash value of one packet.")
@click.option("--algorithm", type=click.Choice((*MODELLED, LINUX)), required=True, help="Which function.")
@click.option("--sip", type=IpAddress(), required=True, help="Source address.")
@click.option("--dip", type=IpAddress(), required=True, help="Destination address.")
@click.option("--proto", type=bits(8), default=17, show_default=True, help="IP protocol.")
@click.option("--sport", type=bits(16), required=True, help="Source port of the transport.")
@click.option("--dport", type=bits(16), default=4791, show_default=True, help="Destination port.")
@click.option("--qp", type=bits(24), default=0, help="Destination queue pair of the BTH.")
@click.option("--opcode", type=bits(8), default=0, help="Opcode of the BTH.")
@click.option("--flow-label", type=bits(20), default=0, help="Flow label of IPv6.")
@click.option("--vlan", type=bits(12), default=0, help="VLAN id.")
@click.option("--in-port", type=bits(16), default=0, help="Number of the port by which the packet came in.")
@click.option("--field", "fields", type=click.Choice(FIELDS), multiple=True, help="Hashed (repeatable); default five-tuple.")
@click.option("--seed", type=bits(32), default=0, show_default=True, help="Seed; data of the message, key of Linux.")
@click.option("--offset", type=Number(0, 15), help="Bits that the value is rotated right; default 0.")
@click.option("--symmetric", is_flag=True, help="Put the smaller address and the smaller port first.")
@click.option("--preprocess", is_flag=True, help="RTAG7: mix each bin with itself first.")
@click.option("--policy", type=POLICIES, help="Linux: fib_multipath_hash_policy, default 0.")
@click.option("--mask", type=bits(12), help="Linux, policy 3: fib_multipath_hash_fields, default 0x7.")
@click.option("--members", type=Number(1, 1 << 16), metavar="N", help="Also print which of N members is used.")
@report_options
def command(algorithm: str, members: int | None, formats: tuple[str, ...], outputs: tuple[str, ...], **said: Any) -> int:
    """Compute and print."""
    wanted = targets(formats, outputs)
    _check(algorithm, said)
    from pauseproof.hashing.selection import modulo, threshold
    from pauseproof.reports.documents import document, rendered
    from pauseproof.reports.styled import Line, line

    function = _function(algorithm, said)
    value = function.value(_header(said))
    told: dict[str, Any] = {"algorithm": function.name, "fields": list(function.fields), "value": f"0x{int(value[0]):04x}"}
    lines: list[Line] = [line(told["value"])]
    if members:
        selection = threshold(members) if algorithm == LINUX else modulo(members)
        told["member"] = int(selection.member(value)[0])
        lines.append(line(f"member {told['member']} of 0 to {members - 1}"))
    deliver(wanted, lambda: lines, lambda: rendered(document(**told)), no_colour=True)
    return 0


def _check(algorithm: str, said: dict[str, Any]) -> None:
    """Options of one kind of function do not belong to the other, and both addresses are of one family."""
    if (":" in said["sip"]) != (":" in said["dip"]):
        raise click.UsageError("one address is IPv4 and the other IPv6; expected both of one family")
    foreign = ("fields", "offset", "symmetric", "preprocess") if algorithm == LINUX else ("policy", "mask")
    for name in foreign:
        if said[name] not in (None, (), False):
            raise click.UsageError(f"--{name.removesuffix('s') if name == 'fields' else name} is not for {algorithm}")
    if said["mask"] is not None and said["policy"] != 3:
        raise click.UsageError("--mask is for --policy 3")


def _function(algorithm: str, said: dict[str, Any]) -> "HashFunction":
    from pauseproof.hashing.algorithms import hash_function
    from pauseproof.hashing.linux import DEFAULT_FIELDS, Linux

    if algorithm == LINUX:
        return Linux(said["policy"] or 0, said["seed"], DEFAULT_FIELDS if said["mask"] is None else said["mask"])
    flags = {name: said[name] for name in ("seed", "symmetric", "preprocess")}
    return hash_function(algorithm, said["fields"] or FIVE_TUPLE, offset=said["offset"] or 0, **flags)


def _header(said: dict[str, Any]) -> "Headers":
    from pauseproof.hashing.headers import halves, roce

    family, sip = halves(said["sip"])
    rest = {name: said[name] for name in ("proto", "dport", "qp", "opcode", "flow_label", "vlan", "in_port")}
    return roce(family, sip, halves(said["dip"])[1], said["sport"], **rest)
