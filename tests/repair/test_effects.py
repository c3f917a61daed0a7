"""What tables do to paths and load: against walks of single packets, and known rings."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given

import pauseproof
from examples import on_some
from pauseproof.findings.report import Verdict
from pauseproof.library import repairs
from pauseproof.repair.effects import Ways, ways_of
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind
from repair.ring_networks import rings
from repair.tree_routes import tree_routed
from strategies import Case

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"


def ways_by_hand(network: Network) -> Ways | None:
    """Every packet of every pair, split evenly at each switch; pairs some packet of which circles or drops do not count."""
    fabric = network.fabric
    means, longest = [], 0
    serves: dict[int, set[int]] = {}
    for host in fabric.hosts():
        for d in range(len(network.destinations)):
            if host.id in network.destinations.members(d):
                continue
            ends: list[tuple[Fraction, int]] = []
            todo: list[tuple[int, Fraction, tuple[int, ...]]] = [(fabric.link(host.up).dst, Fraction(1), (host.up,))]
            arrives = True
            while todo:
                s, share, links = todo.pop()
                route = network.routes.route(s, d)
                if route.kind not in (ChoiceKind.HASHED, ChoiceKind.DELIVER) or not route.links:
                    arrives = False
                for link in route.links:
                    serves.setdefault(link, set()).add(d)
                    if link in links:
                        arrives = False
                    elif fabric.link(link).dst >= fabric.n_switches:
                        ends.append((share / len(route.links), len(links) + 1))
                    else:
                        todo.append((fabric.link(link).dst, share / len(route.links), (*links, link)))
            if arrives:
                means.append(sum(share * length for share, length in ends))
                longest = max(longest, *(length for _, length in ends))
    inner = [len(some) for link, some in serves.items() if fabric.link(link).dst < fabric.n_switches]
    return Ways(round(float(sum(means) / len(means)), 2), longest, max(inner, default=0)) if means else None


@on_some
@given(tree_routed())
def test_trees_are_as_by_hand(case: Case) -> None:
    assert ways_of(case.network, case.traffic) == ways_by_hand(case.network)


@on_some
@given(rings())
def test_groups_and_circling_packets_are_as_by_hand(case: Case) -> None:
    found, expected = ways_of(case.network, case.traffic), ways_by_hand(case.network)
    assert (found is None) == (expected is None)
    if found and expected:
        assert (found.longest, found.busiest) == (expected.longest, expected.busiest)
        assert found.mean == pytest.approx(expected.mean, abs=0.011)


def test_alternatives_come_with_their_effects_the_fewest_changes_first() -> None:
    found = repairs(pauseproof.load(TOPOLOGIES / "opensm/ring5_minhop"))
    assert [one.alternative.kind for one in found.offered] == ["lanes", "routes", "turns"]
    lanes, routes = (one.effects for one in found.offered[:2])
    assert lanes and (lanes.rows, lanes.turns, lanes.lanes) == (0, 0, 1)
    assert lanes.before == lanes.after == Ways(3.33, 4, 4)
    assert routes and (routes.rows, routes.turns, routes.lanes) == (4, 0, 0)
    assert routes.after and routes.after.longest == 5
    assert found.offered[0].other_traffic == {"hosts+switches": Verdict.DEADLOCK_POSSIBLE}


def test_what_gives_up_losslessness_comes_last_and_withdrawals_are_shown_once() -> None:
    folder = TOPOLOGIES / "frr"
    found = repairs(pauseproof.load(folder / "two_failures", folder / "clos4x2.layer1_topology.json"))
    assert [one.alternative.kind for one in found.offered] == ["routes", "turns", "raises", "lossy"]
    assert found.offered[0].also == ("withdraw",)
    raised = found.offered[2].effects
    assert raised and (raised.rows, raised.turns, raised.lanes) == (0, 4, 1)
