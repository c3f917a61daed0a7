"""JSON with lines: the value of a file, and on demand the line in which an entry of it begins.

``parse`` reads a file at the speed of :mod:`json` and remembers where the entries of its outermost container begin; those of
containers further in are looked up one container at a time, when they are asked for. Refused, with line and column: what is
no JSON or only half of it, keys that occur twice in one object, NaN and Infinity, and nesting that :mod:`json` gives up on.

A *path* leads to a value: keys of objects and indices of lists. A *key path*, for sniffing, has ``[]`` for any index.

Standard: RFC 8259.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple, NoReturn

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.source import Source

Step = str | int

_BLANK = re.compile(r"[ \t\r\n]*")
_PLAIN_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"')
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t\r\n]*(:?)|[{}\[\]]')


class _Twice(ValueError):
    """A key that is in one object twice."""


class _Entry(NamedTuple):
    """One entry of a container; ``begin`` is where its key (in a list, its value) begins, ``at`` where its value does."""

    step: Step
    begin: int
    at: int
    value: Any


@dataclass(frozen=True)
class JsonFile:
    """A file's ``value``; lines of its entries on demand."""

    path: str
    value: Any
    _text: str = field(repr=False)
    _found: dict[tuple[Step, ...], dict[Step, tuple[int, int]]] = field(repr=False)  # container -> entry -> begin, at
    _lines: dict[tuple[Step, ...], dict[Step, int]] = field(default_factory=dict, repr=False)

    def lines(self, *path: Step) -> dict[Step, int]:
        """The line of each entry of the container at ``path``, in the order of the file. Raises KeyError.

        >>> parse(Source("a", b"", b'{"x":\\n[1,\\n2]}')).lines("x")
        {0: 2, 1: 3}
        """
        if path not in self._lines:
            line, before, lines = 1, 0, dict[Step, int]()
            for step, (begin, _) in self._entries(path).items():
                line += self._text.count("\n", before, begin)
                before, lines[step] = begin, line
            self._lines[path] = lines
        return self._lines[path]

    def line_of(self, *path: Step) -> int:
        """The line in which the entry at ``path`` begins; the first line for the whole. Raises KeyError."""
        return self.lines(*path[:-1])[path[-1]] if path else 1

    def place_of(self, *path: Step) -> Place:
        """The line of the entry at ``path``, or of the nearest container of it that is there."""
        for length in range(len(path), 0, -1):
            try:
                return Place(self.path, self.line_of(*path[:length]))
            except KeyError:
                continue
        return Place(self.path, 1)

    def _entries(self, path: tuple[Step, ...]) -> dict[Step, tuple[int, int]]:
        if path not in self._found:
            at = self._entries(path[:-1])[path[-1]][1]
            if self._text[at] not in "{[":
                raise KeyError(path)
            self._found[path] = {one.step: (one.begin, one.at) for one in _container(self._text, at, _ANY)[0]}
        return self._found[path]


def parse(source: Source) -> JsonFile:
    """The one JSON value of a file. Raises BadInput.

    >>> parse(Source("a", b"", b'{"x": 1,\\n "x": 2}'))
    Traceback (most recent call last):
    pauseproof.fabric.places.BadInput: a:2:2: the key 'x' is there twice in one object, first in line 1
    """
    text = _decoded(source)
    try:
        return _parsed(source.path, text)
    except BadInput:
        raise
    except RecursionError as error:
        raise BadInput.at(Place(source.path), "is nested too deep for JSON that a device writes") from error
    except JSONDecodeError as error:
        raise _broken(source.path, error) from error
    except ValueError as error:  # NaN, or a number of thousands of digits
        raise BadInput.at(Place(source.path), f"is not JSON: {error}") from error


