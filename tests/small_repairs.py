"""Every small change of routes of a tiny network, tried one by one with the reference walker: what ``repair`` is held to."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from pauseproof.routing.network import Network
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import multicast_senders, pairs, walk_known, walk_pair, walk_worst
from routing.truth import greatest_stuck_set

Pair = tuple[Source, int, int | None]
Entry = tuple[int, int]
GROUPS = (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)


def arriving(network: Network, traffic: Traffic) -> frozenset[Pair]:
    """The pairs all of whose packets arrive."""
    every = pairs(network, traffic)
    return frozenset(pair for pair in every if walk_pair(network, traffic, *pair).outcome == Outcome.ROUTED)


def is_free(network: Network, traffic: Traffic) -> bool:
    """No stuck set, whatever was not read."""
    return not greatest_stuck_set(walk_worst(network, traffic).choice_sets)


def is_stuck(network: Network, traffic: Traffic) -> bool:
    return bool(greatest_stuck_set(walk_known(network, traffic).choice_sets))


def has_trees(network: Network, traffic: Traffic) -> bool:
    return any(multicast_senders(network, traffic))


def inner(network: Network, link: int) -> bool:
    n, view = network.fabric.n_switches, network.fabric.link(link)
    return view.src < n and view.dst < n


def movable(network: Network, traffic: Traffic) -> dict[Entry, Route]:
    """Ordinary groups of links to switches, for columns that traffic is for."""
    out = {}
    for d in range(len(network.destinations)):
        ordinary = network.destinations.kind[d] in (DestinationKind.HOST, DestinationKind.SWITCH)
        for s in range(network.fabric.n_switches) if ordinary and traffic.destination_on[d] else ():
            route = network.routes.route(s, d)
            plain = not any(row >= 0 for row in route.rows) and route.column < 0
            if route.kind in GROUPS and route.links and plain and all(inner(network, link) for link in route.links):
                out[s, d] = route
    return out


def usable(network: Network, traffic: Traffic) -> set[int]:
    """Links between switches that some group goes over today, in either direction; on InfiniBand all."""
    fabric = network.fabric
    every = {link.id for link in fabric.links() if inner(network, link.id)}
    if fabric.kind == "infiniband":
        return every
    used = set[int]()
    for d in range(len(network.destinations)):
        ordinary = network.destinations.kind[d] in (DestinationKind.HOST, DestinationKind.SWITCH)
        for s in range(fabric.n_switches) if ordinary and traffic.destination_on[d] else ():
            route = network.routes.route(s, d)
            used |= set(route.links) if route.kind in GROUPS else set()
    return {link for link in every if {link, int(fabric.reverse[link])} & used}


def options(network: Network, traffic: Traffic, entry: Entry, route: Route, *, add: bool) -> Iterator[tuple[int, Route]]:
    """(cost, new entry): some of its links withdrawn, or all of them and another one added."""
    for size in range(1, len(set(route.links))):
        for kept in combinations(sorted(set(route.links)), size):
            kind = route.kind if len(kept) > 1 else ChoiceKind.HASHED
            yield len(set(route.links)) - size, Route(kind, kept)
    for link in sorted(usable(network, traffic)) if add else ():
        if network.fabric.link(link).src == entry[0] and link not in route.links:
            yield len(set(route.links)), Route(ChoiceKind.HASHED, (link,))


def changes(network: Network, traffic: Traffic, most: int, *, add: bool = True) -> Iterator[dict[Entry, Route]]:
    """Every change that costs at most so much, the empty one left out."""
    entries = movable(network, traffic)
    choices = {entry: list(options(network, traffic, entry, route, add=add)) for entry, route in entries.items()}
    for size in range(1, most + 1):
        for some in combinations(sorted(entries), size):
            for picked in product(*(choices[entry] for entry in some)):
                if sum(cost for cost, _ in picked) <= most:
                    yield {entry: route for entry, (_, route) in zip(some, picked, strict=True)}


def changed(network: Network, entries: dict[Entry, Route]) -> Network:
    """The network with these entries, its table written anew."""
    columns, switches = range(len(network.destinations)), range(network.fabric.n_switches)
    routes = [[entries.get((s, d), network.routes.route(s, d)) for d in columns] for s in switches]
    return replace(network, routes=ChoiceTable.from_routes(routes))


def some_change_repairs(network: Network, traffic: Traffic, most: int, *, add: bool = True) -> bool:
    """Whether a change that costs at most so much leaves no stuck set, and lets arrive what arrives today."""
    kept = arriving(network, traffic)
    for entries in changes(network, traffic, most, add=add):
        after = changed(network, entries)
        if is_free(after, traffic) and kept <= arriving(after, traffic):
            return True
    return False
