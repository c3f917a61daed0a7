"""Whether a certificate is true, decided slowly, pair by pair, and sharing no code with ``deadlock/check.py`` or ``claim.py``.

What certificates promise is in docs/certificates.md. Types count: ``1.0`` and ``true`` are not the number 1.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import oracle
from pauseproof.fabric.places import BadInput
from pauseproof.routing.ask import Asked, Question, ask
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Source
from pauseproof.routing.walk import PairWalk, Walked, multicast_senders, pairs, through_hosts, walk_known, walk_pair, walk_worst

WORDS, NUMBERS = [str], [int]
HEAD: dict[str, Any] = {
    "format": str,
    "version": int,
    "tool": str,
    "inputs": [{"path": str, "sha256": str}],
    "fabric": {"name": str, "kind": str},
    "question": {
        "traffic": str,
        "only": WORDS,
        "exclude": WORDS,
        "all_on": (int, type(None)),
        "adaptive": (str, type(None)),
        "endpoint_coupled": WORDS,
    },
    "verdict": str,
    "assumptions": WORDS,
    "coverage": dict,
    "cyclic_components": NUMBERS,
}
PACKET = {"source": str, "destination": str, "member": str, "label": str}
ENTRY = {"buffer": str, "waits_for": WORDS, "packet": PACKET}
EVIDENCE: dict[str, dict[str, Any]] = {"DEADLOCK_FREE": {"ranks": dict}, "DEADLOCK_POSSIBLE": {"witnesses": [[ENTRY]]}}


def has_shape(value: Any, shape: Any) -> bool:
    """Whether plain data has the types of a shape: a type, some types, ``[shape of each]``, or ``{key: shape}``."""
    if isinstance(shape, list):
        return type(value) is list and all(has_shape(one, shape[0]) for one in value)
    if isinstance(shape, dict):
        return type(value) is dict and set(value) == set(shape) and all(has_shape(value[key], shape[key]) for key in shape)
    return type(value) in (shape if isinstance(shape, tuple) else (shape,))


class Truth(NamedTuple):
    """A question's answers, pair by pair."""

    asked: Asked
    known: Walked
    worst: Walked


