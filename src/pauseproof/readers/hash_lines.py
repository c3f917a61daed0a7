"""The ``hashing`` key of a topology file or of ``pauseproof.yaml``: how switches pick one next hop of a group for a flow.

Everything is optional, key by key; what stands at the top is about next hops (ECMP), what stands in ``lag`` about the
cables of a bundle. Which functions the names mean is told in docs/hash-settings.md.
"""

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from typing import NamedTuple

from pauseproof.fabric.places import Place
from pauseproof.readers.forms import Form
from pauseproof.readers.native_lines import Word
from pauseproof.readers.yaml_tree import Mapping as YamlMapping
from pauseproof.readers.yaml_tree import Node, Scalar

FIELDS = (
    *("src-ip", "dst-ip", "proto", "l4-src-port", "l4-dst-port"),
    *("dest-qp", "bth-opcode", "in-port", "vlan", "flow-label"),
)
MODELLED = (
    *("crc16", "ccitt", "crc32lo", "crc32hi", "xor16", "crc16-xor1", "crc16-xor2", "crc16-xor4", "crc16-xor8"),
    *("jenkins-lo", "jenkins-hi"),
)  # as in hashing/algorithms.py
SAI = ("crc", "xor", "crc-32lo", "crc-32hi", "crc-ccitt", "crc-xor", "random", "round-robin")  # what SONiC calls some of them
LINUX = "linux"
ALGORITHMS = (*MODELLED, *SAI, LINUX)
MODES = ("hash", "spray", "flowlet", "dlb")
MOST_SEED = 2**32 - 1
MOST_OFFSET = 15  # bits of the RTAG7 hash that can be rotated
MOST_POLICY = 3
MOST_BUCKETS = 0xFFFF
MOST_PORT = 0xFFFF
DECISION_KEYS = ("mode", "algorithm", "fields", "seed", "offset", "symmetric", "preprocess", "policy", "buckets")
SONIC_TYPE = "sonic-type"
HASHING_KEYS = (*DECISION_KEYS, SONIC_TYPE, "lag")
Value = str | int | bool | tuple[str, ...]


@dataclass(frozen=True)
class DecisionLine:
    """What is declared of one decision: values by key of DECISION_KEYS, or of SONIC_TYPE, and where each stands."""

    values: Mapping[str, Value] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)


NOTHING = DecisionLine()


class HashLine(NamedTuple):
    """What is declared of a switch: for next hops, and for the cables of bundles."""

    ecmp: DecisionLine = NOTHING
    lag: DecisionLine = NOTHING

    @property
    def silent(self) -> bool:
        """Nothing is said."""
        return not self.ecmp.values and not self.lag.values


SILENT, NOWHERE = HashLine(), Place("")


class HashRule(NamedTuple):
    """What is declared of some switches: those of a name or pattern, or of a tier (-1: by name)."""

    switches: tuple[Word, ...]
    tier: Word | None
    line: HashLine


@dataclass(frozen=True)
class Hashing:
    """A whole ``hashing`` section: what holds for every switch that says nothing itself, and for some, later ones first.

    ``sport`` is the UDP source port that all traffic has, -1 where it varies with the queue pair or is not known.
    """

    every: HashLine = SILENT
    some: tuple[HashRule, ...] = ()
    sport: int = -1
    sport_place: Place = NOWHERE
    place: Place = NOWHERE


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
