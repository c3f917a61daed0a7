"""The native topology file (YAML): parsed and checked key by key, every problem with its line and column.

The format is told in docs/native-format.md; docs/schema/topology.schema.json says the same to editors.
"""

import re
from collections.abc import Mapping
from ipaddress import ip_network
from typing import cast

from pauseproof.fabric.generators import GENERATORS
from pauseproof.fabric.model import FabricKind
from pauseproof.fabric.places import BadInput
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers import yaml_tree
from pauseproof.readers.forms import Form
from pauseproof.readers.hash_section import hashing_of
from pauseproof.readers.native_lines import (
    AddressLine,
    CableLine,
    End,
    GeneratorLine,
    HostLine,
    LaneRule,
    NativeFile,
    SendLine,
    SwitchLine,
    TableKind,
    TableLine,
    Word,
)
from pauseproof.readers.native_routing import routing_line
from pauseproof.readers.source import Source
from pauseproof.readers.yaml_tree import Node, Scalar, Sequence, read_tree

NAME = "native"
CABLING = ("switches", "hosts", "cables")
KEYS = (
    *("name", "description", "kind", *CABLING, "without", "speed", "length", "routing", "adaptive", "tables"),
    *("lanes", "labels", "lane-of-label", "lane-rules", "send"),
    *("hashing", "parallel-cables", "addresses", "expected"),
)
KINDS = ("roce", "infiniband")
TABLE_KINDS = ("hashed", "adaptive", "drop", "unknown")
VERDICTS = ("DEADLOCK_FREE", "DEADLOCK_POSSIBLE", "UNDECIDED")
COUNTS = ("switches", "hosts", "pairs", "unroutable_pairs", "looping_pairs", "unknown_pairs", "buffers", "dependencies")
MOST = 10**9 - 1
MAX_PORTS = 0xFFFF
MAX_LANES = 32
_SNIFF = re.compile(rb"^(switches|" + b"|".join(re.escape(name.encode()) for name in GENERATORS) + rb")[ \t]*:", re.M)

_FIRST = re.compile(b"(" + b"|".join(re.escape(name.encode()) for name in (*KEYS, *GENERATORS)) + rb")[ \t]*:")


def matches(head: bytes) -> bool:
    """Does a file that begins like this describe a topology in our own words?

    >>> matches(b"fat-tree: {k: 8}")
    True
    """
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith((b"#", b"---", b"%"))), b"")
    return _FIRST.match(first) is not None and _SNIFF.search(head) is not None


def read(source: Source) -> NativeFile:
    """Parse and check one topology file. Raises BadInput with everything that is wrong with it."""
    form, tree = Form(), read_tree(source)
    if isinstance(tree, Scalar) and tree.empty:
        raise BadInput.at(tree.place, f"is empty; expected 'switches' or a generator: {', '.join(sorted(GENERATORS))}")
    top = form.fields(tree, "a topology file", (*KEYS, *GENERATORS))
    families = [name for name in top if name in GENERATORS]
    if len(families) + ("switches" in top) != 1 and top:
        form.wrong(tree.place, f"expected either 'switches' or one generator: {', '.join(sorted(GENERATORS))}")
    for key in ("hosts", "cables"):
        if families and key in top:
            form.wrong(top[key].place, f"{key!r} goes with 'switches', not with a generator")
    lanes = _names(form, top.get("lanes"), "lanes", ("0",))
    speed, length = form.number(top.get("speed"), "speed"), form.number(top.get("length"), "length")
    native = NativeFile(
        path=source.path,
        name=form.text(top["name"], "name") if "name" in top else "",
        description=form.text(top["description"], "description") if "description" in top else "",
        kind=cast(FabricKind, form.choice(top["kind"], "kind", KINDS)) if "kind" in top else "roce",
        generator=_generator(form, families[0], top[families[0]], tree) if families else None,
        switches=_switches(form, top.get("switches")),
        hosts=_hosts(form, top.get("hosts")),
        cables=tuple(_cable(form, item, speed, length) for item in form.items(top.get("cables"), "cables")),
        without=tuple(_without(form, item) for item in form.items(top.get("without"), "without")),
        speed=speed,
        length=length,
        routing=routing_line(form, top["routing"]) if "routing" in top else None,
        reselecting=_reselecting(form, top.get("adaptive")),
        tables=tuple(_table(form, item) for item in form.items(top.get("tables"), "tables")),
        lanes=lanes,
        labels=_names(form, top.get("labels"), "labels", lanes),
        lane_of_label=tuple(form.word(item, "a lane") for item in form.items(top.get("lane-of-label"), "lane-of-label")),
        lane_rules=tuple(_lane_rule(form, item) for item in form.items(top.get("lane-rules"), "lane-rules")),
        send=tuple(_send(form, item) for item in form.items(top.get("send"), "send")),
        hashing=hashing_of(form, top["hashing"], tiers=True) if "hashing" in top else None,
        parallel=_parallel(form, top.get("parallel-cables")),
        addresses=_addresses(form, top.get("addresses")),
        expected=_expected(form, top["expected"], "with_switches") if "expected" in top else {},
    )
    refuse_if(sorted(form.problems, key=lambda problem: problem.place))
    return native


