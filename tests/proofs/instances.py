"""Small concrete fabrics of the families, with packets routed by code of their own, to hold the theorem files to.

Each family yields *packets*: the nodes from host to host and the lane on each link, and for each two consecutive links what
the constants and functions of the theorem are there, as SMT-LIB assertions. Where a packet is stranded it ends early.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from random import Random

import networkx as nx

Node = tuple[object, ...]
Buffer = tuple[Node, Node, int]


@dataclass(frozen=True)
class Turn:
    """A packet that is in one buffer and waits for the next; ``facts`` describe it to the theorem."""

    now: Buffer
    then: Buffer
    facts: tuple[str, ...]


def integer(value: int) -> str:
    """An integer as SMT-LIB writes it.

    >>> integer(-2)
    '(- 2)'
    """
    return str(value) if value >= 0 else f"(- {-value})"


def say(**values: int | bool) -> list[str]:
    """Assertions that constants have these values."""
    return [f"(= {name} {str(v).lower() if isinstance(v, bool) else integer(v)})" for name, v in values.items()]


def of_nodes(function: str, value: Callable[[Node], int | bool], **nodes: Node) -> list[str]:
    """Assertions that a function of one node has these values."""
    return [fact for name, n in nodes.items() for fact in say(**{f"({function} {name})": value(n)})]


def who_is_who(**nodes: Node) -> list[str]:
    """Assertions which constants name one node and which do not."""
    named = list(nodes.items())
    pairs = ((a, b) for i, a in enumerate(named) for b in named[i + 1 :])
    return [f"({'=' if m == n else 'distinct'} {a} {b})" for (a, m), (b, n) in pairs]


def turns(
    route: Sequence[Node], lanes: Sequence[int], facts: Callable[[int, Node, Node, Node], Iterable[str]]
) -> Iterator[Turn]:
    """Every two consecutive links of a route; ``facts(j, x, y, z)`` is asked about links ``j`` and ``j + 1``."""
    buffers = [(s, n, lane) for (s, n), lane in zip(pairwise(route), lanes, strict=True)]
    for j, (now, then) in enumerate(pairwise(buffers)):
        yield Turn(now, then, tuple(facts(j, now[0], now[1], then[1])))


def clos(random: Random) -> tuple[list[Node], dict[Node, int], nx.Graph]:
    """Leaves with a host each, one or two tiers above them, cables missing here and there: hosts, tiers, cables."""
    sizes = [random.randint(2, 4) for _ in range(random.randint(2, 3))]
    graph, tier = nx.Graph(), dict[Node, int]()
    for t, size in enumerate(sizes, 1):
        tier |= {(t, i): t for i in range(size)}
        if t > 1:
            cables = product(((t - 1, i) for i in range(sizes[t - 2])), ((t, i) for i in range(size)))
            graph.add_edges_from(cable for cable in cables if random.random() < 0.8)
    hosts: list[Node] = [(0, i) for i in range(sizes[0])]
    graph.add_edges_from((h, (1, h[1])) for h in hosts)
    return hosts, tier | dict.fromkeys(hosts, 0), graph


def updown_folded_clos(random: Random) -> Iterator[Turn]:
    """Down where the destination is below, else up by any cable; a spine without a way is where the packet ends."""
    hosts, tier, graph = clos(random)
    downward = nx.DiGraph((a, b) for pair in graph.edges for a, b in (pair, pair[::-1]) if tier[a] > tier[b])
    downward.add_nodes_from(graph)
    below: dict[Node, set[Node]] = {s: {s} | nx.descendants(downward, s) for s in graph}

    def ways(s: Node, d: Node) -> list[Node]:
        down = d in below[s]
        return sorted(n for n in graph[s] if (tier[n] < tier[s]) == down and (not down or d in below[n]))

    for h, d in product(hosts, hosts):
        route = [h]
        while h != d and route[-1] != d and (onward := ways(route[-1], d)):
            route.append(random.choice(onward))

        def facts(j: int, x: Node, y: Node, z: Node, d: Node = d) -> list[str]:
            known = say(**{f"(below {name} d)": d in below[n] for name, n in (("x", x), ("y", y), ("z", z))})
            return who_is_who(x=x, y=y, z=z, d=d) + of_nodes("tier", tier.__getitem__, x=x, y=y, z=z, d=d) + known

        yield from turns(route, [0] * (len(route) - 1), facts)


def updown_any_graph(random: Random) -> Iterator[Turn]:
    """Shortest routes that never go up again, on a random graph whose switches are in random order, hosts last."""
    n = random.randint(3, 8)
    graph = nx.gnm_random_graph(n, random.randint(n, 2 * n), seed=random.randint(0, 999))
    place: dict[Node, int] = {("s", i): p for i, p in enumerate(random.sample(range(n), n))}
    cables = [(("s", a), ("s", b)) for a, b in graph.edges] + [(("h", i), ("s", i)) for i in range(n)]
    place |= {("h", i): n + i for i in range(n)}
    legal = nx.DiGraph()
    for low, high in (sorted(cable, key=place.__getitem__, reverse=True) for cable in cables):
        legal.add_edge((low, "up"), (high, "up"))
        legal.add_edges_from([((high, "up"), (low, "down")), ((high, "down"), (low, "down"))])

    def facts(j: int, x: Node, y: Node, z: Node) -> list[str]:
        return who_is_who(x=x, y=y, z=z) + of_nodes("place", place.__getitem__, x=x, y=y, z=z)

    for h in range(n):
        reached = nx.single_source_shortest_path(legal, (("h", h), "up"))
        for (end, _), path in reached.items():
            if end[0] == "h" and end != ("h", h):
                yield from turns([node for node, _ in path], [0] * (len(path) - 1), facts)


def bounce_lanes_clos(random: Random) -> Iterator[Turn]:
    """Random walks over a Clos that bounce at most k times."""
    hosts, tier, graph = clos(random)
    k = random.randint(0, 2)

    def facts_for(bounced: list[int]) -> Callable[[int, Node, Node, Node], list[str]]:
        def facts(j: int, x: Node, y: Node, z: Node) -> list[str]:
            known = say(k=k, lane1=bounced[j], b1=bounced[j], lane2=bounced[j + 1], b2=bounced[j + 1])
            known += of_nodes("host", lambda n: n[0] == 0, x=x, y=y, z=z)
            return who_is_who(x=x, y=y, z=z) + of_nodes("tier", tier.__getitem__, x=x, y=y, z=z) + known

        return facts

    for h in hosts * 5:
        route, bounced = [h, (1, h[1])], [0]
        while len(route) < 12 and route[-1][0] != 0:
            n = random.choice(sorted(graph[route[-1]]))
            bounce = tier[route[-2]] > tier[route[-1]] < tier[n]
            if bounced[-1] + bounce > k:
                break
            route.append(n)
            bounced.append(bounced[-1] + bounce)
        yield from turns(route, bounced, facts_for(bounced))


def global_lane_dragonfly(random: Random) -> Iterator[Turn]:
    """Groups of switches, one to two random cables between each two groups, minimal routes, a host a switch."""
    n_groups, size = random.randint(2, 4), random.randint(1, 4)
    cables = dragonfly_cables(random, n_groups, size)
    gateways = {(s, m) for (_, m), ends in cables.items() for s, _ in ends}

    def facts_for(t: Node, lanes: list[int]) -> Callable[[int, Node, Node, Node], list[str]]:
        def facts(j: int, x: Node, y: Node, z: Node) -> list[str]:
            nodes = {"x": x, "y": y, "z": z, "t": t}
            known = say(lane1=lanes[j], lane2=lanes[j + 1]) + of_nodes("host", lambda n: n[-1] == "host", **nodes)
            has_cable = {f"(gateway {name} {m})": (n, m) in gateways for name, n in nodes.items() for m in range(n_groups)}
            return who_is_who(**nodes) + known + of_nodes("group", lambda n: int(str(n[0])), **nodes) + say(**has_cable)

        return facts

    switches: list[Node] = list(product(range(n_groups), range(size)))
    for s, t in product(switches, switches):
        before, after = minimal(random, s, t, cables)
        lanes = [0] * len(before) + [int(s[0] != t[0])] * (len(after) + 1)
        route = [(*s, "host"), *before, *after, (*t, "host")]
        yield from turns(route, lanes, facts_for(t, lanes))


def minimal(random: Random, s: Node, t: Node, cables: dict[tuple[object, object], list[tuple[Node, Node]]]) -> list[list[Node]]:
    """The switches that a packet from ``s`` to ``t`` passes: before the hop between groups and after it."""
    if s[0] == t[0]:
        return [[s], [] if s == t else [t]]
    between = cables[s[0], t[0]]
    out, into = random.choice([ends for ends in between if ends[0] == s] or between)
    return [[s] if out == s else [s, out], [t] if into == t else [into, t]]


def dragonfly_cables(random: Random, n_groups: int, size: int) -> dict[tuple[object, object], list[tuple[Node, Node]]]:
    """The cables between each two groups, from either end."""
    cables: dict[tuple[object, object], list[tuple[Node, Node]]] = {}
    for here in range(n_groups):
        for there in range(here):
            count = random.randint(1, 2)
            ends: list[tuple[Node, Node]] = [
                ((here, random.randrange(size)), (there, random.randrange(size))) for _ in range(count)
            ]
            cables[here, there], cables[there, here] = ends, [(t, s) for s, t in ends]
    return cables
