"""What a job description says is sent: collectives (kind, group, algorithm, bytes), and single flows."""

import re
from typing import cast

from pauseproof.readers.forms import Form
from pauseproof.readers.job_lines import ALGORITHMS, KINDS, Algorithm, CollectiveLine, FlowLine, Kind
from pauseproof.readers.job_values import choice_of, size, truth, whole_number
from pauseproof.readers.native_lines import Word
from pauseproof.readers.suggest import expected_one_of
from pauseproof.readers.yaml_tree import Node, Sequence

MOST_CHANNELS, MOST_TIMES, MOST_COLLECTIVES = 64, 1_000_000, 1000
_HEX = re.compile(r"0x[0-9a-fA-F]{1,6}")
MOST_QPN, MOST_PORT = (1 << 24) - 1, (1 << 16) - 1


def read_collectives(form: Form, node: Node | None, groups: list[str]) -> tuple[CollectiveLine, ...]:
    """The collectives in the order of the file; those before are what ``beside`` may name."""
    found: list[CollectiveLine] = []
    items = form.items(node, "collectives")
    if node is not None and isinstance(node, Sequence) and not items:
        form.wrong(node.place, "collectives is an empty list; expected a collective or more")
    if len(items) > MOST_COLLECTIVES:
        more = f"is one collective too many; a job may have {MOST_COLLECTIVES:,}, each of them any number of `times`"
        form.wrong(items[MOST_COLLECTIVES].place, more)
    for item in items[:MOST_COLLECTIVES]:
        one = _collective(form, item, groups, [line.name.text for line in found])
        if one is not None:
            found.append(one)
    return tuple(found)


_COLLECTIVE = ("name", "group", "algorithm", "backward", "closed", "channels", "times", "beside")


def _collective(form: Form, node: Node, groups: list[str], before: list[str]) -> CollectiveLine | None:
    given = form.fields(node, "a collective", _COLLECTIVE, ("kind", "bytes"))
    if not {"kind", "bytes"} <= set(given):
        return None
    kind = cast(Kind, form.choice(given["kind"], "kind", KINDS))
    algorithm = cast(Algorithm, choice_of(form, given, "algorithm", ALGORITHMS[kind]))
    group = form.word(given["group"], "group") if "group" in given else Word("world", node.place)
    if group.text not in groups:
        form.wrong(group.place, f"no group is called {group.text!r}; {expected_one_of(group.text, groups)}")
    amount = size(form, given["bytes"], "bytes")
    for key in ("backward", "closed"):
        if key in given and kind != "send-recv":
            form.wrong(given[key].place, f"{key!r} is a key of send-recv, not of {kind}")
    beside = form.word(given["beside"], "beside") if "beside" in given else None
    if beside is not None and beside.text not in before:
        form.wrong(beside.place, f"no collective above is called {beside.text!r}; {expected_one_of(beside.text, before)}")
    name = form.word(given["name"], "name") if "name" in given else _own_name(node, group.text, kind, before)
    if name.text in before:
        form.wrong(name.place, f"a collective above is called {name.text!r} too")
    return CollectiveLine(
        name,
        group,
        kind,
        algorithm,
        amount,
        node.place,
        backward=size(form, given["backward"], "backward") if "backward" in given else amount,
        closed=truth(form, given, "closed", False),
        channels=whole_number(form, given, "channels", 1, MOST_CHANNELS, 0),
        times=whole_number(form, given, "times", 1, MOST_TIMES, 1),
        beside=beside,
    )


def _own_name(node: Node, group: str, kind: str, before: list[str]) -> Word:
    """``data all-reduce``, with a number where that is taken."""
    name = f"{group} {kind}"
    number = next(n for n in range(1, len(before) + 2) if (name if n == 1 else f"{name} {n}") not in before)
    return Word(name if number == 1 else f"{name} {number}", node.place)


def read_flows(form: Form, node: Node | None) -> tuple[FlowLine, ...]:
    """The flows that are said one by one."""
    if node is not None and isinstance(node, Sequence) and not node.items:
        form.wrong(node.place, "flows is an empty list; expected a flow or more")
    found = [_flow(form, item) for item in form.items(node, "flows")]
    return tuple(flow for flow in found if flow is not None)


def _flow(form: Form, node: Node) -> FlowLine | None:
    given = form.fields(node, "a flow", ("qpns", "sport"), ("from", "to", "bytes"))
    if not {"from", "to", "bytes"} <= set(given):
        return None
    qpns = tuple(_qpn(form, item) for item in form.items(given["qpns"], "qpns")) if "qpns" in given else (-1, -1)
    if len(qpns) != 2:
        form.wrong(given["qpns"].place, f"qpns are the sender's and the receiver's; expected two numbers, found {len(qpns)}")
        qpns = (-1, -1)
    sport = whole_number(form, given, "sport", 0, MOST_PORT, -1)
    src, dst = form.word(given["from"], "from"), form.word(given["to"], "to")
    if src.text == dst.text:
        form.wrong(dst.place, f"{dst.text!r} sends to itself; expected another host")
    return FlowLine(src, dst, size(form, given["bytes"], "bytes"), *qpns, sport)


def _qpn(form: Form, node: Node) -> int:
    """Tools print QP numbers in decimal or in hexadecimal."""
    text = form.text(node, "a QP number")
    if _HEX.fullmatch(text):
        return int(text, 16)
    return form.integer(node, "a QP number", 0, MOST_QPN)
