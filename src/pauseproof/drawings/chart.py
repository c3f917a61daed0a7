"""Occupancy over time as SVG: a strip for each buffer, with its level of XOFF, and a bar where its sender is paused.

Made to be read in black and white as well: what is paused is a thick bar below the line, levels are dashed, and nothing is told
by colour alone. Input is plain data, in microseconds and packets.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pauseproof.drawings.escape import shortened
from pauseproof.drawings.palette import CONTEXT, FONT, LOOP, LOOP_FILL, QUIET_TEXT, TEXT
from pauseproof.reports.words import printable

WIDTH, LEFT, RIGHT = 965, 315, 30
NAMES = LEFT - 64  # names of buffers end here; between them and the plot stand the names of levels
APART = 10.0  # points at least between the names of two levels
TOP, STRIP, PLOT = 84, 74, 46  # points above the first strip, from one strip to the next, and the height of its plot
MOST_TICKS = 8


@dataclass(frozen=True)
class Strip:
    """One buffer: its name, what it held at each time, and from when to when its sender was paused."""

    name: str
    held: tuple[int, ...]
    paused: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Chart:
    """``levels`` are dashed lines in every strip, with their names; ``spans`` are shaded over all strips, with theirs."""

    title: str
    subtitle: str
    times: tuple[float, ...]
    strips: tuple[Strip, ...]
    levels: tuple[tuple[str, int], ...] = ()
    spans: tuple[tuple[str, float, float], ...] = ()


def svg(chart: Chart) -> str:
    """The chart as a whole SVG document, the same text for the same chart."""
    height = TOP + STRIP * len(chart.strips) + 46
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family={FONT[:-1]}, Arial, sans-serif">'
    )
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *_body(chart, height), "</svg>", ""])


def _body(chart: Chart, height: int) -> Iterator[str]:
    yield f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    yield _text(LEFT, 26, chart.title, size=15, weight="bold")
    yield _text(LEFT, 45, chart.subtitle, size=12, fill=QUIET_TEXT)
    drawing = _Drawing(chart)
    yield from drawing.spans()
    for i, strip in enumerate(chart.strips):
        yield from drawing.strip(i, strip)
    yield from drawing.axis()


class _Drawing:
    """Where times and packets go."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.end = max(chart.times, default=1.0) or 1.0
        self.most = max([1, *(level for _, level in chart.levels), *(n for strip in chart.strips for n in strip.held)])
        self.bottom = TOP + STRIP * len(chart.strips)

    def x(self, time: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * min(time, self.end) / self.end

    def y(self, i: int, packets: float) -> float:
        return TOP + STRIP * i + PLOT * (1 - packets / self.most)

    def spans(self) -> Iterator[str]:
        for name, start, end in self.chart.spans:
            left, right = self.x(start), self.x(end)
            yield (
                f'<rect x="{left:.1f}" y="{TOP - 10}" width="{max(right - left, 1):.1f}" height="{self.bottom - TOP + 4}" '
                f'fill={LOOP_FILL} stroke={LOOP} stroke-width="0.6" stroke-dasharray="2 3"/>'
            )
            late = left > (LEFT + WIDTH - RIGHT) / 2  # its name would go beyond the edge
            yield _text(right if late else left + 3, TOP - 14, name, size=11, fill=LOOP, anchor="end" if late else "start")

    def levels(self, i: int) -> Iterator[tuple[str, int, float]]:
        """Each level from the bottom up, and the height of its name: beside its line, or just above the name below."""
        above = math.inf
        for name, level in sorted(self.chart.levels, key=lambda some: some[1]):
            above = min(self.y(i, level), above - APART)
            yield name, level, above

    def strip(self, i: int, strip: Strip) -> Iterator[str]:
        base = self.y(i, 0)
        yield _text(NAMES, base - PLOT / 2 + 4, shortened(strip.name), size=12, anchor="end", title=strip.name)
        yield _line(LEFT, base, WIDTH - RIGHT, base, CONTEXT)
        for name, level, at in self.levels(i):
            y = self.y(i, level)
            yield _line(LEFT, y, WIDTH - RIGHT, y, CONTEXT, dashed=True)
            yield _text(LEFT - 8, at + 3, f"{name} {level}", size=9, anchor="end", fill=QUIET_TEXT)
        yield f'<path d="{self._steps(i, strip.held)}" fill="none" stroke={TEXT} stroke-width="1.4"/>'
        for start, end in strip.paused:
            width = max(self.x(end) - self.x(start), 0.5)
            yield f'<rect x="{self.x(start):.1f}" y="{base + 3:.1f}" width="{width:.1f}" height="6" fill={LOOP}/>'

    def _steps(self, i: int, held: Sequence[int]) -> str:
        """A line that changes only where the number does."""
        parts = []
        for k, (time, packets) in enumerate(zip(self.chart.times, held, strict=True)):
            if not k:
                parts.append(f"M{self.x(time):.1f} {self.y(i, packets):.1f}")
            elif packets != held[k - 1]:
                parts.append(f"H{self.x(time):.1f}V{self.y(i, packets):.1f}")
        return "".join(parts) + f"H{self.x(self.end):.1f}"

    def axis(self) -> Iterator[str]:
        for time in ticks(self.end):
            yield _line(self.x(time), self.bottom - 8, self.x(time), self.bottom - 3, TEXT)
            yield _text(self.x(time), self.bottom + 11, f"{time:.4g}", size=11, anchor="middle")
        yield _text(self.x(self.end / 2), self.bottom + 28, "microseconds", size=11, anchor="middle", fill=QUIET_TEXT)
        yield f'<rect x="20" y="{self.bottom + 3}" width="26" height="6" fill={LOOP}/>'
        yield _text(52, self.bottom + 10, "its sender may not send", size=11)


def ticks(end: float) -> list[float]:
    """Round numbers from 0 to ``end``, at most MOST_TICKS + 1 of them.

    >>> ticks(23.5)
    [0.0, 5.0, 10.0, 15.0, 20.0]
    """
    step = 10.0 ** math.floor(math.log10(end)) / 10
    steps = (step * by for by in (1, 2, 5, 10, 20, 50, 100))
    step = next(some for some in steps if end / some <= MOST_TICKS)
    return [round(step * k, 9) for k in range(int(end / step) + 1)]


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int,
    anchor: str = "start",
    weight: str = "normal",
    fill: str = TEXT,
    title: str = "",
) -> str:
    tip = f"<title>{_safe(title)}</title>" if title else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill={fill}>'
        f"{tip}{_safe(words)}</text>"
    )


def _safe(words: str) -> str:

    return escape(printable(words))


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke={colour} stroke-width="0.8"{dash}/>'
