"""Cables as a table with a header: a_device, a_port, b_device, b_port, and maybe speed and length.

    a_device,a_port,b_device,b_port,speed,length
    leaf1,swp1,spine1,swp1,100G,3m

Columns may stand in any order, parted by comma, semicolon, tab or bar; other columns are left alone. The columns of a NetBox
cable export are known: ``side_a_device``, ``side_a_name``, ``side_a_type`` ..., ``length_unit``, ``status``; and those of its
list view, ``Device A``, ``Termination A`` .... Cables of NetBox whose ends are no interfaces, or that are not connected, are
left out with a remark. A bare speed is in Gb/s, a bare length in metres. Lines before the header may begin with #.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.measures import NAN, length_of, speed_of
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source

NAME = "cable-csv"

DELIMITERS = ",;\t|"
_SAME = {  # our word for a column -> what it is called elsewhere
    "device": ("{}_device", "device_{}", "side_{}_device", "{}_node", "node_{}"),
    "port": ("{}_port", "port_{}", "side_{}_name", "{}_interface", "interface_{}", "termination_{}", "termination_{}_name"),
    "type": ("side_{}_type", "termination_{}_type", "{}_type"),
}
COLUMNS = {
    **{name.format(side): f"{side}_{what}" for what, names in _SAME.items() for name in names for side in "ab"},
    **{name: name for name in ("speed", "length", "length_unit", "status")},
}
NEEDED = ("a_device", "a_port", "b_device", "b_port")
OPTIONAL = ("speed", "length", "length_unit", "status")
INTERFACES = ("", "dcim.interface", "interface")
PLUGGED = ("", "connected", "active")


def matches(head: bytes) -> bool:
    """Whether the first line that is no comment names the columns of both ends.

    >>> matches(b"side_a_device;side_a_name;side_b_device;side_b_name;status")
    True
    """
    lines = (line.strip() for line in head.decode("utf-8", "replace").removeprefix("\ufeff").splitlines())
    header = next((line for line in lines if line and not line.startswith("#")), "")
    return any(_has_both_ends(_columns(header.split(one))) for one in DELIMITERS)


def read(source: Source) -> CableRecords:
    """The cables of the table. Raises BadInput."""
    lines = _lines(source)
    first = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    header = lines[first] if first < len(lines) else ""
    found = next((one for one in DELIMITERS if _has_both_ends(_columns(header.split(one)))), DELIMITERS[0])
    rows = CableRows(source.path, NAME)
    if lines and not lines[-1].endswith(("\n", "\r")):
        rows.problems.add(len(lines), "the file may be cut off in this line; expected a newline at its end")
    table = _table(lines, first, found, rows)
    _, titles = next(table, (0, []))
    columns = _columns(titles)
    if not _has_both_ends(columns):
        rows.problems.add(first + 1, f"the header lacks columns; expected {', '.join(NEEDED)}")
        rows.problems.raise_any()
    _check_titles(titles, columns, rows, first + 1)
    for line, cells in table:
        if len(cells) == len(columns):
            _row(rows, line, {name: cell.strip() for name, cell in zip(columns, cells, strict=True) if name})
        else:
            rows.problems.add(line, f"{len(cells)} columns; the header has {len(columns)}")
    return rows.records()


def _lines(source: Source) -> list[str]:
    try:
        return list(io.StringIO(str(source.data, "utf-8").removeprefix("\ufeff"), newline=""))
    except UnicodeDecodeError as error:
        line = bytes(source.data[: error.start]).count(b"\n") + 1
        raise BadInput.at(Place(source.path, line), f"is not UTF-8 text: {error.reason}") from error


def _columns(titles: Sequence[str]) -> list[str]:
    """Our name of each column, empty where it is not needed."""
    return [COLUMNS.get("_".join(title.strip(' "').lower().replace("-", " ").split()), "") for title in titles]


def _has_both_ends(columns: Sequence[str]) -> bool:
    return set(NEEDED) <= set(columns)


def _check_titles(titles: Sequence[str], columns: Sequence[str], rows: CableRows, line: int) -> None:
    for name in sorted({name for name in columns if name and columns.count(name) > 1}):
        rows.problems.add(line, f"two columns give {name}; expected one")
    for title in (title.strip().lower() for title, name in zip(titles, columns, strict=True) if not name):
        if near := get_close_matches(title, OPTIONAL, 1, 0.8):
            rows.problems.add(line, f"the column {title[:40]!r} is not known; did you mean {near[0]!r}?")


def _table(lines: list[str], first: int, delimiter: str, rows: CableRows) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold anything, each with the line it begins in."""
    reader = csv.reader(iter(lines[first:]), delimiter=delimiter, strict=True, skipinitialspace=True)
    begin = first + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begin, cells
            begin = first + reader.line_num + 1
    except csv.Error as error:
        rows.problems.add(begin, f"is no row of a table: {error}; is a quote missing?")


def _row(rows: CableRows, line: int, cell: Mapping[str, str]) -> None:
    a, b = ((cell[f"{side}_device"], cell[f"{side}_port"]) for side in "ab")
    about = " - ".join(sorted(("/".join(a), "/".join(b))))
    types = [cell.get(f"{side}_type", "").lower() for side in "ab"]
    if other := [one for one in types if one not in INTERFACES]:
        rows.skip(line, f"the cable ends at a {other[0][:40]}, not at an interface", about)
        return
    if (status := cell.get("status", "").lower()) not in PLUGGED:
        rows.skip(line, f"the cable is {status[:40]}, not connected", about)
        return
    speed = length = NAN
    try:
        speed = speed_of(cell.get("speed", ""))
        length = length_of(cell.get("length", ""), cell.get("length_unit", ""))
    except ValueError as error:
        rows.problems.add(line, str(error))
    rows.add(line, a, b, speed, length)
