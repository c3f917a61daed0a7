"""A picture of a loop as dot source.

A loop within one tier is drawn as a circle (nodes pinned, for ``neato``); a loop over several tiers with its tiers as ranks,
leaves at the bottom (for ``dot``). Either way the loop is a thick red ring and everything else is thin and grey.
"""

from collections import defaultdict
from collections.abc import Iterator

from pauseproof.drawings.document import Dot, document, rank
from pauseproof.drawings.escape import attributes, label, quoted, shortened
from pauseproof.drawings.palette import CONTEXT, LOOP, LOOP_FILL, QUIET_TEXT, TEXT, tier_fill
from pauseproof.drawings.picture import LoopPicture, PictureHop, PictureLine, PictureNode
from pauseproof.drawings.ring import CHAR, SHORTEST_SIDE, Point, Ring, beside

TWO_WAY_BOW = 16.0  # neato bends two arrows between the same nodes apart by about this much


def loop_dot(picture: LoopPicture) -> Dot:
    """The picture as dot source, the same text for the same picture."""
    tiers = {node.tier for node in picture.nodes if node.role == "loop"}
    if len(tiers) == 1 and picture.loop_nodes > 1:
        return Dot(document(picture.title, "neato", _circle(picture)), "neato")
    return Dot(document(picture.title, "dot", _ranked(picture)), "dot")


def _node(i: int, node: PictureNode, at: Point | None = None) -> str:
    on_loop = node.role == "loop"
    pin = {"pos": f'"{at[0]:.1f},{at[1]:.1f}!"'} if at else {}
    return f"n{i} " + attributes(
        label=label(shortened(node.name)),
        tooltip=quoted(node.name),
        color=LOOP if on_loop else CONTEXT,
        penwidth=2 if on_loop else 0.8,
        fillcolor=LOOP_FILL if on_loop else tier_fill(node.tier),
        fontcolor=TEXT if on_loop else QUIET_TEXT,
        **pin,
    )


def _arrow_words(picture: LoopPicture, hop: PictureHop) -> tuple[str, str]:
    return f"port {shortened(hop.src_port)} → {shortened(hop.dst_port)}", f"{picture.lane_word} {shortened(hop.lane)}"


def _red(**more: str | float) -> str:
    return attributes(color=LOOP, penwidth=2.6, fontcolor=LOOP, **more)


def _grey(picture: LoopPicture, line: PictureLine) -> dict[str, str | float]:
    """A number of cables is worth its ink between switches; hosts carry their number in their name."""
    worth = line.cables > 1 and picture.nodes[line.b].role != "hosts"
    cables = {"label": label(f"  {line.cables} cables  ")} if worth else {}
    return {"dir": "none", "penwidth": 0.8, **cables}


# The circle


def _circle(picture: LoopPicture) -> Iterator[str]:
    ring = _ring(picture)
    at = [ring.at(i) for i in range(ring.n)] + _outside(picture, ring)
    for i, node in enumerate(picture.nodes):
        yield _node(i, node, at[i])
    for k, hop in enumerate(picture.hops):
        yield f"n{hop.src} -> n{hop.dst} {_red()}"
        words = _arrow_words(picture, hop)
        x, y = beside(at[hop.src], at[hop.dst], *words, bow=TWO_WAY_BOW if ring.n == 2 else 0.0)
        yield f"t{k} " + attributes(
            label=label(*words), shape="plaintext", style='""', fontsize=11, fontcolor=LOOP, pos=f'"{x:.1f},{y:.1f}!"', margin=0
        )
    for line in picture.context:
        yield f"n{line.a} -> n{line.b} {attributes(**_grey(picture, line))}"


def _ring(picture: LoopPicture) -> Ring:
    names = max(len(shortened(node.name)) for node in picture.nodes if node.role == "loop")
    words = max(len(word) for hop in picture.hops for word in _arrow_words(picture, hop))
    return Ring(picture.loop_nodes, max(SHORTEST_SIDE, CHAR * (names + 8), CHAR * (words + 4)), CHAR * names / 2)


def _outside(picture: LoopPicture, ring: Ring) -> list[Point]:
    """Groups that touch one switch fan out from it; groups that touch several stand in the middle, one below the other."""
    touched: dict[int, list[int]] = defaultdict(list)
    for line in picture.context:
        touched[line.b].append(line.a)
    groups = range(ring.n, len(picture.nodes))
    fans: dict[int, list[int]] = defaultdict(list)
    for group in groups:
        if len(touched[group]) == 1:
            fans[touched[group][0]].append(group)
    inner = [group for group in groups if len(touched[group]) != 1]
    middle = {group: (0.0, 45.0 * ((len(inner) - 1) / 2 - k)) for k, group in enumerate(inner)}
    spread = {group: ring.fan(i, k, len(fan)) for i, fan in fans.items() for k, group in enumerate(fan)}
    return [(middle | spread)[group] for group in groups]


# Tiers as ranks


def _ranked(picture: LoopPicture) -> Iterator[str]:
    for i, node in enumerate(picture.nodes):
        yield _node(i, node)
    yield from rank({f"n{i}": node.tier for i, node in enumerate(picture.nodes)})
    for hop in picture.hops:
        yield _ranked_hop(picture, hop)
    for line in picture.context:
        upper, lower = (line.a, line.b) if picture.nodes[line.a].tier >= picture.nodes[line.b].tier else (line.b, line.a)
        yield f"n{upper} -> n{lower} {attributes(**_grey(picture, line))}"


def _ranked_hop(picture: LoopPicture, hop: PictureHop) -> str:
    """Written from the upper to the lower tier, whichever way the arrow points: that is what gives dot its ranks."""
    words: dict[str, str | float] = {"label": label(*(f"   {word}   " for word in _arrow_words(picture, hop))), "weight": 4}
    if picture.nodes[hop.src].tier >= picture.nodes[hop.dst].tier:
        return f"n{hop.src} -> n{hop.dst} {_red(**words)}"
    return f"n{hop.dst} -> n{hop.src} {_red(dir='back', **words)}"
