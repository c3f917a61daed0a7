"""Members of groups that no packet can reach: earlier hashes have sent every packet elsewhere that would pick them.

Packets *arrive* at a group from the hosts of one first switch, for some columns, after earlier hashes picked certain members.
Where all these hashes are linear, what they say together is ``A[source] ^ B[destination] ^ C x ^ constant`` for free header
bits ``x``; modulo the span of C few values are left, so that all hosts and all free bits are taken into account exactly, and
no packet is enumerated. Bits of addresses that were not read, and ports by which packets enter, count as free. Where some hash
is not linear, random packets are tried, and a member that none of them reached is *unseen*.

Nothing is said of groups that other packets may come to: those that are dropped further on or go round, copies, packets in
tunnels, of switches, past rows that were not read, or with addresses that are not known or of the other family.

Notation: ``s`` a switch, ``e`` a first switch, ``T`` the hashes that packets meet up to a group, the group's own last. An *end*
is a host with one of its addresses.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.addresses import AddressBook, endpoints
from pauseproof.hashing.chains import GOES_ROUND, Chains, first_switches
from pauseproof.hashing.combinations import LABEL_MASK, PORT_BASE, PORT_MASK, QP_MASK
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.gf2 import free_bits
from pauseproof.hashing.headers import BITS, Headers, roce
from pauseproof.hashing.linear import LinearHash
from pauseproof.routing.groups import Links
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.tables import ChoiceKind
from pauseproof.routing.traffic import Traffic

U64 = NDArray[np.uint64]
Columns = NDArray[np.intp]
MOST_ARRIVALS = 200_000
OF_LINKS = ("in_port", "vlan")  # columns that may be others at each switch
DRAWS = 1 << 12  # random packets for each arrival, where hashes are not linear


class Pick(NamedTuple):
    """One hash, and the member it picked."""

    stage: Stage
    member: int


class Arrival(NamedTuple):
    """Packets of the hosts at ``first`` for ``columns`` that come to a group after these ``picks``."""

    first: int
    picks: tuple[Pick, ...]
    columns: Columns


@dataclass(frozen=True)
class Unreached:
    """``link`` of the group that ``decision`` picks from, which no packet takes; or none of many random ones (``unseen``)."""

    decision: Decision
    link: int
    unseen: bool


class TooMany(ValueError):
    """There are too many ways to a group to look at them all."""


Arrivals = dict[Decision, list[Arrival]]


def arrivals(chains: Chains, traffic: Traffic) -> Arrivals:
    """How packets come to each group. Raises TooMany."""
    out: Arrivals = defaultdict(list)
    seen = 0
    for e in first_switches(chains.network, traffic):
        todo: list[tuple[int, tuple[Pick, ...], Columns]] = [(e, (), np.flatnonzero(chains.on))]
        while todo:
            s, picks, columns = todo.pop()
            for decision, links, some in _hashed(chains, s, columns):
                seen += 1
                if seen > MOST_ARRIVALS:
                    raise TooMany(f"there are more than {MOST_ARRIVALS:,} ways from hosts to groups")
                if decision is not None:
                    out[decision].append(Arrival(e, picks, some))
                for link in links:
                    to = int(chains.network.fabric.link_dst[link])
                    if to < chains.network.fabric.n_switches:
                        todo.append((to, (*picks, *_picks(decision, link)), some))
    return out


def _hashed(chains: Chains, s: int, columns: Columns) -> Iterator[tuple[Decision | None, Links, Columns]]:
    """The entries of ``s`` for those columns whose packets still meet a hash: (decision, links, columns as they go on)."""
    columns = columns[chains.decides(s, columns)]
    values = chains.table.value[s, columns]
    for v in np.unique(values).tolist():
        some = columns[values == v]
        route = chains.table.choice(int(chains.table.choice_of[s, v]))
        links = tuple(dict.fromkeys(route.links))
        decision = chains.hashes.of_route(s, route, links) if len(links) > 1 else None
        onward = some if route.column < 0 else np.array([route.column])
        yield decision, links, onward


def _picks(decision: Decision | None, link: int) -> tuple[Pick, ...]:
    """What was picked by a packet that takes ``link``; hashes that are not known say nothing."""
    if decision is None or decision.grouping.unclear:
        return ()
    for m, (member, lag) in enumerate(zip(decision.grouping.members, decision.lags, strict=True)):
        if link in member.links:
            picks = [Pick(decision.ecmp, m)] if decision.ecmp is not None and decision.ecmp.known else []
            picks += [Pick(lag, member.links.index(link))] if lag is not None and lag.known else []
            return tuple(picks)
    return ()


def unreached(chains: Chains, traffic: Traffic) -> list[Unreached]:
    """Every member that no packet reaches, or none was seen to; by switch, group and link. Raises TooMany."""
    space = Space(chains, traffic)
    others, out = space.others(), []
    for decision, found in sorted(arrivals(chains, traffic).items(), key=lambda one: (one[0].switch, one[0].group)):
        if decision in others or not decision.known or any(stage.selection.kind == "buckets" for stage in decision.stages):
            continue  # members without buckets are told elsewhere
        reached, unseen = set[int](), False
        for arrival in found:
            here, exact = space.links(decision, arrival)
            reached |= here
            unseen = unseen or not exact
            if len(reached) == len(decision.group):
                break
        out += [Unreached(decision, link, unseen) for link in decision.group if link not in reached]
    return out


@dataclass
class Space:
    """What the headers of the traffic's packets can be."""

    chains: Chains
    traffic: Traffic
    _joint: dict[tuple[Stage, ...], "Joint"] = field(default_factory=dict)
    _members_of: dict[bytes, NDArray[np.intp]] = field(default_factory=dict)  # kept, so that an id stays that of one array
    _distinct: dict[tuple[int, int], U64] = field(default_factory=dict)
    _last: dict[tuple[tuple[Stage, ...], tuple[int, ...], bytes, bytes], set[int]] = field(default_factory=dict)

    @cached_property
    def family(self) -> int:
        """The address family."""
        return self.chains.hashes.family

    @cached_property
    def _endpoints(self) -> tuple[NDArray[np.intp], AddressBook]:
        return endpoints(self.chains.network, self.family)

    @property
    def host(self) -> NDArray[np.intp]:
        """The host of each end."""
        return self._endpoints[0]

    @property
    def book(self) -> AddressBook:
        """The ends' addresses."""
        return self._endpoints[1]

    @cached_property
    def at_first(self) -> dict[int, NDArray[np.intp]]:
        """First switch -> ends that send there and have an address."""
        fabric = self.chains.network.fabric
        at = fabric.link_dst[fabric.host_up][self.host]
        sends = self.traffic.host_sends[self.host] & (self.book.family == self.family)
        return {e: np.flatnonzero(sends & (at == e)) for e in first_switches(self.chains.network, self.traffic)}

    @cached_property
    def _receives(self) -> NDArray[np.bool_]:
        receives: NDArray[np.bool_] = self.traffic.host_receives[self.host] & (self.book.family == self.family)
        return receives

    def others(self) -> set[Decision]:
        """The groups that packets may come to which are not those of the arrivals."""
        odd, chains, out = self._odd(), self.chains, set[Decision]()
        for s in range(chains.network.fabric.n_switches):
            columns = np.flatnonzero(chains.on)
            told = chains.decides(s, columns) & ~odd[columns]
            some = columns[~told]
            for v in np.unique(chains.table.value[s, some]).tolist():
                route = chains.table.choice(int(chains.table.choice_of[s, v]))
                links = tuple(dict.fromkeys(route.links))
                if len(links) > 1:
                    out.add(chains.hashes.of_route(s, route, links))
        return out

    def _odd(self) -> NDArray[np.bool_]:
        """[D]: columns for packets that are not all from one of the ends to another, as their senders made them."""
        network, table = self.chains.network, self.chains.table
        odd = np.zeros(len(self.chains.on), np.bool_)
        if isinstance(network.addresses, HostPrefixes):
            prefixes = network.addresses
            for d in np.flatnonzero(self.chains.on).tolist():
                odd[d] = prefixes.families(d) != {self.family}
        elif (self.book.family != self.family).any():
            odd[:] = True
        if self.traffic.switch_sends.any():
            odd[:] = True
        strange = np.isin(table.kind, (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST))
        if table.rewrite is not None:
            odd[table.rewrite[table.rewrite >= 0]] = True
            strange |= table.rewrite >= 0
        for s in range(len(table.value)):
            odd |= strange[table.choice_of[s, table.value[s]]]
            odd |= self.chains.after[s] == GOES_ROUND
        return odd

    def receivers(self, columns: Columns) -> NDArray[np.intp]:
        """The ends of columns, each once."""
        key = columns.tobytes()
        if key not in self._members_of:
            self._members_of[key] = self._receivers(columns)
        return self._members_of[key]

    def _receivers(self, columns: Columns) -> NDArray[np.intp]:
        destinations = self.chains.network.destinations
        if isinstance(self.chains.network.addresses, HostPrefixes):
            return np.flatnonzero(self._receives & np.isin(self.book.column, columns))
        members = [destinations.member[destinations.member_ptr[d] : destinations.member_ptr[d + 1]] for d in columns.tolist()]
        some = np.unique(np.concatenate([np.zeros(0, np.int32), *members])).astype(np.intp)
        return some[self._receives[some]]

    def headers(self, source: NDArray[np.intp], destination: NDArray[np.intp], sport: U64, qp: U64 | int = 0) -> Headers:
        """Packets from ends to ends."""
        book = self.book
        sip, dip = ((book.high[of], book.low[of]) for of in (source, destination))
        return roce(self.family, sip, dip, sport, qp=qp)

    def links(self, decision: Decision, arrival: Arrival) -> tuple[set[int], bool]:
        """The links that packets of an arrival can take, and whether no others can be."""
        if not all(stage.rows for stage in (*(pick.stage for pick in arrival.picks), *decision.stages)):
            return self._tried(decision, arrival), False
        out: set[int] = set()
        for m, (member, lag) in enumerate(zip(decision.grouping.members, decision.lags, strict=True)):
            picks = arrival.picks
            if decision.ecmp is not None:
                if m not in self._members(picks, decision.ecmp, arrival):
                    continue
                picks = (*picks, Pick(decision.ecmp, m))
            cables = range(1) if lag is None else self._members(picks, lag, arrival)
            out |= {member.links[c] for c in cables}
        return out, True

    def _members(self, picks: tuple[Pick, ...], stage: Stage, arrival: Arrival) -> set[int]:
        """Which members ``stage`` can pick after ``picks``."""
        stages = (*(pick.stage for pick in picks), stage)
        if stages not in self._joint:
            self._joint[stages] = Joint.of(self, stages)
        joint, before = self._joint[stages], tuple(pick.member for pick in picks)
        sources = self._ends(joint.sources, self.at_first[arrival.first])
        destinations = self._ends(joint.destinations, self.receivers(arrival.columns))
        key = stages, before, sources.tobytes(), destinations.tobytes()
        if key not in self._last:
            self._last[key] = joint.last(before, sources, destinations)
        return self._last[key]

    def _ends(self, of: U64, ends: NDArray[np.intp]) -> U64:
        """What these ends contribute, each value once."""
        key = id(of), id(ends)
        if key not in self._distinct:
            self._distinct[key] = np.unique(of[ends])
        return self._distinct[key]

    def _tried(self, decision: Decision, arrival: Arrival) -> set[int]:
        """The links that some of many random packets take."""
        sources, destinations = self.at_first[arrival.first], self.receivers(arrival.columns)
        if not len(sources) or not len(destinations):
            return set()
        random = np.random.Generator(np.random.PCG64(arrival.first))
        sport = self.chains.network.hashes.sport
        ports = random.integers(PORT_BASE, 1 << 16, DRAWS, np.uint64) if sport < 0 else np.full(DRAWS, sport, np.uint64)
        source, destination = (random.choice(some, DRAWS) for some in (sources, destinations))
        h = self.headers(source, destination, ports, random.integers(0, QP_MASK + 1, DRAWS, np.uint64))
        came = np.ones(DRAWS, np.bool_)
        for pick in arrival.picks:
            came &= np.asarray(pick.stage.member(h) == pick.member)
        return set(np.unique(decision.links(h.rows(np.flatnonzero(came)))).tolist()) if came.any() else set()


