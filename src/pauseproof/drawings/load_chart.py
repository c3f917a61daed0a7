"""A chart of link loads: for each two tiers a row of bars, busiest first, and the line that a perfect spread would keep to.

A bar is a link, or as many links as one bar must stand for; then it is as high as the busiest of them. All rows have one scale:
the time of the busiest link of all. Even tiers are flat rows; a cliff is a group of links that carry for others. Bars above the
dashed line, the longest time of a perfectly spread fabric, are what the job waits for: they are dark, so that print shows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pauseproof.drawings.document import Dot, document
from pauseproof.drawings.escape import attributes, label
from pauseproof.drawings.palette import CONTEXT, LOOP, QUIET_TEXT, TEXT
from pauseproof.reports.words import count

F64 = NDArray[np.float64]
BARS = 48  # in a row
WIDTH, HEIGHT, GAP = 480.0, 64.0, 34.0  # points: of a row of bars, and between rows
CALM, IDLE = '"#9fb3c8"', '"#d7dbe0"'


@dataclass(frozen=True)
class Row:
    """The links between two tiers: words for them, and the time that each needs."""

    words: str
    time: F64


def chart_dot(title: str, rows: list[Row], perfect: float, unit: str) -> Dot:
    """The chart as dot source; ``perfect`` is the longest time of a perfectly spread fabric; ``unit`` says what 100% is."""
    longest = max([perfect, *(float(row.time.max(initial=0.0)) for row in rows)]) or 1.0
    return Dot(document(title, "neato", _statements(rows, perfect, longest, unit)), "neato")


def bars(time: F64, most: int = BARS) -> list[tuple[float, int]]:
    """(time, links) of each bar, busiest first.

    >>> bars(np.array([1.0, 4.0, 2.0, 3.0]), 2)
    [(4.0, 2), (2.0, 2)]
    """
    ordered = np.sort(time)[::-1]
    edges = np.linspace(0, len(ordered), min(most, len(ordered)) + 1).round().astype(int)
    return [(float(ordered[a]), b - a) for a, b in pairwise(edges.tolist())]


def _statements(rows: list[Row], perfect: float, longest: float, unit: str) -> Iterator[str]:
    for r, row in enumerate(rows):
        base = -r * (HEIGHT + GAP)
        yield from _bars(f"r{r}", row, base, perfect, longest)
        yield _line(f"a{r}", -4.0, WIDTH, base, attributes(dir="none", color=CONTEXT, penwidth=0.8))
        level = base + HEIGHT * perfect / longest
        yield _line(f"p{r}", -4.0, WIDTH, level, attributes(dir="none", color=TEXT, style="dashed", penwidth=0.9))
        idle = int(np.count_nonzero(row.time == 0))
        words = [row.words, count(len(row.time), "link") + (f", {idle:,} idle" if idle else "")]
        yield _text(f"w{r}", -100.0, base + HEIGHT / 2, TEXT, *words)
        busiest = float(row.time.max(initial=0.0)) / longest
        yield _text(f"m{r}", WIDTH + 48.0, base + HEIGHT / 2, QUIET_TEXT, "busiest link", f"{busiest:.0%}")
    foot = -len(rows) * (HEIGHT + GAP) + HEIGHT - 6.0
    yield _text(
        "scale", WIDTH / 2, foot, QUIET_TEXT, f"100% is {unit}; dashed: a perfectly spread fabric, {perfect / longest:.0%}"
    )


def _bars(name: str, row: Row, base: float, perfect: float, longest: float) -> Iterator[str]:
    found = bars(row.time)
    pitch = WIDTH / max(len(found), 1)
    for k, (time, _) in enumerate(found):
        height = max(HEIGHT * time / longest, 1.0)
        fill = IDLE if time == 0 else LOOP if time > perfect * 1.001 else CALM
        at = f'"{pitch * (k + 0.5):.1f},{base + height / 2:.1f}!"'
        box = {"width": f"{min(pitch * 0.8, 24.0) / 72:.3f}", "height": f"{height / 72:.3f}"}
        yield f"{name}_{k} " + attributes(
            label='""', shape="box", style='"filled"', fixedsize="true", penwidth=0, fillcolor=fill, pos=at, **box
        )


def _line(name: str, left: float, right: float, y: float, style: str) -> str:
    point = 'shape="point", width=0.01, height=0.01, style="invis"'
    ends = (f'{name}{side} [{point}, pos="{x:.1f},{y:.1f}!"]' for side, x in (("l", left), ("r", right)))
    return "; ".join([*ends, f"{name}l -> {name}r {style}"])


def _text(name: str, x: float, y: float, colour: str, *lines: str) -> str:
    at = f'"{x:.1f},{y:.1f}!"'
    return f"{name} " + attributes(
        label=label(*lines), shape="plaintext", style='""', fontsize=11, fontcolor=colour, pos=at, margin=0
    )
