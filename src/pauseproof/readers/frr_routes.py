"""``show ip route json`` and ``show ipv6 route json`` of FRR and SONiC: one VRF, or all of them.

An object with a list of entries for each prefix; with ``vrf all`` and more than one VRF, such an object for each VRF.
FRR before 8 writes the objects of all VRFs one after another, as does who puts the tables of IPv4 and IPv6 into one file.
Without a VRF's name the table is that of the default VRF. See :mod:`pauseproof.readers.frr_entries` for the entries.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from pauseproof.fabric.places import BadInput
from pauseproof.readers.device_name import device_of
from pauseproof.readers.frr_condense import condense
from pauseproof.readers.frr_entries import Hops, Json, Unusable, group_of_entry, hops_of, in_fib
from pauseproof.readers.ip_prefix import Prefix, parse_prefix
from pauseproof.readers.json_lines import JsonFile, parse
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import RouteRecords
from pauseproof.readers.route_rows import DEFAULT_VRF, RouteRows, Table
from pauseproof.readers.source import Source

NAME = "frr-routes"

_ENTRIES = rb'"[0-9a-fA-F.:]+\\?/[0-9]{1,3}"\s*:\s*\[\s*\{'
_START = re.compile(rb'\s*\{\s*(?:(?:"[^"]*"\s*:\s*\{\s*\}\s*,\s*)*"[^"]*"\s*:\s*\{\s*)?' + _ENTRIES)
_NEXT_DOCUMENT = re.compile(rb"\}[ \t\r]*\n\s*\{")  # within a document there is a comma, and in a string no line break
_SIGN = re.compile(rb'"(?:nexthops|protocol|internalStatus)"')


def matches(head: bytes) -> bool:
    """A prefix with a list of entries, perhaps within a VRF."""
    return bool(_START.match(head)) and bool(_SIGN.search(head))


def read(source: Source) -> tuple[RouteRecords, ...]:
    """The routes in the forwarding table, a record for each VRF. Raises BadInput."""
    problems = Problems(source.path)
    rows = RouteRows(source.path, NAME, problems)
    for document, hops in _documents(source):
        _Reading(document, hops, rows, problems).read()
    problems.raise_any()
    return rows.records()


class _Reading:
    """One document of a file, and the next hops that stand apart from it."""

    def __init__(self, document: JsonFile, hops: Sequence[Hops], rows: RouteRows, problems: Problems) -> None:
        self.document, self.hops, self.rows, self.problems = document, hops, rows, problems
        self.device = device_of(document.path)
        self.numbers: dict[tuple[str, int, bool], int] = {}

    def read(self) -> None:
        """All tables of the document."""
        for steps, vrf, table in _tables(self.document.value):
            if isinstance(table, dict):
                self.table(steps, vrf, table)
            else:
                line = self.document.place_of(*steps).line
                self.problems.add(line, f"the table of VRF {vrf} is {_what(table)}; expected an object with prefixes")

    def table(self, steps: tuple[str, ...], vrf: str, table: Json) -> None:
        """One VRF's table."""
        if not table:
            self.rows.table(self.device, vrf or DEFAULT_VRF)
        lines = self.document.lines(*steps)
        for key, entries in table.items():
            try:
                self.prefix(vrf, key, entries, lines[key])
            except Unusable as error:
                self.problems.add(lines[key], f"{key}: {error}")

    def prefix(self, vrf: str, key: str, entries: Any, line: int) -> None:
        """One prefix. Raises Unusable."""
        prefix = _prefix(key)
        if type(entries) is not list:
            raise Unusable(f"is {_what(entries)}; expected a list of entries")
        for entry in entries:
            if type(entry) is not dict:
                raise Unusable(f"an entry is {_what(entry)}; expected an object")
            array = entry.get("nexthops")
            hops = self.hops[array] if self.hops and type(array) is int else hops_of(array)
            if in_fib(entry, hops):
                if entry.get("prefix", key) != key or entry.get("prefixLen", prefix.length) != prefix.length:
                    raise Unusable(f"an entry is for {entry.get('prefix')!r} of length {entry.get('prefixLen')!r}")
                table = self.rows.table(self.device, _vrf(vrf, entry))
                table.add(prefix, self.number(table, entry, hops), line)
            elif entry.get("selected") and not prefix.is_unforwarded:
                self.rows.not_installed(self.device, _vrf(vrf, entry), key, line)

    def number(self, table: Table, entry: Json, hops: Hops) -> int:
        """The number of an entry's group in its table. Raises Unusable."""
        array = entry["nexthops"]
        if type(array) is not int or entry.get("blackhole") or entry.get("reject"):
            return table.number(group_of_entry(entry, hops))
        known = table.vrf, array, entry.get("protocol") == "local"
        if known not in self.numbers:
            self.numbers[known] = table.number(group_of_entry(entry, hops))
        return self.numbers[known]


def _documents(source: Source) -> list[tuple[JsonFile, Sequence[Hops]]]:
    """Each document of a file: most have one. Raises BadInput."""
    try:
        return [_document(source)]
    except BadInput:
        text = bytes(source.data)
        begins = [0, *(found.end() - 1 for found in _NEXT_DOCUMENT.finditer(text)), len(text)]
        if len(begins) == 2:
            raise
        parts = [b"\n" * text.count(b"\n", 0, begin) + text[begin:end] for begin, end in pairwise(begins)]
        return [_document(Source(source.path, b"", part)) for part in parts]


def _document(source: Source) -> tuple[JsonFile, Sequence[Hops]]:
    """The parsed file, and the next hops that its numbers stand for (none: it holds the arrays themselves)."""
    condensed = condense(bytes(source.data))
    if condensed:
        try:
            hops = [hops_of(parse(Source(source.path, b"", array)).value) for array in condensed.arrays]
            return parse(Source(source.path, b"", condensed.text)), hops
        except (BadInput, Unusable):
            pass  # said again below, with the place in the file as it is
    return parse(source), ()


def _tables(value: Any) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """The path to each table, its VRF where that is told there, and the table itself."""
    if isinstance(value, dict) and value and not any(isinstance(inner, list) for inner in value.values()):
        yield from (((vrf,), vrf, table) for vrf, table in value.items())
    else:
        yield (), "", value


def _vrf(vrf: str, entry: Json) -> str:
    """The VRF of an entry; ``vrf`` is that of its table where it is told."""
    name = entry.get("vrfName", vrf or DEFAULT_VRF)
    if (vrf and name != vrf) or not isinstance(name, str):
        raise Unusable(f"an entry is of VRF {name!r}; expected {vrf!r}")
    return name


def _prefix(key: str) -> Prefix:
    try:
        return parse_prefix(key)
    except ValueError as error:
        raise Unusable(str(error)) from error


def _what(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", type(None): "null", bool: "true or false"}
    return kinds.get(type(value), "a number")
