"""The fabric folded by tier, with the heat of its links: an arrow for each direction between two classes of switches.

The width and the colour of an arrow tell how busy its busiest link is, against the busiest of all: a thick dark arrow holds the
link that the job waits for. Words say the mean, the most, and how many of the links carry nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.drawings.document import Dot, document, rank
from pauseproof.drawings.escape import attributes, label, shortened
from pauseproof.drawings.folded import HOSTS, Folded, fold
from pauseproof.drawings.palette import CONTEXT, TEXT, heat, tier_fill
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.reports.amounts import bytes_words
from pauseproof.reports.words import count, printable

F64 = NDArray[np.float64]
THIN, THICK = 1.0, 7.0


class Bundle(NamedTuple):
    """The links from one class to another: indices of nodes in the drawing, and the links."""

    src: str
    dst: str
    links: NDArray[np.intp]


def heat_dot(fabric: Fabric, load: F64, rate: F64, title: str) -> Dot:
    """The folded fabric as dot source; ``load`` [L] bytes of each link, ``rate`` [L] its speed."""
    folded = fold(fabric)
    return Dot(document(title, "dot", _statements(fabric, folded, load, load / rate)), "dot")


def bundles(fabric: Fabric, folded: Folded) -> list[Bundle]:
    """The links by the classes that they join, both directions apart; hosts of a class are one node."""
    n = fabric.n_switches
    of = [f"c{c}" for c in folded.of.tolist()]
    ends = np.maximum(fabric.link_src, fabric.link_dst)
    ordinary = (ends < n) | (fabric.node_kind[ends] == NodeKind.HOST)
    found: dict[tuple[str, str], list[int]] = {}
    for l in np.flatnonzero(ordinary & (np.minimum(fabric.link_src, fabric.link_dst) < n)).tolist():
        src, dst = int(fabric.link_src[l]), int(fabric.link_dst[l])
        names = (of[src] if src < n else f"h{of[dst][1:]}", of[dst] if dst < n else f"h{of[src][1:]}")
        found.setdefault(names, []).append(l)
    return [Bundle(*names, np.array(links)) for names, links in sorted(found.items())]


def _statements(fabric: Fabric, folded: Folded, load: F64, time: F64) -> Iterator[str]:
    drawn = bundles(fabric, folded)
    hosts = sorted({name for one in drawn for name in (one.src, one.dst) if name[0] == "h"}, key=lambda name: int(name[1:]))
    tier = {f"c{c}": t for c, t in enumerate(folded.tier)} | dict.fromkeys(hosts, HOSTS)
    yield from rank(tier)
    for c in range(len(folded.tier)):
        words = (
            shortened(fabric.node_name[folded.example[c]])
            if folded.size[c] == 1
            else count(folded.size[c], "switch", "switches")
        )
        yield _node(f"c{c}", folded.tier[c], words)
    for name in hosts:
        yield _node(name, HOSTS, count(folded.host_cables[int(name[1:])], "host"))
    longest = float(time.max(initial=0.0))
    for one in drawn:
        yield _arrow(one, tier, load[one.links], time[one.links].max() / longest if longest else 0.0)


def _arrow(one: Bundle, tier: dict[str, int], load: F64, busy: float) -> str:
    """Written from the upper to the lower tier, which gives dot its ranks; within a tier as it leads."""
    up = tier[one.src] < tier[one.dst]
    way = "up" if up else "down" if tier[one.src] > tier[one.dst] else "within the tier"
    idle = int(np.count_nonzero(load == 0))
    lines = [f"{way}: {count(len(load), 'link')}", f"mean {bytes_words(float(load.mean()))}"]
    lines.append(f"most {bytes_words(float(load.max()))}")
    lines += [f"{idle:,} idle"] if idle else []
    style = attributes(
        label=label(*(f"  {words}  " for words in lines)),
        color=heat(busy),
        fontcolor=TEXT,
        penwidth=f"{THIN + (THICK - THIN) * busy:.1f}",
        **({"dir": "back"} if up else {}),
    )
    high, low = (one.dst, one.src) if up else (one.src, one.dst)
    return f"{high} -> {low} {style}"


def _node(name: str, tier: int, words: str) -> str:
    return f"{name} " + attributes(label=label(printable(words)), color=CONTEXT, fillcolor=tier_fill(tier))
