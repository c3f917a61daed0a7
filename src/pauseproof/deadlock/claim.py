"""What a certificate says, as values: names become buffers and senders. Nothing here decides whether it is true.

A field that is missing, of another type, or not known, and a name that this fabric does not have, are refused. Free are only
``tool``, the paths of the inputs, and the fabric's name (the folder's, which may have been renamed).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as brief  # a certificate may come from anywhere: its words are cut short
from typing import Any, NamedTuple, NoReturn, TypeVar

from pauseproof.routing.ask import Question
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Source

FIELDS = {
    "format",
    "version",
    "tool",
    "inputs",
    "fabric",
    "question",
    "verdict",
    "assumptions",
    "coverage",
    "cyclic_components",
}
EVIDENCE = {"DEADLOCK_FREE": "ranks", "DEADLOCK_POSSIBLE": "witnesses"}
UNROUTABLE = "unroutable"
PROOFS = ("same", "combination", "values", "pairs")
Value = TypeVar("Value")
QUESTION = ("traffic", "only", "exclude", "all_on", "adaptive", "endpoint_coupled")


class Refused(ValueError):
    """The certificate does not hold; the message says where."""


@dataclass(frozen=True)
class Waiting:
    """One buffer of a witness: a packet from ``source``, and the choice set that it waits for. ``member`` is None where the
    packet is not for one host."""

    buffer: Buffer
    choice: frozenset[Buffer]
    source: Source
    destination: str
    member: int | None
    label: str


class Because(NamedTuple):
    """No packet of a family takes ``turns``: (switch, in-port, out-ports of the group, out-port, number of the group)."""

    family: int
    turns: tuple[tuple[str, str, tuple[str, ...], str, int], ...]
    proof: str
    combination: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Claim:
    """``ranks`` or ``witnesses``, as the verdict is; the other is empty.

    ``unroutable`` are dependencies that are left out since no packet carries them, with the reasons as they are written.
    """

    verdict: str
    question: Question
    ranks: Mapping[Buffer, int]
    witnesses: tuple[tuple[Waiting, ...], ...]
    unroutable: Mapping[tuple[Buffer, Buffer], tuple[Because, ...]]


class Names:
    """Buffers and senders by the names that certificates use: ``device/port/lane``, ``device/port``, ``device``.

    Written apart from ``certificate.buffer_name``, which the checker must not trust.
    """

    def __init__(self, network: Network) -> None:
        fabric = network.fabric
        self.lanes = network.lanes.lane_names
        self.end = [f"{fabric.identity(l.dst)}/{fabric.port_name(l.dst, l.dst_port)}" for l in fabric.links()]
        self.buffers = {f"{end}/{lane}": (l, v) for l, end in enumerate(self.end) for v, lane in enumerate(self.lanes)}
        self.switches = {fabric.identity(s.id): s.id for s in fabric.switches()}
        self.hosts = {self.end[h.down]: h.id for h in fabric.hosts()}

    def of(self, b: Buffer) -> str:
        """The name of a buffer."""
        return f"{self.end[b[0]]}/{self.lanes[b[1]]}"

    def source(self, name: str) -> Source:
        """The sender of a name. Raises Refused."""
        if name in self.hosts:
            return Source("host", self.hosts[name])
        return Source("switch", _known(self.switches, name, "sender"))


def claim_of(certificate: Mapping[str, Any], network: Network) -> Claim:
    """What ``certificate`` says about ``network``. Raises Refused."""
    verdict = certificate.get("verdict")
    evidence = EVIDENCE.get(verdict, "") if isinstance(verdict, str) else ""
    more = certificate.keys() & {UNROUTABLE} if evidence == "ranks" else set()
    if not evidence or certificate.keys() != FIELDS | {evidence} | more:
        _refuse(f"its fields are {brief(sorted(certificate))}; expected those of docs/certificates.md for {brief(verdict)}")
    must_be("format", certificate["format"], "pauseproof certificate")
    must_be("version", certificate["version"], 1)
    _text(certificate["tool"], "tool")
    _check_inputs(certificate["inputs"], network)
    fabric = _fields(certificate["fabric"], ("name", "kind"), "fabric")
    _text(fabric["name"], "name of the fabric")
    must_be("kind of fabric", fabric["kind"], network.fabric.kind)
    names, said = Names(network), certificate[evidence]
    ranks = _ranks(said, names) if evidence == "ranks" else {}
    witnesses = tuple(_witness(one, names) for one in _some(said, "witnesses")) if evidence == "witnesses" else ()
    unroutable = dict(_unroutable(one, names) for one in _some(certificate[UNROUTABLE], UNROUTABLE)) if more else {}
    return Claim(str(verdict), _question(certificate["question"]), ranks, witnesses, unroutable)


def must_be(what: str, said: object, found: Any) -> None:
    """Raises Refused where ``said`` is not ``found``, types and all."""
    if not _alike(said, found):
        if isinstance(said, dict) and isinstance(found, dict):
            # Two long objects cut short look alike, so only what differs is shown.
            same = {key for key in said.keys() & found.keys() if _alike(said[key], found[key])}
            said, found = ({key: one[key] for key in one if key not in same} for one in (said, found))
        _refuse(f"its {what} is not what the tables give: {brief(said)} instead of {brief(found)}")


def _alike(said: Any, found: Any) -> bool:
    if type(said) is not type(found):
        return False
    if isinstance(found, dict):
        return bool(said.keys() == found.keys()) and all(_alike(said[key], one) for key, one in found.items())
    if isinstance(found, list):
        return len(said) == len(found) and all(map(_alike, said, found))
    return bool(said == found)


def _check_inputs(said: object, network: Network) -> None:
    digests = set()
    for one in _list(said, "inputs"):
        named = _fields(one, ("path", "sha256"), "input")
        _text(named["path"], "path of an input")
        digests.add(_text(named["sha256"], "sha256 of an input"))
    if digests != {one.sha256 for one in network.inputs if one.format}:
        _refuse("it was made from other files: the sha256 of its inputs differ from those given")


def _question(said: object) -> Question:
    asked = _fields(said, QUESTION, "question")
    only, exclude, coupled = (
        tuple(_text(glob, f"glob of {name}") for glob in _list(asked[name], name))
        for name in ("only", "exclude", "endpoint_coupled")
    )
    label, adaptive = asked["all_on"], asked["adaptive"]
    if label is not None and (type(label) is not int or label < 0):
        _refuse("the label of its question is not a number")
    if adaptive is not None and (not isinstance(adaptive, str) or adaptive not in ("committed", "reselecting")):
        _refuse("what its question says of switches that pick by load is not known")
    return Question(_text(asked["traffic"], "traffic"), only, exclude, label, adaptive, coupled)


def _ranks(said: object, names: Names) -> dict[Buffer, int]:
    if not isinstance(said, dict) or not all(type(rank) is int for rank in said.values()):
        _refuse("its ranks are not whole numbers by buffer")
    return {_known(names.buffers, name, "buffer"): rank for name, rank in said.items()}


def _witness(said: object, names: Names) -> tuple[Waiting, ...]:
    return tuple(_waiting(entry, names) for entry in _some(said, "a witness"))


def _unroutable(said: object, names: Names) -> tuple[tuple[Buffer, Buffer], tuple[Because, ...]]:
    entry = _fields(said, ("buffer", "waits_for", "because"), "unroutable dependency")
    a, b = (_known(names.buffers, _text(entry[field], field), "buffer") for field in ("buffer", "waits_for"))
    return (a, b), tuple(map(_because, _list(entry["because"], "reasons")))


def _because(said: object) -> Because:
    entry = _fields(said, ("family", "turns", "proof", "combination"), "reason")
    family, proof = entry["family"], _text(entry["proof"], "proof")
    if type(family) is not int or family not in (4, 6) or proof not in PROOFS:
        _refuse(f"a reason of family {brief(family)} and kind {brief(proof)} is not known")
    turns = []
    for turn in _list(entry["turns"], "turns"):
        named = _fields(turn, ("switch", "in", "group", "number", "out"), "turn")
        group = tuple(_text(port, "port of a group") for port in _list(named["group"], "group"))
        turns.append(
            (
                _text(named["switch"], "switch"),
                _text(named["in"], "in-port"),
                group,
                _text(named["out"], "out-port"),
                named["number"],
            )
        )
        if type(named["number"]) is not int:
            _refuse("the number of a group is not a whole number")
    combination = []
    for term in _list(entry["combination"], "combination"):
        numbers = _list(term, "term of a combination")
        if len(numbers) != 3 or not all(type(number) is int for number in numbers):
            _refuse("a term of a combination is not three whole numbers")
        combination.append((numbers[0], numbers[1], numbers[2]))
    return Because(family, tuple(turns), proof, tuple(combination))


def _waiting(said: object, names: Names) -> Waiting:
    entry = _fields(said, ("buffer", "waits_for", "packet"), "entry of a witness")
    packet = _fields(entry["packet"], ("source", "destination", "member", "label"), "packet")
    source, destination, member, label = (_text(packet[field], field) for field in ("source", "destination", "member", "label"))
    return Waiting(
        _known(names.buffers, _text(entry["buffer"], "buffer"), "buffer"),
        frozenset(
            _known(names.buffers, _text(b, "buffer"), "buffer") for b in _some(entry["waits_for"], "what a packet waits for")
        ),
        names.source(source),
        destination,
        _known(names.hosts, member, "host") if member else None,
        label,
    )


def _known(values: Mapping[str, Value], name: str, what: str) -> Value:
    if name not in values:
        _refuse(f"this fabric has no {what} {brief(name)}")
    return values[name]


def _fields(said: object, names: tuple[str, ...], what: str) -> dict[str, Any]:
    if not isinstance(said, dict) or said.keys() != set(names):
        _refuse(f"the {what} {brief(said)} has not the fields {', '.join(names)}")
    return said


def _list(said: object, what: str) -> list[Any]:
    return said if isinstance(said, list) else _refuse(f"its {what}, {brief(said)}, are not a list")


def _some(said: object, what: str) -> list[Any]:
    return _list(said, what) or _refuse(f"{what}: an empty list")


def _text(said: object, what: str) -> str:
    return said if isinstance(said, str) else _refuse(f"the {what} {brief(said)} is not a word")


def _refuse(message: str) -> NoReturn:
    raise Refused(message)
