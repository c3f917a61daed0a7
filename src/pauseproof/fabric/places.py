"""Where a fact was read, and what is wrong with it.

A *place* is a file and a line. A *problem* makes an input unusable: all problems of an input are collected and raised
together as one :class:`BadInput`. A *remark* is something odd that a verdict can live with; it becomes a finding.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Place(NamedTuple):
    """A file and a line (counted from 1; 0 where the whole file is meant), and a column where one is known.

    >>> str(Place("opensm.fdbs", 12))
    'opensm.fdbs:12'
    """

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file] + [str(n) for n in (self.line, self.column) if n]
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence about one place: what was found, what was expected."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class BadInput(ValueError):
    """An input that is refused. ``problems`` holds everything that is wrong with it.

    >>> str(BadInput.at(Place("a.lst", 3), "port 9 is beyond the radix 4"))
    'a.lst:3: port 9 is beyond the radix 4'
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def at(cls, place: Place, message: str) -> "BadInput":
        """A refusal with a single problem."""
        return cls([Problem(place, message)])


@dataclass(frozen=True, slots=True)
class Remark:
    """A fact about the input that becomes a finding: ``rule`` is the slug of a rule in findings/rules.py.

    ``about`` is a stable identity (GUIDs, names, ports, LIDs), the same from every input format.
    """

    rule: str
    message: str
    about: str
    places: tuple[Place, ...] = ()
