"""Where things go when the loop is drawn as a circle: clockwise from the top, neighbours outside, arrow labels beside arrows.

Lengths are in points. ``i`` counts the loop's nodes; the angle of node ``i`` falls by a full turn over all of them.
"""

import math
from dataclasses import dataclass

Point = tuple[float, float]

CHAR, LINE_HEIGHT = 7.2, 15.0  # of 12-point Helvetica, on the wide side
SHORTEST_SIDE = 130.0
OUTWARD = 95.0  # from a switch of the loop to its neighbours
ROW = 56.0  # from one neighbour inside the circle to the one below it


@dataclass(frozen=True)
class Ring:
    """A circle of ``n`` nodes ``side`` apart; half of the widest name on it is ``half_name``."""

    n: int
    side: float = SHORTEST_SIDE
    half_name: float = 0.0

    @property
    def radius(self) -> float:
        """Of the circle on which the loop lies."""
        return self.side / 2 if self.n < 3 else self.side / (2 * math.sin(math.pi / self.n))

    def angle(self, i: float) -> float:
        """Of place ``i``, in radians; place 0 is at the top, or at the left where there are only two."""
        return (math.pi if self.n == 2 else math.pi / 2) - 2 * math.pi * i / self.n

    def at(self, i: float, outward: float = 0.0) -> Point:
        """The point of place ``i``, moved away from the centre."""
        r = self.radius + outward
        return r * math.cos(self.angle(i)), r * math.sin(self.angle(i))

    def fan(self, i: int, k: int, size: int) -> Point:
        """The point of neighbour ``k`` of ``size`` neighbours of place ``i``, spread so that boxes stay apart."""
        step = min(110.0 / (self.radius + OUTWARD), 2 * math.pi / self.n / max(size, 1))
        turn = (k - (size - 1) / 2) * step
        sideways = abs(math.cos(self.angle(i))) * self.half_name
        return self.at(i - turn * self.n / (2 * math.pi), OUTWARD + sideways + 34.0 * (k % 2))

    def inside(self, k: int, size: int) -> Point:
        """The point of neighbour ``k`` of ``size`` that belong to several places: stacked in the middle.

        Where there are only two places, the middle is taken by their arrows, and the neighbours stand above and below.
        """
        if self.n == 2:
            return 0.0, (85.0 + ROW * (k // 2)) * (1 - 2 * (k % 2))
        return 0.0, ROW * ((size - 1) / 2 - k)


def side_around(inner: int, n: int) -> float:
    """How far apart ``n`` places must be so that ``inner`` neighbours fit into the circle."""
    return 2 * (ROW * inner / 2 + 60.0) * math.sin(math.pi / n) if n > 2 and inner else 0.0


def beside(a: Point, b: Point, *lines: str, bow: float = 0.0) -> Point:
    """The centre of a text of these lines that stands left of the arrow from ``a`` to ``b``, which bends out by ``bow``."""
    length = math.dist(a, b) or 1.0
    nx, ny = -(b[1] - a[1]) / length, (b[0] - a[0]) / length
    width, height = CHAR * max(map(len, lines)), LINE_HEIGHT * len(lines)
    away = 6.0 + bow + abs(nx) * width / 2 + abs(ny) * height / 2
    return (a[0] + b[0]) / 2 + nx * away, (a[1] + b[1]) / 2 + ny * away
