"""Checks a certificate against the tables, by the reference walker alone. Nothing here has seen the engine.

What is checked, and all of it from the tables as they are read now (:mod:`pauseproof.deadlock.claim` reads the certificate):

* the inputs are those that the certificate names, by sha256;
* for DEADLOCK_FREE: every buffer that a packet can be in has a rank, no other has one, and every choice set of every packet
  has a member of higher rank than the buffer that the packet is in; what was not read may be anything. By theorems 1 and 3
  of proofs/soundness.md no stuck set exists then, and no deadlock;
* for DEADLOCK_POSSIBLE: in each witness, every packet can be where it is said to be, and has there a choice set that lies
  inside the witness; and each loop of buffers whose packets have no choice meets a witness in its component;
* dependencies that a certificate of freedom leaves out are carried by no packet (:mod:`pauseproof.deadlock.check_unroutable`);
  then it holds under the hash settings that were read or declared, and its assumptions say so;
* the counts, the component sizes and the assumptions are what the walk gives.

Notation, as in soundness.md: ``b`` a buffer as (link, lane), ``q`` a state as (link, lane, label), ``C[b]`` the choice sets of
all packets that can be in ``b``, ``r[b]`` the rank of ``b``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pauseproof.deadlock.check_unroutable import Unroutable
from pauseproof.deadlock.claim import Claim, Names, Refused, Waiting, claim_of, must_be
from pauseproof.deadlock.hash_assumptions import hash_assumptions
from pauseproof.routing.ask import Asked, ask
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Outcome
from pauseproof.routing.walk import (
    ColumnWalk,
    can_be_waited_for,
    multicast_senders,
    senders,
    targets,
    through_hosts,
    walk_column,
)

Progress = Callable[[int, int], None]

__all__ = ["Refused", "check", "check_asked"]


def check(certificate: Mapping[str, Any], network: Network, progress: Progress = lambda done, total: None) -> str:
    """The verdict that the certificate proves. Raises Refused, or BadInput where the network cannot be asked its question."""
    asked = ask(network, claim_of(certificate, network).question)
    return check_asked(certificate, asked, progress, original=network)


def check_asked(
    certificate: Mapping[str, Any],
    asked: Asked,
    progress: Progress = lambda done, total: None,
    *,
    original: Network | None = None,
) -> str:
    """The same for a network that was asked already, and perhaps changed since: the question must be the certificate's.

    ``original`` is the network before it was asked, whose hashes count; a certificate that rests on hashes needs it.
    """
    claim, names = claim_of(certificate, asked.network), Names(asked.network)
    if claim.question != asked.question:
        raise Refused(f"it answers another question than {asked.question}")
    if claim.unroutable and original is None:
        raise Refused("it leaves out dependencies that packets are said not to carry, and the hashes are not known")
    unroutable = Unroutable(original, asked, names) if claim.unroutable and original else None
    more = hash_assumptions(original) if unroutable and original else ()
    must_be("assumptions", certificate["assumptions"], [*asked.assumptions, *more])
    known = _walk(asked, progress)
    must_be("coverage", certificate["coverage"], _coverage(known, asked))
    must_be("cyclic_components", certificate["cyclic_components"], _component_sizes(known))
    if claim.verdict == "DEADLOCK_FREE":
        walked = _walk(asked, progress, worst=True) if known.unread else known
        if unroutable:
            _leave_out(walked, claim, unroutable)
        _check_ranks(claim.ranks, walked, names)
    else:
        _check_witnesses(claim, known, asked, names)
    return claim.verdict


@dataclass
class _Walked:
    """``C``, with a key for every buffer that a packet can be in; what becomes of the pairs; was something not read?"""

    C: dict[Buffer, set[frozenset[Buffer]]] = field(default_factory=dict)
    became: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    unread: bool = False


def _leave_out(walked: _Walked, claim: Claim, unroutable: Unroutable) -> None:
    """Take away the dependencies that no packet carries. Raises Refused where one may."""
    for (b, b2), because in claim.unroutable.items():
        unroutable.check((b, b2), unroutable.reasons(because))
        walked.C.get(b, set()).discard(frozenset({b2}))


def _check_ranks(r: Mapping[Buffer, int], walked: _Walked, names: Names) -> None:
    if b := min(walked.C.keys() - r.keys(), default=None):
        raise Refused(f"{names.of(b)} has no rank, and packets can be in it")
    if b := min(r.keys() - walked.C.keys(), default=None):
        raise Refused(f"it ranks {names.of(b)}, a buffer that no packet can be in")
    for b, choices in walked.C.items():
        for choice in choices:
            if not any(r[b2] > r[b] for b2 in choice):
                waits = ", ".join(names.of(b2) for b2 in sorted(choice))
                raise Refused(f"the ranks do not rise: a packet in {names.of(b)} may wait for {waits}, none ranked higher")


def _walk(asked: Asked, progress: Progress, *, worst: bool = False) -> _Walked:
    """Every packet of every pair and tree, column by column."""
    network, traffic = asked.network, asked.traffic
    walked, sources, columns = _Walked(), senders(network, traffic), list(targets(network, traffic))
    waits = set[tuple[Buffer, Buffer]]()
    for done, (column, member, node) in enumerate(columns):
        progress(done, len(columns))
        some = [source for source, from_node in sources.items() if from_node != node]
        walk = walk_column(network, traffic, some, column, member, worst=worst)
        _note(walked, waits, walk, network)
        if not worst:
            _count(walked, walk)
    for source, column in multicast_senders(network, traffic):
        _note(walked, waits, walk_column(network, traffic, [source], column, None, worst=worst), network)
    waits.update(through_hosts(network, traffic, walked.C))
    for b, b2 in waits:
        if b2 in walked.C:  # one that never fills never pauses
            walked.C[b].add(frozenset({b2}))
    return walked


def _note(walked: _Walked, waits: set[tuple[Buffer, Buffer]], walk: ColumnWalk, network: Network) -> None:
    walked.unread |= walk.unread
    for q, choices in walk.choices.items():
        l, v, _ = q
        if v == network.lanes.lossy_lane:
            continue
        sets = walked.C.setdefault((l, v), set())
        for choice in choices:
            if can_be_waited_for(network, choice):
                sets.add(frozenset([(l2, v2) for l2, v2, _ in choice]))
        waits.update([((l, v), b2) for b2 in walk.waits[q]])


def _count(walked: _Walked, walk: ColumnWalk) -> None:
    """What becomes of each pair; source by source only where some packet may not arrive."""
    harmless = all(end == Outcome.ROUTED for end in walk.ends.values()) and not _goes_round(walk)
    for source, step in walk.first.items():
        walked.became[step.ends if harmless else walk.outcome_of(source)] += 1


def _goes_round(walk: ColumnWalk) -> bool:
    """Whether some packet can come to a state twice."""
    entered = {q2 for choices in walk.choices.values() for choice in choices for q2 in choice}
    after = {q: [q2 for choice in walk.choices[q] for q2 in choice] for q in entered}
    try:
        TopologicalSorter(after).prepare()
    except CycleError:
        return True
    return False


def _coverage(walked: _Walked, asked: Asked) -> dict[str, object]:
    """The counts, as reports give them."""
    traffic = asked.traffic
    return {
        "traffic": traffic.name,
        "switches": asked.network.fabric.n_switches,
        "hosts": sum(a or b for a, b in zip(traffic.host_sends.tolist(), traffic.host_receives.tolist(), strict=True)),
        "pairs": sum(walked.became.values()),
        "unroutable_pairs": walked.became[Outcome.UNROUTABLE],
        "looping_pairs": walked.became[Outcome.LOOPING],
        "unknown_pairs": walked.became[Outcome.UNKNOWN],
        "buffers": len(walked.C),
        "dependencies": len({(b, b2) for b, choices in walked.C.items() for choice in choices for b2 in choice}),
        "tables": asked.network.tables_read,
    }


def _cyclic_components(edges: Iterable[tuple[Buffer, Buffer]]) -> list[set[Buffer]]:
    """The strongly connected components that hold a cycle."""
    import networkx as nx

    graph = nx.DiGraph(edges)
    return [part for part in nx.strongly_connected_components(graph) if len(part) > 1 or graph.has_edge(*[*part] * 2)]


def _component_sizes(walked: _Walked) -> list[int]:
    edges = ((b, b2) for b, choices in walked.C.items() for choice in choices for b2 in choice)
    return sorted(map(len, _cyclic_components(edges)), reverse=True)


def _check_witnesses(claim: Claim, known: _Walked, asked: Asked, names: Names) -> None:
    for witness in claim.witnesses:
        inside = {waiting.buffer for waiting in witness}
        for waiting in witness:
            b = names.of(waiting.buffer)
            if waiting.buffer[1] == asked.network.lanes.lossy_lane:
                raise Refused(f"nobody waits in {b}: it is lossy")
            if not waiting.choice <= inside:
                raise Refused(f"the packet in {b} could leave the witness")
            if not any(_waits_so(waiting, walk, asked) for walk in _walks_of(waiting, asked)):
                raise Refused(f"a packet of {waiting.source} to {waiting.destination:.100} does not wait so in {b}")
    witnessed = {waiting.buffer for witness in claim.witnesses for waiting in witness}
    no_choice = ((b, b2) for b, choices in known.C.items() for choice in choices if len(choice) == 1 for b2 in choice)
    for part in _cyclic_components(no_choice):
        if part.isdisjoint(witnessed):
            raise Refused(f"no witness has a buffer of the component of {names.of(min(part))}, {len(part)} buffers in loops")


def _walks_of(waiting: Waiting, asked: Asked) -> list[ColumnWalk]:
    """The walks of the pairs, or tree, that the packet's words mean; none where there is no such traffic."""
    network, traffic, source = asked.network, asked.traffic, waiting.source
    node = senders(network, traffic).get(source)
    named = [d for d, name in enumerate(network.destinations.names) if str(name) == waiting.destination]
    pairs = [(d, g) for d, g, to in targets(network, traffic) if d in named and g == waiting.member and node not in (None, to)]
    trees = [(d, None) for s, d in multicast_senders(network, traffic) if s == source and d in named and waiting.member is None]
    return [walk_column(network, traffic, [source], d, g) for d, g in [*pairs, *trees]]


def _waits_so(waiting: Waiting, walk: ColumnWalk, asked: Asked) -> bool:
    """Whether a packet of the walk is in the buffer, with the label, and waits there for the choice set.

    Buffers that it waits for without going there count: packets can be in them, as the witness shows of each of its buffers.
    """
    b, names = waiting.buffer, asked.network.lanes.label_names
    here = [q for q in walk.choices if q[:2] == b and names[q[2]] == waiting.label]
    offered = {frozenset((l, v) for l, v, _ in choice) for q in here for choice in walk.choices[q]}
    offered |= {frozenset({b2}) for q in here for b2 in walk.waits[q]}
    through = through_hosts(asked.network, asked.traffic, {b, *waiting.choice}) if here else ()
    return waiting.choice in offered | {frozenset({b2}) for b1, b2 in through if b1 == b}
