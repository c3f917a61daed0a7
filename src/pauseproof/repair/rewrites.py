"""What turns do to labels, as lines of a file: at this switch, from these ports to those, this label becomes that one.

Notation: a *place* is (switch, in-port, out-port); ``change`` maps the labels that are rewritten there to what they become.
"""

from collections.abc import Mapping
from typing import NamedTuple

from pauseproof.fabric.model import Fabric
from pauseproof.repair.flows import Turn

Place3 = tuple[int, int, int]
Rewrites = Mapping[Place3, Mapping[str, str]]


class RewriteLine(NamedTuple):
    """The same change at every turn from ``into`` to ``out``; ports go by their names."""

    at: str
    into: tuple[str, ...]
    out: tuple[str, ...]
    change: tuple[tuple[str, str], ...]

    @property
    def turn_words(self) -> str:
        """The turns alone."""
        into, out = (" and ".join(map(shown, ports)) for ports in (self.into, self.out))
        return f"{shown(self.at)}: from {into} to {out}"

    def words(self) -> str:
        """The line as a sentence.

        >>> RewriteLine("leaf1", ("swp1",), ("swp2",), (("26", "34"),)).words()
        'leaf1: from swp1 to swp2, 26 becomes 34'
        """
        becomes = ", ".join(f"{old} becomes {new}" for old, new in self.change)
        return f"{self.turn_words}, {becomes}"


def shown(name: str) -> str:
    """A name for a line of text: what is not printable is escaped.

    >>> shown("leaf\\n1")
    'leaf\\\\n1'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode("ascii") for c in name)


def place_of(fabric: Fabric, turn: Turn) -> Place3:
    """Where a turn is made."""
    (came_by, _), leaves_by = turn
    return int(fabric.link_dst[came_by]), int(fabric.link_dst_port[came_by]), int(fabric.link_src_port[leaves_by])


def lines_of(fabric: Fabric, rewrites: Rewrites) -> list[RewriteLine]:
    """As few lines as come of joining in-ports with one change at one out-port, then out-ports with the same of those."""
    into: dict[tuple[int, int, tuple[tuple[str, str], ...]], list[int]] = {}
    for (s, i, o), change in sorted(rewrites.items()):
        into.setdefault((s, o, tuple(sorted(change.items()))), []).append(i)
    out: dict[tuple[int, tuple[int, ...], tuple[tuple[str, str], ...]], list[int]] = {}
    for (s, o, changes), ins in into.items():
        out.setdefault((s, tuple(ins), changes), []).append(o)
    return [
        RewriteLine(
            fabric.node_name[s],
            tuple(fabric.port_name(s, i) for i in ins),
            tuple(fabric.port_name(s, o) for o in outs),
            changes,
        )
        for (s, ins, changes), outs in sorted(out.items())
    ]
