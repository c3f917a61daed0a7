"""Checks that no packet carries a dependency: by its own search for ways, and its own reckoning of hashes.

A certificate that leaves dependencies out names for each the *turns* that no packet takes: choices among several links, written
from the dependency back. Here every way to the dependency is followed back by the reference walker, and must begin with turns
that are named; and for these the reason given is reckoned again:

* ``same``: two turns ask one hash for two members;
* ``combination``: bits of hash values that add up to 0 for every RoCE header, and would have to add up to 1;
* ``values``: of all values that linear hashes can take together, none selects all the members;
* ``pairs``: for every sender and receiver of the way, by the rank of the equations, or header by header.

Hash functions, settings and addresses are those of ``hashing/``: they are what the words mean, as the readers are.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauseproof.deadlock.claim import Because, Names, Refused
from pauseproof.hashing.addresses import HostAddress, addresses_in, addresses_of_prefixes, host_addresses
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.gf2 import Bit, Form, all_bits, basis, form, rank
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.selection import Selection
from pauseproof.hashing.settings import FabricHashes
from pauseproof.routing.ask import Asked
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, Packets, Source, State
from pauseproof.routing.tables import ChoiceKind, DestinationKind, RowTable
from pauseproof.routing.walk import ColumnWalk, senders, targets, through_hosts, walk_column

Dependency = tuple[Buffer, Buffer]
MOST_BITS = 22  # of headers that are tried one by one
SPORT, SPORT_BITS = 0xC000, 14


class Turn(NamedTuple):
    """At switch ``s`` a packet that came by link ``came_by`` must leave by ``link`` of ``links``.

    ``came_by`` is -1 for any link, where no hash looks at it. ``number`` is that of the group, among those over these links.
    """

    s: int
    came_by: int
    links: tuple[int, ...]
    link: int
    number: int


class Ask(NamedTuple):
    """One hash value, of a packet that came in by a port, has to select one of some members."""

    function: HashFunction
    port: int
    selection: Selection
    wanted: tuple[int, ...]

    @property
    def bits(self) -> tuple[int, ...]:
        """The bits of a linear value that are the member's index, where they are."""
        plain = self.function.linear and len(self.wanted) == 1
        return (self.selection.index_bits or ()) if plain else ()


class Reason(NamedTuple):
    """Why no packet takes some turns; ``combination`` holds (turn, ask of the turn, bit)."""

    proof: str
    combination: tuple[tuple[int, int, int], ...]


Reasons = Mapping[tuple[int, tuple[Turn, ...]], Reason]  # by family of addresses, and turns


@dataclass
class Unroutable:
    """Checks dependencies one after the other; ``network`` is as it was before it was asked."""

    network: Network
    asked: Asked
    names: Names
    _hashes: dict[int, FabricHashes] = field(default_factory=dict)
    _walks: list[tuple[int, int, list[Source], ColumnWalk]] = field(default_factory=list)

    def check(self, e: Dependency, reasons: Reasons) -> None:
        """Raises Refused where some packet may carry ``e`` for all that the reasons say."""
        held = dict.fromkeys(reasons, False)
        for d, g, sources, walk in self.walks:
            back = _backwards(walk)
            for family in sorted({to.family for to in self._addresses(d).get(g, [])}) or [0]:
                for q, turns in self._ends(e, d, g, walk, family):
                    self._follow(e, q, turns, (d, g, sources, walk, family), back, reasons, held)

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
        held: dict[tuple[int, tuple[Turn, ...]], bool],
    ) -> None:
        """Every way back from ``q`` must come to turns that are refuted for all headers, or for its pairs."""
        d, g, sources, walk, family = of
        todo: list[tuple[State, tuple[Turn, ...], frozenset[State]]] = [(q, turns, frozenset({q}))]
        met = set[tuple[State, tuple[Turn, ...]]]()
        while todo:
            q, turns, path = todo.pop()
            if (q, turns) in met:
                continue
            met.add((q, turns))
            key = family, turns
            reason = reasons.get(key)
            if reason is not None and reason.proof != "pairs":
                if not held[key]:
                    self._for_all(turns, family, reason)
                    held[key] = True
                continue
            starts = [s for s in sources if any(q in choice for choice in walk.first[s].choices)]
            if starts and not (reason is not None and self._pairs(turns, family, starts, d, g)):
                raise Refused(
                    f"packets may carry {self.names.of(e[0])} -> {self.names.of(e[1])}: no reason is given, or it is none"
                )
            for before in sorted(back.get(q, ())):
                if before not in path:
                    todo.append((before, turns + self._turn(d, before, q[0], family), path | {before}))

    def _for_all(self, turns: Sequence[Turn], family: int, reason: Reason) -> None:
        """Does the reason hold for every RoCE header?"""
        if self._mixed:
            raise Refused("some hosts have no address of the family whose hashes it speaks of")
        asks = [self._asks(turn, family) for turn in turns]
        flat = [ask for some in asks for ask in some]
        if reason.proof == "same":
            holds = any(_one_hash(a, b) and not set(a.wanted) & set(b.wanted) for a in flat for b in flat)
        elif reason.proof == "combination":
            holds = _adds_up(asks, family, self.sport, reason.combination)
        else:
            holds = reason.proof == "values" and _no_values(
                flat, _any_header(family, self.sport), _free(flat, family, self.sport)
            )
        if not holds:
            raise Refused(f"the {reason.proof[:20]!r} that is to rule out packets at {self._where(turns)} does not")

    def _pairs(self, turns: Sequence[Turn], family: int, sources: Sequence[Source], d: int, g: int) -> bool:
        """Whether no header of these senders makes all the turns."""
        asks = [ask for turn in turns for ask in self._asks(turn, family)]
        receives = [to for to in self._addresses(d).get(g, []) if to.family == family]
        sends = [self._sends(source.id, family) for source in sources]
        pairs = ((a, to) for some in sends for a in some for to in receives)
        return bool(receives) and all(sends) and all(_none_for(asks, a, to, self.sport) for a, to in pairs)

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
        return {(one.family, tuple(map(self._named, one.turns))): Reason(one.proof, one.combination) for one in because}

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