@lru_cache(8)
def key_paths(head: bytes) -> tuple[tuple[str, ...], ...]:
    """The keys in the beginning of a JSON file, each with the keys that lead to it; () where that is no JSON.

    >>> key_paths(b'{"edges": [{"node1": {"hostname": "a"')
    (('edges',), ('edges', '[]', 'node1'), ('edges', '[]', 'node1', 'hostname'))
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    found, path, key = [], list[tuple[str, ...]](), ""
    for token in _TOKEN.finditer(text if text.startswith(("{", "[")) else ""):
        if token[2]:
            key = token[1]
            found.append((*(step for steps in path for step in steps), key))
        elif token[0] in "{[":
            path.append(((key,) if key else ()) + (("[]",) if token[0] == "[" else ()))
            key = ""
        elif token[0] in "}]":
            path = path[:-1]
    return tuple(found)


def _decoded(source: Source) -> str:
    try:
        return str(source.data, "utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = bytes(source.data[: error.start])
        place = Place(source.path, before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise BadInput.at(place, f"is not UTF-8 text: {error.reason}") from error


def _parsed(path: str, text: str) -> JsonFile:
    try:
        return _without_twins(path, text)
    except _Twice as error:
        raise _repeated(path, text) from error


def _without_twins(path: str, text: str) -> JsonFile:
    at = _after(_BLANK, text, 0)
    if text[at : at + 1] not in ("{", "["):
        value, end = _STRICT.raw_decode(text, at)
        found: dict[Step, tuple[int, int]] = {}
    else:
        entries, end = _container(text, at, _STRICT)
        found = {one.step: (one.begin, one.at) for one in entries}
        if len(found) != len(entries):
            raise _Twice
        value = {one.step: one.value for one in entries} if text[at] == "{" else [one.value for one in entries]
    if (end := _after(_BLANK, text, end)) != len(text):
        raise JSONDecodeError("Something follows after the end of the value", text, end)
    return JsonFile(path, value, text, {(): found})


def _container(text: str, at: int, decoder: JSONDecoder) -> tuple[list[_Entry], int]:
    """The entries of the object or list that begins ``at``, and where it ends. Raises JSONDecodeError."""
    is_object = text[at] == "{"
    closing = "}" if is_object else "]"
    out: list[_Entry] = []
    at = _after(_BLANK, text, at + 1)
    while text[at : at + 1] != closing or out:
        begin = at
        step: Step = len(out)
        if is_object:
            step, at = _key(text, at, decoder)
        value, end = decoder.raw_decode(text, at)
        out.append(_Entry(step, begin, at, value))
        comma = _COMMA.match(text, end)
        if comma is None:
            at = _after(_BLANK, text, end)
            if text[at : at + 1] != closing:
                raise JSONDecodeError(f"Expecting ',' or '{closing}'", text, at)
            break
        at = comma.end()
    return out, at + 1


def _key(text: str, at: int, decoder: JSONDecoder) -> tuple[str, int]:
    """The key that begins ``at``, and where its value begins."""
    plain = _PLAIN_KEY.match(text, at)
    if plain is not None:
        key, end = plain[1], plain.end()
    elif text[at : at + 1] == '"':
        key, end = decoder.raw_decode(text, at)
    else:
        raise JSONDecodeError("Expecting a key in double quotes", text, at)
    colon = _COLON.match(text, end)
    if colon is None:
        raise JSONDecodeError("Expecting ':' after a key", text, end)
    return key, colon.end()


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _place(path: str, text: str, at: int) -> Place:
    return Place(path, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _broken(path: str, error: JSONDecodeError) -> BadInput:
    text, place = error.doc, _place(path, error.doc, error.pos)
    if not text.strip():
        return BadInput.at(place, "is empty; expected JSON")
    cut = error.pos >= len(text.rstrip()) or "Unterminated string" in error.msg
    if cut:
        return BadInput.at(_place(path, text, len(text.rstrip())), f"is cut off here: {error.msg}; write the file again")
    return BadInput.at(place, f"is not JSON: {error.msg}")


def _repeated(path: str, text: str) -> BadInput:
    """The refusal for the first key that an object has twice. Raises what JSON raises where the text is broken as well."""
    todo = [_after(_BLANK, text, 0)]
    while todo:
        first: dict[Step, int] = {}
        entries = _container(text, todo.pop(), _ANY)[0]
        for one in entries:
            if one.step in first:
                line = _place(path, text, first[one.step]).line
                place = _place(path, text, one.begin)
                return BadInput.at(place, f"the key {one.step!r} is there twice in one object, first in line {line}")
            first[one.step] = one.begin
        todo.extend(one.at for one in reversed(entries) if text[one.at] in "{[")
    return BadInput.at(Place(path), "a key is there twice in one object")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise _Twice
    return out


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


_ANY = JSONDecoder()
_STRICT = JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