def _generator(form: Form, family: str, node: Node, tree: Node) -> GeneratorLine:
    generator = GENERATORS[family]
    needed = [p.name for p in generator.parameters if p.default is None]
    fields = form.fields(node, family, [p.name for p in generator.parameters], needed)
    parameters: dict[str, int | tuple[int, ...]] = {}
    for name, value in fields.items():
        p = generator.parameter(name)
        take = form.integer if p.type == "integer" else form.integers
        parameters[name] = take(value, f"{name} of {family}", p.least, MOST)
        if parameters[name] == ():
            form.wrong(value.place, f"{name} of {family} needs at least one dimension")
    return GeneratorLine(Word(family, node.place), parameters)


def _switches(form: Form, node: Node | None) -> tuple[SwitchLine, ...]:
    out = []
    for key, value in form.entries(node, "switches"):
        name = form.name(key, "a switch")
        if isinstance(value, Scalar) and value.empty:
            out.append(SwitchLine(name))
            continue
        fields = form.fields(value, f"switch {name.text}", ("ports", "tier", "hosts"))
        ports, tier, hosts = (
            form.integer(fields[f], f, 0, MAX_PORTS) if f in fields else d
            for f, d in (("ports", -1), ("tier", -1), ("hosts", 0))
        )
        out.append(SwitchLine(name, ports, tier, hosts))
    if node is not None and not out:
        form.wrong(node.place, "'switches' is empty; expected at least one switch")
    return tuple(out)


def _hosts(form: Form, node: Node | None) -> tuple[HostLine, ...]:
    out = []
    for key, value in form.entries(node, "hosts"):
        name = form.name(key, "a host")
        fields = {} if isinstance(value, Scalar) and value.empty else form.fields(value, f"host {name.text}", ("ports",))
        out.append(HostLine(name, form.integer(fields["ports"], "ports", 1, MAX_PORTS) if "ports" in fields else -1))
    return tuple(out)


def _cable(form: Form, node: Node, speed: float, length: float) -> CableLine:
    if isinstance(node, Sequence):
        return CableLine(*_ends(form, node, node), speed, length)
    fields = form.fields(node, "a cable", ("speed", "length"), ("ends",))
    a, b = _ends(form, fields.get("ends"), node)
    return CableLine(
        a, b, form.number(fields.get("speed"), "speed", speed), form.number(fields.get("length"), "length", length)
    )


def _ends(form: Form, node: Node | None, cable: Node) -> tuple[End, End]:
    nobody = End("", "", cable.place)
    if node is None:
        return nobody, nobody
    words = [form.word(item, "an end of a cable") for item in form.items(node, "the ends of a cable")]
    if len(words) != 2:
        form.wrong(node.place, f"a cable has two ends, [node:port, node:port]; found {len(words)}")
        return nobody, nobody
    a, b = (End(*_parted(word.text), word.place) for word in words)
    return a, b


def _parted(text: str) -> tuple[str, str]:
    node, _, port = text.partition(":")
    return node, port


def _without(form: Form, node: Node) -> tuple[Word, Word]:
    words = form.words(node, "an end of a missing cable")
    if len(words) != 2 or not isinstance(node, Sequence):
        form.wrong(node.place, "a missing cable is told by its two ends, [node, node]")
        return Word("", node.place), Word("", node.place)
    return words[0], words[1]


