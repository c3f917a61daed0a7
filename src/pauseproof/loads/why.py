"""Why a link is hot: which flows use it, by which decisions they come there, and what its neighbours carry meanwhile.

A *decision* is what one switch does with a flow: so many links were in its table entry, and this one was taken. The *siblings*
of a link are the links from the same switch to the same tier: what would carry the bytes if they were better spread.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place
from pauseproof.loads.balance import link_tiers
from pauseproof.loads.committed import CELLS, walked_flows
from pauseproof.loads.flows import Flows, Pairs, Traffic, blocks_of
from pauseproof.loads.free_ports import Tried, free, with_ports
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.spread import MOVING
from pauseproof.routing.tables import ChoiceKind

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
ROWS = 1 << 21  # flows that are looked at for one link
MOST = 3  # flows that are told
SOME_PORTS = 64  # of a flow whose port is not known


@dataclass(frozen=True)
class Decision:
    """At ``switch`` the flow leaves by ``link``, one of ``members`` of its table entry, which stands at ``place``."""

    switch: int
    link: int
    members: int
    place: Place | None


@dataclass(frozen=True)
class Carried:
    """A pair of hosts, what it puts on the link, and its decisions from first to last."""

    src: int
    dst: int
    bytes: float
    decisions: tuple[Decision, ...]


@dataclass(frozen=True)
class Why:
    """``senders`` and ``receivers`` of what is on the link, the heaviest pairs, and the bytes of all its ``siblings``.

    ``whole``: all flows of the phase were looked at; else the first ones were.
    """

    link: int
    bytes: float
    senders: int
    receivers: int
    heaviest: tuple[Carried, ...]
    siblings: tuple[float, ...]
    whole: bool


def why(hashing: Hashing, load: F64, link: int, phase: int, traffic: Iterable[Traffic]) -> Why:
    """Look for what is on ``link`` in ``phase``; ``load`` [L] is that phase's."""
    fabric = hashing.network.fabric
    pairs: dict[tuple[int, int], float] = {}
    example: dict[tuple[int, int], Flows] = {}
    rows, whole = 0, True
    may = _may_use(hashing, link)
    for block in blocks_of(_as_seen(hashing, part, may) for part in traffic):
        here = block[(block.phase == phase) & may.pairs(block)]
        if rows + len(here) > ROWS and rows:
            whole = False
            break
        rows += len(here)
        for some in _with_some_ports(hashing, here):
            for at, walked in walked_flows(hashing, some):
                on = walked.link == link
                for f, part in zip(at[walked.flow[on]].tolist(), walked.part[on].tolist(), strict=True):
                    pair = int(some.src[f]), int(some.dst[f])
                    pairs[pair] = pairs.get(pair, 0.0) + part * float(some.bytes[f])
                    example.setdefault(pair, some[f : f + 1])
    told = tuple(Carried(*pair, bytes, _decisions(hashing, example[pair], link)) for pair, bytes in heaviest(pairs))
    senders, receivers = ({pair[end] for pair in pairs} for end in (0, 1))
    return Why(link, float(load[link]), len(senders), len(receivers), told, siblings(fabric, load, link), whole)


def heaviest(pairs: dict[tuple[int, int], float]) -> list[tuple[tuple[int, int], float]]:
    """The pairs of hosts that are told, with their bytes.

    >>> heaviest({(0, 1): 1.0, (3, 2): 5.0, (2, 3): 5.0, (5, 5): 1.0})
    [((2, 3), 5.0), ((3, 2), 5.0), ((0, 1), 1.0)]
    """
    return sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:MOST]


def _with_some_ports(hashing: Hashing, flows: Flows) -> Iterator[Flows]:
    """The flows whose port alone is not known with some drawn ones, each its share; the others as they are."""
    of_free_port = free(hashing, flows)
    if not of_free_port.all():
        yield flows[~of_free_port]
    some = flows[of_free_port]
    yield from (block for _, block in with_ports(some, Tried(len(some), SOME_PORTS), np.random.default_rng(0)))


