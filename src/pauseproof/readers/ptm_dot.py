"""Cumulus PTM's topology.dot: the cabling as planned, in DOT, with the port behind a colon.

    graph G {
        LLDP=""
        "leaf1":"swp1" -- "spine1":"swp41" [LLDP="match_type=portdescr"]
    }

Lines that begin with # are comments. Parameters of LLDP and BFD are of no concern here; ``function`` of a node tells its role.

Source: the documentation of Cumulus Linux on the Prescriptive Topology Manager.
"""

import re
from collections.abc import Iterator

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.device_roles import role_of
from pauseproof.readers.dot_words import Word, words
from pauseproof.readers.measures import NAN, length_of, speed_of
from pauseproof.readers.problems import shown
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source

NAME = "ptm-dot"
END = 'expected "device":"port" at both ends'

_BEGIN = re.compile(rb"(?:\s|#[^\n]*\n|//[^\n]*\n|/\*.*?\*/)*+(?:strict\s+)?(?:di)?graph\b[^{;]{0,200}\{", re.S | re.I)
_PORTED = re.compile(rb'"[^"\n]+"\s*:\s*"[^"\n]+"\s*-[->]|\w+:\w+\s*-[->]')
End = tuple[str, str]


def matches(head: bytes) -> bool:
    """Whether the file begins as a graph whose edges name ports.

    >>> matches(b'graph G {\\n "leaf1":"swp1" -- "spine1":"swp1"')
    True
    """
    begin = _BEGIN.match(head)
    return begin is not None and _PORTED.search(head, begin.end()) is not None


def read(source: Source) -> CableRecords:
    """The cables of the plan. Raises BadInput."""
    rows = CableRows(source.path, NAME)
    try:
        text = str(source.data, "utf-8")
    except UnicodeDecodeError as error:
        raise BadInput.at(Place(source.path), f"is not UTF-8 text: {error.reason}") from error
    _Plan(rows, words(text, rows.problems)).graph()
    return rows.records()


class _StoppedError(Exception):
    """Nothing behind the present word can be understood."""


class _Plan:
    """A parser: ``now`` is the word that is looked at."""

    def __init__(self, rows: CableRows, rest: Iterator[Word]) -> None:
        self.rows, self.rest = rows, rest
        self.now = next(rest)

    def graph(self) -> None:
        """``[strict] (graph | digraph) [name] { statement* }`` and nothing after it."""
        try:
            while self.now.sign != "{":
                self._name("graph NAME {")
            self._sign("{")
            while self.now.sign != "}":
                self._statement()
            self._sign("}")
            if self.now.sign != "end":
                self._stop("the graph ends before this; expected one graph a file")
        except _StoppedError:
            return

    def _statement(self) -> None:
        line = self.now.line
        if self.now.sign == ";":
            self._sign(";")
            return
        device = self._name('a cable, "device":"port" -- "device":"port"')
        if self.now.sign == "=":
            self._sign("=")
            self._name("a value")
            return
        if device.lower() == "subgraph" or self.now.sign == "{":
            self._stop("subgraphs are not read; expected one cable a line")
        ends = [(device, self._port())]
        while self.now.sign in ("--", "->"):
            self._sign(self.now.sign)
            ends.append((self._name('"device":"port"'), self._port()))
        self._take(line, ends, self._attributes())

    def _take(self, line: int, ends: list[End], attributes: dict[str, str]) -> None:
        if len(ends) == 1:
            if role := role_of(attributes.get("function", attributes.get("role", ""))):
                self.rows.roles[ends[0][0]] = role
            return
        speed = length = NAN
        try:
            speed, length = speed_of(attributes.get("speed", "")), length_of(attributes.get("length", ""))
        except ValueError as error:
            self.rows.problems.add(line, str(error))
        if all(port for _, port in ends) and len(ends) == 2:
            self.rows.add(line, ends[0], ends[1], speed, length)
        else:
            said = " -- ".join(":".join(end).strip(":") for end in ends)
            self.rows.problems.add(line, f"{shown(said.encode())} is no cable; {END}")

    def _port(self) -> str:
        if self.now.sign != ":":
            return ""
        self._sign(":")
        return self._name("a port")

    def _attributes(self) -> dict[str, str]:
        """``[a=b, c=d] ...``."""
        out: dict[str, str] = {}
        while self.now.sign == "[":
            self._sign("[")
            while self.now.sign != "]":
                key = self._name("a parameter, or ]")
                self._sign("=")
                out[key.lower()] = self._name("a value")
                if self.now.sign in (",", ";"):
                    self._sign(self.now.sign)
            self._sign("]")
        return out

    def _name(self, expected: str) -> str:
        if self.now.sign:
            self._stop(f"expected {expected}")
        text = self.now.text
        self.now = next(self.rest)
        return text

    def _sign(self, sign: str) -> None:
        if self.now.sign != sign:
            self._stop(f"expected {sign!r}")
        self.now = next(self.rest, Word("", self.now.line, "end"))

    def _stop(self, said: str) -> None:
        """A problem at this word; nothing behind it is read."""
        found = "the file is cut off here" if self.now.sign == "end" else f"found {shown(self.now.text.encode())}"
        if self.now.sign != "broken":
            self.rows.problems.add(self.now.line, f"{found}; {said}")
        raise _StoppedError
