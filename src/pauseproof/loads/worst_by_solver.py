"""The worst load of one link over all free header bits, by z3: source ports, and queue pairs where a hash looks at them.

Trying every port (:mod:`pauseproof.loads.free_ports`) ends where 24 bits of a queue pair are free as well. Here each flow has
variables for what is not known of its header; that it comes over a link is a formula over them, made of the decisions on its
ways, and the solver looks for headers that bring the most bytes there. What it finds is a real placing: with these headers the
flows are followed again, and what the link then carries is told.

Notation: ``l`` a link, ``f`` a flow, ``h`` its header as terms.
"""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.headers import Headers, constants, roce
from pauseproof.hashing.source_port import FIRST_PORT, FREE_PORT_BITS
from pauseproof.loads.committed import walked_flows
from pauseproof.loads.flows import Flows
from pauseproof.loads.hashed import Hashing
from pauseproof.routing.tables import ChoiceKind

F64 = NDArray[np.float64]
MOST_FLOWS = 32
QP_BITS = 24


@dataclass(frozen=True)
class Solved:
    """``bytes`` on the link with the headers of ``flows``; ``optimal``: no headers bring more, else what was found in time."""

    bytes: float
    optimal: bool
    flows: Flows


def worst_of_link(hashing: Hashing, flows: Flows, link: int, seconds: float) -> Solved | None:
    """The most that ``flows`` can put on ``link``; None where the solver found nothing in time.

    All decisions on their ways must be known. Raises ValueError for more than MOST_FLOWS flows.
    """
    if len(flows) > MOST_FLOWS:
        raise ValueError(f"{len(flows)} flows; the solver takes {MOST_FLOWS}")
    import z3

    optimize = z3.Optimize()
    optimize.set("timeout", int(seconds * 1000))
    headers = [_header(hashing, flows, f, optimize) for f in range(len(flows))]
    uses = [_Uses(hashing, flows, f, headers[f]).of(link) for f in range(len(flows))]
    for f, used in enumerate(uses):
        optimize.add_soft(used, weight=str(float(flows.bytes[f])))
    answer = optimize.check()
    if answer == z3.unsat or (answer == z3.unknown and not optimize.reason_unknown()):
        return None
    try:
        model = optimize.model()
    except z3.Z3Exception:
        return None
    sport, qp = (np.array([_value(model, getattr(h, name)) for h in headers], np.int32) for name in ("sport", "qp"))
    found = replace(flows, sport=sport, dqpn=qp)
    return Solved(_carried(hashing, found, link), answer == z3.sat, found)


def longest(hashing: Hashing, flows: Flows, certain: F64, most: F64, rate: F64, seconds: float) -> float | None:
    """The longest time that any link can need with the worst headers of ``flows``; None where it was not proved in time.

    ``certain`` [L] bytes come anyhow, ``most`` [L] bounds what can come. Links are asked in the order of their bounds, until no
    other can be worse.
    """
    until = time.monotonic() + seconds
    best = float((certain / rate).max(initial=0.0))
    for link in np.argsort(-most / rate, kind="stable").tolist():
        if most[link] / rate[link] <= best:
            return best
        left = until - time.monotonic()
        found = worst_of_link(hashing, flows, link, left) if left > 0 else None
        if found is None or not found.optimal:
            return None
        best = max(best, float((certain[link] + found.bytes) / rate[link]))
    return best


def _value(model: Any, term: Any) -> int:
    return int(model.eval(term, model_completion=True).as_long())


def _header(hashing: Hashing, flows: Flows, f: int, optimize: Any) -> Headers:
    """What is known of a flow's header as constants, the rest as variables within their bits."""
    import z3

    book, src, dst = hashing.book, int(flows.src[f]), int(flows.dst[f])
    sides = (book.high[src], book.low[src]), (book.high[dst], book.low[dst])
    h = constants(roce(hashing.hashes.family, *sides, max(int(flows.sport[f]), 0), qp=max(int(flows.dqpn[f]), 0)))
    if flows.sport[f] < 0:
        h = replace(h, sport=z3.BitVec(f"sport{f}", 64))
        optimize.add(z3.LShR(h.sport, FREE_PORT_BITS) == FIRST_PORT >> FREE_PORT_BITS)
    if flows.dqpn[f] < 0:
        h = replace(h, qp=z3.BitVec(f"qp{f}", 64))
        optimize.add(z3.LShR(h.qp, QP_BITS) == 0)
    return h


class _Uses:
    """The conditions under which one flow comes over links."""

    def __init__(self, hashing: Hashing, flows: Flows, f: int, h: Headers) -> None:
        self.hashing, self.h = hashing, h
        self.fabric = hashing.network.fabric
        self.up = int(self.fabric.host_up[flows.src[f]])
        self.dst = int(flows.dst[f])
        self.column = int(hashing.hops.first_column[self.dst])
        self.known: dict[int, Any] = {}

    def of(self, link: int) -> Any:
        """A z3 condition: over each link by which the switch before it is entered, and then this one of its group."""
        import z3

        if link == self.up:
            return z3.BoolVal(True)
        if link not in self.known:
            self.known[link] = z3.BoolVal(False)  # what goes round does not come here by itself
            self.known[link] = z3.simplify(z3.Or(*self._ways(link)))
        return self.known[link]

    def _ways(self, link: int) -> list[Any]:
        import z3

        s = int(self.fabric.link_src[link])
        if s >= self.fabric.n_switches:
            return []
        route = self.hashing.network.routes.route(s, self.column)
        links = sorted(set(route.links))
        if route.kind == ChoiceKind.DELIVER:
            links = [l for l in links if int(self.fabric.host_of_link[l]) == self.dst]
        if link not in links or route.kind not in (ChoiceKind.HASHED, ChoiceKind.DELIVER):
            return []
        came = [l for l in np.flatnonzero(self.fabric.link_dst == s).tolist() if l == self.up or self._is_inner(l)]
        conditions = ((l, self.of(l)) for l in came)
        return [z3.And(there, self._takes(s, links, l, link, route.group)) for l, there in conditions if not z3.is_false(there)]

    def _is_inner(self, link: int) -> bool:
        return int(self.fabric.link_src[link]) < self.fabric.n_switches

    def _takes(self, s: int, links: list[int], came_by: int, link: int, group: int) -> Any:
        import z3

        if len(links) == 1:
            return z3.BoolVal(True)
        in_port = int(self.fabric.link_dst_port[came_by])
        return self.hashing.hashes.decision(s, links, group).term(self.h.at_port(in_port), link)


def _carried(hashing: Hashing, flows: Flows, link: int) -> float:
    """What the link carries of flows with these headers, followed one by one."""
    total = 0.0
    for rows, walked in walked_flows(hashing, flows):
        on = walked.link == link
        total += float((walked.part[on] * flows.bytes[rows[walked.flow[on]]]).sum())
    return total
