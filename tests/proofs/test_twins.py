"""Every twin's model is a fabric with a loop: decoded, walked packet by packet, and searched with networkx."""

from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

from pauseproof.findings.report import Verdict
from pauseproof.library import verify
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.walk import walk_known, walk_pair
from proofs import smt2
from proofs.decode import Packet, network_of, packets_of

LOOP_LENGTH = {
    "bounce_lanes_clos": 4,
    "dateline_ring": 5,
    "dateline_torus": 4,
    "dimension_order_mesh": 4,
    "escape_lane_mesh": 4,
    "global_lane_dragonfly": 6,
    "updown_any_graph": 3,
    "updown_folded_clos": 4,
}


def family(twin: Path) -> str:
    return twin.name.removesuffix(".twin.smt2")


def loops(packets: list[Packet]) -> list[int]:
    """The sizes of the components that hold a cycle, from the packets alone."""
    graph = nx.DiGraph(pair for packet in packets for pair in pairwise(packet.hops()))
    return [len(component) for component in nx.strongly_connected_components(graph) if len(component) > 1]


@pytest.mark.parametrize("twin", smt2.TWINS, ids=family)
def test_the_packets_of_the_model_wait_in_a_loop(twin: Path) -> None:
    assert loops(packets_of(twin.read_text())) == [LOOP_LENGTH[family(twin)]]


@pytest.mark.parametrize("twin", smt2.TWINS, ids=family)
def test_the_fabric_of_the_model_routes_every_packet_and_has_that_loop(twin: Path) -> None:
    packets = packets_of(twin.read_text())
    network = network_of(packets)
    traffic, fabric = network.traffics["loop"], network.fabric
    host = {fabric.node_name[h.node]: h.id for h in fabric.hosts()}
    for i, packet in enumerate(packets):
        walk = walk_pair(network, traffic, Source("host", host[f"h{i}"]), i, host[f"g{i}"])
        assert walk.outcome == Outcome.ROUTED
        assert len(walk.states) == len(packet.lanes)
    graph = nx.DiGraph(walk_known(network, traffic).dependencies)
    cyclic = [len(component) for component in nx.strongly_connected_components(graph) if len(component) > 1]
    assert cyclic == [LOOP_LENGTH[family(twin)]]


@pytest.mark.parametrize("twin", smt2.TWINS, ids=family)
def test_the_engine_finds_that_loop(twin: Path) -> None:
    network = network_of(packets_of(twin.read_text()))
    (report,) = verify(network, traffic="loop").fabrics
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert report.cyclic_components == (LOOP_LENGTH[family(twin)],)
    (found,) = [finding for finding in report.findings if finding.loop]
    assert len(found.loop) == LOOP_LENGTH[family(twin)]


@pytest.mark.parametrize("twin", smt2.TWINS, ids=family)
def test_the_engine_finds_no_loop_where_one_packet_is_missing(twin: Path) -> None:
    network = network_of(packets_of(twin.read_text())[1:])
    assert verify(network, traffic="loop").fabrics[0].verdict is Verdict.DEADLOCK_FREE


def test_without_one_of_its_packets_a_loop_is_gone() -> None:
    packets = packets_of(smt2.read("updown_any_graph.twin"))
    network = network_of(packets[:-1])
    assert nx.is_directed_acyclic_graph(nx.DiGraph(walk_known(network, network.traffics["loop"]).dependencies))