class Reference:
    """Decides about certificates of one network; remembers what it has walked."""

    def __init__(self, network: Network) -> None:
        self.network = network
        fabric, lanes = network.fabric, network.lanes.lane_names
        ends = {f"{fabric.identity(l.dst)}/{fabric.port_name(l.dst, l.dst_port)}": l for l in fabric.links()}
        self.buffer = {f"{end}/{lane}": (l.id, v) for end, l in ends.items() for v, lane in enumerate(lanes)}
        self.host = {end: h.id for end, l in ends.items() for h in fabric.hosts() if h.down == l.id}
        self.sender = {end: Source("host", h) for end, h in self.host.items()}
        self.sender |= {fabric.identity(s.id): Source("switch", s.id) for s in fabric.switches()}
        self.truths: dict[Question, Truth | None] = {}
        self.walks: dict[tuple[Question, Source, int, int | None], PairWalk] = {}

    def holds(self, certificate: Mapping[str, Any]) -> bool:
        """Whether all that ``certificate`` says is true of the network."""
        extra = EVIDENCE.get(str(certificate.get("verdict")))
        if extra is None or not has_shape(certificate, {**HEAD, **extra}) or not self._is_about_it(certificate):
            return False
        truth = self._truth(certificate["question"])
        if truth is None or not self._counts_agree(certificate):
            return False
        if "ranks" in certificate:
            return self._ranks_rise(certificate["ranks"], truth.worst)
        return self._is_stuck(certificate["witnesses"], truth)

    def _is_about_it(self, said: Mapping[str, Any]) -> bool:
        digests = {one.sha256 for one in self.network.inputs if one.format}
        return (
            (said["format"], said["version"]) == ("pauseproof certificate", 1)
            and {one["sha256"] for one in said["inputs"]} == digests
            and said["fabric"]["kind"] == self.network.fabric.kind
        )

    def _truth(self, said: Mapping[str, Any]) -> Truth | None:
        lists = [tuple(said[name]) for name in ("only", "exclude", "endpoint_coupled")]
        question = Question(said["traffic"], lists[0], lists[1], said["all_on"], said["adaptive"], lists[2])
        if question not in self.truths:
            self.truths[question] = self._walk(question)
        return self.truths[question]

    def _walk(self, question: Question) -> Truth | None:
        if (question.all_on or 0) < 0 or question.adaptive not in (None, "committed", "reselecting"):
            return None
        try:
            asked = ask(self.network, question)
        except BadInput:
            return None
        return Truth(asked, walk_known(asked.network, asked.traffic), walk_worst(asked.network, asked.traffic))

    def counts(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """What a certificate must say beside its evidence. Raises KeyError where the question cannot be asked."""
        truth = self._truth(question)
        if truth is None:
            raise KeyError("question")
        asked, known = truth.asked, truth.known
        hosts = [h for h in range(self.network.fabric.n_hosts) if asked.traffic.host_sends[h] or asked.traffic.host_receives[h]]
        coverage = {
            "traffic": asked.traffic.name,
            "switches": self.network.fabric.n_switches,
            "hosts": len(hosts),
            "pairs": known.pairs,
            "unroutable_pairs": known.unroutable_pairs,
            "looping_pairs": known.looping_pairs,
            "unknown_pairs": known.unknown_pairs,
            "buffers": len(known.buffers),
            "dependencies": len(known.dependencies),
            "tables": self.network.tables_read,
        }
        sizes = sorted(oracle.component_sizes(known.dependencies), reverse=True)
        return {"assumptions": list(asked.assumptions), "coverage": coverage, "cyclic_components": sizes}

    def _counts_agree(self, said: Mapping[str, Any]) -> bool:
        found = self.counts(said["question"])
        told = {key: said[key] for key in found}
        return json.dumps(told, sort_keys=True) == json.dumps(found, sort_keys=True)  # 1, 1.0 and true differ

    def _ranks_rise(self, said: Mapping[str, Any], worst: Walked) -> bool:
        if not all(type(rank) is int and name in self.buffer for name, rank in said.items()):
            return False
        rank = {self.buffer[name]: number for name, number in said.items()}
        return rank.keys() == worst.buffers and all(
            max(rank[after] for after in choice) > rank[b] for b, choices in worst.choice_sets.items() for choice in choices
        )

    def _is_stuck(self, said: list[list[dict[str, Any]]], truth: Truth) -> bool:
        if not said or not all(said):
            return False
        for witness in said:
            inside = {entry["buffer"] for entry in witness}
            if not all(set(entry["waits_for"]) <= inside and self._waits_so(entry, truth) for entry in witness):
                return False
        shown = {self.buffer[entry["buffer"]] for witness in said for entry in witness}
        alone = {(b, after) for b, sets in truth.known.choice_sets.items() for c in sets if len(c) == 1 for after in c}
        return all(shown & part for part in oracle.cyclic_components(alone))

    def _waits_so(self, entry: Mapping[str, Any], truth: Truth) -> bool:
        packet, names = entry["packet"], [entry["buffer"], *entry["waits_for"]]
        known = packet["source"] in self.sender and all(name in self.buffer for name in names) and names[1:]
        if not known or packet["member"] not in ("", *self.host):
            return False
        source, member = self.sender[packet["source"]], self.host.get(packet["member"])
        asked, column_names = truth.asked, list(map(str, self.network.destinations.names))
        every = [
            *pairs(asked.network, asked.traffic),
            *((s, d, None) for s, d in multicast_senders(asked.network, asked.traffic)),
        ]
        meant = [(s, d, g) for s, d, g in every if (s, column_names[d], g) == (source, packet["destination"], member)]
        b, choice = self.buffer[names[0]], frozenset(self.buffer[name] for name in names[1:])
        return any(choice in self._choices(asked, one, b, packet["label"], truth.known) for one in meant)

    def _choices(
        self, asked: Asked, pair: tuple[Source, int, int | None], b: Buffer, label: str, known: Walked
    ) -> set[frozenset[Buffer]]:
        """The choice sets, in buffer ``b``, of the pair's packets that carry ``label`` there."""
        if (asked.question, *pair) not in self.walks:
            self.walks[asked.question, *pair] = walk_pair(asked.network, asked.traffic, *pair)
        walk = self.walks[asked.question, *pair]
        out: set[frozenset[Buffer]] = set()
        for q in walk.states:
            if (q[0], q[1]) == b and self.network.lanes.label_names[q[2]] == label:
                out |= {frozenset((l, v) for l, v, _ in choice) for choice in walk.choices[q]}
                out |= {frozenset({other}) for other in walk.waits[q] if other in known.buffers}
                out |= {frozenset({to}) for at, to in through_hosts(asked.network, asked.traffic, known.buffers) if at == b}
        return out & known.choice_sets.get(b, frozenset())