@dataclass(frozen=True)
class _Users:
    """Who may send over a link: ``can[s, d]`` from switch ``s`` for column ``d``; None where that table would be too large."""

    can: NDArray[np.bool_] | None
    switch: I64  # [H] of each host, 0 where it has none
    column: I64  # [H] 0 where it has none

    def pairs(self, flows: Flows) -> NDArray[np.bool_]:
        """[F]: which flows may."""
        if self.can is None:
            return np.ones(len(flows), np.bool_)
        out: NDArray[np.bool_] = self.can[self.switch[flows.src], self.column[flows.dst]]
        return out

    def of(self, part: Pairs) -> Pairs:
        """Without the senders and receivers of which no flow may."""
        if self.can is None:
            return part
        senders, receivers = (np.asarray(self.can.any(axis=axis), np.bool_) for axis in (1, 0))
        return part.among(senders[self.switch], receivers[self.column])


def _may_use(hashing: Hashing, link: int) -> _Users:
    """Backwards from the link: a state may where one of its members is the link, or leads to a state that may."""
    hops, fabric = hashing.hops, hashing.network.fabric
    first = fabric.link_dst[fabric.host_up].astype(np.int64)
    switch, column = np.where(first < fabric.n_switches, first, 0), np.maximum(hops.first_column, 0)
    of_hosts = max(fabric.link_src[link], fabric.link_dst[link]) >= fabric.n_switches
    s, d = hops.table.value.shape
    if of_hosts or s * d > CELLS or hops.ways > 1:
        return _Users(None, switch, column)
    state = np.arange(s * d)
    x = hops.choice(*np.divmod(state, d))
    moves = np.flatnonzero(np.isin(hops.table.kind[x], MOVING) & (hops.table.kind[x] != ChoiceKind.DELIVER))
    state = state[moves]
    i, links, _ = hops.expand(x[moves])
    to = fabric.link_dst[links].astype(np.int64)
    after = np.where(to < s, to, 0) * d + (state % d)[i]
    can = np.zeros(s * d, np.bool_)
    while True:
        leads = np.flatnonzero((links == link) | (can[after] & (to < s)))
        more = state[np.unique(i[leads])]
        if can[more].all():
            return _Users(can.reshape(s, d), switch, column)
        can[more] = True


def _as_seen(hashing: Hashing, part: Traffic, may: _Users) -> Traffic:
    """Those that may use the link; the QPs of a connection go the same ways where nobody looks at headers."""
    if isinstance(part, Flows):
        return part
    some = may.of(part)
    return some if hashing.any_known else some.with_one_qp()


def siblings(fabric: Fabric, load: F64, link: int) -> tuple[float, ...]:
    """What the links of the same switch to the same tier carry, most first."""
    _, to = link_tiers(fabric)
    alike = (fabric.link_src == fabric.link_src[link]) & (to == to[link])
    return tuple(sorted(load[alike].tolist(), reverse=True))


def _decisions(hashing: Hashing, flow: Flows, link: int) -> tuple[Decision, ...]:
    """The decisions of one flow that comes over ``link``."""
    ((_, walked),) = walked_flows(hashing, flow)
    return decisions_on(hashing, walked.link.tolist(), link, int(flow.dst[0]))


def decisions_on(hashing: Hashing, links: list[int], link: int, dst: int) -> tuple[Decision, ...]:
    """The decisions of a flow to host ``dst`` that uses ``links``, on its way over ``link``."""
    network = hashing.network
    column = int(hashing.hops.first_column[dst])
    out = []
    for l in _through(network.fabric, links, link):
        s = int(network.fabric.link_src[l])
        if s < network.fabric.n_switches:
            route = network.routes.route(s, column)
            members = 1 if route.kind == ChoiceKind.DELIVER else len(set(route.links))
            out.append(Decision(s, l, members, network.routes.place(s, column)))
            column = column if route.column < 0 else route.column
    return tuple(out)


def _through(fabric: Fabric, walked: list[int], link: int) -> list[int]:
    """A path of the walk from its first link to its last that leads over ``link``."""
    links = list(dict.fromkeys(walked))
    path = [link]
    while before := [l for l in links if fabric.link_dst[l] == fabric.link_src[path[0]] and l not in path]:
        path.insert(0, before[0])
    while after := [l for l in links if fabric.link_src[l] == fabric.link_dst[path[-1]] and l not in path]:
        path.append(after[0])
    return path
