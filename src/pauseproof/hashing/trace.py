"""The way of one packet, hop by hop: the table row, the hash value and the lane at each, and where the way is not known.

Where a decision is unknown the packet may take any member, and all of them are followed; so the hops are a graph, of one path
where everything is known. The rules of a hop are those of :mod:`pauseproof.routing.packets`.

Notation: ``q`` a state (link, lane, label), ``s`` a switch, ``d`` a column, ``g`` the host that the packet is for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pauseproof.fabric.places import Place
from pauseproof.hashing.choosing import Chosen, choose
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.settings import FabricHashes
from pauseproof.routing.network import Network
from pauseproof.routing.packets import LabelIn, Outcome, Packets, Source, State
from pauseproof.routing.tables import ChoiceKind, Route
from pauseproof.routing.traffic import Traffic

MOST_HOPS = 2000  # of one packet, all ways together; a wide fabric with nothing known has more
ENDS = {
    ChoiceKind.DROP: "no row: dropped",
    ChoiceKind.DEAD_PORT: "a port without a cable: dropped",
    ChoiceKind.LOCAL: "for the switch itself: it reaches no host",
    ChoiceKind.UNKNOWN: "the row was not read: it may leave by any port",
    ChoiceKind.MULTICAST: "copied to several ports: not followed",
}
BY_LOAD = "the switch picks by load"
NOT_FOR_IT = "no link of the row is for this packet: dropped"
LOSSY, LANE_UNKNOWN = "the lane map drops it, or makes it lossy", "the lane map was not read"
STRANGER = "reaches a host that it is not for"


@dataclass(frozen=True)
class Hop:
    """What happens to the packet where ``q`` ends. ``column`` is what the tables of ``switch`` (-1: a host) see.

    ``chosen`` is there where the row has several links; ``out`` are the next states, ``ends`` how it may end right here.
    """

    q: State
    switch: int
    column: int
    kind: ChoiceKind | None = None
    place: Place | None = None
    chosen: Chosen | None = None
    out: tuple[State, ...] = ()
    ends: str = ""
    outcome: Outcome = Outcome.ROUTED


@dataclass(frozen=True)
class Trace:
    """``hops`` in the order in which they can be reached; ``first`` are the states at the end of the sender's own link.

    ``outcome``: the worst that can happen. ``cut`` where there were more hops than are followed.
    """

    source: int
    member: int
    column: int
    first: tuple[State, ...]
    hops: tuple[Hop, ...]
    outcome: Outcome
    ends: str = ""
    cut: bool = False

    @property
    def certain(self) -> bool:
        """Is there exactly one way?"""
        return len(self.first) == 1 and all(len(hop.out) < 2 for hop in self.hops)


@dataclass(frozen=True)
class Question:
    """A packet: from host ``source`` to host ``member`` in column ``column``, with one label where ``label`` is given.

    ``headers`` of one packet, of which the fields ``given`` are known.
    """

    source: int
    member: int
    column: int
    headers: Headers | None = None
    given: frozenset[str] = frozenset()
    label: int | None = None


def trace(network: Network, hashes: FabricHashes, traffic: Traffic, asked: Question) -> Trace:
    """Follow one packet over every way that it may take."""
    if asked.label is not None:
        traffic = replace(traffic, label=asked.label, labels=None)
    tracer = _Tracer(network, hashes, Packets(network, traffic, asked.column, asked.member, worst=False), asked)
    step = tracer.packets.leave(Source("host", asked.source))
    first = _states(step.choices)
    found: dict[State, Hop] = {}
    waiting = list(first)
    while waiting and len(found) < MOST_HOPS:
        q = waiting.pop(0)
        if q not in found:
            found[q] = tracer.hop(q)
            waiting.extend(found[q].out)
    cut = any(q not in found for q in waiting)
    ends = LANE_UNKNOWN if step.unread else LOSSY if not first else ""
    worst = Outcome.UNKNOWN if step.unread or cut else step.ends
    return Trace(
        asked.source,
        asked.member,
        asked.column,
        first,
        tuple(found.values()),
        Outcome.LOOPING if comes_again(found) else max([worst, *(hop.outcome for hop in found.values())]),
        ends,
        cut,
    )


@dataclass(frozen=True)
class _Tracer:
    network: Network
    hashes: FabricHashes
    packets: Packets
    asked: Question

    def hop(self, q: State) -> Hop:
        """What happens where ``q`` ends."""
        l, _, k = q
        link = self.network.fabric.every_link[l]
        d = k.column if isinstance(k, LabelIn) else self.asked.column
        if link.dst >= self.network.fabric.n_switches:
            mine = l in self.packets.links_to_member()
            return Hop(q, -1, d, ends="" if mine else STRANGER, outcome=Outcome.ROUTED if mine else Outcome.UNROUTABLE)
        route = self.network.routes.route(link.dst, d)
        made = Hop(q, link.dst, d, route.kind, self.network.routes.place(link.dst, d))
        if route.kind in ENDS:
            unread = route.kind in (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST)
            return replace(made, ends=ENDS[route.kind], outcome=Outcome.UNKNOWN if unread else Outcome.UNROUTABLE)
        return self._onward(made, route)

    def _onward(self, hop: Hop, route: Route) -> Hop:
        l, _, k = hop.q
        in_port = self.network.fabric.every_link[l].dst_port
        members = self.offered(route, k)
        links = tuple(sorted({link for link, _ in members}))
        chosen = self._chosen(hop.switch, route, links, in_port) if len(links) > 1 else Chosen(links)
        onward = hop.column if route.column < 0 else route.column
        steps = [self.packets.turn(hop.switch, in_port, link, k, row) for link, row in members if link in chosen.links]
        out = _states(c for step in steps for c in step.going_on_in(onward, self.asked.column).choices)
        unread, dropped = any(step.unread for step in steps), any(not (step.choices or step.unread) for step in steps)
        ends = [words for words, holds in ((LANE_UNKNOWN, unread), (LOSSY, dropped), (NOT_FOR_IT, not members)) if holds]
        outcome = Outcome.UNROUTABLE if dropped or not members else Outcome.UNKNOWN if unread else Outcome.ROUTED
        return replace(hop, chosen=chosen if len(links) > 1 else None, out=out, ends="; ".join(ends), outcome=outcome)

    def offered(self, route: Route, k: int) -> list[tuple[int, int]]:
        """The (link, row) of a route that are there for this packet."""
        members = list(zip(route.links, route.rows or (-1,) * len(route.links), strict=True))
        if route.kind is ChoiceKind.DELIVER:
            members = [(l, row) for l, row in members if l in self.packets.links_to_member()]
        return [(l, row) for l, row in members if row < 0 or self.network.lanes.offers(row, k)]

    def _chosen(self, s: int, route: Route, links: tuple[int, ...], in_port: int) -> Chosen:
        if route.kind is ChoiceKind.ADAPTIVE:
            return Chosen(links, why=(BY_LOAD,))
        h, decision = self.asked.headers, self.hashes.of_route(s, route, links)
        return choose(decision, None if h is None else h.at_port(in_port), self.asked.given | {"in-port"})


def _states(choices: Iterable[frozenset[State]]) -> tuple[State, ...]:
    return tuple(sorted({q for choice in choices for q in choice}, key=lambda q: (q[0], q[1], int(q[2]))))


def comes_again(hops: Mapping[State, Hop]) -> bool:
    """Can the packet come to a state twice? What is left once states with nowhere to go are taken away again and again."""
    alive = set(hops)
    while ended := {q for q in alive if not alive.intersection(hops[q].out)}:
        alive -= ended
    return bool(alive)
