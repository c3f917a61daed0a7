"""SONiC's ``show lldp table``: the neighbours of one switch as LLDP sees them. The switch is the file name up to the first dot.

    Capability codes: (R) Router, (B) Bridge, (O) Other
    LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
    -----------  --------------  -----------------  ------------  -----------------
    Ethernet0    spine1          Ethernet4          BR            leaf1:Ethernet0
    --------------------------------------------------
    Total entries displayed:  1

Cells are told apart by the rule of dashes. A port id that is a MAC names no port: then the description is the port, if there
is one. A neighbour without a name goes by its port id. A port may see several neighbours. eth0 is the management port.
"""

import re
from collections.abc import Mapping, Sequence

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.device_name import device_of
from pauseproof.readers.problems import Problems, numbered_lines
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source

NAME = "lldp-table"
COLUMNS = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")
MANAGEMENT = "eth0"

_HEADER = re.compile(rb"^[ \t]*LocalPort[ \t]+RemoteDevice[ \t]+RemotePortID\b", re.M)
_RULE = re.compile(r"-+(?:  ?-+)+")
_LAST_RULE = re.compile(r"-+")
_TOTAL = re.compile(r"Total entries displayed:\s*([0-9]{1,6})")
_MAC = re.compile(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}", re.I)


def matches(head: bytes) -> bool:
    """Whether the file begins with the columns of this table.

    >>> matches(b"LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr")
    True
    """
    return _HEADER.search(head) is not None


def read(source: Source) -> CableRecords:
    """The neighbours. Raises BadInput, also where the number of entries is not what the last line says."""
    rows = CableRows(source.path, NAME)
    me, entries = device_of(source.path), 0
    spans: Sequence[slice] = ()
    header, total = "", -1
    for line, raw in numbered_lines(source, rows.problems):
        text = raw.decode("utf-8", "replace").expandtabs()
        if text.lstrip().startswith(COLUMNS[0]):
            header = text
        elif not spans and _RULE.fullmatch(text):
            spans = [slice(part.start(), part.end()) for part in re.finditer("-+", text)]
            _check_header(header, spans, rows.problems, line)
        elif found := _TOTAL.fullmatch(text.strip()):
            total = int(found[1])
        elif spans and text.strip() and not _LAST_RULE.fullmatch(text.strip()):
            entries += 1
            _entry(rows, line, me, _cells(text, spans))
    if total != entries:
        said = "no last line 'Total entries displayed'" if total < 0 else f"the last line counts {total} entries"
        rows.problems.add(0, f"{said}, {entries} were found: the table is not whole; take it again")
    return rows.records(declared=False, whole=False, may_be_empty=True)


def port_and_device(port_id: str, description: str, device: str, *, id_is_mac: bool | None = None) -> tuple[str, str]:
    """The neighbour as (device, port), from what it says of itself.

    >>> port_and_device("0c:42:a1:00:00:01", "enp1s0", "server1")
    ('server1', 'enp1s0')
    """
    mac = id_is_mac if id_is_mac is not None else _MAC.fullmatch(port_id) is not None
    port = description if mac and description else port_id
    return device or port_id, port


def _check_header(header: str, spans: Sequence[slice], problems: Problems, line: int) -> None:
    names = tuple(header[span].strip() for span in spans)
    if names != COLUMNS[: len(names)] or len(names) < 3:
        problems.add(line, f"the columns are {' '.join(names) or 'not named'}; expected {' '.join(COLUMNS)}")
        problems.raise_any()


def _cells(text: str, spans: Sequence[slice]) -> Mapping[str, str]:
    ends = [span.stop for span in spans[:-1]] + [max(len(text), spans[-1].stop)]
    cells = [text[span.start : end].strip() for span, end in zip(spans, ends, strict=True)]
    return dict(zip(COLUMNS, cells, strict=False))


def _entry(rows: CableRows, line: int, me: str, cell: Mapping[str, str]) -> None:
    local = cell["LocalPort"]
    device, port = port_and_device(cell["RemotePortID"], cell.get("RemotePortDescr", ""), cell["RemoteDevice"])
    if local == MANAGEMENT:
        rows.skip(line, f"the neighbour of the management port {local}, {device[:60]}", f"{me}/{local}")
    else:
        rows.add(line, (me, local), (device, port))
