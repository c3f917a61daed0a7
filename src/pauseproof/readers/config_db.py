"""SONiC's config_db.json: tables of rows of text fields, and what they say of cables and addresses.

``{TABLE: {key: {field: text}}}``; dumps of the database itself write ``"TABLE|key"`` (with the row under ``value``). Old images
write references as ``[TABLE|name]``: the brackets and the table go, the name stays. One row for several ports or several
queues and priority groups (``Ethernet0,Ethernet4|3-4``) becomes a row for each.

Schema: the sonic-yang-models of sonic-buildimage.
"""

import re
from collections.abc import Iterator
from typing import Any

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.config_addresses import addresses_of
from pauseproof.readers.config_cables import cables_of
from pauseproof.readers.config_keys import expanded
from pauseproof.readers.json_lines import JsonFile, key_paths, parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import AddressRecords, CableRecords, ConfigDb
from pauseproof.readers.source import Source

NAME = "config_db"
_TABLE = re.compile(r"[A-Z][A-Z0-9_]{2,}(\|.+)?")
_REFERENCE = re.compile(r"\[[A-Z0-9_]+\|([^\]]*)\]")
Tables = dict[str, dict[str, dict[str, str]]]


def matches(head: bytes) -> bool:
    """Is this JSON whose outermost keys are names of tables?

    >>> matches(b'{"PORT": {"Ethernet0": {"lanes": "1"}}}')
    True
    """
    paths = key_paths(head)
    return any(len(path) > 1 for path in paths) and all(_TABLE.fullmatch(path[0]) for path in paths)


def read(source: Source) -> tuple[ConfigDb | CableRecords | AddressRecords, ...]:
    """The tables, and where there are any the cables and the addresses. Raises BadInput."""
    file, problems = parse(source), Problems(source.path)
    tables, lines = Tables(), dict[tuple[str, str], int]()
    if not isinstance(file.value, dict):
        raise BadInput.at(Place(source.path, 1), "must be an object of tables; found a list or a single value")
    for table, key, row, path in _rows(file, problems):
        line = file.line_of(*path)
        fields = _fields(row, f"{table}|{key}", line, problems)
        for one in expanded(table, key, line, problems):
            if tables.setdefault(table, {}).setdefault(one, fields) != fields:
                problems.add(line, f"{table}|{one} is there with other fields in line {lines[table, one]}")
            lines.setdefault((table, one), line)
    problems.raise_any()
    config = ConfigDb(source.path, _device(source.path, tables), tables, lines)
    cables, addresses = cables_of(config, problems), addresses_of(config, problems)
    problems.raise_any()
    return (config, *(records for records in (cables, addresses) if records is not None))


def _rows(file: JsonFile, problems: Problems) -> Iterator[tuple[str, str, Any, tuple[str, ...]]]:
    """(table, key, row, path of the row) in the order of the file."""
    for name, value in file.value.items():
        table, flat, key = name.partition("|")
        if not isinstance(value, dict):
            problems.add(file.line_of(name), f"table {name!r} must be an object of rows")
        elif flat:
            yield table, key, value.get("value", value) if "type" in value else value, (name,)
        else:
            yield from ((table, key, row, (name, key)) for key, row in value.items())


def _fields(row: Any, name: str, line: int, problems: Problems) -> dict[str, str]:
    if not isinstance(row, dict):
        problems.add(line, f"{name} must be an object of fields")
        return {}
    out = {}
    for field, value in row.items():
        items = value if isinstance(value, list) else [value]
        if any(item is None or isinstance(item, (dict, list)) for item in items):
            problems.add(line, f"field {field!r} of {name} must be text, or a list of texts")
        else:
            out[field] = ",".join(_REFERENCE.sub(r"\1", str(item).strip()) for item in items)
    return out


def _device(path: str, tables: Tables) -> str:
    """What the device calls itself, else the file's name up to its first dot."""
    itself = tables.get("DEVICE_METADATA", {}).get("localhost", {}).get("hostname", "")
    return itself or path.replace("\\", "/").rpartition("/")[2].partition(".")[0] or path
