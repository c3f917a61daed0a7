"""Small fabrics with answers that anyone can check by hand: what adaptive choices, copies and coupled hosts do.

Each is asked of the engine and, through its certificate, of the checker.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import pauseproof
from pauseproof.deadlock.check import check
from pauseproof.findings.report import FabricReport
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, Route, RowTable

TOPOLOGIES = Path(__file__).resolve().parents[1] / "topologies"


def entry(name: str) -> Network:
    return pauseproof.load(TOPOLOGIES / f"{name}.yaml")


def answer(network: Network, **asked: Any) -> FabricReport:
    """The report, whose verdict the checker has confirmed."""
    report, certificate = pauseproof.library.verify_and_prove(network, **asked)
    assert certificate is not None
    assert check(certificate, network) == report.fabrics[0].verdict.value
    return report.fabrics[0]


def is_free(network: Network, **asked: Any) -> bool:
    return answer(network, **asked).verdict.value == "DEADLOCK_FREE"


def test_two_buffers_of_hashed_pairs_are_stuck() -> None:
    report = answer(entry("two-buffer-hashed"))
    assert report.verdict.value == "DEADLOCK_POSSIBLE"
    assert report.cyclic_components == (2,)


def test_two_buffers_that_reselect_are_free_for_their_one_exit_and_stuck_when_they_commit() -> None:
    network = entry("two-buffer-reselecting")
    assert is_free(network)
    assert is_free(network, adaptive="reselecting")
    assert not is_free(network, adaptive="committed")
    assert answer(network).cyclic_components == (2,)  # the cycle is there all the same


def test_one_of_the_two_that_reselects_is_enough() -> None:
    network = entry("two-buffer-reselecting")
    for reselecting, free in (([], False), ([0], True), ([1], True), ([2], False), ([0, 1, 2], True)):
        some = replace(network, reselects=np.isin(np.arange(3), reselecting))
        assert is_free(some) == free


def test_on_a_mesh_reselecting_needs_an_escape_and_an_escape_needs_reselecting() -> None:
    assert not is_free(entry("mesh4x4-adaptive-reselecting"))
    assert is_free(entry("mesh4x4-adaptive-escape"))
    assert not is_free(entry("mesh4x4-adaptive-escape"), adaptive="committed")


def test_a_loop_back_cable_is_a_component_of_one() -> None:
    report = answer(entry("loop-back-cable"))
    assert report.cyclic_components == (1,)
    (finding,) = (finding for finding in report.findings if finding.loop)
    assert len(finding.loop) == 1


def with_tree(network: Network, links: list[tuple[str, str]]) -> Network:
    """The network with a multicast group on the switches of ``links``, whose tree these are; their hosts are its members."""
    fabric, routes = network.fabric, network.routes
    if isinstance(routes, RowTable):
        routes = choice_table_from_rows(routes)
    both = {*links, *((b, a) for a, b in links)}
    inside = {a for a, _ in both}
    members = [h for h in fabric.hosts() if fabric.node_name[fabric.link(h.up).dst] in inside]
    named = {l.id: (fabric.node_name[l.src], fabric.node_name[l.dst]) for l in fabric.links()}
    chosen = {l for l, ends in named.items() if ends in both} | {h.down for h in members}
    of_switch = [tuple(l.id for l in fabric.links() if l.src == s and l.id in chosen) for s in range(fabric.n_switches)]
    copies = [Route(ChoiceKind.MULTICAST if some else ChoiceKind.DROP, some) for some in of_switch]
    d = network.destinations
    table = [[*(routes.route(s, i) for i in range(len(d))), copies[s]] for s in range(fabric.n_switches)]
    grown = Destinations(
        [*d.names, "tree"],
        np.append(d.kind, np.uint8(DestinationKind.MULTICAST)),
        np.append(d.owner, np.int32(-1)),
        np.append(d.member_ptr, d.member_ptr[-1] + len(members)),
        np.append(d.member, np.array([h.id for h in members], np.int32)),
    )
    traffics = {
        name: replace(one, destination_on=np.append(one.destination_on, True), labels=None)
        for name, one in network.traffics.items()
    }
    return replace(network, destinations=grown, routes=ChoiceTable.from_routes(table), traffics=traffics)


def test_a_tree_through_the_turn_that_up_down_leaves_out_closes_the_ring() -> None:
    """Up-down on a ring of five never turns at s3; a tree s2 - s3 - s4 does, both ways. The tree alone is a line."""
    network = entry("ring5-updown")
    assert is_free(network)
    assert answer(with_tree(network, [("s2", "s3"), ("s3", "s4")])).cyclic_components == (5, 5)
    assert is_free(with_tree(network, [("s2", "s3")]))
    assert is_free(with_tree(network, [("s1", "s0"), ("s0", "s4")]))
    unicast_off = with_tree(network, [("s2", "s3"), ("s3", "s4")])
    nothing = {name: replace(t, destination_on=np.arange(6) == 5) for name, t in unicast_off.traffics.items()}
    assert is_free(replace(unicast_off, traffics=nothing))


def test_a_free_leaf_spine_is_stuck_where_its_hosts_receive_only_while_they_can_send() -> None:
    network = entry("leaf-spine")
    hosts = network.fabric.node_name[network.fabric.n_switches :]
    assert is_free(network)
    assert not is_free(network, endpoint_coupled=["*"])
    assert not is_free(network, endpoint_coupled=[hosts[0], hosts[1]])  # each waits to send to the other
    assert is_free(network, endpoint_coupled=[hosts[0]])  # nobody sends to itself
