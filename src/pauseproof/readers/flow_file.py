"""A file of flows to replay: who sends to whom, how much, and when. Routes are not in it: they come from the tables.

flows:
  - {src: gpu1, dst: gpu7, rate: 0.5}
  - {src: gpu2, dst: gpu7, rate: 5.2G, arrivals: random, start: 10us, stop: 1ms, label: "26"}
"""

import re
from dataclasses import dataclass
from typing import Literal

from pauseproof.fabric.places import Place
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.forms import Form
from pauseproof.readers.measures import duration_of, speed_of
from pauseproof.readers.native_lines import Word
from pauseproof.readers.source import Source
from pauseproof.readers.yaml_tree import Node, read_tree

NAME = "flow file"
MOST_FLOWS = 10_000
_SHARE = re.compile(r"[01](\.[0-9]{1,6})?|\.[0-9]{1,6}")
_ARRIVALS: tuple[Literal["paced", "random"], ...] = ("paced", "random")


@dataclass(frozen=True)
class FlowLine:
    """One flow as it is written. ``share`` is of the sender's line rate, or ``gbps`` is given; times are picoseconds."""

    place: Place
    src: Word
    dst: Word
    share: float = 1.0
    gbps: float | None = None
    start: int = 0
    stop: int | None = None
    arrivals: Literal["paced", "random"] = "paced"
    label: Word | None = None


def read_flow_file(source: Source) -> tuple[FlowLine, ...]:
    """The flows of a file. Raises BadInput with all that is wrong with it."""
    form = Form()
    top = form.fields(read_tree(source), "a file of flows", (), ("flows",))
    nodes = form.items(top.get("flows"), "flows")
    if not nodes and not form.problems:
        form.wrong(Place(source.path), "holds no flow; expected flows: with a list of {src, dst}")
    if len(nodes) > MOST_FLOWS:
        form.wrong(nodes[MOST_FLOWS].place, f"is one flow too many; a file may hold {MOST_FLOWS:,}")
    lines = [_line(form, node) for node in nodes[:MOST_FLOWS]]
    refuse_if(form.problems)
    return tuple(lines)


def _line(form: Form, node: Node) -> FlowLine:
    fields = form.fields(node, "a flow", ("rate", "start", "stop", "arrivals", "label"), ("src", "dst"))
    nobody = Word("", node.place)
    src, dst = (form.word(fields[key], key) if key in fields else nobody for key in ("src", "dst"))
    share, gbps = _rate(form, fields["rate"]) if "rate" in fields else (1.0, None)
    start = _duration(form, fields["start"]) if "start" in fields else 0
    stop = _duration(form, fields["stop"]) if "stop" in fields else None
    if stop is not None and stop <= start:
        form.wrong(fields["stop"].place, "a flow must stop after it starts")
    arrivals = form.choice(fields["arrivals"], "arrivals", _ARRIVALS) if "arrivals" in fields else "paced"
    label = form.word(fields["label"], "label") if "label" in fields else None
    return FlowLine(node.place, src, dst, share, gbps, start, stop, "random" if arrivals == "random" else "paced", label)


def _rate(form: Form, node: Node) -> tuple[float, float | None]:
    """(share of line rate, Gb/s where that is what is written)."""
    text = form.text(node, "rate").strip()
    if _SHARE.fullmatch(text) and 0 < float(text) <= 1:
        return float(text), None
    if text[-1:].isalpha() or text[-2:].lower() == "/s":
        try:
            return 1.0, speed_of(text)
        except ValueError as error:
            form.wrong(node.place, str(error))
            return 1.0, None
    form.wrong(node.place, f"rate {text!r} is neither a share of line rate above 0 and up to 1, nor a speed such as 5.2G")
    return 1.0, None


def _duration(form: Form, node: Node) -> int:
    try:
        return duration_of(form.text(node, "a time"))
    except ValueError as error:
        form.wrong(node.place, str(error))
        return 0
