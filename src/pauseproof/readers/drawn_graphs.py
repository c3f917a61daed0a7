"""Cables of graphs whose edges may have no ports: a port is then called after the neighbour at its other end.

The k-th cable between two nodes leaves by ``spine1``, ``spine1#2``, ``spine1#3`` ... In a directed graph an edge and the one
that runs against it are the two directions of one cable.
"""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.measures import NAN, length_of, speed_of
from pauseproof.readers.suggest import expected_one_of


class Edge(NamedTuple):
    """An edge as it was read; ports, speed and length are empty where they are not given."""

    line: int
    a: str
    b: str
    a_port: str = ""
    b_port: str = ""
    speed: str = ""
    length: str = ""


class PortsByNeighbour:
    """Gives each edge its two ports."""

    def __init__(self, rows: CableRows, nodes: Collection[str], *, directed: bool) -> None:
        self.rows, self.nodes, self.directed = rows, nodes, directed
        self.seen: Counter[tuple[str, str]] = Counter()

    def add(self, edge: Edge) -> None:
        """The edge becomes a cable of the rows."""
        problems = self.rows.problems
        for name in (edge.a, edge.b):
            if name not in self.nodes:
                problems.add(edge.line, f"there is no node {name[:60]!r}; {expected_one_of(name, self.nodes)}")
        if bool(edge.a_port) != bool(edge.b_port):
            problems.add(edge.line, "an edge with a port at one end only; expected ports at both ends or at none")
            return
        speed = length = NAN
        try:
            speed, length = speed_of(edge.speed), length_of(edge.length)
        except ValueError as error:
            problems.add(edge.line, str(error))
        a_port, b_port = (edge.a_port, edge.b_port) if edge.a_port else self._ports(edge.a, edge.b)
        self.rows.add(edge.line, (edge.a, a_port), (edge.b, b_port), speed, length)

    def _ports(self, a: str, b: str) -> tuple[str, str]:
        pair = (a, b) if self.directed or a < b else (b, a)
        self.seen[pair] += 1
        number = self.seen[pair]
        more = f"#{number}" if number > 1 else ""
        return b + more, a + more
