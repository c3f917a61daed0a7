"""The load of links by following every flow by itself, hop by hop, in fractions: slow, obvious, and apart from ``loads/``.

Lanes are left alone. A flow that can come by a link a second time, in the same column, loads only its sender's own link; to a
switch it may come twice, where the port that it comes in by is hashed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind

Flow = tuple[int, int, int, int]  # phase, sender, receiver, bytes
GOES_ON = (ChoiceKind.DELIVER, ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)


@dataclass
class NaiveLoad:
    """Bytes by (phase, link), and by (phase, what became of them)."""

    bytes: dict[tuple[int, int], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    ends: dict[tuple[int, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))


Pick = Callable[[int, list[int]], dict[int, Fraction]]  # (link that it came by, links of a hashed group) -> its parts


def naive_load(network: Network, flows: Iterable[Flow], pick: Pick | None = None) -> NaiveLoad:
    """Follow each flow; at every hashed group by the links that ``pick`` says, else evenly by all."""
    out = NaiveLoad()
    for phase, src, dst, amount in flows:
        _Follow(network, dst, phase, out, pick).send(src, amount)
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
    pick: Pick | None = None

    def send(self, src: int, amount: int) -> None:
        fabric = self.network.fabric
        if fabric.host(src).node == fabric.host(self.dst).node:
            return
        up = fabric.host(src).up
        self.out.bytes[self.phase, up] += Fraction(amount)
        self.column = column_of(self.network, self.dst)
        if fabric.link(up).dst >= fabric.n_switches:
            self.at_host(up, Fraction(amount))
        elif self.column is None:
            self.out.ends[self.phase, "lost"] += Fraction(amount)
        elif self.can_loop(up, self.column, frozenset()):
            self.out.ends[self.phase, "looping"] += Fraction(amount)
        else:
            self.at_switch(up, self.column, Fraction(amount))

    def links(self, came_by: int, d: int) -> tuple[ChoiceKind, dict[int, Fraction], int]:
        kind, links, _, onward, _ = self.network.routes.route(self.network.fabric.link(came_by).dst, d)
        each = sorted(set(links))
        if kind == ChoiceKind.DELIVER:
            each = [l for l in each if self.takes(l)]
        parts = {l: Fraction(1, len(each)) for l in each}
        if kind == ChoiceKind.HASHED and self.pick and len(each) > 1:
            parts = self.pick(came_by, each)
        return kind, parts, d if onward < 0 else onward

    def can_loop(self, came_by: int, d: int, seen: frozenset[tuple[int, int]]) -> bool:
        here = came_by, d
        if here in seen:
            return True
        kind, links, onward = self.links(came_by, d)
        on = [l for l in links if self.network.fabric.link(l).dst < self.network.fabric.n_switches and kind in GOES_ON]
        return any(self.can_loop(l, onward, seen | {here}) for l in on)

    def at_switch(self, came_by: int, d: int, amount: Fraction) -> None:
        kind, links, onward = self.links(came_by, d)
        if kind not in GOES_ON or not links:
            unknown = kind in (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST)
            self.out.ends[self.phase, "unknown" if unknown else "lost"] += amount
            return
        for l, part in links.items():
            self.out.bytes[self.phase, l] += amount * part
            if self.network.fabric.link(l).dst < self.network.fabric.n_switches:
                self.at_switch(l, onward, amount * part)
            else:
                self.at_host(l, amount * part)

    def at_host(self, link: int, amount: Fraction) -> None:
        self.out.ends[self.phase, "arrived" if self.takes(link) else "lost"] += amount

    def takes(self, link: int) -> bool:
        fabric, host = self.network.fabric, self.network.fabric.host(self.dst)
        members = self.network.destinations.members(self.column) if self.column is not None else (self.dst,)
        return any(fabric.host(g).down == link and fabric.host(g).node == host.node for g in members)
