"""Where one flow's packets go: the states that they visit, with every hashed choice settled once for the whole flow.

It is found by the slow reference walk of the flow's pair (:mod:`pauseproof.routing.walk`). A choice that stays open until the
packet leaves is kept whole; of hashed members one is taken, such that the packets do what the witness says of them, and reach
their destination by the shortest way from there; of a multicast or flooded packet every copy is followed.

Notation: ``q`` a state (link, lane, label), ``b`` a buffer (link, lane).
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, LabelIn, Source, State
from pauseproof.routing.tables import ChoiceKind
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import ColumnWalk, walk_column

Choice = tuple[State, ...]
FAR = 1 << 30


class Dependency(NamedTuple):
    """A buffer of a witness, the buffers among which a packet in it may still choose, and that packet.

    ``member`` is None where packets are not for one host (a switch's own port, a multicast group).
    """

    buffer: Buffer
    choice: frozenset[Buffer]
    source: Source
    column: int
    member: int | None


@dataclass(frozen=True)
class Itinerary:
    """``after[q]``: the choice sets of a packet in ``q``, all of which it takes (one, but for copies); none where it ends.

    ``waits[q]``: the other lanes of an out-link whose pause stops it there too. ``first`` is its first state.
    """

    source: Source
    column: int
    member: int | None
    first: State
    after: Mapping[State, tuple[Choice, ...]]
    waits: Mapping[State, frozenset[Buffer]]

    @property
    def buffers(self) -> frozenset[Buffer]:
        """Where its packets can be."""
        return frozenset((l, v) for l, v, _ in self.after)


def itinerary(network: Network, traffic: Traffic, source: Source, column: int, member: int | None) -> Itinerary | None:
    """The shortest way of a pair; None where nothing can be sent."""
    return _Settling(network, traffic, source, column, member).settled({})


def witness_itinerary(network: Network, traffic: Traffic, wanted: Dependency) -> Itinerary | None:
    """A way on which the packet sits in the buffer of ``wanted`` and has its choice there; None where there is none."""
    settling = _Settling(network, traffic, wanted.source, wanted.column, wanted.member)
    chosen = settling.through(wanted.buffer, wanted.choice)
    return None if chosen is None else settling.settled(chosen)


def arriving(network: Network, traffic: Traffic, wanted: Dependency) -> Itinerary | None:
    """A way that ends in the buffer of ``wanted``; None where there is none."""
    settling = _Settling(network, traffic, wanted.source, wanted.column, wanted.member)
    chosen = settling.through(wanted.buffer, frozenset())
    return None if chosen is None else settling.settled(chosen)


def relayed(way: Itinerary, at: Buffer, onward: Itinerary) -> Itinerary:
    """``way``, whose packets end in the buffer ``at`` of a host that sends them on: from there they go ``onward``."""

    def there(q: State) -> State:
        """The same state, told from those before the relay by the column that it is in."""
        l, v, k = q
        return l, v, k if isinstance(k, LabelIn) else LabelIn(k, onward.column)

    after = {there(q): tuple(tuple(map(there, some)) for some in sets) for q, sets in onward.after.items()}
    ends = {q: ((there(onward.first),),) for q, sets in way.after.items() if q[:2] == at and not sets}
    waits = {there(q): some for q, some in onward.waits.items()}
    return replace(way, after={**after, **way.after, **ends}, waits={**waits, **way.waits})


class _Settling:
    """Settles the hashed choices of one pair."""

    def __init__(self, network: Network, traffic: Traffic, source: Source, column: int, member: int | None) -> None:
        self.network, self.pair = network, (source, column, member)
        self.walk: ColumnWalk = walk_column(network, traffic, [source], column, member)
        self.firsts = in_order(q for choice in self.walk.first[source].choices for q in choice)

    def through(self, buffer: Buffer, choice: frozenset[Buffer]) -> dict[State, Choice] | None:
        """What is chosen on a shortest way to a packet in ``buffer`` that has ``choice`` there (empty: that ends there)."""
        came: dict[State, tuple[State, Choice] | None] = dict.fromkeys(self.firsts)
        to_visit = deque(self.firsts)
        while to_visit:
            q = to_visit.popleft()
            if q[:2] == buffer and not choice and not self.walk.choices[q]:
                return _back(came, q)
            if q[:2] == buffer and (taken := self._held(q, choice)) is not None:
                return {q: taken, **_back(came, q)}
            for some in self._choices(q):
                for q2 in some:
                    if q2 not in came:
                        came[q2] = q, some
                        to_visit.append(q2)
        return None

    def _held(self, q: State, choice: frozenset[Buffer]) -> Choice | None:
        """The choice set of ``q`` whose buffers are ``choice``, or which waits for it all the same."""
        for some in self._choices(q):
            if frozenset(q2[:2] for q2 in some) == choice:
                return some
        coupled = choice & self.walk.waits[q]
        links = {l for l, _ in coupled}
        return next((some for some in self._choices(q) if {l for l, _, _ in some} & links), None)

    def _choices(self, q: State) -> list[Choice]:
        return sorted((tuple(in_order(some)) for some in self.walk.choices[q]), key=lambda some: [*map(_key, some)])

    def settled(self, chosen: dict[State, Choice]) -> Itinerary | None:
        """Every state that is left is settled towards the nearest end."""
        if not self.firsts:
            return None
        far = self._distances(chosen)
        on_the_way = [q for q in self.firsts if q in chosen]
        first = (on_the_way or [min(self.firsts, key=lambda q: (far.get(q, FAR), _key(q)))])[0]
        after: dict[State, tuple[Choice, ...]] = {}
        to_visit = [first]
        while to_visit:
            q = to_visit.pop()
            if q not in after:
                after[q] = self._taken(q, chosen, far)
                to_visit.extend(q2 for some in after[q] for q2 in some)
        source, column, member = self.pair
        return Itinerary(source, column, member, first, after, {q: self.walk.waits[q] for q in after})

    def _taken(self, q: State, chosen: dict[State, Choice], far: Mapping[State, int]) -> tuple[Choice, ...]:
        choices = self._choices(q)
        if self._copied(q):
            return tuple(choices)
        if q in chosen:
            return (chosen[q],)
        return (min(choices, key=lambda some: min(far.get(q2, FAR) for q2 in some)),) if choices else ()

    def _copied(self, q: State) -> bool:
        """Whether the switch that ``q`` arrives at sends a copy by every link."""
        switch = int(self.network.fabric.link_dst[q[0]])
        if switch >= self.network.fabric.n_switches:
            return False
        column = q[2].column if isinstance(q[2], LabelIn) else self.pair[1]
        return self.network.routes.route(switch, column).kind == ChoiceKind.MULTICAST

    def _distances(self, chosen: Mapping[State, Choice]) -> dict[State, int]:
        """Hops from each state to an end, by what is chosen already."""
        before: dict[State, list[State]] = {}
        ends = []
        for q in self.walk.choices:
            sets = [chosen[q]] if q in chosen else self._choices(q)
            if not sets:
                ends.append(q)
            for q2 in (q2 for some in sets for q2 in some):
                before.setdefault(q2, []).append(q)
        far = dict.fromkeys(ends, 0)
        to_visit = deque(ends)
        while to_visit:
            q2 = to_visit.popleft()
            for q in before.get(q2, ()):
                if q not in far:
                    far[q] = far[q2] + 1
                    to_visit.append(q)
        return far


def _back(came: Mapping[State, tuple[State, Choice] | None], q: State) -> dict[State, Choice]:
    chosen = {}
    while (step := came[q]) is not None:
        q, taken = step
        chosen[q] = taken
    return chosen


def in_order(states: Iterable[State]) -> list[State]:
    """By link, lane and label, each once."""
    return sorted(set(states), key=_key)


def _key(q: State) -> tuple[int, int, int, int]:
    l, v, k = q
    return l, v, int(k), k.column if isinstance(k, LabelIn) else -1
