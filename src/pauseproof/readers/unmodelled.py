"""Inputs that change where packets go or which lane they take, in ways that are not modelled: refused, never ignored.

ibdiagnet's .plft (several linear tables a switch, chosen by in-port or VL) and .vl2vl (the next lane chosen by the lane
before). No real file of either was seen, so that content is recognised by its title lines, and else the name decides. A
file that holds no switch is harmless.
"""

import re

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.problems import first_lines
from pauseproof.readers.source import Source

NAME = "not-modelled"

_WHAT = {
    "plft": "several forwarding tables a switch (pLFT), chosen by in-port or VL",
    "vl2vl": "lanes chosen by the lane before (VL2VL)",
}
_TITLE = re.compile(rb"^#?\W*(?:dump\W+)?(?:port\W+(?:to\W+)?|private\W+)?(plft|vl2vl)\b(?!_NUM)", re.IGNORECASE)
_A_SWITCH = re.compile(rb"0x[0-9a-fA-F]{8,16}\b")


def matches(head: bytes) -> bool:
    """One of the first lines is a title of such a table."""
    return _kind_of(head) is not None


def matches_name(path: str) -> bool:
    """The name ends as ibdiagnet names such a table."""
    return _suffix(path) in _WHAT


def is_empty(source: Source) -> bool:
    """No switch is named in it: nothing to model."""
    return not _A_SWITCH.search(source.data)


def read(source: Source) -> None:
    """Refuses: always raises BadInput."""
    what = _WHAT[_kind_of(source.head) or (_suffix(source.path) if matches_name(source.path) else "plft")]
    raise BadInput.at(
        Place(source.path),
        f"{what} are not modelled, and a verdict without them could be wrong; expected a fabric with one forwarding table"
        " and one SL-to-VL map a switch (to leave this file out on purpose, name the other files one by one)",
    )


def _suffix(path: str) -> str:
    _, dot, suffix = path.lower().removesuffix(".gz").rpartition(".")
    return suffix if dot else ""


def _kind_of(head: bytes) -> str | None:
    titles = (_TITLE.match(line) for line in first_lines(head, 4))
    return next((title[1].decode().lower() for title in titles if title), None)
