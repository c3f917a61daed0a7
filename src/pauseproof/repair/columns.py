"""What packets of one column do, hop by hop, with the memberships that each hop rests on.

A *membership* is (link, column): the link is a next hop of its switch for the column, in an entry that may be changed.
Packets take a hop as long as its membership is there, whatever else changes; so a set of memberships that brings packets into
every buffer of a loop, each waiting for the next, closes that loop in every network that has them all. States are those of
the reference walker.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, LabelIn, Outcome, Source, State
from pauseproof.routing.tables import DestinationKind
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import ColumnWalk, can_be_waited_for, senders, walk_column

Membership = tuple[int, int]  # (link, column of the tables)
Memberships = frozenset[Membership]


class Hop(NamedTuple):
    """From a state to one that may follow, and the membership that it rests on, None where that cannot change."""

    after: State
    membership: Membership | None


@dataclass(frozen=True)
class ColumnFlow:
    """The packets of all senders for one column. ``commits``: no packet has a choice between buffers."""

    network: Network
    column: int
    walk: ColumnWalk
    movable: Callable[[int, int], bool]  # (switch, column)

    @cached_property
    def commits(self) -> bool:
        """Whether every choice set has one member, so that a loop of buffers is a stuck set."""
        every = [sets for step in self.walk.first.values() for sets in step.choices]
        every += [choice for sets in self.walk.choices.values() for choice in sets]
        return all(len(choice) == 1 for choice in every)

    @cached_property
    def first(self) -> tuple[State, ...]:
        """Where packets come to be sent."""
        found = {q for step in self.walk.first.values() for choice in step.choices for q in choice}
        return tuple(sorted(found, key=_by_number))

    @cached_property
    def hops(self) -> Mapping[State, tuple[Hop, ...]]:
        """What may follow each state."""
        return {q: tuple(self._hops(q, choices)) for q, choices in self.walk.choices.items()}

    def _hops(self, q: State, choices: frozenset[frozenset[State]]) -> Iterator[Hop]:
        s, d = int(self.network.fabric.link_dst[q[0]]), seen_as(q, self.column)
        may_change = s < self.network.fabric.n_switches and self.movable(s, d)
        for after in sorted((after for choice in choices for after in choice), key=_by_number):
            yield Hop(after, (after[0], d) if may_change else None)

    @cached_property
    def waits(self) -> tuple[tuple[Buffer, Buffer, State, Hop], ...]:
        """Every dependency between lossless buffers, with a state and a hop that make it."""
        lossy, network = self.network.lanes.lossy_lane, self.network
        return tuple(
            (q[:2], hop.after[:2], q, hop)
            for q, hops in self.hops.items()
            if q[1] != lossy
            for hop in hops
            if can_be_waited_for(network, frozenset({hop.after}))
        )

    def reach(self, without: frozenset[Membership] | set[Membership] = frozenset()) -> Mapping[State, tuple[State, Hop] | None]:
        """Every state that packets come to without these memberships, with the state and hop before it, nearest first."""
        return self.reach_from(self.first, without)

    def reach_from(
        self, first: Iterable[State], without: frozenset[Membership] | set[Membership] = frozenset()
    ) -> Mapping[State, tuple[State, Hop] | None]:
        """The same for packets that begin in these states."""
        met: dict[State, tuple[State, Hop] | None] = dict.fromkeys(first)
        waiting = deque(met)
        while waiting:
            q = waiting.popleft()
            for hop in self.hops[q]:
                if hop.after not in met and hop.membership not in without:
                    met[hop.after] = (q, hop)
                    waiting.append(hop.after)
        return met

    def failures(self, required: Iterable[Source]) -> Iterator[Memberships]:
        """For each of these senders some packet of whom does not arrive: memberships that suffice for that."""
        bad = {q for q, end in self.walk.ends.items() if end != Outcome.ROUTED}
        for source in required:
            step = self.walk.first[source]
            if step.ends != Outcome.ROUTED:
                yield frozenset()
            elif bad:
                reach = self.reach_from(q for choice in step.choices for q in choice)
                if met := next((q for q in reach if q in bad), None):
                    here = (hop.membership for hop in self.hops[met] if hop.membership)
                    yield frozenset((*path(reach, met), *here))


def path(reach: Mapping[State, tuple[State, Hop] | None], q: State) -> Memberships:
    """The memberships that bring packets to ``q``."""
    found = set[Membership]()
    at: State | None = q
    while at is not None:
        before = reach[at]
        if before and before[1].membership:
            found.add(before[1].membership)
        at = before and before[0]
    return frozenset(found)


def seen_as(q: State, column: int) -> int:
    """The column that the tables see of a packet of ``column``: another where it is in a tunnel."""
    return q[2].column if isinstance(q[2], LabelIn) else column


def _by_number(q: State) -> tuple[int, int, int, int]:
    return q[0], q[1], int(q[2]), seen_as(q, -1)


@dataclass(frozen=True)
class Flows:
    """Makes the flow of one column in any network with this fabric, lanes and traffic; one sender stands for all alike."""

    network: Network
    traffic: Traffic
    movable: Callable[[int, int], bool]

    @cached_property
    def _alike(self) -> list[list[Source]]:
        """Senders that differ only in the pairs of their own node, and in their label."""
        fabric, lanes = self.network.fabric, self.network.lanes
        groups = dict[tuple[int, ...], list[Source]]()
        for source in senders(self.network, self.traffic):
            key: tuple[int, ...] = (0, source.id)
            if source.kind == "host":
                host = fabric.host(source.id)
                into = fabric.link(host.up)
                port = 0 if lanes.turn_row is None else into.dst_port
                key = (1, into.dst, port, int(lanes.host_row[source.id]))
            groups.setdefault(key, []).append(source)
        return list(groups.values())

    def of(self, network: Network, column: int) -> ColumnFlow:
        """The flow of ``column`` in ``network``."""
        receive = self.traffic.host_receives
        member = next((g for g in self.network.destinations.members(column) if receive[g]), None)
        walk = walk_column(network, self.traffic, self.sources(column), column, member)
        return ColumnFlow(network, column, walk, self.movable)

    def sources(self, column: int) -> list[Source]:
        """Who sends to the column, one for all that are alike."""
        destinations, fabric, labels = self.network.destinations, self.network.fabric, self.traffic.labels
        if destinations.kind[column] == DestinationKind.SWITCH:
            nodes = {int(destinations.owner[column])}
        else:
            receive = self.traffic.host_receives
            nodes = {int(fabric.host_node[g]) for g in destinations.members(column) if receive[g]}
        out: list[Source] = []
        for group in self._alike:
            by_label = dict[int, Source]()
            for source in group:
                node = int(fabric.host_node[source.id]) if source.kind == "host" else source.id
                if nodes - {node}:
                    label = 0 if labels is None or source.kind == "switch" else int(labels[source.id, column])
                    by_label.setdefault(label, source)
            out += by_label.values()
        return out
