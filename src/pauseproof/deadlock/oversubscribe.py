"""Can rates that every host may send and receive overload a link? How many senders does it take?

Rates are *admissible* where no host sends more than its link carries and none receives more than its link carries (the hose
model: N. Duffield et al., SIGCOMM 1999). Flows are hashed one by one, so each may take any of its paths: the most that can
come over a link in one lane is a maximum flow from the hosts that can send over it, through destination columns, to members.
The fewest senders that exceed the link's rate are asked of z3 in real arithmetic where counting does not decide it.

A load is never a proof of safety: arbitration and one slow receiver decide.

Notation: ``s`` a sender, ``d`` a column, ``g`` a receiver; rates are in units of 1 Mb/s, or of a thousandth of a link where
no speed is known.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pauseproof.deadlock.answers import Buffer
from pauseproof.deadlock.crossing import MOST, Crossing, crossing
from pauseproof.dependency.states import Explored

UNIT = 1000  # to Gb/s; links of unknown speed are all taken to be alike
_WIDE = 1 << 30
_MOST_PAIRS = 20_000  # a variable each: more of them z3 does not decide in seconds


class Rate(NamedTuple):
    """What one sender sends to one receiver."""

    source: int
    receiver: int
    rate: float


@dataclass(frozen=True)
class Overload:
    """The most that can come over the link of ``buffer``, in its lane. ``rate``, ``most`` in Gb/s, or in links where
    ``relative``. ``rates`` exceed the link's with as few senders as were found, ``fewest`` where fewer do not; none where
    nothing can.
    """

    buffer: Buffer
    rate: float
    most: float
    rates: tuple[Rate, ...]
    fewest: bool
    relative: bool

    @property
    def possible(self) -> bool:
        """Whether admissible rates exceed the link's."""
        return self.most > self.rate

    @property
    def senders(self) -> tuple[int, ...]:
        """Who sends."""
        return tuple(sorted({rate.source for rate in self.rates}))


def overloads(found: Explored, buffers: Sequence[Buffer], *, seconds: float = 5.0) -> list[Overload]:
    """For each buffer at the end of a link between switches, can it be overloaded in its lane? z3 may take ``seconds`` each."""
    out = []
    for start in range(0, len(buffers), MOST):
        some = buffers[start : start + MOST]
        out += [_overload(found, b, c, seconds) for b, c in zip(some, crossing(found, some), strict=True)]
    return out


def _overload(found: Explored, buffer: Buffer, comes_by: Crossing, seconds: float) -> Overload:
    transport = Transport.of(found, comes_by)
    limit, relative = transport.rate(buffer[0]), transport.relative
    most, _ = transport.flow(transport.columns_of)
    if most <= limit:
        return Overload(buffer, limit / UNIT, most / UNIT, (), False, relative)
    few, fewest = _fewest(transport, limit, seconds)
    rates = transport.flow(few)[1]
    return Overload(buffer, limit / UNIT, most / UNIT, rates, fewest, relative)


@dataclass(frozen=True)
class Transport:
    """Who can send to which columns over one link. ``columns_of`` maps senders to columns, ``receivers_of`` these to hosts."""

    found: Explored
    columns_of: dict[int, list[int]]
    receivers_of: dict[int, list[int]]

    @classmethod
    def of(cls, found: Explored, comes_by: Crossing) -> "Transport":
        """What comes by one buffer."""
        plan = found.plan
        columns_of: dict[int, list[int]] = defaultdict(list)
        for h, d in zip(comes_by.host.tolist(), comes_by.column.tolist(), strict=True):
            columns_of[h].append(d)
        receives = plan.traffic.host_receives
        members = {d: [g for g in plan.destinations.members(d) if receives[g]] for d in np.unique(comes_by.column).tolist()}
        return cls(found, dict(columns_of), members)

    @cached_property
    def relative(self) -> bool:
        """No speed is known of some link, so all are taken to be alike."""
        speed = self.found.plan.fabric.speed
        return speed is None or bool(np.isnan(speed).any())

    def rate(self, link: int) -> int:
        """What a link carries, in units."""
        speed = self.found.plan.fabric.speed
        return UNIT if self.relative or speed is None else round(float(speed[link]) * UNIT)

    def up(self, host: int) -> int:
        """What a host can send."""
        return self.rate(int(self.found.plan.fabric.host_up[host]))

    def down(self, host: int) -> int:
        """What a host can receive."""
        return self.rate(int(self.found.plan.fabric.host_down[host]))

    def others(self, s: int, d: int) -> list[int]:
        """The receivers of a column that are not on the sender's own node."""
        node = self.found.plan.fabric.host_node
        return [g for g in self.receivers_of[d] if node[g] != node[s]]

    def flow(self, senders: Iterable[int]) -> tuple[int, tuple[Rate, ...]]:
        """The most that these senders can send over the link together, and rates that do; exact, in whole units."""
        chosen = sorted(senders)
        network = _Edges()
        for s in chosen:
            network.add(("source",), ("s", s), self.up(s))
            for d in self.columns_of[s]:
                others = self.others(s, d)
                own = ("d", d) if len(others) == len(self.receivers_of[d]) else ("d", d, s)
                network.add(("s", s), own, _WIDE)
                for g in others:
                    network.add(own, ("g", g), _WIDE)
        for g in sorted({g for s in chosen for d in self.columns_of[s] for g in self.others(s, d)}):
            network.add(("g", g), ("sink",), self.down(g))
        value, flow = network.solve()
        return value, _rates(flow)


