"""Kind ``routes``: the fewest routes moved or withdrawn.

A *route* is a next hop of an entry: (switch, destination, link). Routes may be withdrawn; an entry that loses all of its own
gets one other next hop instead, so that on tables of one port a row, as InfiniBand's, the cost is the rows that change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pauseproof.deadlock.analysis import analyse
from pauseproof.deadlock.answers import Analysis
from pauseproof.repair.alternative import Alternative, Budget, Change, NotOffered
from pauseproof.repair.entries import Entries, with_entries
from pauseproof.repair.fewest import Search
from pauseproof.repair.grid import TOO_LARGE, Bools, Grid, grid_of
from pauseproof.repair.insertion import Insertion
from pauseproof.repair.lft_file import lft_file
from pauseproof.repair.route_file import route_file
from pauseproof.repair.routes_csv import FILE, routes_csv
from pauseproof.routing.ask import Asked
from pauseproof.routing.tables import ChoiceTable, Route

UNIT = "routes moved or withdrawn"


def alternatives(asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
    """The cheapest that was found, or why there is none."""
    grid = grid_of(asked)
    if grid.too_large:
        return [NotOffered("routes", TOO_LARGE)]
    quick = Insertion(grid).best(budget.share(4))
    quick = quick if quick is not None and serves(asked, analysis, grid, quick) else None
    known = None if quick is None else grid.withdrawn(quick)
    found = Search(asked, grid, known, budget).run()
    if found.member is not None and serves(asked, analysis, grid, found.member):
        cost = grid.withdrawn(found.member)
        return [alternative(asked, "routes", grid.entries(found.member), cost, min(found.bound, cost))]
    if quick is None or known is None:
        return [NotOffered("routes", WHY.get(found.why, NO_WAY))]
    return [alternative(asked, "routes", grid.entries(quick), known, min(found.bound, known))]


NO_WAY = "no routes were found that close no loop and keep every pair connected"
WHY = {"hopeless": "no routes close no loop and keep every pair connected: what may not be changed is enough to prevent it"}


def serves(asked: Asked, analysis: Analysis, grid: Grid, member: Bools) -> bool:
    """Whether next hops are free, and no more pairs fail than today: a first look, before anybody relies on it."""
    table = asked.network.routes
    assert isinstance(table, ChoiceTable)
    after = analyse(replace(asked.network, routes=with_entries(table, grid.entries(member))), asked.traffic)
    failing = (after.outcomes.unroutable_pairs, after.outcomes.looping_pairs, after.outcomes.unknown_pairs)
    return not after.stuck and sum(failing) <= analysis.outcomes.unroutable_pairs + analysis.outcomes.unknown_pairs


def alternative(asked: Asked, kind: str, entries: Entries, cost: int, bound: int, unit: str = UNIT) -> Alternative:
    """The alternative that sets the given entries anew."""
    table = asked.network.routes
    assert isinstance(table, ChoiceTable)
    changes = tuple(change(asked, s, d, route) for (s, d), route in sorted(entries.items()))
    network = replace(asked.network, routes=with_entries(table, entries))
    return Alternative(kind, cost, unit, bound, changes, network, asked.traffic)


def change(asked: Asked, s: int, d: int, route: Route) -> Change:
    """An entry that is set anew, in words and as data: names of devices, ports as operators call them."""
    network = asked.network
    fabric, before = network.fabric, network.routes.route(s, d)
    was, now = ([fabric.port_name(s, fabric.link(link).src_port) for link in r.links] for r in (before, route))
    withdrawn_only = set(route.links) < set(before.links)
    name, to = fabric.node_name[s], str(network.destinations.names[d])
    gone = [port for port in was if port not in now]
    sentence = (
        f"{name}: no longer send packets for {_what(asked)}{to} by {_ports(gone)}, only by {_ports(now)}"
        if withdrawn_only
        else f"{name}: send packets for {_what(asked)}{to} by {_ports(now)} instead of {_ports(was)}"
    )
    machine = {
        "action": "withdraw" if withdrawn_only else "move",
        "switch": fabric.identity(s),
        "destination": to,
        "from": was,
        "to": now,
    }
    return Change(sentence, machine, network.routes.place(s, d))


def _what(asked: Asked) -> str:
    return "LID " if asked.network.fabric.kind == "infiniband" else ""


def _ports(names: Sequence[str]) -> str:
    return f"port{'s' * (len(names) != 1)} {' and '.join(names)}"


def loadable(asked: Asked, alternative: Alternative) -> Mapping[str, str]:
    """An LFT file for InfiniBand where each row has one port, whole tables as CSV for Ethernet; and the routes as lines."""
    lines = {"routes.txt": route_file(asked.network, alternative.network)}
    lfts = lft_file(alternative.network) if asked.network.fabric.kind == "infiniband" else ""
    rows = routes_csv(asked.network, alternative.network) if asked.network.fabric.kind == "roce" else ""
    return {**({"opensm-lfts.dump": lfts} if lfts else {}), **({FILE: rows} if rows else {}), **lines}
