"""The whole fabric folded: switches that look alike from one hop away are one node, with how many they are.

Two switches look alike when they are of the same tier and have the same number of cables to each tier and to hosts. Where that
leaves too many nodes to read, tiers alone decide.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.drawings.document import Dot, document, rank
from pauseproof.drawings.escape import attributes, label, shortened
from pauseproof.drawings.palette import CONTEXT, tier_fill
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.tiers import switch_tiers
from pauseproof.reports.words import count, printable

MOST_NODES = 24
HOSTS = 0  # the tier of hosts


@dataclass(frozen=True)
class Folded:
    """Classes of switches. ``tier``, ``size`` and ``example`` (the least switch) by class; ``cables`` [C, C] symmetric;
    ``host_cables`` [C]; ``of`` [S] the class of each switch.
    """

    tier: list[int]
    size: list[int]
    example: list[int]
    cables: NDArray[np.int64]
    host_cables: list[int]
    of: NDArray[np.intp]


def fold(fabric: Fabric) -> Folded:
    """The switches of ``fabric`` in classes that look alike, lowest tier first."""
    tiers = switch_tiers(fabric)
    n = fabric.n_switches
    width = int(tiers.max(initial=0)) + 1
    seen = np.zeros((n, width + 2), np.int64)  # tier, cables to hosts, cables to switches of each tier
    seen[:, 0] = tiers
    between = (fabric.link_src < n) & (fabric.link_dst < n)
    np.add.at(seen, (fabric.link_src[between], 2 + tiers[fabric.link_dst[between]]), 1)
    seen[:, 1] = np.bincount(fabric.link_src[(fabric.link_src < n) & ~between], minlength=n)
    rows, of = np.unique(seen, axis=0, return_inverse=True)
    if len(rows) > MOST_NODES:
        rows, of = np.unique(seen[:, :1], axis=0, return_inverse=True)
    of = of.reshape(-1)
    cables = np.zeros((len(rows), len(rows)), np.int64)
    np.add.at(cables, (of[fabric.link_src[between]], of[fabric.link_dst[between]]), 1)
    return Folded(
        rows[:, 0].tolist(),
        np.bincount(of, minlength=len(rows)).tolist(),
        [int(np.argmax(of == c)) for c in range(len(rows))],
        cables,
        np.bincount(of, weights=seen[:, 1], minlength=len(rows)).astype(int).tolist(),
        of,
    )


def folded_dot(fabric: Fabric) -> Dot:
    """The folded fabric as dot source, tiers as ranks."""
    title = f"{printable(fabric.name)}: {count(fabric.n_switches, 'switch', 'switches')}, {count(fabric.n_hosts, 'host')}"
    return Dot(document(title, "dot", _statements(fabric, fold(fabric))), "dot")


def _statements(fabric: Fabric, folded: Folded) -> Iterator[str]:
    classes = range(len(folded.tier))
    with_hosts = [c for c in classes if folded.host_cables[c]]
    yield from rank({f"c{c}": folded.tier[c] for c in classes} | {f"h{c}": HOSTS for c in with_hosts})
    for c in classes:
        name = shortened(fabric.node_name[folded.example[c]])
        size = folded.size[c]
        yield _node(f"c{c}", folded.tier[c], name if size == 1 else count(size, "switch", "switches"))
    for c in with_hosts:
        yield _node(f"h{c}", HOSTS, count(folded.host_cables[c], "host"))
        yield _line(f"c{c}", f"h{c}", "")
    for upper in reversed(classes):
        for lower in range(upper + 1):
            # a cable within a class is counted from both of its ends
            number = int(folded.cables[upper, lower]) // (2 if upper == lower else 1)
            if number:
                yield _line(f"c{upper}", f"c{lower}", f"  {count(number, 'cable')}  ")


def _node(name: str, tier: int, *lines: str) -> str:
    return f"{name} " + attributes(label=label(*lines), color=CONTEXT, fillcolor=tier_fill(tier))


def _line(a: str, b: str, words: str) -> str:
    return f"{a} -> {b} " + attributes(dir="none", label=label(words))