def _reselecting(form: Form, node: Node | None) -> tuple[Word, ...]:
    """``committed``, ``reselecting``, or ``{reselecting: [switches]}``."""
    if isinstance(node, yaml_tree.Mapping):
        return form.words(form.fields(node, "adaptive", (), ("reselecting",)).get("reselecting"), "a switch")
    if node is None or form.choice(node, "adaptive", ("committed", "reselecting")) == "committed":
        return ()
    return (Word("*", node.place),)


def _table(form: Form, node: Node) -> TableLine:
    fields = form.fields(node, "a table entry", ("out", "kind"), ("switch", "destination"))
    kind = form.choice(fields["kind"], "kind", TABLE_KINDS) if "kind" in fields else "hashed"
    out = form.words(fields.get("out"), "out")
    if fields and (kind in ("drop", "unknown")) == bool(out):
        said = "has no 'out'" if out else "needs 'out': a port, a neighbour, or a list of them"
        form.wrong(fields["out"].place if out else node.place, f"a table entry of kind {kind} {said}")
    return TableLine(
        form.words(fields.get("switch"), "switch"),
        form.words(fields.get("destination"), "destination"),
        out,
        cast(TableKind, kind),
        node.place,
    )


def _lane_rule(form: Form, node: Node) -> LaneRule:
    fields = form.fields(node, "a lane rule", ("at", "in", "out", "label", "lane"))
    if fields and not {"label", "lane"} & set(fields):
        form.wrong(node.place, "a lane rule needs 'label' or 'lane', each a mapping from labels")
    at, into, out = (form.words(fields.get(key), key, default="*") for key in ("at", "in", "out"))
    return LaneRule(at, into, out, _map(form, fields.get("label")), _map(form, fields.get("lane")), node.place)


def _parallel(form: Form, node: Node | None) -> Word | None:
    return None if node is None else Word(form.choice(node, "parallel-cables", ("ecmp", "bundle")), node.place)


def _addresses(form: Form, node: Node | None) -> tuple[AddressLine, ...]:
    """``{h1: 10.0.0.1, "s0-h*": 10.0.1.0/24}``."""
    if node is not None and not isinstance(node, yaml_tree.Mapping):
        form.wrong(node.place, f"addresses must be a mapping from hosts, found {node.what}")
        return ()
    out = []
    for key, value in form.entries(node, "addresses"):
        for word in form.words(value, f"the address of {key.text}"):
            try:
                ip_network(word.text)
            except ValueError:
                form.wrong(word.place, f"{word.text!r} is no address or subnet; expected one as 10.0.0.1 or 10.0.0.0/24")
            out.append(AddressLine(form.word(key, "a host"), word))
    return tuple(out)


def _map(form: Form, node: Node | None) -> Mapping[str, Word]:
    if node is None:
        return {}
    if isinstance(node, Scalar | Sequence):
        form.wrong(node.place, f"expected a mapping from labels, found {node.what}")
        return {}
    return {key.text: form.word(value, "a label or lane") for key, value in node.items.values()}


def _send(form: Form, node: Node) -> SendLine:
    fields = form.fields(node, "send", ("from", "to"), ("label",))
    label = form.word(fields["label"], "label") if "label" in fields else Word("", node.place)
    return SendLine(form.words(fields.get("from"), "from", "*"), form.words(fields.get("to"), "to", "*"), label)


def _names(form: Form, node: Node | None, what: str, default: tuple[str, ...]) -> tuple[str, ...]:
    if node is None:
        return default
    if isinstance(node, Scalar):
        return tuple(map(str, range(form.integer(node, what, 1, MAX_LANES))))
    words = form.words(node, what)
    names = tuple(word.text for word in words)
    if len(set(names)) < len(names) or not 1 <= len(names) <= MAX_LANES:
        form.wrong(node.place, f"{what} are 1 to {MAX_LANES} different names, or their number")
    return names


def _expected(form: Form, node: Node, *more: str) -> Mapping[str, object]:
    fields = form.fields(node, "expected", (*COUNTS, "cyclic_components", *more), ("verdict",))
    out: dict[str, object] = {}
    for key, value in fields.items():
        if key == "verdict":
            out[key] = form.choice(value, "verdict", VERDICTS)
        elif key == "with_switches":
            out[key] = _expected(form, value)
        elif key == "cyclic_components":
            out[key] = form.integers(value, key, 1, MOST)
        else:
            out[key] = form.integer(value, key, 0, MOST)
    return out
