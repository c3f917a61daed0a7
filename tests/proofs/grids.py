"""Meshes, rings and tori for :mod:`proofs.instances`: a switch is a tuple of coordinates, its host the same with "host".

A *leg* is one link between switches: (dimension, forwards?, lane).
"""

from collections.abc import Iterator
from itertools import product
from random import Random

from proofs.instances import Node, Turn, of_nodes, say, turns, who_is_who

Leg = tuple[int, bool, int]


def coordinate(n: Node, i: int) -> int:
    """Where a switch, or the switch of a host, is in one dimension."""
    return int(str(n[i]))


def is_host(n: Node) -> bool:
    """Hosts carry their kind last."""
    return n[-1] == "host"


def legs(s: Node, d: Node, sizes: list[int], wraps: bool) -> list[Leg]:
    """Dimension order from switch ``s`` to switch ``d``: the shorter way round each ring, lane 1 from its dateline on."""
    out: list[Leg] = []
    for i, size in enumerate(sizes):
        a, b = coordinate(s, i), coordinate(d, i)
        forwards = (b - a) % size <= (a - b) % size if wraps else b > a
        lane = 0
        while a != b:
            step = a + (1 if forwards else -1)
            lane = 1 if not 0 <= step < size else lane
            a = step % size
            out.append((i, forwards, lane))
    return out


def walk(s: Node, path: list[Leg], sizes: list[int]) -> list[Node]:
    """The nodes that the legs pass, from the host of ``s`` to the host where they end."""
    at, route = [coordinate(s, i) for i in range(len(sizes))], [(*s, "host"), s]
    for i, forwards, _ in path:
        at[i] = (at[i] + (1 if forwards else -1)) % sizes[i]
        route.append(tuple(at))
    return [*route, (*at, "host")]


def routes(sizes: list[int], wraps: bool) -> Iterator[tuple[Node, list[Leg], list[Node], list[int]]]:
    """(destination host, legs, nodes, lanes) for every pair of switches."""
    switches: list[Node] = list(product(*map(range, sizes)))
    for s, d in product(switches, switches):
        path = legs(s, d, sizes, wraps)
        lanes = [0, *(lane for _, _, lane in path)]
        yield (*d, "host"), path, walk(s, path, sizes), [*lanes, lanes[-1]]


def grid_facts(sizes: list[int], **nodes: Node) -> list[str]:
    """The coordinates of nodes, and who is a host."""
    known = who_is_who(**nodes) + of_nodes("host", is_host, **nodes)
    for i in range(len(sizes)):
        known += say(**{f"(at {name} {i})": coordinate(n, i) for name, n in nodes.items()})
    return known


def along(path: list[Leg], j: int) -> tuple[Leg, Leg]:
    """The legs of links ``j`` and ``j + 1`` of a route; a host link is called a leg in a dimension that is not there."""
    padded = [(-1, True, 0), *path, (-1, True, 0)]
    return padded[j], padded[j + 1]


def dimension_order_mesh(random: Random) -> Iterator[Turn]:
    """All pairs of a mesh of one to three dimensions."""
    sizes = [random.randint(1, 3) for _ in range(random.randint(1, 3))]
    for d, path, route, lanes in routes(sizes, wraps=False):

        def facts(j: int, x: Node, y: Node, z: Node, d: Node = d, path: list[Leg] = path) -> list[str]:
            (i, fi, _), (o, fo, _) = along(path, j)
            return grid_facts(sizes, x=x, y=y, z=z, d=d) + say(i=i, fi=fi, j=o, fj=fo)

        yield from turns(route, lanes, facts)


def dateline_torus(random: Random) -> Iterator[Turn]:
    """All pairs of a torus of one or two dimensions."""
    sizes = [random.randint(3, 5) for _ in range(random.randint(1, 2))]
    for d, path, route, lanes in routes(sizes, wraps=True):

        def facts(
            j: int, x: Node, y: Node, z: Node, d: Node = d, path: list[Leg] = path, lanes: list[int] = lanes
        ) -> list[str]:
            (i, fi, _), (o, fo, _) = along(path, j)
            known = say(**{f"(size {k})": size for k, size in enumerate(sizes)}, lane1=lanes[j], lane2=lanes[j + 1])
            return grid_facts(sizes, x=x, y=y, z=z, d=d) + known + say(i=i, fi=fi, j=o, fj=fo)

        yield from turns(route, lanes, facts)


def dateline_ring(random: Random) -> Iterator[Turn]:
    """All pairs of a ring."""
    size = random.randint(3, 9)
    for d, path, route, lanes in routes([size], wraps=True):

        def facts(
            j: int, x: Node, y: Node, z: Node, d: Node = d, path: list[Leg] = path, lanes: list[int] = lanes
        ) -> list[str]:
            (_, fx, _), (_, fy, _) = along(path, j)
            nodes = {"x": x, "y": y, "z": z, "d": d}
            known = (
                who_is_who(**nodes) + of_nodes("host", is_host, **nodes) + of_nodes("pos", lambda n: coordinate(n, 0), **nodes)
            )
            return known + say(size=size, fx=fx, fy=fy, lane1=lanes[j], lane2=lanes[j + 1])

        yield from turns(route, lanes, facts)


def escape_lane_mesh(random: Random) -> Iterator[Turn]:
    """Packets that go any shortest way through a mesh in either lane; each waits for its escape hop among others."""
    sizes = [random.randint(1, 3) for _ in range(random.randint(1, 3))]
    switches: list[Node] = list(product(*map(range, sizes)))
    for s, d in product(switches, switches):
        node, at, leg = (*s, "host"), s, (-1, True, 0)
        while not is_host(at):
            ways = towards(at, d) or [((-1, True, 0), (*d, "host"))]
            (j, fj, _), e = ways[0]
            (a, fa, _), m = random.choice(ways)
            nodes = {"x": node, "y": at, "d": d, "e": e, "m": m}
            said = say(i=leg[0], fi=leg[1], lane1=leg[2], j=j, fj=fj, a=a, fa=fa, lane2=1, **{"has-m": True, "has-e": True})
            yield Turn((node, at, leg[2]), (at, e, 0), tuple(grid_facts(sizes, **nodes) + said))
            node, at, leg = random.choice([(at, e, (j, fj, 0)), (at, m, (a, fa, 1))])


def towards(s: Node, d: Node) -> list[tuple[Leg, Node]]:
    """The ways from switch ``s`` towards switch ``d``, in the adaptive lane, lowest dimension first."""
    out: list[tuple[Leg, Node]] = []
    for i in range(len(s)):
        a, b = coordinate(s, i), coordinate(d, i)
        if a != b:
            out.append(((i, b > a, 1), (*s[:i], a + (1 if b > a else -1), *s[i + 1 :])))
    return out
