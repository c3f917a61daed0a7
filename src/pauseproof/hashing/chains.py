"""The hashes that packets meet one after the other: every sequence of decisions on real paths from one host to another.

A *chain* is what a packet meets from its first switch to its last: hashes, each with what it picks from, at switches of one
tier. Which chains begin at a switch for a column follows from those that begin at the next switches, so they are found
backwards, from the members of each column on, for many columns at once; paths are never enumerated. A packet that is dropped,
or goes round for ever, has no chain.

Notation: ``s`` a switch, ``d`` a column, ``x`` a choice of the table, ``c`` a set of chains (its number).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.tiers import switch_tiers
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.settings import FabricHashes
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route, RowTable
from pauseproof.routing.traffic import Traffic

Ids = NDArray[np.int32]
MOST_CHAINS = 64  # that begin at one switch for one column; more are left out, and that is said
_NOT_YET, _NONE = -1, 0  # numbers of sets: not found yet, and the empty one
GOES_ROUND = _NOT_YET  # what is left so in the end


class Met(NamedTuple):
    """One hash that packets meet: ``stage`` at switches of ``tier``, 0 where hosts are. ``unclear`` says why the order of its
    members is not known, and is empty where it is.
    """

    stage: Stage
    tier: int
    unclear: str = ""

    @property
    def size(self) -> int:
        """How many it picks from."""
        return self.stage.selection.size

    @property
    def known(self) -> bool:
        """Is it known which member a packet takes?"""
        return self.stage.known and not self.unclear

    @property
    def linear(self) -> bool:
        """Are the bits of the index linear in header bits? Fields whose values are not known only add a constant to them."""
        return self.stage.rows is not None and not self.unclear


@dataclass(frozen=True)
class Chain:
    """``met`` in their order, by packets of ``pairs`` (first switch, column); ``switches`` of one such path, for ``column``."""

    met: tuple[Met, ...]
    pairs: int
    switches: tuple[int, ...]
    column: int


@dataclass
class Chains:
    """The chains of one network. ``table`` holds its routes as choices, ``after`` [S, D] the set of chains from there on.

    ``cut`` where a set had more than MOST_CHAINS.
    """

    network: Network
    hashes: FabricHashes
    table: ChoiceTable
    on: NDArray[np.bool_]
    after: Ids
    sets: list[frozenset[tuple[int, ...]]] = field(default_factory=lambda: [frozenset(), frozenset({()})])
    cut: bool = False
    _met: dict[Met, int] = field(default_factory=dict)
    _set: dict[frozenset[tuple[int, ...]], int] = field(default_factory=dict)
    _joined: dict[tuple[tuple[tuple[int, ...], int], ...], int] = field(default_factory=dict)

    @property
    def mets(self) -> list[Met]:
        """All links of chains, by number."""
        return list(self._met)

    def decides(self, s: int, columns: NDArray[np.intp]) -> NDArray[np.bool_]:
        """For which of these columns a packet at ``s`` still meets a hash."""
        some = np.array([any(chain for chain in chains) for chains in self.sets])
        here: NDArray[np.bool_] = some[self.after[s, columns]] & (self.after[s, columns] != _NOT_YET)
        return here

    def of_link(self, decision: Decision, link: int) -> tuple[int, ...]:
        """The numbers of the hashes by which a packet comes to take ``link``."""
        tier = int(self._tiers[decision.switch]) - 1
        met = [Met(decision.ecmp, tier, decision.grouping.unclear)] if decision.ecmp is not None else []
        for member, lag in zip(decision.grouping.members, decision.lags, strict=True):
            if link in member.links:
                met += [Met(lag, tier)] if lag is not None else []
                break
        return tuple(self._met.setdefault(one, len(self._met)) for one in met)

    def __post_init__(self) -> None:
        self._tiers = switch_tiers(self.network.fabric)
        self._set = {chains: i for i, chains in enumerate(self.sets)}

    def _number(self, chains: frozenset[tuple[int, ...]]) -> int:
        if chains not in self._set:
            self._set[chains] = len(self.sets)
            self.sets.append(chains)
        return self._set[chains]

    def join(self, parts: tuple[tuple[tuple[int, ...], int], ...]) -> int:
        """The set of chains that begin with each part's hashes and go on by its set."""
        if parts not in self._joined:
            chains = frozenset((*first, *rest) for first, c in parts for rest in self.sets[c])
            if len(chains) > MOST_CHAINS:
                self.cut = True
                chains = frozenset(sorted(chains, key=lambda chain: (-len(chain), chain))[:MOST_CHAINS])
            self._joined[parts] = self._number(chains)
        return self._joined[parts]

    def every(self, traffic: Traffic) -> Iterator[Chain]:
        """Each chain that some packet meets, the longest first."""
        firsts = first_switches(self.network, traffic)
        pairs: dict[tuple[int, ...], int] = {}
        example: dict[tuple[int, ...], tuple[int, int]] = {}
        for s in firsts:
            columns = np.flatnonzero(self.on & (self.after[s] > _NONE))
            met, first, count = np.unique(self.after[s, columns], return_index=True, return_counts=True)
            for c, at, n in zip(met.tolist(), first.tolist(), count.tolist(), strict=True):
                for chain in self.sets[c]:
                    pairs[chain] = pairs.get(chain, 0) + n
                    example.setdefault(chain, (s, int(columns[at])))
        mets = self.mets
        for chain in sorted(pairs, key=lambda chain: (-len(chain), chain)):
            if chain:
                s, d = example[chain]
                yield Chain(tuple(mets[i] for i in chain), pairs[chain], tuple(self._walk(s, d, chain)), d)

    def _walk(self, s: int, d: int, chain: tuple[int, ...]) -> Iterator[int]:
        """The switches of one path that meets the chain."""
        while s < self.network.fabric.n_switches:
            yield s
            x = int(self.table.choice_of[s, self.table.value[s, d]])
            route = self.table.choice(x)
            if route.kind is ChoiceKind.DELIVER:
                return
            d = d if route.column < 0 else route.column
            for first, link, to in self._parts(s, route):
                c = self._onward(link, to, d)
                if chain[: len(first)] == first and c > _NONE and chain[len(first) :] in self.sets[c]:
                    s, chain = to, chain[len(first) :]
                    break
            else:
                return

    def _parts(self, s: int, route: Route) -> list[tuple[tuple[int, ...], int, int]]:
        """(hashes, link, node at its end) of each link of an entry."""
        distinct = tuple(dict.fromkeys(route.links))
        ends = [int(self.network.fabric.link_dst[link]) for link in distinct]
        if len(distinct) < 2:
            return [((), link, to) for link, to in zip(distinct, ends, strict=True)]
        decision = self.hashes.of_route(s, route, distinct)
        return [(self.of_link(decision, link), link, to) for link, to in zip(distinct, ends, strict=True)]

    def _onward(self, link: int, to: int, d: int) -> int:
        if to < self.network.fabric.n_switches:
            return int(self.after[to, d])
        host = int(self.network.fabric.host_of_link[link])
        return 1 if host in self.network.destinations.members(d) else _NONE

    def settle(self, s: int, x: int, columns: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Find the chains from ``s`` by choice ``x`` for columns where those of the next switches are known. Which were?"""
        route = self.table.choice(x)
        if route.kind not in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, ChoiceKind.DELIVER):
            self.after[s, columns] = _NONE
            return np.ones(len(columns), np.bool_)
        parts = self._parts(s, route)
        if route.kind is ChoiceKind.DELIVER:
            self.after[s, columns] = self.join(tuple((first, 1) for first, _, _ in self._delivered(parts)))
            return np.ones(len(columns), np.bool_)
        onward = columns if route.column < 0 else np.full(len(columns), route.column)
        rows = np.empty((len(parts), len(columns)), np.int32)
        for i, (_, link, to) in enumerate(parts):
            inside = to < self.network.fabric.n_switches
            rows[i] = self.after[to, onward] if inside else [self._onward(link, to, d) for d in onward.tolist()]
        ready: NDArray[np.bool_] = (rows != _NOT_YET).all(axis=0)
        if len(parts) == 1 and not parts[0][0]:
            self.after[s, columns[ready]] = rows[0, ready]  # nothing is picked here
            return ready
        kinds, which = np.unique(rows[:, ready], axis=1, return_inverse=True)
        firsts = [first for first, _, _ in parts]
        numbers = [self.join(tuple(zip(firsts, kind, strict=True))) for kind in kinds.T.tolist()]
        self.after[s, columns[ready]] = np.array(numbers, np.int32)[which.reshape(-1)]
        return ready

    def _delivered(self, parts: list[tuple[tuple[int, ...], int, int]]) -> list[tuple[tuple[int, ...], int, int]]:
        """A bond's ports are picked from by hash; hosts of a column each get what is for them."""
        nodes = {to for _, _, to in parts}
        return parts if len(nodes) == 1 else [((), link, to) for _, link, to in parts]


def chains_of(network: Network, hashes: FabricHashes, traffic: Traffic) -> Chains:
    """All chains of the traffic's columns."""
    routes = network.routes
    table = choice_table_from_rows(routes) if isinstance(routes, RowTable) else routes
    assert isinstance(table, ChoiceTable)
    on = np.asarray(traffic.destination_on & (network.destinations.kind == DestinationKind.HOST))
    found = Chains(network, hashes, table, on, np.full(table.value.shape, _NOT_YET, np.int32))
    open_ = [(s, *entry) for s in range(network.fabric.n_switches) for entry in _entries(table, s)]
    while open_:
        left, before = [], sum(len(columns) for _, _, columns in open_)
        for s, x, columns in open_:
            ready = found.settle(s, x, columns)
            if not ready.all():
                left.append((s, x, columns[~ready]))
        if sum(len(columns) for _, _, columns in left) == before:
            break  # what is left goes round for ever
        open_ = left
    return found


def _entries(table: ChoiceTable, s: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each choice of a switch with the columns that it holds for."""
    order = np.argsort(table.value[s], kind="stable")
    values, first = np.unique(table.value[s][order], return_index=True)
    for v, begin, end in zip(values.tolist(), first.tolist(), [*first[1:].tolist(), len(order)], strict=False):
        yield int(table.choice_of[s, v]), np.sort(order[begin:end])


def first_switches(network: Network, traffic: Traffic) -> list[int]:
    """The switches that a host which sends is cabled to, ascending."""
    at = network.fabric.link_dst[network.fabric.host_up[traffic.host_sends]]
    return [int(s) for s in np.unique(at) if s < network.fabric.n_switches]
