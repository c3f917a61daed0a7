"""The reference walker: follow every packet of every pair, hop by hop, and write down where it can be.

It is meant to be believed, not to be fast: it reads the public views of the network one entry at a time, knows no array
layout, and shares no code with the engine in ``dependency/``, which the property tests hold to it. What may happen to one
packet at one hop is in :mod:`pauseproof.routing.packets`; here packets are sent, followed, and what they wait for is collected.

A *pair* is (source, member of a destination column). *Known*: what was not read is not followed, and its pair is unknown.
*Worst*: the packet does all it could do there.

A buffer's choice sets are those of all packets that can be in it, their labels left out. A buffer in the lossy lane of
:class:`Lanes` has none and is in none: it drops what it has no room for, so nobody waits for it. To these come singletons of
two kinds, where a packet can be in the buffer waited for, which is known when all pairs have been walked: lanes that share an
egress queue (``Step.waits``), and what a host sends into whose receiving waits for its sending (:func:`through_hosts`).

Notation: ``h`` a host, ``s`` a switch, ``d`` a column, ``g`` the member that a packet is for, ``l`` a link, ``v`` a lane,
``k`` a label, ``b = (l, v)`` a buffer, ``q = (l, v, k)`` a state.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Outcome, Packets, Source, State, Step
from pauseproof.routing.tables import DestinationKind
from pauseproof.routing.traffic import Traffic

ChoiceSets = frozenset[frozenset[Buffer]]


@dataclass(frozen=True)
class PairWalk:
    """The packets of one pair: every state they can be in, the choice sets of each, and what becomes of them.

    ``waits`` are the other buffers that each waits for, where packets (of this pair or another) can be in them.
    """

    outcome: Outcome
    states: frozenset[State]
    choices: Mapping[State, frozenset[frozenset[State]]]
    waits: Mapping[State, frozenset[Buffer]]


@dataclass(frozen=True)
class Walked:
    """The packets of all pairs and of all multicast senders.

    ``buffers`` are those that a packet can be in; ``choice_sets`` holds the buffers that have any; ``dependencies`` are
    the (b, b2) with b2 in a choice set of b. Looping, unroutable and unknown pairs are disjoint.
    """

    pairs: int
    unroutable_pairs: int
    looping_pairs: int
    unknown_pairs: int
    buffers: frozenset[Buffer]
    choice_sets: Mapping[Buffer, ChoiceSets]
    dependencies: frozenset[tuple[Buffer, Buffer]]


def walk_known(network: Network, traffic: Traffic) -> Walked:
    """Where packets can be by what was read alone: any loop found here is real, whatever is unknown."""
    return _collect(network, traffic, worst=False)


def walk_worst(network: Network, traffic: Traffic) -> Walked:
    """Where packets could be if all that is unknown were as bad as it can be: free here is free."""
    return _collect(network, traffic, worst=True)


def walk_pair(
    network: Network, traffic: Traffic, source: Source, column: int, member: int | None, *, worst: bool = False
) -> PairWalk:
    """The walk of one pair. ``member`` is the host the packets are for; None for a switch or a multicast column."""
    walk = walk_column(network, traffic, [source], column, member, worst=worst)
    return PairWalk(walk.outcome_of(source), frozenset(walk.choices), walk.choices, walk.waits)


@dataclass(frozen=True)
class ColumnWalk:
    """The packets of several sources for one member of a column, walked together: a state's future does not depend on its past.

    ``first`` are the first steps by source; ``choices`` and ``ends`` tell of each state where it may go on and end, ``waits``
    what else it waits for. ``unread`` where some packet met what was not read, and was not followed there.
    """

    first: Mapping[Source, Step]
    choices: Mapping[State, frozenset[frozenset[State]]]
    ends: Mapping[State, Outcome]
    waits: Mapping[State, frozenset[Buffer]]
    unread: bool

    def outcome_of(self, source: Source) -> Outcome:
        """The worst that can become of a packet of this source."""
        step = self.first[source]
        met, worst = set[State](), step.ends
        to_visit = [q for choice in step.choices for q in choice]
        while to_visit:
            q = to_visit.pop()
            if q not in met:
                met.add(q)
                worst = max(worst, self.ends[q])
                to_visit.extend(q2 for choice in self.choices[q] for q2 in choice)
        return Outcome.LOOPING if _comes_again({q: self.choices[q] for q in met}) else worst


def walk_column(
    network: Network, traffic: Traffic, sources: Iterable[Source], column: int, member: int | None, *, worst: bool = False
) -> ColumnWalk:
    """Follow the packets of ``sources`` for one member of a column (None for a switch or a tree) to every state they reach."""
    packets = Packets(network, traffic, column, member, worst)
    first = {source: packets.leave(source) for source in sources}
    choices, ends = dict[State, frozenset[frozenset[State]]](), dict[State, Outcome]()
    waits = dict[State, frozenset[Buffer]]()
    unread = any(step.unread for step in first.values())
    to_visit = [q for step in first.values() for choice in step.choices for q in choice]
    while to_visit:
        q = to_visit.pop()
        if q not in choices:
            step = packets.arrive(q)
            choices[q], ends[q], waits[q] = step.choices, step.ends, step.waits
            unread = unread or step.unread
            to_visit.extend(q2 for choice in step.choices for q2 in choice)
    return ColumnWalk(first, choices, ends, waits, unread)


def senders(network: Network, traffic: Traffic) -> dict[Source, int]:
    """Who sends, with the node that each sits on."""
    fabric = network.fabric
    hosts = {Source("host", h.id): h.node for h in fabric.hosts() if traffic.host_sends[h.id]}
    return hosts | {Source("switch", s.id): s.id for s in fabric.switches() if traffic.switch_sends[s.id]}


def targets(network: Network, traffic: Traffic) -> Iterator[tuple[int, int | None, int]]:
    """Every (column, member, node) that packets are for; the member is None where the column is a switch."""
    fabric, destinations = network.fabric, network.destinations
    for d in range(len(destinations)):
        if traffic.destination_on[d] and destinations.kind[d] == DestinationKind.HOST:
            yield from ((d, g, fabric.host(g).node) for g in destinations.members(d) if traffic.host_receives[g])
        if traffic.destination_on[d] and destinations.kind[d] == DestinationKind.SWITCH:
            yield d, None, int(destinations.owner[d])


def pairs(network: Network, traffic: Traffic) -> Iterator[tuple[Source, int, int | None]]:
    """Every (source, column, member) of different nodes."""
    sources = senders(network, traffic)
    for column, member, to_node in targets(network, traffic):
        yield from ((source, column, member) for source, node in sources.items() if node != to_node)


def multicast_senders(network: Network, traffic: Traffic) -> Iterator[tuple[Source, int]]:
    """Every (source, column) of the multicast columns: the members that send."""
    destinations = network.destinations
    for d in range(len(destinations)):
        if traffic.destination_on[d] and destinations.kind[d] == DestinationKind.MULTICAST:
            yield from ((Source("host", h), d) for h in destinations.members(d) if traffic.host_sends[h])


def through_hosts(network: Network, traffic: Traffic, buffers: Iterable[Buffer]) -> Iterator[tuple[Buffer, Buffer]]:
    """At endpoint-coupled hosts receiving waits for sending: (buffer at the host, a reachable buffer its node sends into)."""
    fabric = network.fabric
    if traffic.coupled is not None:
        link_of = {b: fabric.link(b[0]) for b in buffers}
        coupled = {h.down for h in fabric.hosts() if traffic.coupled[h.id]}
        for b, b2 in ((b, b2) for b in link_of if b[0] in coupled for b2 in link_of):
            if link_of[b].dst == link_of[b2].src:
                yield b, b2


def _comes_again(choices: Mapping[State, frozenset[frozenset[State]]]) -> bool:
    """Can a packet come to a state twice? What is left once states with nowhere to go are taken away again and again."""
    after = {q: frozenset[State]().union(*sets) for q, sets in choices.items()}
    alive = set(after)
    while ended := {q for q in alive if not after[q] & alive}:
        alive -= ended
    return bool(alive)


def can_be_waited_for(network: Network, choice: frozenset[State]) -> bool:
    """Not where a member is lossy: such a buffer drops what it has no room for, and so takes the packet at any time."""
    return all(v != network.lanes.lossy_lane for _, v, _ in choice)


def _collect(network: Network, traffic: Traffic, worst: bool) -> Walked:
    outcomes: list[Outcome] = []
    buffers: set[Buffer] = set()
    choice_sets: dict[Buffer, set[frozenset[Buffer]]] = {}
    waits: set[tuple[Buffer, Buffer]] = set()

    def note(walk: PairWalk) -> None:
        for (l, v, k), choices in walk.choices.items():
            if v == network.lanes.lossy_lane:
                continue
            buffers.add((l, v))
            waits.update(((l, v), b2) for b2 in walk.waits[l, v, k])
            for choice in choices:
                if can_be_waited_for(network, choice):
                    choice_sets.setdefault((l, v), set()).add(frozenset((l2, v2) for l2, v2, _ in choice))

    for source, d, member in pairs(network, traffic):
        walk = walk_pair(network, traffic, source, d, member, worst=worst)
        outcomes.append(walk.outcome)
        note(walk)
    for source, d in multicast_senders(network, traffic):
        note(walk_pair(network, traffic, source, d, None, worst=worst))
    for b, b2 in waits:
        if b2 in buffers:  # one that never fills never pauses
            choice_sets.setdefault(b, set()).add(frozenset({b2}))
    for received, sent in through_hosts(network, traffic, buffers):
        choice_sets.setdefault(received, set()).add(frozenset({sent}))
    return Walked(
        pairs=len(outcomes),
        unroutable_pairs=outcomes.count(Outcome.UNROUTABLE),
        looping_pairs=outcomes.count(Outcome.LOOPING),
        unknown_pairs=outcomes.count(Outcome.UNKNOWN),
        buffers=frozenset(buffers),
        choice_sets={b: frozenset(sets) for b, sets in choice_sets.items()},
        dependencies=frozenset((b, b2) for b, sets in choice_sets.items() for choice in sets for b2 in choice),
    )
