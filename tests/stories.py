"""Small networks told in words, for tests that can be followed by hand.

``Story`` takes the cabling as ``"a-b a-x"``: cables from switch a to b and to host x, each node using its next free port, so
that the first cable of a node is on its port 1. Buffers are written ``"a>b"``, the link from a to b, with the lane in front
where it matters (``"1:a>b"``).
"""

from dataclasses import replace

import numpy as np

from pauseproof.fabric.lanes import Lanes
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from pauseproof.routing.walk import Walked, walk_known, walk_worst
from strategies import Column, destinations_of, fabric_of, uniform_traffic

DROP, LOCAL, UNKNOWN, DEAD = (
    Route(kind, ()) for kind in (ChoiceKind.DROP, ChoiceKind.LOCAL, ChoiceKind.UNKNOWN, ChoiceKind.DEAD_PORT)
)
SWITCHES, HOSTS = "abcdef", "uvwxyz"


class Story:
    """A fabric in words, its tables to be filled in (all drops at first), and what a walk of it found, in words."""

    def __init__(self, cables: str, columns: str, *, nodes: dict[str, str] | None = None) -> None:
        """``columns`` are hosts, switches, several hosts (``"xy"``) or multicast groups (``"*xy"``); ``nodes`` maps a port's
        name to its node's where they differ."""
        nodes = nodes or {}
        ends = [cable.split("-") for cable in cables.split()]
        named = sorted({nodes.get(n, n) for pair in ends for n in pair})
        switches = [n for n in named if n in SWITCHES]
        order = switches + [n for n in named if n not in SWITCHES]
        used = dict.fromkeys(order, 0)

        def plug(n: str) -> tuple[int, int]:
            n = nodes.get(n, n)
            used[n] += 1
            return order.index(n), used[n]

        plugged = [(plug(a), plug(b)) for a, b in ends]
        self.fabric = fabric_of([used[n] for n in switches], [used[n] for n in order[len(switches) :]], plugged)
        by_end = {(l.src, l.src_port): l.id for l in self.fabric.links()}
        self.link: dict[str, int] = {}
        for (a, b), (at_a, at_b) in zip(ends, plugged, strict=True):
            for name, end in ((f"{a}>{b}", at_a), (f"{b}>{a}", at_b)):
                self.link[name + "'" if name in self.link else name] = by_end[end]
        self.name = {l: name for name, l in self.link.items()}
        self.switch = {n: i for i, n in enumerate(switches)}
        at_host = {self.name[h.down].rstrip("'").split(">")[1]: h.id for h in self.fabric.hosts()}
        self.host = at_host
        self.columns = columns.split()
        self.destinations = destinations_of([self.column(c) for c in self.columns])
        self.routes = [[DROP] * len(self.columns) for _ in switches]
        self.lanes = Lanes.identity(self.fabric.n_hosts)
        self.traffic = uniform_traffic(self.fabric, len(self.columns))

    def column(self, text: str) -> Column:
        if text in self.switch:
            return Column(DestinationKind.SWITCH, self.switch[text])
        kind = DestinationKind.MULTICAST if text[0] == "*" else DestinationKind.HOST
        return Column(kind, members=tuple(sorted(self.host[h] for h in text.lstrip("*"))))

    def at(self, switches: str, column: str, route: Route | str) -> "Story":
        """Set entries: ``"a>b"`` is pinned, ``"a>b a>c"`` hashed."""
        if isinstance(route, str):
            route = self.choice(ChoiceKind.HASHED, route)
        for s in switches:
            self.routes[self.switch[s]][self.columns.index(column)] = route
        return self

    def choice(self, kind: ChoiceKind, links: str) -> Route:
        return Route(kind, tuple(sorted(self.link[l] for l in links.split())))

    def senders(self, names: str) -> "Story":
        """Only these send; a switch among them sends too."""
        sends = [name in names for name, _ in sorted(self.host.items(), key=lambda item: item[1])]
        switches = np.array([name in names for name in self.switch])
        self.traffic = replace(self.traffic, host_sends=np.array(sends, np.bool_), switch_sends=switches)
        return self

    @property
    def network(self) -> Network:
        return Network(self.fabric, self.destinations, ChoiceTable.from_routes(self.routes), self.lanes, {"all": self.traffic})

    def known(self) -> Walked:
        return walk_known(self.network, self.traffic)

    def worst(self) -> Walked:
        return walk_worst(self.network, self.traffic)

    def say(self, b: tuple[int, int]) -> str:
        return self.name[b[0]] if self.lanes.n_lanes == 1 else f"{b[1]}:{self.name[b[0]]}"

    def buffers(self, walked: Walked) -> set[str]:
        return {self.say(b) for b in walked.buffers}

    def dependencies(self, walked: Walked) -> set[tuple[str, str]]:
        return {(self.say(a), self.say(b)) for a, b in walked.dependencies}

    def choices(self, walked: Walked, buffer: str) -> set[frozenset[str]]:
        found = [sets for b, sets in walked.choice_sets.items() if self.say(b) == buffer]
        return {frozenset(map(self.say, choice)) for sets in found for choice in sets}


def counts(walked: Walked) -> tuple[int, int, int, int]:
    """(pairs, looping, unroutable, unknown)."""
    return walked.pairs, walked.looping_pairs, walked.unroutable_pairs, walked.unknown_pairs


def words(text: str) -> set[str]:
    return set(text.split())


def arrows(text: str) -> set[tuple[str, str]]:
    return {(a, b) for a, b in (edge.split("=") for edge in text.split())}


def only(*sets: str) -> set[frozenset[str]]:
    return {frozenset(s.split()) for s in sets}


def ring_of_three() -> Story:
    """Everything clockwise: a>b>c>a, a host at each."""
    story = Story("a-b b-c c-a a-x b-y c-z", "x y z")
    for s, after, host in ("abx", "bcy", "caz"):
        story.at(s, host, f"{s}>{host}")
        for column in "xyz".replace(host, ""):
            story.at(s, column, f"{s}>{after}")
    return story


def line(columns: str = "x y") -> Story:
    """x - a - b - y, all of it routed."""
    story = Story("a-b a-x b-y", columns)
    for column, first, last in (("x", ("b", "b>a"), ("a", "a>x")), ("y", ("a", "a>b"), ("b", "b>y"))):
        if column in story.columns:
            story.at(first[0], column, first[1]).at(last[0], column, last[1])
    return story
