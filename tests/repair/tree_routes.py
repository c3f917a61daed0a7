"""Random small fabrics each destination of which is routed along a tree of its own: nothing circles, and loops are common."""

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from pauseproof.fabric.lanes import Lanes
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from strategies import Case, Column, destinations_of, fabric_of, uniform_traffic


@st.composite
def tree_routed(draw: st.DrawFn, switches: int = 5) -> Case:
    """3 to ``switches`` switches in a ring with up to two chords, a host at each, and a spanning tree for each host."""
    n = draw(st.integers(3, switches))
    ring = [(i, (i + 1) % n) for i in range(n)]
    others = [(a, b) for a in range(n) for b in range(a + 2, n) if (b, a) not in ring]
    chords = draw(st.lists(st.sampled_from(others), max_size=2, unique=True)) if others else []
    edges = [*ring, *chords]
    used, cables = [1] * n, [((i, 1), (n + i, 1)) for i in range(n)]
    for a, b in edges:
        used[a] += 1
        used[b] += 1
        cables.append(((a, used[a]), (b, used[b])))
    fabric = fabric_of(used, [1] * n, cables)
    down = {h.node - n: h.down for h in fabric.hosts()}
    link = {(l.src, l.dst): l.id for l in fabric.links()}
    columns = [Column(DestinationKind.HOST, members=(h.id,)) for h in fabric.hosts()]
    routes: list[list[Route]] = [[] for _ in range(n)]
    for h in fabric.hosts():
        order = draw(st.permutations(edges))
        tree = nx.minimum_spanning_tree(nx.Graph([(a, b, {"weight": i}) for i, (a, b) in enumerate(order)]))
        home = h.node - n
        for s in range(n):
            out = down[home] if s == home else link[s, nx.shortest_path(tree, s, home)[1]]
            routes[s].append(Route(ChoiceKind.HASHED, (out,)))
    traffic = uniform_traffic(fabric, len(columns))
    network = Network(fabric, destinations_of(columns), ChoiceTable.from_routes(routes), Lanes.identity(n), {"hosts": traffic})
    assert (np.asarray(fabric.host_node) >= n).all()
    return Case(network, traffic)
