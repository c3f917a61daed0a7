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
from pauseproof.drawings.ring import CHAR, SHORTEST_SIDE, Point, Ring, beside, side_around

TWO_WAY_BOW = 16.0  # neato bends two arrows between the same nodes apart by about this much


def loop_dot(picture: LoopPicture) -> Dot:
    """The picture as dot source, the same text for the same picture."""
    tiers = {node.tier for node in picture.nodes if node.role == "loop"}
    if len(tiers) == 1:
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
    """A number of cables is worth its ink where it is not one for each member, whose number is in the name."""
    worth = line.cables != picture.nodes[line.b].members
    cables = {"label": label(f"  {line.cables} cables  ")} if worth else {}
    return {"dir": "none", "penwidth": 0.8, **cables}


# The circle


def _circle(picture: LoopPicture) -> Iterator[str]:
    fans, inner = _around(picture)
    ring = _ring(picture, len(inner))
    at = {i: ring.at(i) for i in range(ring.n)}
    at |= {group: ring.fan(i, k, len(fan)) for i, fan in fans.items() for k, group in enumerate(fan)}
    at |= {group: ring.inside(k, len(inner)) for k, group in enumerate(inner)}
    for i, node in enumerate(picture.nodes):
        yield _node(i, node, at[i])
    for k, hop in enumerate(picture.hops):
        yield f"n{hop.src} -> n{hop.dst} {_red()}"
        yield f"t{k} {_words(picture, hop, ring)}"
    for line in picture.context:
        yield f"n{line.a} -> n{line.b} {attributes(**_grey(picture, line))}"


def _around(picture: LoopPicture) -> tuple[dict[int, list[int]], list[int]]:
    """Groups that touch one place of the loop, by that place; and groups that touch several."""
    touched: dict[int, list[int]] = defaultdict(list)
    for line in picture.context:
        touched[line.b].append(line.a)
    fans: dict[int, list[int]] = defaultdict(list)
    inner = []
    for group in range(picture.loop_nodes, len(picture.nodes)):
        if len(touched[group]) == 1:
            fans[touched[group][0]].append(group)
        else:
            inner.append(group)
    return fans, inner


def _ring(picture: LoopPicture, inner: int) -> Ring:
    n = picture.loop_nodes
    names = max(len(shortened(node.name)) for node in picture.nodes if node.role == "loop")
    words = max(len(word) for hop in picture.hops for word in _arrow_words(picture, hop))
    side = max(SHORTEST_SIDE, CHAR * (names + 8), CHAR * (words + 4), side_around(inner, n))
    return Ring(n, side, CHAR * names / 2)


def _words(picture: LoopPicture, hop: PictureHop, ring: Ring) -> str:
    """A node of its own for the words at an arrow: neato would put a label onto the line."""
    words = _arrow_words(picture, hop)
    bow = TWO_WAY_BOW if ring.n == 2 else 0.0
    x, y = ring.at(hop.src, -58.0) if hop.src == hop.dst else beside(ring.at(hop.src), ring.at(hop.dst), *words, bow=bow)
    pin = f'"{x:.1f},{y:.1f}!"'
    return attributes(label=label(*words), shape="plaintext", style='""', fontsize=11, fontcolor=LOOP, pos=pin, margin=0)


# Tiers as ranks


def _ranked(picture: LoopPicture) -> Iterator[str]:
    yield from rank({f"n{i}": node.tier for i, node in enumerate(picture.nodes)})
    for i, node in enumerate(picture.nodes):
        yield _node(i, node)
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