class _Edges:
    """A flow network by the names of its nodes."""

    def __init__(self) -> None:
        self.ids: dict[tuple[object, ...], int] = {("source",): 0, ("sink",): 1}
        self.edges: dict[tuple[int, int], int] = {}

    def add(self, a: tuple[object, ...], b: tuple[object, ...], capacity: int) -> None:
        """An edge, once."""
        key = self.ids.setdefault(a, len(self.ids)), self.ids.setdefault(b, len(self.ids))
        self.edges[key] = capacity

    def solve(self) -> tuple[int, dict[tuple[object, ...], dict[tuple[object, ...], int]]]:
        """The maximum flow and what goes over each edge."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_flow

        if not self.edges:
            return 0, {}
        rows, columns = np.array(sorted(self.edges), np.int32).T
        capacity = np.array([self.edges[key] for key in sorted(self.edges)], np.int32)
        n = len(self.ids)
        found = maximum_flow(csr_array((capacity, (rows, columns)), shape=(n, n)), 0, 1)
        names = list(self.ids)
        used = found.flow.tocoo()
        flow: dict[tuple[object, ...], dict[tuple[object, ...], int]] = defaultdict(dict)
        for a, b, units in zip(used.row.tolist(), used.col.tolist(), used.data.tolist(), strict=True):
            if units > 0:
                flow[names[a]][names[b]] = units
        return int(found.flow_value), flow


def _rates(flow: dict[tuple[object, ...], dict[tuple[object, ...], int]]) -> tuple[Rate, ...]:
    """Who sends how much to whom: what comes into each column is handed out in order."""
    rates: dict[tuple[int, int], int] = defaultdict(int)
    left = {a: dict(sorted(out.items(), key=str)) for a, out in flow.items()}
    for a in sorted((node for node in flow if node[0] == "s"), key=str):
        for d, units in left[a].items():
            for g in list(left[d]):
                part = min(units, left[d][g])
                if part:
                    rates[int(str(a[1])), int(str(g[1]))] += part
                    units -= part
                    left[d][g] -= part
    return tuple(Rate(s, g, units / UNIT) for (s, g), units in sorted(rates.items()))


def _fewest(transport: Transport, limit: int, seconds: float) -> tuple[list[int], bool]:
    """Senders that exceed ``limit`` together: few, and whether fewer cannot."""
    few = _greedy(transport, limit)
    least = _at_least(transport, limit)
    pairs = sum(len(transport.others(s, d)) for s, columns in transport.columns_of.items() for d in columns)
    if len(few) == least or pairs > _MOST_PAIRS:
        return few, len(few) == least
    return _fewest_by_z3(transport, limit, few, seconds)


def _at_least(transport: Transport, limit: int) -> int:
    """How many senders it takes if each could send all it has."""
    total, n = 0, 0
    for rate in sorted((transport.up(s) for s in transport.columns_of), reverse=True):
        if total > limit:
            break
        total, n = total + rate, n + 1
    return n


def _greedy(transport: Transport, limit: int) -> list[int]:
    """Add the sender that brings most, the first of those that bring all they have."""
    chosen: list[int] = []
    value = 0
    order = sorted(transport.columns_of, key=lambda s: (-transport.up(s), s))
    while value <= limit:
        best, most = -1, -1
        for s in order:
            if s in chosen:
                continue
            together = transport.flow([*chosen, s])[0]
            if together > most:
                best, most = s, together
            if together == value + transport.up(s):
                break
        chosen.append(best)
        value = most
    return sorted(chosen)


def _fewest_by_z3(transport: Transport, limit: int, few: list[int], seconds: float) -> tuple[list[int], bool]:
    """Rates as reals: a sender that is not chosen sends nothing, and what is sent exceeds the limit."""
    import z3

    opt = z3.Optimize()
    opt.set("timeout", max(1, int(seconds * 1000)))
    chosen = {s: z3.Bool(f"s{s}") for s in sorted(transport.columns_of)}
    sent, received, total = defaultdict(list), defaultdict(list), []
    for s in chosen:
        for d in transport.columns_of[s]:
            for g in transport.others(s, d):
                x = z3.Real(f"x{s}_{d}_{g}")
                opt.add(x >= 0)
                sent[s].append(x)
                received[g].append(x)
                total.append(x)
    for s, name in chosen.items():
        opt.add(z3.Sum([z3.RealVal(0), *sent[s]]) <= z3.If(name, z3.RealVal(transport.up(s)), z3.RealVal(0)))
    for g, parts in received.items():
        opt.add(z3.Sum(parts) <= transport.down(g))
    opt.add(z3.Sum(total) > limit)
    opt.minimize(z3.Sum([z3.If(name, 1, 0) for name in chosen.values()]))
    if opt.check() != z3.sat:
        return few, False
    model = opt.model()
    better = [s for s, name in chosen.items() if z3.is_true(model.eval(name, model_completion=True))]
    return (better if len(better) < len(few) else few), True
