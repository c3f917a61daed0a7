"""Parses the ``hashing`` key: every problem with its line and column. See :mod:`pauseproof.readers.hash_lines`."""

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf

from pauseproof.readers.forms import Form
from pauseproof.readers.hash_lines import (
    ALGORITHMS,
    DECISION_KEYS,
    FIELDS,
    HASHING_KEYS,
    LINUX,
    MODES,
    MOST_BUCKETS,
    MOST_OFFSET,
    MOST_POLICY,
    MOST_PORT,
    MOST_SEED,
    SONIC_TYPE,
    DecisionLine,
    Hashing,
    HashLine,
    HashRule,
    Value,
)
from pauseproof.readers.native_lines import Word
from pauseproof.readers.yaml_tree import Mapping as YamlMapping
from pauseproof.readers.yaml_tree import Node, Scalar


def hash_line(form: Form, node: Node | None, what: str = "hashing") -> HashLine:
    """One decision, and in ``lag`` the other."""
    return HashLine() if node is None else _line(form, form.fields(node, what, HASHING_KEYS), what)


def hashing_of(form: Form, node: Node | None, *, tiers: bool) -> Hashing:
    """A whole section; with ``tiers`` where the file's switches have some."""
    if node is None:
        return Hashing()
    fields = form.fields(node, "hashing", (*HASHING_KEYS, "source-port", "switches", *(("tiers",) if tiers else ())))
    rules = []
    for key, value in _free(form, fields.get("tiers"), "tiers of hashing"):
        form.integer(key, "a tier", 0, MOST_PORT)
        rules.append(HashRule((), Word(key.text, key.place), hash_line(form, value, f"hashing of tier {key.text}")))
    for key, value in _free(form, fields.get("switches"), "switches of hashing"):
        name = form.word(key, "a switch in hashing")
        rules.append(HashRule((name,), None, hash_line(form, value, f"hashing of {key.text}")))
    port = fields.get("source-port")
    place = node.place if port is None else port.place
    return Hashing(_line(form, fields, "hashing"), tuple(rules), _source_port(form, port), place, node.place)


def _free(form: Form, node: Node | None, what: str) -> SequenceOf[tuple[Scalar, Node]]:
    """The entries of a mapping with free keys."""
    if node is None or isinstance(node, YamlMapping):
        return form.entries(node, what)
    form.wrong(node.place, f"{what} must be a mapping, found {node.what}")
    return []


def _line(form: Form, fields: Mapping[str, Node], what: str) -> HashLine:
    lag = fields.get("lag")
    inside = {} if lag is None else form.fields(lag, f"lag of {what}", DECISION_KEYS)
    if "algorithm" in inside and form.text(inside["algorithm"], "algorithm") == LINUX:
        form.wrong(inside["algorithm"].place, "linux hashes next hops; the cables of a bond go by its xmit_hash_policy")
    kind = {key: fields[key] for key in (SONIC_TYPE,) if key in fields}  # of both decisions
    return HashLine(_decision(form, fields), _decision(form, {**inside, **kind}))


def _source_port(form: Form, node: Node | None) -> int:
    """The UDP source port of all traffic; -1 where none is given, or ``by-qp``."""
    if node is None or form.text(node, "source-port") == "by-qp":
        return -1
    return form.integer(node, "source-port", 0, MOST_PORT)


def _decision(form: Form, fields: Mapping[str, Node]) -> DecisionLine:
    given = {key: fields[key] for key in (*DECISION_KEYS, SONIC_TYPE) if key in fields}
    values = {key: _value(form, key, node) for key, node in given.items()}
    algorithm, mode = values.get("algorithm"), values.get("mode")
    if "policy" in values and algorithm not in (None, LINUX):
        form.wrong(given["policy"].place, f"'policy' is for the algorithm linux, not for {algorithm}")
    for key in ("offset", "preprocess"):
        if key in values and algorithm == LINUX:
            form.wrong(given[key].place, f"the algorithm linux has no {key!r}; it belongs to those of switch ASICs")
    if mode not in (None, "hash") and algorithm is not None:
        form.wrong(given["algorithm"].place, f"mode {mode} has no 'algorithm': it does not hash; leave one of them out")
    return DecisionLine(values, {key: node.place for key, node in given.items()})


_RANGES = {"seed": (0, MOST_SEED), "offset": (0, MOST_OFFSET), "policy": (0, MOST_POLICY), "buckets": (1, MOST_BUCKETS)}
_WORDS = {"mode": MODES, "algorithm": ALGORITHMS, "symmetric": ("false", "true"), "preprocess": ("false", "true")}


def _value(form: Form, key: str, node: Node) -> Value:
    if key in _RANGES:
        return form.integer(node, key, *_RANGES[key])
    if key == "fields":
        return _fields(form, node)
    if key == SONIC_TYPE:
        return form.word(node, "a type of SONiC's DEVICE_METADATA").text
    word = form.choice(node, key, _WORDS[key])
    return word == "true" if key in ("symmetric", "preprocess") else word


def _fields(form: Form, node: Node) -> tuple[str, ...]:
    items = form.items(node, "fields")
    words = tuple(form.choice(item, "a field", FIELDS) for item in items)
    if not words:
        form.wrong(node.place, f"a hash over no fields sends everything one way; expected some of {', '.join(FIELDS)}")
    if len(set(words)) < len(words):
        form.wrong(node.place, "a field is there twice")
    return tuple(name for name in FIELDS if name in words)
