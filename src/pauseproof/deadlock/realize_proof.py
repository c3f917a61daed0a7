"""The certificate of a fabric that is free once the dependencies are deleted that no packet carries."""

from collections.abc import Mapping
from typing import Any

from pauseproof.deadlock.analysis import whole_graph
from pauseproof.deadlock.answers import Analysis
from pauseproof.deadlock.certificate import Certificate, buffer_name, conditional_certificate
from pauseproof.deadlock.hash_assumptions import hash_assumptions
from pauseproof.deadlock.realize import Decided, Refutation
from pauseproof.deadlock.realize_loops import Realized, without
from pauseproof.deadlock.realize_ways import Dependency, Turn
from pauseproof.deadlock.stuck import peel
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network


def proved_free(asked: Asked, coverage: Mapping[str, int | str], base: Analysis, realized: Realized) -> Certificate:
    """The ranks of the graph without what was deleted, and for each of these dependencies why no packet carries it."""
    network = asked.network
    graph = whole_graph(network, asked.traffic)
    rank = peel(without(graph, realized.deleted)).rank.tolist()
    ranks = [(graph.link_lane(b), r) for b, r in enumerate(rank)]
    entries = [_entry(network, e, decided) for e, decided in sorted(realized.deleted.items())]
    return conditional_certificate(asked, coverage, ranks, base.component_sizes, entries, hash_assumptions(network))


def _entry(network: Network, e: Dependency, decided: Decided) -> dict[str, Any]:
    because = [_because(network, refutation) for refutation in decided.refutations]
    return {"buffer": buffer_name(network, e[0]), "waits_for": buffer_name(network, e[1]), "because": because}


def _because(network: Network, refutation: Refutation) -> dict[str, Any]:
    return {
        "family": refutation.family,
        "turns": [_turn(network, turn) for turn in refutation.turns],
        "proof": refutation.proof.value,
        "combination": [list(term) for term in refutation.combination],
    }


def _turn(network: Network, turn: Turn) -> dict[str, Any]:
    fabric = network.fabric

    def out(link: int) -> str:
        return fabric.port_name(turn.switch, int(fabric.link_src_port[link]))

    return {
        "switch": fabric.identity(turn.switch),
        "in": fabric.port_name(turn.switch, int(fabric.link_dst_port[turn.in_link])) if turn.in_link >= 0 else "",
        "group": [out(link) for link in turn.group],
        "number": turn.number,
        "out": out(turn.link),
    }
