"""Realize: does some packet really carry a dependency, given how the switches hash?

For each dependency the ways to it are searched, and the draws of each way solved: a packet that makes them carries it; where
every way is refuted none does. What is not known (a setting, an address, more ways than can be looked at) never refutes: such
a dependency is *undecided*, and stays. The packets that come to light are RoCEv2 packets that can be typed into a traffic
generator; on a fabric without hashed choices they are the packets of the routes.

Notation: ``e`` a dependency, from a buffer to one that it waits for.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from pauseproof.deadlock.answers import Buffer
from pauseproof.deadlock.realize_bits import Draw, packet
from pauseproof.deadlock.realize_ends import Endpoints
from pauseproof.deadlock.realize_solve import Answer, Problem, Proof, Solved, for_all_headers
from pauseproof.deadlock.realize_tables import How, Tables
from pauseproof.deadlock.realize_ways import ANY_NODE, Dependency, Search, Turn, Way
from pauseproof.dependency.plan import I64
from pauseproof.hashing.headers import Headers
from pauseproof.routing.tables import ChoiceTable

NO_ADDRESSES = "packets of a switch, to a switch or along a tree have no addresses to hash"
TOO_MANY = "the headers that hosts may send are too many to try, or an address is not known"
TIME_UP = "the time was up"
MOST_STEPS = 1 << 16  # links looked at on the ways to one dependency


class Hashes(Protocol):
    """What is known of how the switches hash."""

    def draws(self, turn: Turn) -> tuple[Draw, ...] | None:
        """The draws that make a packet take ``turn``: none where any packet may, None where that is not known."""

    def by_port(self, switch: int) -> bool:
        """Whether the hashes of a switch look at the ingress port."""


class Flow(NamedTuple):
    """A packet: ``host`` sends it (-1: ``switch``) to ``member`` (-1: a switch or a tree) in ``column`` with ``label``;
    ``header`` is None where its addresses are not known and no hash asks for them. ``takes`` are the links of its way."""

    host: int
    switch: int
    column: int
    member: int
    label: int
    header: Headers | None
    takes: tuple[int, ...]


class Refutation(NamedTuple):
    """No packet of a family takes ``turns``, which are written from the dependency back; see :class:`Proof`.

    Only turns that some known hash decides are among them. ``combination`` holds (turn, draw of the turn, bit).
    """

    family: int
    turns: tuple[Turn, ...]
    proof: Proof
    combination: tuple[tuple[int, int, int], ...] = ()


class Decided(NamedTuple):
    """``routable`` with a ``flow``; not, with a refutation of the beginning of every way; None where undecided, and ``why``."""

    routable: bool | None
    flow: Flow | None = None
    refutations: tuple[Refutation, ...] = ()
    why: str = ""


class Clock:
    """A budget of seconds; None never ends."""

    def __init__(self, seconds: float | None, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._end = None if seconds is None else now() + seconds

    def late(self) -> bool:
        """Is the time up?"""
        return self._end is not None and self._now() > self._end


@dataclass
class Realizer:
    """Decides dependencies of one question, and remembers what it found on the way."""

    tables: Tables
    hashes: Hashes
    ends: Endpoints
    clock: Clock
    mixed: bool = False  # some hosts may have addresses of another family
    _draws: dict[Turn, tuple[Draw, ...] | None] = field(default_factory=dict)
    _universal: dict[tuple[Draw, ...], Solved | None] = field(default_factory=dict)
    _problems: dict[tuple[Draw, ...], Problem] = field(default_factory=dict)

    def decide(self, e: Dependency, through: tuple[Buffer, ...] = ()) -> Decided:
        """Does a packet carry ``e``, having come through these buffers, the last one first?"""
        refuted: dict[tuple[Turn, ...], Refutation] = {}
        doubts: list[str] = []
        search = Search(self.tables, lambda turns: self._refuted(turns, refuted, doubts), self.hashes.by_port, MOST_STEPS)
        for way in search.ways(e, through):
            if self.clock.late():
                return Decided(None, why=TIME_UP)
            flow, doubt = self._carry(way, e[1][0])
            if flow is not None and not doubt:
                return Decided(True, flow)
            if doubt:
                doubts.append(doubt)
            else:
                refuted[way.turns] = Refutation(self.ends.family, self._hashed(way.turns), Proof.PAIRS)
        if not search.complete:
            doubts.append(f"there are more ways to it than the {MOST_STEPS:,} links that were looked at")
        if doubts:
            return Decided(None, why=doubts[0])
        return Decided(False, refutations=tuple(dict.fromkeys(refuted[turns] for turns in sorted(refuted))))

    def draws(self, turn: Turn) -> tuple[Draw, ...] | None:
        """The draws of a turn; see :class:`Hashes`."""
        if turn not in self._draws:
            known = {How.OPEN: (), How.UNKNOWN: None}
            self._draws[turn] = known[turn.how] if turn.how in known else self.hashes.draws(turn)
        return self._draws[turn]

    def _known(self, turns: Sequence[Turn]) -> tuple[list[tuple[int, int]], tuple[Draw, ...], bool]:
        """(turn and draw within it) of every known draw, these draws, and whether all are known."""
        of, draws, whole = [], [], True
        for i, turn in enumerate(turns):
            some = self.draws(turn)
            whole = whole and some is not None
            for j, draw in enumerate(some or ()):
                of.append((i, j))
                draws.append(draw)
        return of, tuple(draws), whole

    def _refuted(self, turns: tuple[Turn, ...], refuted: dict[tuple[Turn, ...], Refutation], doubts: list[str]) -> bool:
        """No packet takes these turns; or some are not known, which is known already: then there is nothing to learn."""
        if self.clock.late():
            doubts.append(TIME_UP)
        of, draws, whole = self._known(turns)
        if doubts and not whole:
            return True
        if draws not in self._universal:
            self._universal[draws] = self._for_all(draws)
        found = self._universal[draws]
        if found is None or found.proof is None:
            return False
        hashed = self._hashed(turns)
        at = {i: n for n, i in enumerate(i for i, turn in enumerate(turns) if self.draws(turn))}
        terms = tuple((at[i], j, bit) for (i, j), bit in ((of[draw], bit) for draw, bit in found.combination))
        refuted[turns] = Refutation(self.ends.family, hashed, found.proof, terms)
        return True

    def _hashed(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Those that some known hash decides, each by its ingress port only where this very hash looks at it."""
        hashed = ((turn, self.draws(turn)) for turn in turns)
        by_port = [(turn, any("in-port" in draw.function.fields for draw in draws)) for turn, draws in hashed if draws]
        return tuple(turn if port else turn._replace(in_link=-1) for turn, port in by_port)

    def _for_all(self, draws: tuple[Draw, ...]) -> Solved | None:
        """Refuted for the packets of every family that there may be; None where they are not."""
        if self.mixed or not draws:
            return None
        families = [self.ends.family] if self.only_roce else [4, 6]
        found = [for_all_headers(draws, family, roce=self.only_roce, sport=self.ends.sport) for family in families]
        alike = len({one[2:] for one in found}) == 1 and found[0].answer is Answer.REFUTED
        return found[0] if alike else None

    @cached_property
    def only_roce(self) -> bool:
        """Whether all packets are RoCE packets between two hosts, as their senders made them: no trees, tunnels, switches."""
        routes, columns, traffic = self.tables.network.routes, self.tables.columns, self.tables.traffic
        tunnels = isinstance(routes, ChoiceTable) and routes.rewrite is not None
        return not (tunnels or columns.multicast.any() or traffic.switch_sends.any())

    def _carry(self, way: Way, last: int) -> tuple[Flow | None, str]:
        """A packet that takes ``way`` and then link ``last``; or why it is not known whether one does; or neither."""
        _, draws, whole = self._known(way.turns)
        unread = "" if whole else self._unread(way.turns)
        takes = (*way.lead, last)
        columns = self.tables.columns
        addressed = (columns.owner[way.columns] < 0) & ~columns.multicast[way.columns]
        flow, doubt = self._between_hosts(way, way.columns[addressed], draws, takes)
        if (flow is None or unread) and way.node == ANY_NODE and not addressed.all():
            if not draws and not unread:
                to = int(way.columns[~addressed][0])
                return Flow(way.hosts[0] if way.hosts else -1, way.switch, to, -1, way.label, None, takes), ""
            doubt = doubt or NO_ADDRESSES
        return flow, unread if flow is not None or (doubt and unread) else doubt

    def _between_hosts(
        self, way: Way, columns: I64, draws: tuple[Draw, ...], takes: tuple[int, ...]
    ) -> tuple[Flow | None, str]:
        """The same for a packet to a host, of the known draws alone."""
        column, member = self._members(columns, way.node)
        if not draws:
            return self._any_pair(way, column, member, takes), ""
        if not way.hosts or not len(member):
            return None, NO_ADDRESSES if len(member) else ""
        if draws not in self._problems:
            self._problems[draws] = Problem(draws, self.ends, self.clock.late)
        ends = self.ends
        solved, a, b = self._problems[draws].between(ends.sending(way.hosts), ends.receiving(column, member))
        if solved.answer is Answer.MADE:
            g = int(ends.host[b])
            d = int(ends.column[b]) if ends.column[b] >= 0 else int(column[member == g][0])
            return Flow(int(ends.host[a]), -1, d, g, way.label, solved.header, takes), ""
        doubtful = solved.answer is Answer.UNKNOWN or ends.unaddressed(way.hosts, column, member)
        return None, TOO_MANY if doubtful else ""

    def _members(self, columns: I64, node: int) -> tuple[I64, I64]:
        """(column, receiving member) of ``columns``, of one node alone where it is given."""
        column, member = self.tables.columns.members()
        kept = np.isin(column, columns)
        if node != ANY_NODE:
            kept &= self.tables.network.fabric.host_node[member] == node
        return column[kept], member[kept]

    def _any_pair(self, way: Way, column: I64, member: I64, takes: tuple[int, ...]) -> Flow | None:
        """A packet of a way on which nothing is hashed."""
        node = self.tables.network.fabric.host_node
        if not way.hosts:
            return Flow(-1, way.switch, int(column[0]), int(member[0]), way.label, None, takes) if len(member) else None
        for h in way.hosts:
            other = np.flatnonzero(node[member] != node[h])
            if len(other):
                d, g = int(column[other[0]]), int(member[other[0]])
                return Flow(h, -1, d, g, way.label, self._header(h, g, d), takes)
        return None

    def _header(self, h: int, g: int, d: int) -> Headers | None:
        ends = self.ends
        source, destination = ends.sending((h,)), ends.receiving(np.array([d]), np.array([g]))
        if not len(source) or not len(destination):
            return None
        return packet(ends.family, ends.of(int(source[0])), ends.of(int(destination[0])), ends.sport)

    def _unread(self, turns: Sequence[Turn]) -> str:
        switch = next(turn.switch for turn in turns if self.draws(turn) is None)
        return f"how {self.tables.network.fabric.node_name[switch]} picks one of its next hops is not known"