@dataclass(frozen=True)
class Joint:
    """What linear hashes say together: a packed word, the last one's index in the low ``own`` bits.

    ``sources``, ``destinations`` [E]: what each end's address contributes, modulo the span of what free bits contribute,
    which has ``basis`` (reduced, by descending leading bit); ``constant`` is the rest.
    """

    own: int
    widths: tuple[int, ...]
    flips: tuple[int, ...]
    sources: U64
    destinations: U64
    constant: int
    basis: tuple[int, ...]

    @classmethod
    def of(cls, space: Space, stages: Sequence[Stage]) -> "Joint":
        """The hashes of packets in ``space``; all have rows."""
        pack = _Packing(stages, space.family)
        book, sport = space.book, space.chains.network.hashes.sport
        every = np.arange(len(book.family))
        fixed = space.headers(every[:1], every[:1], np.full(1, sport if sport >= 0 else PORT_BASE, np.uint64))
        h = space.headers(every, every, fixed.sport)
        basis = _reduced_basis(pack.of_bits(_free(book, sport, space.family)))
        return cls(
            pack.widths[-1],
            pack.widths,
            tuple(stage.selection.index_flip for stage in stages),
            _modulo(pack.contribution(h, ("sip_high", "sip_low")), basis),
            _modulo(pack.contribution(h, ("dip_high", "dip_low")), basis),
            pack.constant ^ int(pack.contribution(fixed, ("proto", "sport", "dport"))[0]),
            basis,
        )

    def last(self, before: Sequence[int], sources: U64, destinations: U64) -> set[int]:
        """What the last hash can pick where the earlier ones picked the members ``before``; ends by what they contribute."""
        target = 0
        for width, flip, member in zip(self.widths, self.flips, (*before, 0), strict=True):
            target = target << width | (member ^ flip)
        ends = np.unique(sources[:, None] ^ destinations[None, :])
        left = _modulo(ends ^ np.uint64(self.constant ^ target), self.basis)
        reached = np.unique(left[left >> np.uint64(self.own) == 0])
        for vector in self.basis:
            if not vector >> self.own:
                reached = np.concatenate((reached, reached ^ np.uint64(vector)))
        return {int(x) for x in np.unique(reached)}


