"""The load of links by following every flow by itself, hop by hop, in fractions: slow, obvious, and apart from ``loads/``.

Lanes are left alone. A flow that can come to a switch a second time, in the same column, loads only its sender's own link.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind

Flow = tuple[int, int, int, int]  # phase, sender, receiver, bytes
GOES_ON = (ChoiceKind.DELIVER, ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)


@dataclass
class NaiveLoad:
    """Bytes by (phase, link), and by (phase, what became of them)."""

    bytes: dict[tuple[int, int], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    ends: dict[tuple[int, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))


Pick = Callable[[int, int, int], int]  # (flow, switch, members of the hashed group there) -> which of them it takes


def naive_load(network: Network, flows: Iterable[Flow], pick: Pick | None = None) -> NaiveLoad:
    """Follow each flow; by one member of every hashed group where ``pick`` says which, else evenly by all."""
    out = NaiveLoad()
    for f, (phase, src, dst, amount) in enumerate(flows):
        _Follow(network, dst, phase, out, partial(pick, f) if pick else None).send(src, amount)
    return out


def column_of(network: Network, host: int) -> int | None:
    """The first column for ``host``."""
    destinations = network.destinations
    of_hosts = (d for d in range(len(destinations)) if destinations.kind[d] == DestinationKind.HOST)
    return next((d for d in of_hosts if host in destinations.members(d)), None)


@dataclass
class _Follow:
    network: Network
    dst: int
    phase: int
    out: NaiveLoad
    pick: Callable[[int, int], int] | None = None

    def send(self, src: int, amount: int) -> None:
        fabric = self.network.fabric
        if fabric.host(src).node == fabric.host(self.dst).node:
            return
        up = fabric.host(src).up
        self.out.bytes[self.phase, up] += Fraction(amount)
        self.column = column_of(self.network, self.dst)
        first = fabric.link(up).dst
        if self.column is None and first < fabric.n_switches:
            self.out.ends[self.phase, "lost"] += Fraction(amount)
        elif self.column is not None and first < fabric.n_switches and self.can_loop(first, self.column, frozenset()):
            self.out.ends[self.phase, "looping"] += Fraction(amount)
        elif self.column is not None and first < fabric.n_switches:
            self.at_switch(first, self.column, Fraction(amount))
        else:
            self.at_host(up, Fraction(amount))

    def links(self, s: int, d: int) -> tuple[ChoiceKind, list[int], int]:
        kind, links, _, onward, _ = self.network.routes.route(s, d)
        each = sorted(set(links))
        if kind == ChoiceKind.DELIVER:
            each = [l for l in each if self.takes(l)]
        if kind == ChoiceKind.HASHED and self.pick and len(each) > 1:
            each = [each[self.pick(s, len(each))]]
        return kind, each, d if onward < 0 else onward

    def can_loop(self, s: int, d: int, seen: frozenset[tuple[int, int]]) -> bool:
        if (s, d) in seen:
            return True
        kind, links, onward = self.links(s, d)
        nexts = {self.network.fabric.link(l).dst for l in links} if kind in GOES_ON else set()
        return any(n < self.network.fabric.n_switches and self.can_loop(n, onward, seen | {(s, d)}) for n in nexts)

    def at_switch(self, s: int, d: int, amount: Fraction) -> None:
        kind, links, onward = self.links(s, d)
        if kind not in GOES_ON or not links:
            unknown = kind in (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST)
            self.out.ends[self.phase, "unknown" if unknown else "lost"] += amount
            return
        for l in links:
            self.out.bytes[self.phase, l] += amount / len(links)
            to = self.network.fabric.link(l).dst
            if to < self.network.fabric.n_switches:
                self.at_switch(to, onward, amount / len(links))
            else:
                self.at_host(l, amount / len(links))

    def at_host(self, link: int, amount: Fraction) -> None:
        self.out.ends[self.phase, "arrived" if self.takes(link) else "lost"] += amount

    def takes(self, link: int) -> bool:
        fabric, host = self.network.fabric, self.network.fabric.host(self.dst)
        members = self.network.destinations.members(self.column) if self.column is not None else (self.dst,)
        return any(fabric.host(g).down == link and fabric.host(g).node == host.node for g in members)
