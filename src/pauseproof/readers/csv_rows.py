"""Rows of a CSV file by column name, with line numbers; a cut-off last line is refused."""

import csv
import io
from collections.abc import Iterator, Sequence

from pauseproof.readers.problems import Problems
from pauseproof.readers.source import Source


def header_of(head: bytes) -> tuple[str, ...]:
    """The names in the first line that is neither empty nor a comment, lower case, blanks as underscores.

    >>> header_of(b"# made by hand\\nDevice,Next Hop\\n")
    ('device', 'next_hop')
    """
    for line in head.decode("utf-8", "replace").removeprefix("\ufeff").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return tuple(map(_name, next(csv.reader([line]))))
    return ()


def csv_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row below the header as name -> value, with its line; wrong numbers of columns are problems."""
    text = str(source.data, "utf-8", "replace").removeprefix("\ufeff")
    if text and not text.endswith("\n"):
        problems.add(text.count("\n") + 1, "the file is cut off in this line; expected a newline at its end")
    if "\ufffd" in text:
        problems.add(text.count("\n", 0, text.index("\ufffd")) + 1, "is not UTF-8 text")
    header: Sequence[str] = ()
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            if not any(cell.strip() for cell in row) or row[0].lstrip().startswith("#"):
                continue
            if not header:
                header = tuple(map(_name, row))
                _check_header(header, reader.line_num, problems)
            elif len(row) != len(header):
                problems.add(reader.line_num, f"{len(row)} columns; expected {len(header)} as in the header")
            else:
                yield reader.line_num, dict(zip(header, map(str.strip, row), strict=True))
    except csv.Error as error:
        problems.add(reader.line_num, f"is not CSV: {error}")


def _check_header(header: Sequence[str], line: int, problems: Problems) -> None:
    for i, name in enumerate(header):
        if name in header[:i]:
            problems.add(line, f"the column {name!r} is there twice")


def _name(cell: str) -> str:
    return cell.strip().lower().replace(" ", "_")