class _Packing:
    """Packs the index bits of several hashes into one word, the first hash highest."""

    def __init__(self, stages: Sequence[Stage], family: int) -> None:
        rows = [stage.rows for stage in stages]
        self.hashes = [(LinearHash(row.function, family), row.bits) for row in rows if row is not None]
        self.widths = tuple(len(bits) for _, bits in self.hashes)

    def _packed(self, values: Sequence[U64]) -> U64:
        out = np.zeros(1, np.uint64)
        for value, (_, bits) in zip(values, self.hashes, strict=True):
            index = np.zeros(1, np.uint64)
            for i, bit in enumerate(bits):
                index = index | ((value >> np.uint64(bit) & np.uint64(1)) << np.uint64(i))
            out = out << np.uint64(len(bits)) | index
        return out

    @property
    def constant(self) -> int:
        """What the seeds come to."""
        return int(self._packed([np.full(1, of.constant, np.uint64) for of, _ in self.hashes])[0])

    def contribution(self, h: Headers, columns: Sequence[str]) -> U64:
        """What these columns contribute, one word a packet."""
        n = len(h)
        return np.broadcast_to(self._packed([of.contribution(h, columns) for of, _ in self.hashes]), (n,)).copy()

    def of_bits(self, masks: dict[str, int]) -> list[int]:
        """What each of these bits contributes alone: to all hashes, or to each alone where links differ in it."""
        out = []
        for column, bit in free_bits(masks):
            one = {name: np.full(1, 1 << bit if name == column else 0, np.uint64) for name in BITS}
            h = Headers(self.hashes[0][0].family, **one)
            values = [of.contribution(h, (column,)) for of, _ in self.hashes]
            parts = [[v if i == j else v & np.uint64(0) for j, v in enumerate(values)] for i in range(len(values))]
            out += [int(self._packed(part)[0]) for part in (parts if column in OF_LINKS else [values])]
        return out


