"""Random small rings whose shortest paths loop, for property tests of repairs."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from pauseproof.fabric.lanes import Lanes
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from strategies import Case, Column, destinations_of, fabric_of, out_links, uniform_traffic, with_rewrites


@st.composite
def rings(draw: st.DrawFn) -> Case:
    """3-5 switches in a ring, sometimes with a chord, a host at each, and next hops drawn freely towards each host."""
    n = draw(st.integers(3, 5))
    cables = [((s, 1), ((s + 1) % n, 2)) for s in range(n)] + [((s, 3), (n + s, 1)) for s in range(n)]
    if n > 3 and draw(st.booleans()):
        cables.append(((0, 4), (2, 4)))
    fabric = fabric_of([4] * n, [1] * n, cables)
    inner = [[l for l in out_links(fabric, s) if fabric.link(l).dst < n] for s in range(n)]
    away = draw(st.lists(st.lists(st.integers(0, 20), min_size=n, max_size=n), min_size=n, max_size=n))

    def entry(s: int, d: int) -> Route:
        if s == d:
            return Route(ChoiceKind.DELIVER, (fabric.host(d).down,))
        code = away[s][d]
        if code == 20:
            return Route(ChoiceKind.HASHED, tuple(inner[s]))
        shorter = int(fabric.out_link[s, 1 if (d - s) % n <= n // 2 else 2])
        return Route(ChoiceKind.HASHED, (inner[s][code % len(inner[s])] if code >= 17 else shorter,))

    columns = [Column(DestinationKind.HOST, members=(h,)) for h in range(n)]
    routes = ChoiceTable.from_routes([[entry(s, d) for d in range(n)] for s in range(n)])
    traffic = uniform_traffic(fabric, n)
    return Case(Network(fabric, destinations_of(columns), routes, Lanes.identity(n), {"hosts": traffic}), traffic)


@st.composite
def tunnelled(draw: st.DrawFn) -> Case:
    """The same with every destination twice; some switches put packets of one into the other, as tunnels do."""
    network = draw(rings()).network
    n, columns = network.fabric.n_switches, len(network.destinations)
    twice = [Column(DestinationKind.HOST, members=(d % columns,)) for d in range(2 * columns)]
    routes = [[network.routes.route(s, d % columns) for d in range(2 * columns)] for s in range(n)]
    table = ChoiceTable.from_routes(with_rewrites(twice, routes, draw(st.integers(1, 7))))
    on = np.arange(2 * columns) < draw(st.sampled_from((columns, 2 * columns)))
    both = replace(uniform_traffic(network.fabric, 2 * columns), destination_on=on)
    return Case(replace(network, destinations=destinations_of(twice), routes=table, traffics={"hosts": both}), both)
