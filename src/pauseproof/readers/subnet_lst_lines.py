"""The lines of opensm-subnet.lst, cut in bulk at the words before the port numbers, or one by one.

An *end* is what stands between the braces, up to its port number. Names may hold any words: where the cuts do not give two
ends a line, and nothing else, every line is matched by itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from pauseproof.readers.problems import Problems, numbered_lines, shown
from pauseproof.readers.records import I32
from pauseproof.readers.source import Source

_TYPE = rb"(?:CA|SW|R[Tt])(?:-SM)?"
_IDS = rb"SystemGUID:[0-9A-Fa-f]{16} NodeGUID:([0-9A-Fa-f]{16}) PortGUID:([0-9A-Fa-f]{16})"
_REST = rb" VenID:[0-9A-Fa-f]+ DevID:[0-9A-Fa-f]+ Rev:[0-9A-Fa-f]+ \{(.*?)\} LID:([0-9A-Fa-f]{1,4})"
_PORT = rb" PN:([0-9A-Fa-f]{1,2}) \}"
_CABLE = rb"(PHY=.*)"
HEAD = re.compile(rb"\{ %s Ports:" % _TYPE)
END = re.compile(rb"(%s) Ports:([0-9A-Fa-f]{1,2}) %s%s" % (_TYPE, _IDS, _REST))
_BARE_END = re.sub(rb"\((?!\?)", rb"(?:", END.pattern)
ENDS = re.compile(rb"^%s$" % END.pattern, re.MULTILINE)
BETWEEN = re.compile(rb"([0-9A-Fa-f]{2}) \} \{ ")
AFTER = re.compile(rb"([0-9A-Fa-f]{1,2}) \} %s\n" % _CABLE)
STRICT_LINE = re.compile(rb"\{ (%s)%s \{ (%s)%s %s" % (_BARE_END, _PORT, _BARE_END, _PORT, _CABLE))
PIECE = 1 << 18  # bytes cut at a time: few enough for a cache
SHAPE = "{ CA|SW|Rt Ports:.. NodeGUID:.. PortGUID:.. {name} LID:.. PN:.. } { .. } PHY=.. LOG=.. SPD=.."


class Lines(NamedTuple):
    """What the lines hold, in columns: two ends by their index in :class:`Ends`, their ports, and how the link is."""

    end_a: I32
    port_a: I32
    end_b: I32
    port_b: I32
    cable: Sequence[bytes]


class _Indices(dict[bytes, int]):
    """Numbers texts in the order of their coming."""

    def __missing__(self, text: bytes) -> int:
        self[text] = number = len(self)
        return number


@dataclass
class Gathered:
    """What was read so far. Ends that come first in a line and ends that come second are numbered apart."""

    first: _Indices = field(default_factory=_Indices)
    second: _Indices = field(default_factory=_Indices)
    end_a: list[int] = field(default_factory=list)
    port_a: list[int] = field(default_factory=list)
    end_b: list[int] = field(default_factory=list)
    port_b: list[int] = field(default_factory=list)
    cable: list[bytes] = field(default_factory=list)

    @property
    def texts(self) -> dict[bytes, int]:
        """The different ends, each with its index in :class:`Ends`."""
        return dict(zip(dict.fromkeys(chain(self.first, self.second)), count(), strict=False))

    def lines(self) -> Lines:
        """The columns."""
        number = self.texts
        again = np.array([number[text] for text in self.second], np.int32)
        end_a, port_a, end_b, port_b = (
            np.array(column, np.int32) for column in (self.end_a, self.port_a, self.end_b, self.port_b)
        )
        return Lines(end_a, port_a, again[end_b] if len(again) else end_b, port_b, self.cable)


def in_bulk(source: Source) -> Gathered | None:
    """The lines of a file that has nothing else; None where the cuts are not those of lines. Ends are not looked into."""
    out = Gathered()
    start, size = 0, len(source.data)
    while start < size:
        stop = source.data.rfind(b"\n", start, start + PIECE) + 1
        if stop <= start or not _take(out, bytes(source.data[start:stop])):
            return None
        start = stop
    return out


def _take(out: Gathered, text: bytes) -> bool:
    """Cut whole lines in three each: an end; its port, `` } { ``, the other end; its port, `` } ``, the cable, the newline."""
    if not text.startswith(b"{ "):
        return False
    cuts = text[2:].replace(b"\n{ ", b"\n PN:").split(b" PN:")
    middle, last = cuts[1::3], cuts[2::3]
    heads = [piece[:7] for piece in middle]
    between = {head: BETWEEN.fullmatch(head) for head in set(heads)}
    after = {piece: AFTER.fullmatch(piece) for piece in set(last)}
    if len(cuts) != 3 * text.count(b"\n") or not (all(between.values()) and all(after.values())):
        return False
    port_a = {head: int(found[1], 16) for head, found in between.items() if found}
    port_b = {piece: int(found[1], 16) for piece, found in after.items() if found}
    cable = {piece: found[2] for piece, found in after.items() if found}
    out.end_a += map(out.first.__getitem__, cuts[0::3])
    out.port_a += map(port_a.__getitem__, heads)
    out.end_b += map(out.second.__getitem__, [piece[7:] for piece in middle])
    out.port_b += map(port_b.__getitem__, last)
    out.cable += map(cable.__getitem__, last)
    return True


def one_by_one(source: Source, problems: Problems) -> tuple[Gathered, I32]:
    """The lines that are no comments, with their numbers; notes a problem for each that is not understood."""
    out = Gathered()
    lines: list[int] = []
    for number, line in numbered_lines(source, problems):
        if not line or line.startswith(b"#"):
            continue
        if found := STRICT_LINE.fullmatch(line):
            out.end_a.append(out.first[found[1]])
            out.port_a.append(int(found[2], 16))
            out.end_b.append(out.second[found[3]])
            out.port_b.append(int(found[4], 16))
            out.cable.append(found[5])
            lines.append(number)
        else:
            problems.add(number, f"{shown(line)} is not understood; expected {SHAPE}")
    return out, np.array(lines, np.int32)
