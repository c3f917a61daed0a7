"""The load of flows whose headers are known, over hashes that are known: exact, flow by flow, in blocks.

A flow is followed hash by hash as long as some hash lies ahead of it. From where none does (a *settled* state: on a Clos the
top of its path) all flows to one receiver go the same ways, so there its bytes join the demand that is spread as tables say
(:mod:`pauseproof.loads.spread`). Flows that divide before a hash, or may go round, take the slow road of
:mod:`pauseproof.loads.walks`.

Notation: ``f`` a flow of a block, ``x`` a choice, ``s`` a switch, ``d`` a column.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.demand import Gathering
from pauseproof.loads.flows import Flows
from pauseproof.loads.hashed import NO_LAW, Hashing
from pauseproof.loads.next_hops import NO_COLUMN, NextHops
from pauseproof.loads.spread import MOVING, Spread, spread
from pauseproof.loads.walks import Walked, divided, walk
from pauseproof.routing.tables import ChoiceKind

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]
CELLS = 1 << 22  # of the table of settled states; larger fabrics have their flows followed to the end
BLOCK = 1 << 17  # flows at a time, so that their columns stay in the cache


class Committing:
    """Adds up the load of blocks: what is committed by a hash in ``load``, everything else in ``gathering``."""

    def __init__(self, hashing: Hashing, phases: int) -> None:
        self.hashing = hashing
        self.hops = hashing.committed
        self.gathering = Gathering(hashing.hops, phases)
        self.load = Spread.nothing(phases, self.hops.fabric.n_links)
        self.settled_states = settled_states(self.hops, hashing.law)
        self.committed = np.zeros(phases)

    def add(self, flows: Flows) -> None:
        """Add a block; ``flows.phase`` is below ``phases``."""
        fabric = self.hops.fabric
        first = fabric.link_dst[fabric.host_up[flows.src]]
        on = (fabric.host_node[flows.src] != fabric.host_node[flows.dst]) & (first < fabric.n_switches)
        on &= self.hashing.knows(flows) & (self.hops.first_column[flows.dst] != NO_COLUMN)
        if not self.hashing.any_known or not on.any():
            self.gathering.add(flows)
            return
        if not on.all():
            self.gathering.add(flows[~on])
            flows = flows[on]
        odd = self._follow(flows)
        if odd.any():
            self._walk(flows[odd])

    def total(self) -> Spread:
        """All that was added: what is committed, and the rest spread as tables say."""
        out = spread(self.hashing.hops, self.gathering.demand())
        out.add(self.load, 0)
        return out

    def _follow(self, flows: Flows) -> Bools:
        """Add the load of the flows that go from hash to hash; returns which do not: they divide before one, or do not end."""
        way = _Way(self.hashing, self.hops, self.settled_states, flows)
        way.go()
        keep = None if not way.odd.any() else ~way.odd
        first, last = int(flows.phase.min()), int(flows.phase.max())
        for rows, link in way.taken:
            rows, link = (rows, link) if keep is None else (rows[keep[rows]], link[keep[rows]])
            self._count(flows, rows, link, first, last)
        for rows, s in way.handed:
            rows, s = (rows, s) if keep is None else (rows[keep[rows]], s[keep[rows]])
            self.gathering.enter(flows.phase[rows], flows.dst[rows], s, flows.bytes[rows])
        for ends, parts in ((self.load.arrived, way.arrived), (self.load.lost, way.lost)):
            for rows in parts:
                rows = rows if keep is None else rows[keep[rows]]
                ends += np.bincount(flows.phase[rows], flows.bytes[rows], len(ends))
        amount = flows.bytes if keep is None else np.where(keep, flows.bytes, 0.0)
        self.committed += np.bincount(flows.phase, amount, len(self.committed))
        return way.odd

    def _count(self, flows: Flows, rows: I64, link: Ids, first: int, last: int) -> None:
        links = self.hops.fabric.n_links
        at = link if first == last else (flows.phase[rows] - first).astype(np.int64) * links + link
        size = (last - first + 1) * links
        self.load.bytes[first : last + 1] += np.bincount(at, flows.bytes[rows], size).reshape(-1, links)

    def _walk(self, flows: Flows) -> None:
        """The slow road, for the few."""
        walked = walk(self.hops, flows.src, flows.dst, self.hashing.pick(flows))
        phases, links = self.load.bytes.shape
        at = flows.phase[walked.flow].astype(np.int64) * links + walked.link
        amount = walked.part * flows.bytes[walked.flow]
        self.load.bytes[:] += np.bincount(at, amount, phases * links).reshape(phases, links)
        self.committed += np.bincount(flows.phase, flows.bytes, phases)
        looping = walked.looping.astype(np.float64)
        ends = {"arrived": walked.arrived, "lost": walked.lost, "unknown": walked.unknown, "looping": looping}
        for name, part in ends.items():
            getattr(self.load, name)[:] += np.bincount(flows.phase, flows.bytes * part, phases)


class _Way:
    """Where the flows of one block go: ``taken`` lists (rows, link) of every hop, ``handed`` the (rows, switch) of settled
    states, ``arrived`` and ``lost`` rows.
    """

    def __init__(self, hashing: Hashing, hops: NextHops, settled: Bools, flows: Flows) -> None:
        self.hashing, self.hops, self.settled, self.flows = hashing, hops, settled, flows
        self.odd = np.zeros(len(flows), np.bool_)
        self.taken: list[tuple[I64, Ids]] = []
        self.handed: list[tuple[I64, I64]] = []
        self.arrived: list[I64] = []
        self.lost: list[I64] = []

    def go(self) -> None:
        """Hop after hop until every flow is settled, at a host, or odd."""
        fabric, hops = self.hops.fabric, self.hops
        rows, came_by = np.arange(len(self.flows)), fabric.host_up[self.flows.src]
        d = hops.first_column[self.flows.dst]
        self.taken.append((rows, came_by))
        flows = self.flows
        for _ in range(fabric.n_switches * hops.ways + 1):
            s = fabric.link_dst[came_by]
            on = self._inside(rows, came_by, s)
            on &= ~self._settled(rows, s, d, on)
            if not on.all():
                rows, came_by, s, d, flows = rows[on], came_by[on], s[on], d[on], flows[on]
            if not len(rows):
                return
            x = hops.choice(s, d)
            link, on = self._links(x, flows, came_by)
            if not on.all():
                self.odd[rows[~on]] = True
                rows, link, d, x, flows = rows[on], link[on], d[on], x[on], flows[on]
            self.taken.append((rows, link))
            came_by = link
            if hops.ways > 1:
                d = np.where(hops.onward_of[x] > 0, np.append(hops.onward, 0)[hops.onward_of[x] - 1], d)
        self.odd[rows] = True

    def _inside(self, rows: I64, came_by: Ids, s: Ids) -> Bools:
        """Which flows are at switches; those at hosts have ended."""
        on = s < self.hops.fabric.n_switches
        if not on.all():
            at = rows[~on]
            receiver = self.flows.dst[at].astype(np.int64)
            host = self.hops.fabric.host_of_link[came_by[~on]]
            takes = self.hops.takes(self.hops.first_column[receiver], receiver, host)
            self.arrived.append(at[takes])
            self.lost.append(at[~takes])
        return on

    def _settled(self, rows: I64, s: Ids, d: I64, on: Bools) -> Bools:
        if not self.settled.size:
            return np.zeros(len(rows), np.bool_)
        settled = self.settled[np.where(on, s, 0), d] & on
        if settled.any():
            self.handed.append((rows[settled], s[settled].astype(np.int64)))
        return settled

    def _links(self, x: NDArray[np.int32], flows: Flows, came_by: Ids) -> tuple[Ids, Bools]:
        """(the link that each flow takes, whether it takes one alone)."""
        hops = self.hops
        hashed = self.hashing.law[x] != NO_LAW
        if hashed.all():
            return self.hashing.take(x, flows, came_by), hashed
        kind = hops.table.kind[x]
        alone = (hops.ptr[x + 1] - hops.ptr[x] == 1) & ((kind == ChoiceKind.HASHED) | (kind == ChoiceKind.ADAPTIVE))
        link = hops.link[np.where(alone, hops.ptr[x], 0)]
        if hashed.any():
            link[hashed] = self.hashing.take(x[hashed], flows[hashed], came_by[hashed])
        return link, alone | hashed


def settled_states(hops: NextHops, law: NDArray[np.int16]) -> Bools:
    """[S, D]: at which switches, for which columns, no hash lies ahead that is known, and nothing that goes round.

    The least such set, from the ends backwards. Empty, [0, 0], where the table would be too large.
    """
    s, d = hops.table.value.shape
    if s * d > CELLS:
        return np.zeros((0, 0), np.bool_)
    state = np.arange(s * d)
    x = hops.choice(*np.divmod(state, d))
    moves = np.isin(hops.table.kind[x], MOVING)
    out = ~moves
    open_ = state[moves & (law[x] == NO_LAW)]
    i, link, _ = hops.expand(x[open_])
    to = hops.fabric.link_dst[link].astype(np.int64)
    onward = hops.onward_of[x[open_]]
    column = open_ % d if hops.ways == 1 else np.where(onward > 0, np.append(hops.onward, 0)[onward - 1], open_ % d)
    inner = (to < s) & (hops.table.kind[x[open_]][i] != ChoiceKind.DELIVER)
    i, after = i[inner], (to * d + column[i])[inner]
    while True:
        waits = np.zeros(len(open_), np.bool_)
        waits[i[~out[after]]] = True
        if (out[open_] == ~waits).all():
            return out.reshape(s, d)
        out[open_] = ~waits


def walked_flows(hashing: Hashing, flows: Flows) -> Iterator[tuple[I64, Walked]]:
    """(rows, how they go): flows whose headers are known by their hashes, the others divided at every group."""
    known = hashing.knows(flows) if hashing.any_known else np.zeros(len(flows), np.bool_)
    for rows, hops in ((np.flatnonzero(known), hashing.committed), (np.flatnonzero(~known), divided(hashing.hops))):
        if len(rows):
            some = flows[rows]
            yield rows, walk(hops, some.src, some.dst, hashing.pick(some))
