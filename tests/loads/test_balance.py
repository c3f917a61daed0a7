"""The static balance of tables against sets of packets followed one by one."""

from collections import defaultdict

from hypothesis import given

import pauseproof
from pauseproof.loads.balance import balance
from pauseproof.loads.next_hops import next_hops
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from pauseproof.routing.traffic import Traffic
from strategies import Case, anything, sane


def naive_destinations(network: Network, traffic: Traffic) -> list[int]:
    """By link, for how many columns it carries packets."""
    fabric, destinations = network.fabric, network.destinations
    carried: dict[int, set[int]] = defaultdict(set)
    for d in range(len(destinations)):
        members = destinations.members(d)
        if not (traffic.destination_on[d] and destinations.kind[d] == DestinationKind.HOST and members):
            continue
        nodes = {fabric.host(g).node for g in members}
        to_visit = []
        for h in fabric.hosts():
            if traffic.host_sends[h.id] and nodes != {h.node}:
                carried[h.up].add(d)
                to_visit.append((fabric.link(h.up).dst, d))
        seen = set()
        while to_visit:
            s, column = to_visit.pop()
            if s >= fabric.n_switches or (s, column) in seen:
                continue
            seen.add((s, column))
            kind, links, _, onward, _ = network.routes.route(s, column)
            if kind in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, ChoiceKind.DELIVER):
                for link in links:
                    host = int(fabric.host_of_link[link])
                    if host < 0 or traffic.host_receives[host]:
                        carried[link].add(d)
                    if kind != ChoiceKind.DELIVER:
                        to_visit.append((fabric.link(link).dst, column if onward < 0 else onward))
    return [len(carried[link]) for link in range(fabric.n_links)]


@given(anything() | sane())
def test_it_counts_what_packets_do(case: Case) -> None:
    network, traffic = case
    found = balance(next_hops(network), traffic)
    assert found.destinations.tolist() == naive_destinations(network, traffic)


def test_the_levels_of_a_tree() -> None:
    network = pauseproof.load("topologies/fat-tree-k4.yaml")
    found = balance(next_hops(network), network.traffics["hosts"])
    assert [(level.from_tier, level.to_tier) for level in found.levels] == [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)]
    assert found.idle == 0 and sum(len(level.links) for level in found.levels) == network.fabric.n_links