def _one_hash(a: Ask, b: Ask) -> bool:
    port = "in-port" not in a.function.fields or a.port == b.port
    return a.function == b.function and a.selection == b.selection and port


def _any_header(family: int, sport: int) -> Headers:
    return roce(family, (0, 0), (0, 0), SPORT if sport < 0 else sport)


def _free(
    asks: Sequence[Ask], family: int, sport: int, source: HostAddress | None = None, to: HostAddress | None = None
) -> tuple[Bit, ...]:
    """The header bits that a sender may choose, of those that some function looks at: all of an address that is None."""
    seen = dict.fromkeys(bit for ask in asks for bit in all_bits(ask.function, family))
    low = {"sip": 128 if source is None else source.free, "dip": 128 if to is None else to.free}

    def may(column: str, bit: int) -> bool:
        if column in ("proto", "dport", "in_port"):
            return False
        if column == "sport":
            return sport < 0 and bit < SPORT_BITS
        if column == "flow_label":  # IPv4 has none
            return family == 6
        end, _, half = column.partition("_")
        return end not in low or bit + (64 if half == "high" else 0) < low[end]

    return tuple(bit for bit in seen if may(*bit))


def _form(ask: Ask, h: Headers, free: Sequence[Bit]) -> Form:
    return form(ask.function, h.at_port([ask.port]), free)


def _adds_up(asks: Sequence[Sequence[Ask]], family: int, sport: int, combination: Sequence[tuple[int, int, int]]) -> bool:
    """Is the sum of these bits 0 whatever the header, where the members that are asked for add up to 1?"""
    flat = [ask for some in asks for ask in some]
    free, row, odd = _free(flat, family, sport), 0, 0
    for turn, which, bit in combination:
        if not (0 <= turn < len(asks) and 0 <= which < len(asks[turn])):
            return False
        ask = asks[turn][which]
        if bit not in ask.bits:
            return False
        made = _form(ask, _any_header(family, sport), free)
        row ^= made.rows[bit]
        odd ^= (made.constant >> bit ^ ask.wanted[0] >> ask.bits.index(bit)) & 1
    return row == 0 and odd == 1


def _none_for(asks: Sequence[Ask], source: HostAddress, to: HostAddress, sport: int) -> bool:
    """Whether no header from one address to the other makes all of them."""
    h = roce(source.family, (source.high, source.low), (to.high, to.low), SPORT if sport < 0 else sport)
    free = _free(asks, source.family, sport, source, to)
    equations = [(_form(ask, h, free), ask) for ask in asks if ask.bits]
    rows = [made.rows[bit] for made, ask in equations for bit in ask.bits]
    odd = [(m.constant >> bit ^ ask.wanted[0] >> i) & 1 for m, ask in equations for i, bit in enumerate(ask.bits)]
    if rank(rows) < rank([row << 1 | one for row, one in zip(rows, odd, strict=True)]):
        return True
    return _no_values(asks, h, free)


def _no_values(asks: Sequence[Ask], h: Headers, free: Sequence[Bit]) -> bool:
    """Whether none of the headers makes them, tried one by one; of linear functions one header for each set of values."""
    vectors: Sequence[int] = [1 << j for j in range(len(free))]
    if all(ask.function.linear for ask in asks):
        forms = [_form(ask, h, free) for ask in asks]
        images = [sum((made.value(x) ^ made.constant) << 64 * i for i, made in enumerate(forms)) for x in vectors]
        vectors = [x for i, x in enumerate(vectors) if len(basis(images[: i + 1])) > len(basis(images[:i]))]
    if len(vectors) > MOST_BITS:
        raise Refused(f"headers with {len(vectors)} free bits are too many to be checked")
    columns: dict[str, Any] = {}
    for name, word in h.columns().items():
        mine = [sum(1 << bit for j, (column, bit) in enumerate(free) if column == name and x >> j & 1) for x in vectors]
        value = np.array([int(word[0]) & ~sum(1 << bit for column, bit in free if column == name)], np.uint64)
        for mask in mine:
            value = np.concatenate((value, value ^ np.uint64(mask)))
        columns[name] = value
    left = Headers(h.family, **columns)
    for ask in asks:
        value = ask.function.value(left.at_port([ask.port]))
        taken = np.flatnonzero(np.broadcast_to(np.isin(ask.selection.member(value), ask.wanted), len(left)))
        if not len(taken):
            return True
        left = left.rows(taken)
    return False