def _free(book: AddressBook, sport: int, family: int) -> dict[str, int]:
    """Bits that may be anything: of ports, queue pairs, flow labels, and of addresses that were not read."""
    width = int(book.free[book.family == family].max(initial=0))
    low, high = (1 << min(width, 64)) - 1, (1 << max(width - 64, 0)) - 1
    return {
        **{"sport": PORT_MASK if sport < 0 else 0, "qp": QP_MASK, "opcode": 0xFF, "in_port": 0xFFFF, "vlan": 0xFFF},
        **{"flow_label": LABEL_MASK, "sip_low": low, "sip_high": high, "dip_low": low, "dip_high": high},
    }


def _reduced_basis(vectors: Sequence[int]) -> tuple[int, ...]:
    """Independent vectors with the same span, by descending leading bit; no other vector has that bit."""
    basis: list[int] = []
    for vector in vectors:
        for other in basis:
            vector = min(vector, vector ^ other)
        if vector:
            basis = [min(other, other ^ vector) for other in basis]
            basis = sorted((*basis, vector), reverse=True)
    return tuple(basis)


def _modulo(x: U64, basis: Sequence[int]) -> U64:
    """The representative of each word modulo the span: no leading bit of the basis is set in it."""
    for vector in basis:
        x = np.minimum(x, x ^ np.uint64(vector))
    return x
