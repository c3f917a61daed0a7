"""What all dot sources have in common: the frame, and tiers as ranks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from pauseproof.drawings.escape import attributes, label
from pauseproof.drawings.palette import CONTEXT, FONT, QUIET_TEXT, TEXT
from pauseproof.fabric.tiers import tier_words


@dataclass(frozen=True, slots=True)
class Dot:
    """Dot source and the layout engine it is written for."""

    source: str
    engine: str


def document(title: str, engine: str, statements: Iterable[str]) -> str:
    """A whole dot source with our fonts, margins and colours. Positions in it are points."""
    graph = attributes(
        layout=engine,
        label=label(title, " "),
        labelloc="t",
        fontname=FONT,
        fontsize=14,
        fontcolor=TEXT,
        bgcolor='"white"',
        splines="true",
        inputscale=72,
        nodesep=0.7,
        ranksep=1.1,
        pad=0.3,
    )
    node = attributes(shape="box", style='"rounded,filled"', fontname=FONT, fontsize=12, fontcolor=TEXT, margin='"0.12,0.06"')
    edge = attributes(fontname=FONT, fontsize=11, color=CONTEXT, fontcolor=QUIET_TEXT)
    head = ["digraph pauseproof {", f"  graph {graph};", f"  node {node};", f"  edge {edge};"]
    return "\n".join([*head, *(f"  {statement};" for statement in statements), "}", ""])


def rank(tier_of: Mapping[str, int]) -> Iterator[str]:
    """One rank for each tier, the lowest at the bottom, each with its name; keys are dot node ids.

    Comes before the nodes themselves: dot puts what it meets first at the left.
    """
    tiers = sorted(set(tier_of.values()))
    for tier in tiers:
        yield f"tier{tier} " + attributes(label=label(tier_words(tier)), shape="plaintext", style='""', fontcolor=QUIET_TEXT)
    for low, high in pairwise(tiers):
        yield f"tier{high} -> tier{low} {attributes(style='invis')}"
    for tier in tiers:
        members = " ".join(f"{node};" for node, its_tier in tier_of.items() if its_tier == tier)
        yield f"{{ rank=same; tier{tier}; {members} }}"
