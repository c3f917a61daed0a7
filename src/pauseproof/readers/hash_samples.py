"""Measured egress samples as CSV: the headers of a packet, and the port by which a device sent it.

    device,sip,dip,sport,egress
    leaf1,10.0.1.1,10.0.2.1,49152,Ethernet0

Columns may stand in any order, and be called as hash fields are (``src-ip``, ``l4-src-port``, ``dest-qp``). ``proto`` is 17 and
``dport`` 4791 where they are not given, everything else 0. Empty lines and lines that begin with ``#`` are skipped.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import NamedTuple

from pauseproof.readers.csv_rows import csv_rows, header_of
from pauseproof.readers.problems import Problems, shown
from pauseproof.readers.source import Source
from pauseproof.readers.suggest import expected_one_of

NAME = "hash-samples"

MOST_PORTS = 512  # by which a device sends: more than any group has members
NEEDED = ("sip", "dip", "sport", "egress")
WIDTHS = {"proto": 8, "sport": 16, "dport": 16, "qp": 24, "opcode": 8, "flow_label": 20, "vlan": 12, "in_port": 16}
UNSAID = {"proto": 17, "dport": 4791}
_ALSO = {
    **{"src_ip": "sip", "source": "sip", "dst_ip": "dip", "destination": "dip", "switch": "device", "protocol": "proto"},
    **{"l4_src_port": "sport", "l4_dst_port": "dport", "dest_qp": "qp", "bth_opcode": "opcode", "out_port": "egress"},
    **{"egress_port": "egress", "port": "egress", "src_port": "sport", "dst_port": "dport"},
}
COLUMNS = ("device", "sip", "dip", "egress", *WIDTHS)


class Sample(NamedTuple):
    """One packet: ``sip`` and ``dip`` as integers, ``numbers`` by the names of WIDTHS, and where it went."""

    device: str
    family: int
    sip: int
    dip: int
    numbers: Mapping[str, int]
    egress: str
    line: int


@dataclass(frozen=True)
class SampleRecords:
    """The samples of one file, in its order; ``columns`` are those that it has."""

    file: str
    samples: tuple[Sample, ...]
    columns: frozenset[str] = frozenset()


def read(source: Source) -> SampleRecords:
    """The samples. Raises BadInput."""
    problems = Problems(source.path)
    header = [_column(name) for name in header_of(source.head)]
    for name in header:
        if name not in COLUMNS:
            problems.add(1, f"unknown column {shown(name.encode())}; {expected_one_of(name, COLUMNS)}")
        elif header.count(name) > 1:
            problems.add(1, f"two columns give {name}; expected one")
    for name in NEEDED:
        if name not in header:
            problems.add(1, f"no column {name!r}; expected {', '.join(NEEDED)}, and maybe device")
    problems.raise_any()
    samples, empty = [], True
    for line, row in csv_rows(source, problems):
        empty = False
        try:
            samples.append(_sample({_column(name): cell for name, cell in row.items()}, line))
        except ValueError as error:
            problems.add(line, str(error))
    if empty:
        problems.add(0, "has no samples below its header")
    _check_ports(samples, problems)
    problems.raise_any()
    return SampleRecords(source.path, tuple(samples), frozenset(header))


def _check_ports(samples: Iterable[Sample], problems: Problems) -> None:
    """As few ports as a group can have."""
    ports: dict[str, set[str]] = {}
    for sample in samples:
        seen = ports.setdefault(sample.device, set())
        if sample.egress not in seen and len(seen) == MOST_PORTS:
            name = shown(sample.device.encode()) if sample.device else "the device"
            problems.add(sample.line, f"{name} sends by more than {MOST_PORTS} ports; expected the members of one group")
            return
        seen.add(sample.egress)


def _column(name: str) -> str:
    plain = name.replace("-", "_")
    return _ALSO.get(plain, plain)


def _sample(row: Mapping[str, str], line: int) -> Sample:
    """One row. Raises ValueError."""
    sip, dip = ip_address(row["sip"]), ip_address(row["dip"])
    if sip.version != dip.version:
        raise ValueError("one address is IPv4 and the other IPv6; expected both of one family")
    if not row["egress"]:
        raise ValueError("no egress port; expected the port by which the packet left")
    numbers = {name: _number(row.get(name, ""), name) for name in WIDTHS}
    return Sample(row.get("device", ""), sip.version, int(sip), int(dip), numbers, row["egress"], line)


def _number(text: str, name: str) -> int:
    if not text and name != "sport":
        return UNSAID.get(name, 0)
    try:
        made = int(text, 0)
    except ValueError:
        made = -1
    if not 0 <= made < 1 << WIDTHS[name]:
        raise ValueError(f"{shown(text.encode())} is no {name}; expected 0 to {(1 << WIDTHS[name]) - 1}, decimal or 0x")
    return made
