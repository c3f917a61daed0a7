"""Random small fabrics from a number alone, for runs by the thousand: switches in a random connected graph, a host or two on
each, and for every host routes along shortest or detoured ways, sometimes hashed, now and then pointing back.
"""

from dataclasses import replace
from random import Random

import networkx as nx
import numpy as np

from pauseproof.deadlock.analysis import analyse
from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.replay.itinerary import Dependency
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Source
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from pauseproof.routing.traffic import Traffic
from strategies import Column, destinations_of, fabric_of, out_links, uniform_traffic


def random_network(number: int) -> tuple[Network, Traffic]:
    """The network with this number: 3-7 switches, 1-2 hosts on each; every fifth is InfiniBand, every fourth picks by load."""
    random = Random(number)
    n = random.randint(3, 7)
    graph = nx.cycle_graph(n) if random.random() < 0.5 else nx.Graph((random.randrange(s), s) for s in range(1, n))
    for _ in range(random.randint(0, 3)):
        a, b = random.sample(range(n), 2)
        graph.add_edge(a, b)
    fabric = _cabled(graph, [random.randint(1, 2) for _ in range(n)])
    by_load = number % 4 == 3
    routes = _routes(fabric, graph, random, by_load)
    if number % 5 == 4:
        fabric = replace(fabric, kind="infiniband")
    columns = [Column(DestinationKind.HOST, members=(h.id,)) for h in fabric.every_host]
    traffic = uniform_traffic(fabric, len(columns))
    lanes = Lanes.identity(fabric.n_hosts)
    return Network(fabric, destinations_of(columns), ChoiceTable.from_routes(routes), lanes, {traffic.name: traffic}), traffic


def _cabled(graph: "nx.Graph", hosts: list[int]) -> Fabric:
    used = [0] * len(hosts)

    def plug(s: int) -> tuple[int, int]:
        used[s] += 1
        return s, used[s]

    cables = [(plug(a), plug(b)) for a, b in sorted(graph.edges)]
    homes = [s for s, number in enumerate(hosts) for _ in range(number)]
    cables += [(plug(s), (len(hosts) + i, 1)) for i, s in enumerate(homes)]
    fabric = fabric_of(used, [1] * len(homes), cables)
    speed = np.full(fabric.n_links, 100.0, np.float32)
    return replace(fabric, speed=speed)


def _routes(fabric: Fabric, graph: "nx.Graph", random: Random, by_load: bool) -> list[list[Route]]:
    """To each host by shortest ways under random weights, so that ways are detoured; one entry in sixty points anywhere."""
    table = []
    for host in fabric.every_host:
        home = fabric.link(host.up).dst
        weight = {frozenset(edge): random.choice((1, 1, 1, 2, 4)) for edge in sorted(graph.edges)}

        def cost(a: int, b: int, _: object, weight: dict[frozenset[int], int] = weight) -> int:
            return weight[frozenset((a, b))]

        far = nx.single_source_dijkstra_path_length(graph, home, weight=cost)
        table.append([_entry(fabric, s, host.down, home, far, random, by_load) for s in range(fabric.n_switches)])
    return [[table[d][s] for d in range(len(table))] for s in range(fabric.n_switches)]


def _entry(fabric: Fabric, s: int, down: int, home: int, far: dict[int, int], random: Random, by_load: bool) -> Route:
    if s == home:
        return Route(ChoiceKind.HASHED, (down,))
    out = [l for l in out_links(fabric, s) if fabric.link(l).dst in far]
    if random.random() < 1 / 60:
        return Route(ChoiceKind.HASHED, (random.choice(out),))
    closer = [l for l in out if far[fabric.link(l).dst] < far[s]]
    if by_load:
        return Route(ChoiceKind.ADAPTIVE, tuple(closer))
    return Route(ChoiceKind.HASHED, (closer[0],) if random.random() < 0.7 else tuple(closer))


def witness_of(network: Network, traffic: Traffic) -> tuple[bool, bool, tuple[Dependency, ...]]:
    """What the engine says: is there a stuck set, does anything unknown matter, and the witness."""
    analysis = analyse(network, traffic)
    waits = analysis.loops[0].waits if analysis.loops else analysis.stuck_set
    packets = analysis.packets([waiting.hop for waiting in waits])
    found = []
    for waiting, packet in zip(waits, packets, strict=True):
        assert packet is not None
        source = Source("host", packet.host) if packet.host >= 0 else Source("switch", packet.switch)
        member = None if packet.member < 0 else packet.member
        found.append(Dependency(waiting.buffer, frozenset(waiting.choice), source, packet.column, member))
    return analysis.stuck, analysis.meets_unknown, tuple(found)
