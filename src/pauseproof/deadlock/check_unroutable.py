"""Checks that no packet carries a dependency: by its own search for ways, and its own reckoning of hashes.

A certificate that leaves dependencies out names for each the *turns* that no packet takes: choices among several links. Here
every way to the dependency is followed back by the reference walker, and must have all the turns of some reason; and that no
packet takes these is reckoned again:

* ``same``: the turns ask one hash for members of which none is the same;
* ``combination``: bits of hash values that add up to 0 for every RoCE header, and would have to add up to 1;
* ``values``: of all values that linear hashes can take together, none selects all the members;
* ``pairs``: for the sender and the receiver of the way, by the equations, or header by header of those that meet them.

A packet has one header on all its way. So what a way asks of it is a matter of which turns it has, not of their order nor of
how often it comes by one; and no packet takes a way on which there are turns that none takes, whatever others there are.

Hash functions, settings and addresses are those of ``hashing/``: they are what the words mean, as the readers are.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pauseproof.deadlock.check_hashes import MOST_BITS, Ask, adds_up, any_header, differ, free_bits, none_makes
from pauseproof.deadlock.claim import Because, Names, Refused
from pauseproof.hashing.addresses import HostAddress, addresses_in, addresses_of_prefixes, host_addresses
from pauseproof.hashing.settings import FabricHashes
from pauseproof.routing.ask import Asked
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Packets, Source, State
from pauseproof.routing.tables import ChoiceKind, DestinationKind, RowTable
from pauseproof.routing.walk import ColumnWalk, senders, targets, through_hosts, walk_column

Dependency = tuple[Buffer, Buffer]


class Turn(NamedTuple):
    """At switch ``s`` a packet that came by link ``came_by`` must leave by ``link`` of ``links``.

    ``came_by`` is -1 for any link, where no hash looks at it. ``number`` is that of the group, among those over these links.
    """

    s: int
    came_by: int
    links: tuple[int, ...]
    link: int
    number: int


class Reason(NamedTuple):
    """Why no packet takes some turns; ``combination`` holds (turn, ask of the turn, bit)."""

    proof: str
    combination: tuple[tuple[int, int, int], ...]


class Reasons:
    """Reasons by the family of addresses that they speak of, and their turns."""

    def __init__(self, given: Iterable[tuple[int, tuple[Turn, ...], Reason]]) -> None:
        self.of_turn = defaultdict[tuple[int, Turn], list[tuple[tuple[Turn, ...], Reason]]](list)
        for family, turns, reason in dict.fromkeys(given):
            for turn in set(turns):
                self.of_turn[family, turn].append((turns, reason))

    def with_last(self, family: int, way: frozenset[Turn], last: Iterable[Turn]) -> Iterator[tuple[tuple[Turn, ...], Reason]]:
        """Those all of whose turns a way has, and that speak of one of its ``last``."""
        for turn in last:
            yield from (one for one in self.of_turn.get((family, turn), ()) if way.issuperset(one[0]))


@dataclass
class Unroutable:
    """Checks dependencies one after the other; ``network`` is as it was before it was asked."""

    network: Network
    asked: Asked
    names: Names
    _hashes: dict[int, FabricHashes] = field(default_factory=dict)
    _known: dict[tuple[int, Turn], list[Ask]] = field(default_factory=dict)
    _held: dict[tuple[int, tuple[Turn, ...], Reason], None] = field(default_factory=dict)
    _tried: dict[tuple[tuple[Turn, ...], HostAddress, HostAddress], bool] = field(default_factory=dict)

    def check(self, e: Dependency, reasons: Reasons) -> None:
        """Raises Refused where some packet may carry ``e`` for all that the reasons say."""
        for d, g, sources, walk in self.walks:
            back = _backwards(walk)
            for family in sorted({to.family for to in self._addresses(d).get(g, [])}) or [0]:
                for q, turns in self._ends(e, d, g, walk, family):
                    self._follow(e, q, turns, (d, g, sources, walk, family), back, reasons)

    @cached_property
    def walks(self) -> list[tuple[int, int, list[Source], ColumnWalk]]:
        """(column, member, senders, walk) of all pairs. Raises Refused where packets are not RoCE packets between hosts."""
        network, traffic = self.asked.network, self.asked.traffic
        kinds = network.destinations.kind[traffic.destination_on]
        rewrites = getattr(network.routes, "rewrite", None)
        if rewrites is not None or traffic.switch_sends.any() or (kinds == DestinationKind.MULTICAST).any():
            raise Refused(
                "it leaves out dependencies of a fabric with tunnels, trees or sending switches: headers are not known"
            )
        every = senders(network, traffic)
        out = []
        for d, g, node in targets(network, traffic):
            if g is None:
                raise Refused("it leaves out dependencies of packets to switches, which have no addresses")
            some = [source for source, at in every.items() if at != node]
            walk = walk_column(network, traffic, some, d, g)
            if walk.unread:
                raise Refused("it leaves out dependencies although not all rows were read")
            out.append((d, g, some, walk))
        return out

    def _ends(self, e: Dependency, d: int, g: int, walk: ColumnWalk, family: int) -> Iterator[tuple[State, tuple[Turn, ...]]]:
        """The states in which a packet for ``g`` waits so, with the turn that it then takes."""
        (l, v), after = e
        network, traffic = self.asked.network, self.asked.traffic
        here = [q for q in walk.choices if q[:2] == (l, v)]
        if network.fabric.link(l).dst >= network.fabric.n_switches:
            if here and e in set(through_hosts(network, traffic, {e[0], after})):
                yield from ((q, ()) for q in here)
            return
        for q in here:
            for link, to, waits in self._members(d, g, q):
                if after in {q2[:2] for q2 in to} | waits:
                    yield q, self._turn(d, q, link, family)

    def _members(self, d: int, g: int, q: State) -> Iterator[tuple[int, set[State], set[Buffer]]]:
        """By link that the packet may leave by: the states that it comes to, and the buffers that it waits for besides."""
        network = self.asked.network
        packets, link = Packets(network, self.asked.traffic, d, g, worst=False), network.fabric.link(q[0])
        kind, links, rows, _, _ = network.routes.route(link.dst, d)
        for l, row in zip(links, rows or (-1,) * len(links), strict=True):
            if kind == ChoiceKind.DELIVER and l not in packets.links_to_member():
                continue
            if row < 0 or network.lanes.offers(row, q[2]):
                step = packets.turn(link.dst, link.dst_port, l, q[2], row)
                yield l, {q2 for choice in step.choices for q2 in choice}, set(step.waits)

    def _turn(self, d: int, q: State, link: int, family: int) -> tuple[Turn, ...]:
        """The turn onto ``link`` where a known hash decides; none elsewhere."""
        s = self.asked.network.fabric.link(q[0]).dst
        kind, links, _, _, number = self.asked.network.routes.route(s, d)
        before = self.network.routes
        by_load = before.by_load if isinstance(before, RowTable) else before.route(s, d).kind == ChoiceKind.ADAPTIVE
        if kind != ChoiceKind.HASHED or by_load or len(set(links)) < max(len(links), 2):
            return ()
        turn = Turn(s, q[0], links, link, number)
        asks = self._asks(turn, family)
        if not any("in-port" in ask.function.fields for ask in asks):
            turn = turn._replace(came_by=-1)
        return (turn,) if asks else ()

    def _asks(self, turn: Turn, family: int) -> list[Ask]:
        """What the turn asks of hash values; nothing where that is not known."""
        if (family, turn) not in self._known:
            self._known[family, turn] = self._reckoned(turn, family)
        return self._known[family, turn]

    def _reckoned(self, turn: Turn, family: int) -> list[Ask]:
        hashes = self._hashes.setdefault(family, FabricHashes(self.network, family))
        decision = hashes.decision(turn.s, turn.links, turn.number)
        hops = [m for m, member in enumerate(decision.grouping.members) if turn.link in member.links]
        if decision.grouping.unclear or (len(hops) > 1 and decision.lags[hops[0]] is not None):
            return []
        lag, cables = decision.lags[hops[0]], decision.grouping.members[hops[0]].links
        out = []
        for stage, wanted in ((decision.ecmp, tuple(hops)), (lag, (cables.index(turn.link),))):
            if stage is not None and stage.setting.kind == "hash":
                if (function := stage.setting.on_every_way()) is None:
                    return []
                port = int(self.network.fabric.link_dst_port[turn.came_by]) if turn.came_by >= 0 else 0
                out.append(Ask(function, port, stage.selection, wanted))
        return out

    def _follow(
        self,
        e: Dependency,
        q: State,
        turns: tuple[Turn, ...],
        of: tuple[int, int, list[Source], ColumnWalk, int],
        back: Mapping[State, set[State]],
        reasons: Reasons,
    ) -> None:
        """Every way back from ``q`` must come to turns that are refuted for all headers, or for its pairs.

        Of two ways to one state with the same turns one is followed. Nor is a state followed that the way came by before:
        from there it was followed with fewer turns, and what refutes these refutes more.
        """
        d, g, sources, walk, family = of
        todo: list[tuple[State, frozenset[Turn], tuple[Turn, ...], frozenset[State]]]
        todo, met = [(q, frozenset(turns), turns, frozenset({q}))], set[tuple[State, frozenset[Turn]]]()
        while todo:
            q, way, last, path = todo.pop()
            if (q, way) in met:
                continue
            met.add((q, way))
            if self._for_all(reasons.with_last(family, way, last), family):
                continue
            starts = [s for s in sources if any(q in choice for choice in walk.first[s].choices)]
            some = reasons.with_last(family, way, sorted(way)) if starts else ()
            pairs = dict.fromkeys(turns for turns, reason in some if reason.proof == "pairs")
            if not all(any(self._pair(turns, family, s, d, g) for turns in pairs) for s in starts):
                raise Refused(
                    f"packets may carry {self.names.of(e[0])} -> {self.names.of(e[1])}: "
                    f"no reason is given, or it is none, or it takes more than 2^{MOST_BITS} headers to check"
                )
            for before in sorted(back.get(q, ())):
                if before not in path:
                    more = self._turn(d, before, q[0], family)
                    todo.append((before, way | {*more}, more, path | {before}))

    def _for_all(self, some: Iterable[tuple[tuple[Turn, ...], Reason]], family: int) -> bool:
        """Is one of the reasons for every RoCE header? Raises Refused where it does not hold."""
        for turns, reason in some:
            if reason.proof != "pairs":
                if (family, turns, reason) not in self._held:
                    self._hold(turns, family, reason)
                    self._held[family, turns, reason] = None
                return True
        return False

    def _hold(self, turns: Sequence[Turn], family: int, reason: Reason) -> None:
        if self._mixed:
            raise Refused("some hosts have no address of the family whose hashes it speaks of")
        asks = [self._asks(turn, family) for turn in turns]
        flat = [ask for some in asks for ask in some]
        if reason.proof == "same":
            holds = differ(flat)
        elif reason.proof == "combination":
            holds = adds_up(asks, family, self.sport, reason.combination)
        else:
            linear = [ask for ask in flat if ask.function.linear]
            free = free_bits(linear, family, self.sport)
            holds = reason.proof == "values" and none_makes(linear, any_header(family, self.sport), free)
        if not holds:
            raise Refused(f"the {reason.proof[:20]!r} that is to rule out packets at {self._where(turns)} does not")

    def _pair(self, turns: tuple[Turn, ...], family: int, source: Source, d: int, g: int) -> bool:
        """Whether no header that a sender may send to ``g`` makes all the turns."""
        receives = [to for to in self._addresses(d).get(g, []) if to.family == family]
        sends = self._sends(source.id, family)
        return bool(receives and sends) and all(self._none_for(turns, a, to) for a in sends for to in receives)

    def _none_for(self, turns: tuple[Turn, ...], a: HostAddress, to: HostAddress) -> bool:
        """Whether no header from one address to the other makes all of them."""
        key = turns, a, to
        if key not in self._tried:
            asks = [ask for turn in turns for ask in self._asks(turn, a.family)]
            h = any_header(a.family, self.sport, (a.high, a.low), (to.high, to.low))
            self._tried[key] = none_makes(asks, h, free_bits(asks, a.family, self.sport, a, to))
        return self._tried[key]

    def _addresses(self, d: int) -> dict[int, list[HostAddress]]:
        """By member: all addresses that it has in column ``d``."""
        return self._of_column.get(d, {})

    @cached_property
    def _of_column(self) -> dict[int, dict[int, list[HostAddress]]]:
        network, out = self.network, defaultdict[int, dict[int, list[HostAddress]]](dict)
        if isinstance(network.addresses, HostPrefixes):
            for family in (4, 6):
                for h, d, one in addresses_of_prefixes(network, network.addresses, family):
                    out[d].setdefault(h, []).append(one)
            return out
        for d in range(len(network.destinations)):
            if network.destinations.kind[d] == DestinationKind.HOST:
                out[d] = {h: [one] for h, one in addresses_in(network, d).items()}
        return out

    def _sends(self, h: int, family: int) -> list[HostAddress]:
        """The addresses that a host may send from."""
        return [one for one in self._own.get(h, ()) if one.family == family]

    @cached_property
    def _own(self) -> dict[int, list[HostAddress]]:
        out: dict[int, list[HostAddress]] = {}
        for d in range(len(self.network.destinations)):
            if self.network.destinations.kind[d] == DestinationKind.HOST:
                for h, some in self._addresses(d).items():
                    out[h] = list(dict.fromkeys((*out.get(h, []), *some)))
        return out

    @cached_property
    def _mixed(self) -> bool:
        if isinstance(self.network.addresses, HostPrefixes):
            return False
        from pauseproof.hashing.addresses import main_family

        return bool((host_addresses(self.network, main_family(self.network)).family == 0).any())

    def reasons(self, because: Sequence[Because]) -> Reasons:
        """The reasons, with their turns by number. Raises Refused for names that this fabric does not have."""
        return Reasons((one.family, tuple(map(self._named, one.turns)), Reason(one.proof, one.combination)) for one in because)

    def _named(self, turn: tuple[str, str, tuple[str, ...], str, int]) -> Turn:
        switch, came_in, group, out, number = turn
        s = self.names.source(switch)
        fabric = self.network.fabric
        ports = {fabric.port_name(s.id, p): p for p in range(int(fabric.node_ports[s.id]) + 1)} if s.kind == "switch" else {}
        if not {out, *group} <= ports.keys() or came_in not in (*ports, ""):
            raise Refused(f"a turn at {switch[:100]} names ports that it does not have")
        links = tuple(int(fabric.out_link[s.id, ports[port]]) for port in group)
        came_by = int(fabric.in_link[s.id, ports[came_in]]) if came_in else -1
        return Turn(s.id, came_by, links, int(fabric.out_link[s.id, ports[out]]), number)

    @property
    def sport(self) -> int:
        """The one source port of all traffic, -1 where it is any."""
        return self.network.hashes.sport

    def _where(self, turns: Sequence[Turn]) -> str:
        return ", ".join(dict.fromkeys(self.network.fabric.node_name[turn.s] for turn in turns))


def _backwards(walk: ColumnWalk) -> dict[State, set[State]]:
    out: dict[State, set[State]] = {}
    for q, choices in walk.choices.items():
        for choice in choices:
            for q2 in choice:
                out.setdefault(q2, set()).add(q)
    return out
