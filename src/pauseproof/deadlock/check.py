"""Checks a certificate against the tables, by the reference walker alone. Nothing here has seen the engine.

What is checked, and all of it from the tables as they are read now:

* the inputs are those that the certificate names, by sha256;
* for DEADLOCK_FREE: every buffer that a packet can be in has a rank, no other has one, and every choice set of every packet
  has a member of higher rank than the buffer that the packet is in; what was not read may be anything. By theorems 1 and 3
  of proofs/soundness.md no stuck set exists then, and no deadlock;
* for DEADLOCK_POSSIBLE: in each witness, every packet can be where it is said to be, and has there a choice set that lies
  inside the witness;
* the counts, the component sizes and the assumptions are what the walk gives.

Notation: ``b`` a buffer as (link, lane), ``q`` a state as (link, lane, label), ``r[b]`` the rank of ``b``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pauseproof.routing.ask import Asked, Question, ask
from pauseproof.routing.network import Network
from pauseproof.routing.walk import (
    Buffer,
    ColumnWalk,
    Outcome,
    Source,
    State,
    multicast_senders,
    senders,
    targets,
    through_hosts,
    walk_column,
)

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
QUESTION = {"traffic", "only", "exclude", "all_on", "adaptive", "endpoint_coupled"}
Progress = Callable[[int, int], None]


class Refused(ValueError):
    """The certificate does not hold; the message says where."""


def check(certificate: Mapping[str, Any], network: Network, progress: Progress = lambda done, total: None) -> str:
    """The verdict that the certificate proves. Raises Refused, or BadInput where the network cannot be asked its question."""
    verdict = certificate.get("verdict")
    evidence = {"DEADLOCK_FREE": "ranks", "DEADLOCK_POSSIBLE": "witnesses"}.get(str(verdict))
    if evidence is None or set(certificate) != FIELDS | {evidence}:
        raise Refused(f"its fields are {sorted(map(str, certificate))}; expected those of docs/certificates.md for {verdict}")
    if (certificate["format"], certificate["version"]) != ("pauseproof certificate", 1):
        raise Refused("it is not a pauseproof certificate of version 1")
    if not isinstance(certificate["tool"], str):
        raise Refused("its tool is not a name")
    _check_inputs(certificate["inputs"], network)
    asked = ask(network, _question(certificate["question"]))
    _same("fabric", certificate["fabric"], {"name": network.fabric.name, "kind": network.fabric.kind})
    _same("assumptions", certificate["assumptions"], list(asked.assumptions))
    names = _Names(asked.network)
    if verdict == "DEADLOCK_POSSIBLE":
        _check_witnesses(certificate["witnesses"], asked, names)
        known = _walk(asked, worst=False, progress=progress)
    else:
        ranks = names.ranks(certificate["ranks"])
        known = _walk(asked, worst=False, progress=progress, ranks=ranks)
        worst = _walk(asked, worst=True, progress=progress, ranks=ranks) if known.met_unknown else known
        if missing := set(ranks) - worst.buffers:
            raise Refused(f"it ranks {names.of(min(missing))}, a buffer that no packet can be in")
    _same("coverage", certificate["coverage"], known.coverage(asked))
    _same("cyclic_components", certificate["cyclic_components"], known.component_sizes())
    return str(verdict)


def _same(what: str, said: object, found: object) -> None:
    if said != found or type(said) is not type(found):
        raise Refused(f"its {what} is not what the tables give: {said!r:.200} instead of {found!r:.200}")


def _check_inputs(said: object, network: Network) -> None:
    found = sorted({one.sha256 for one in network.inputs if one.format})
    if not isinstance(said, list) or not all(isinstance(one, dict) and set(one) == {"path", "sha256"} for one in said):
        raise Refused("its inputs are not a list of path and sha256")
    if sorted({str(one["sha256"]) for one in said}) != found:
        raise Refused("it was made from other files: the sha256 of its inputs differ from those given")


def _question(said: object) -> Question:
    if not isinstance(said, dict) or set(said) != QUESTION:
        raise Refused(f"its question has not the fields {sorted(QUESTION)}")
    lists = [said[name] for name in ("only", "exclude", "endpoint_coupled")]
    if not all(isinstance(globs, list) and all(isinstance(glob, str) for glob in globs) for globs in lists):
        raise Refused("the globs of its question are not lists of words")
    if type(said["all_on"]) not in (int, type(None)) or (said["all_on"] or 0) < 0:
        raise Refused("the label of its question is not a number")
    if said["adaptive"] not in ("committed", "reselecting", None) or not isinstance(said["traffic"], str):
        raise Refused("its question is not one that can be asked")
    only, exclude, coupled = (tuple(globs) for globs in lists)
    return Question(said["traffic"], only, exclude, said["all_on"], said["adaptive"], coupled)


class _Names:
    """Buffers and hosts by the names that certificates use."""

    def __init__(self, network: Network) -> None:
        self.network = network
        fabric = network.fabric
        self.end = {l.id: f"{fabric.identity(l.dst)}/{fabric.port_name(l.dst, l.dst_port)}" for l in fabric.links()}
        self.link = {name: link for link, name in self.end.items()}
        self.lane = {name: v for v, name in enumerate(network.lanes.lane_names)}
        self.source = {self.end[h.down]: Source("host", h.id) for h in fabric.hosts()}
        self.source |= {fabric.identity(s.id): Source("switch", s.id) for s in fabric.switches()}

    def of(self, b: Buffer) -> str:
        """The name of a buffer."""
        return f"{self.end[b[0]]}/{self.network.lanes.lane_names[b[1]]}"

    def buffer(self, name: object) -> Buffer:
        """The buffer of a name. Raises Refused."""
        end, _, lane = name.rpartition("/") if isinstance(name, str) else ("", "", "")
        if end not in self.link or lane not in self.lane:
            raise Refused(f"this fabric has no buffer {name!r:.100}")
        return self.link[end], self.lane[lane]

    def ranks(self, said: object) -> dict[Buffer, int]:
        """``r``. Raises Refused."""
        if not isinstance(said, dict) or not all(type(rank) is int for rank in said.values()):
            raise Refused("its ranks are not numbers by buffer")
        return {self.buffer(name): rank for name, rank in said.items()}


@dataclass
class _Found:
    """What a walk over all columns found."""

    buffers: set[Buffer] = field(default_factory=set)
    dependencies: set[tuple[Buffer, Buffer]] = field(default_factory=set)
    pairs: int = 0
    became: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    met_unknown: bool = False

    def coverage(self, asked: Asked) -> dict[str, object]:
        """The counts, as reports give them."""
        traffic = asked.traffic
        return {
            "traffic": traffic.name,
            "switches": asked.network.fabric.n_switches,
            "hosts": sum(a or b for a, b in zip(traffic.host_sends.tolist(), traffic.host_receives.tolist(), strict=True)),
            "pairs": self.pairs,
            "unroutable_pairs": self.became[Outcome.UNROUTABLE],
            "looping_pairs": self.became[Outcome.LOOPING],
            "unknown_pairs": self.became[Outcome.UNKNOWN],
            "buffers": len(self.buffers),
            "dependencies": len(self.dependencies),
            "tables": asked.network.tables_read,
        }

    def component_sizes(self) -> list[int]:
        """Sizes of the strongly connected components that hold a cycle, largest first."""
        import networkx as nx

        graph = nx.DiGraph(self.dependencies)
        parts = nx.strongly_connected_components(graph)
        return sorted((len(p) for p in parts if len(p) > 1 or graph.has_edge(*[*p] * 2)), reverse=True)


def _walk(asked: Asked, *, worst: bool, progress: Progress, ranks: Mapping[Buffer, int] | None = None) -> _Found:
    """Every packet of every pair and tree, column by column; with ``ranks``, every choice set met must rise."""
    network, traffic = asked.network, asked.traffic
    found, sources = _Found(), senders(network, traffic)
    columns = list(targets(network, traffic))
    for done, (column, member, node) in enumerate(columns):
        progress(done, len(columns))
        some = [source for source, from_node in sources.items() if from_node != node]
        walk = walk_column(network, traffic, some, column, member, worst=worst)
        _note(found, walk, network, ranks)
        _count(found, walk)
    for source, column in multicast_senders(network, traffic):
        _note(found, walk_column(network, traffic, [source], column, None, worst=worst), network, ranks)
    for b, after in through_hosts(network, traffic, found.buffers):
        found.dependencies.add((b, after))
        _must_rise(b, frozenset({after}), network, ranks)
    return found


def _note(found: _Found, walk: ColumnWalk, network: Network, ranks: Mapping[Buffer, int] | None) -> None:
    ends = [*walk.ends.values(), *(step.ends for step in walk.first.values())]
    found.met_unknown |= Outcome.UNKNOWN in ends
    for (l, v, _), choices in walk.choices.items():
        found.buffers.add((l, v))
        if ranks is not None and (l, v) not in ranks:
            raise Refused(f"{_Names(network).of((l, v))} has no rank, and packets can be in it")
        for choice in choices:
            after = frozenset((l2, v2) for l2, v2, _ in choice)
            found.dependencies.update(((l, v), b) for b in after)
            _must_rise((l, v), after, network, ranks)


def _must_rise(b: Buffer, choice: frozenset[Buffer], network: Network, ranks: Mapping[Buffer, int] | None) -> None:
    if ranks is not None and not any(ranks.get(after, ranks[b]) > ranks[b] for after in choice):
        names = _Names(network)
        waits = ", ".join(names.of(after) for after in sorted(choice))
        raise Refused(
            f"the ranks do not rise: a packet in {names.of(b)} may wait for {waits}, and none of these is ranked higher"
        )


def _count(found: _Found, walk: ColumnWalk) -> None:
    """What becomes of each pair; source by source only where some packet may not arrive."""
    found.pairs += len(walk.first)
    harmless = all(end == Outcome.ROUTED for end in walk.ends.values()) and not _goes_round(walk.choices)
    for source, step in walk.first.items():
        found.became[step.ends if harmless else walk.outcome_of(source)] += 1


def _goes_round(choices: Mapping[State, frozenset[frozenset[State]]]) -> bool:
    """Whether some state can follow itself: depth first, a state that is still open is met again."""
    done: set[State] = set()
    for start in choices:
        path: list[tuple[State, list[State]]] = [(start, [q for c in choices[start] for q in c])] if start not in done else []
        on_path = {start} if path else set[State]()
        while path:
            q, ahead = path[-1]
            if not ahead:
                done.add(q)
                on_path.discard(q)
                path.pop()
            elif (q2 := ahead.pop()) in on_path:
                return True
            elif q2 not in done:
                on_path.add(q2)
                path.append((q2, [q3 for c in choices[q2] for q3 in c]))
    return False


def _check_witnesses(said: object, asked: Asked, names: _Names) -> None:
    if not isinstance(said, list) or not said or not all(isinstance(one, list) and one for one in said):
        raise Refused("its witnesses are not a list of stuck sets")
    for one in said:
        if not all(isinstance(entry, dict) and set(entry) == {"buffer", "waits_for", "packet"} for entry in one):
            raise Refused("an entry of a witness has not the fields buffer, waits_for and packet")
        inside = {names.buffer(entry["buffer"]) for entry in one}
        for entry in one:
            _check_entry(entry, inside, asked, names)


def _check_entry(entry: Mapping[str, Any], inside: set[Buffer], asked: Asked, names: _Names) -> None:
    """The packet can be in the buffer, and has a choice set there that is the one named and lies inside."""
    b, packet, waits = names.buffer(entry["buffer"]), entry["packet"], entry["waits_for"]
    if not isinstance(waits, list) or not waits:
        raise Refused(f"the packet in {names.of(b)} waits for nothing")
    choice = frozenset(map(names.buffer, waits))
    if not choice <= inside:
        raise Refused(f"the packet in {names.of(b)} could leave the witness")
    if not isinstance(packet, dict) or set(packet) != {"source", "destination", "member", "label"}:
        raise Refused(f"the packet in {names.of(b)} is not source, destination, member and label")
    if not any(_waits(walk, b, packet["label"], choice, asked) for walk in _walks_of(packet, asked, names)):
        raise Refused(
            f"a packet of {packet['source']!r:.100} to {packet['destination']!r:.100} does not wait so in {names.of(b)}"
        )


def _walks_of(packet: Mapping[str, Any], asked: Asked, names: _Names) -> list[ColumnWalk]:
    """The walks of the pairs, or tree, that the packet's words mean."""
    network, traffic = asked.network, asked.traffic
    source = names.source.get(packet["source"]) if isinstance(packet["source"], str) else None
    member = names.source.get(packet["member"]) if isinstance(packet["member"], str) else None
    node = senders(network, traffic).get(source) if source else None
    if source is None or node is None:
        return []
    wanted = member.id if member is not None and member.kind == "host" else None
    named = [d for d, name in enumerate(network.destinations.names) if str(name) == packet["destination"]]
    pairs = [(d, g) for d, g, to in targets(network, traffic) if d in named and g == wanted and to != node]
    trees = [(d, None) for s, d in multicast_senders(network, traffic) if s == source and d in named and packet["member"] == ""]
    return [walk_column(network, traffic, [source], d, g) for d, g in [*pairs, *trees]]


def _waits(walk: ColumnWalk, b: Buffer, label: object, choice: frozenset[Buffer], asked: Asked) -> bool:
    """Whether a packet of the walk is in ``b`` with ``label`` and waits there for ``choice``."""
    names = asked.network.lanes.label_names
    here = [choices for (l, v, k), choices in walk.choices.items() if (l, v) == b and names[k] == label]
    through = {frozenset({after}) for b1, after in through_hosts(asked.network, asked.traffic, {b, *choice}) if b1 == b}
    offered = {frozenset((l, v) for l, v, _ in c) for choices in here for c in choices}
    return bool(here) and choice in through | offered
