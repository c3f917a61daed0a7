"""The fewest routes, against every cheaper change tried one by one, and on fabrics whose answer is known."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

import pauseproof
from examples import on_few, on_some
from pauseproof.fabric.lanes import Lanes
from pauseproof.findings.report import Verdict
from pauseproof.library import repairs
from pauseproof.repair.alternative import Alternative, Budget
from pauseproof.repair.apply import walkable
from pauseproof.repair.fewest import Search
from pauseproof.repair.grid import grid_of
from pauseproof.repair.repair import Repair, repair
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from pauseproof.routing.traffic import Traffic
from repair.ring_networks import rings, tunnelled
from small_repairs import arriving, is_free, is_stuck, some_change_repairs
from strategies import Case, Column, destinations_of, fabric_of, sane, uniform_traffic

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
OPENSM = TOPOLOGIES / "opensm"
FRR = (TOPOLOGIES / "frr/two_failures", TOPOLOGIES / "frr/clos4x2.clab.yml")
MOST = 2  # cheaper changes than this are all tried


def asked(network: Network, traffic: Traffic) -> Repair:
    network = replace(network, traffics={"hosts": replace(traffic, name="hosts")}, reselects=None)
    return repair(network, Question(), kinds=["routes"], budget=Budget(20))


def hold(network: Network, traffic: Traffic, found: Alternative, *, add: bool = True) -> None:
    """Free by the walker, as connected as before, and where it says so nothing cheaper is."""
    assert is_free(found.network, found.traffic)
    assert arriving(network, traffic) <= arriving(found.network, found.traffic)
    assert found.bound <= found.cost
    if found.bound > 1:
        assert not some_change_repairs(network, traffic, min(found.bound - 1, MOST), add=add)


@on_few
@given(rings())
def test_on_rings_nothing_cheaper_repairs(case: Case) -> None:
    if not is_stuck(case.network, case.traffic):
        return
    found = asked(case.network, case.traffic)
    for one in found.offered:
        assert one.checked and one.alternative.optimal
        hold(case.network, case.traffic, one.alternative)
    if not found.offered:
        assert not some_change_repairs(case.network, case.traffic, MOST)


@on_some
@given(tunnelled())
def test_packets_in_tunnels_rest_on_entries_of_other_destinations(case: Case) -> None:
    if not is_stuck(case.network, case.traffic):
        return
    for one in asked(case.network, case.traffic).offered:
        found = one.alternative
        assert is_free(found.network, found.traffic)
        assert arriving(case.network, case.traffic) <= arriving(found.network, found.traffic)
        assert found.bound == 1 or not some_change_repairs(case.network, case.traffic, 1)


@on_some
@given(sane())
def test_whatever_the_lanes_and_tables_what_is_offered_holds(case: Case) -> None:
    if not is_stuck(case.network, case.traffic) or not (case.traffic.host_sends.any() or case.traffic.switch_sends.any()):
        return
    found = asked(case.network, case.traffic)
    for one in found.offered:
        assert walkable(one.judged.asked)
        hold(found.before.asked.network, found.before.asked.traffic, one.alternative)


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ((OPENSM / "irregular_updn",), 1),
        ((OPENSM / "siblings_ftree",), 4),
        ((OPENSM / "ring5_minhop",), 4),
        ((OPENSM / "io_nodes_ftree",), 3),
        (FRR, 2),
        ((TOPOLOGIES / "ring5.yaml",), 2),
        ((TOPOLOGIES / "torus4x4-dimension-order.yaml",), 20),
        ((TOPOLOGIES / "forwarding-loop.yaml",), 1),
        ((TOPOLOGIES / "ring6-adaptive-committed.yaml",), 6),
    ],
)
def test_known_answers_are_found_and_proved(path: tuple[Path, ...], cost: int) -> None:
    found = repairs(pauseproof.load(*path), kinds=["routes"], seconds=60)
    (one,) = found.offered
    assert (one.alternative.cost, one.alternative.optimal, one.checked) == (cost, True, True)
    assert one.judged.verdict is Verdict.DEADLOCK_FREE
    assert is_free(one.alternative.network, one.alternative.traffic)


def test_a_cable_that_nothing_uses_gets_no_route_on_ethernet() -> None:
    """leaf1 is cabled to spine2, and the link is down: that no route uses it is all that the tables say."""
    (one,) = repairs(pauseproof.load(*FRR), kinds=["routes"]).offered
    said = [change.machine for change in one.alternative.changes]
    assert {(m["action"], m["switch"]) for m in said} <= {
        ("withdraw", "spine1"),
        ("withdraw", "spine2"),
        ("withdraw", "leaf2"),
        ("withdraw", "leaf4"),
    }


def test_what_was_not_read_is_not_repaired() -> None:
    found = repairs(pauseproof.load(TOPOLOGIES / "unknown-row-with-loop.yaml"), kinds=["routes"])
    assert not found.offered
    assert "UNDECIDED" in found.not_offered[0].reason


def test_without_time_there_is_still_an_answer_with_its_gap() -> None:
    (one,) = repairs(pauseproof.load(TOPOLOGIES / "jellyfish.yaml"), kinds=["routes"], seconds=0.2).offered
    assert not one.alternative.optimal and 1 <= one.alternative.bound < one.alternative.cost
    assert one.judged.verdict is Verdict.DEADLOCK_FREE


def test_routes_that_tunnels_share_are_counted_once() -> None:
    """All go clockwise round three switches; every destination has a twin whose packets are tunnelled to it from the start."""
    n = 3
    cables = [((s, 1), ((s + 1) % n, 2)) for s in range(n)] + [((s, 3), (n + s, 1)) for s in range(n)]
    fabric = fabric_of([3] * n, [1] * n, cables)

    def entry(s: int, d: int) -> Route:
        if s == d % n:
            return Route(ChoiceKind.DELIVER, (fabric.host(s).down,))
        return Route(ChoiceKind.HASHED, (int(fabric.out_link[s, 1]),), (), -1 if d < n else d - n)

    columns = [Column(DestinationKind.HOST, members=(d % n,)) for d in range(2 * n)]
    table = ChoiceTable.from_routes([[entry(s, d) for d in range(2 * n)] for s in range(n)])
    traffic = uniform_traffic(fabric, 2 * n)
    network = Network(fabric, destinations_of(columns), table, Lanes.identity(n), {"hosts": traffic})
    (one,) = asked(network, traffic).offered
    assert not some_change_repairs(network, traffic, one.alternative.bound - 1)
    assert some_change_repairs(network, traffic, one.alternative.cost)
    assert one.alternative.optimal
    alone = ask(network, Question())
    assert Search(alone, grid_of(alone), None, Budget(10)).run().bound == one.alternative.cost


def test_what_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pauseproof.repair.grid.MOST_LINKS", 9)
    for kind in ("routes", "turns"):
        found = repairs(pauseproof.load(OPENSM / "ring5_minhop"), kinds=[kind])
        assert not found.offered and "too many to search" in found.not_offered[0].reason
    monkeypatch.setattr("pauseproof.repair.grid.MOST_LINKS", 99)
    monkeypatch.setattr("pauseproof.repair.fewest.MOST_STATES", 9)
    (one,) = repairs(pauseproof.load(OPENSM / "ring5_minhop"), kinds=["routes"]).offered
    assert (one.alternative.cost, one.alternative.bound) == (4, 1)


def test_the_search_stops_in_the_middle_of_a_network_when_its_time_is_up() -> None:
    alone = ask(pauseproof.load(OPENSM / "ring5_minhop"), Question())
    walked = list[str]()
    clock = iter([0.0] * 4 + [99.0] * 99)
    budget = Budget(9, clock=lambda: next(clock), start=0.0, what="walking", watch=walked.append)
    assert Search(alone, grid_of(alone), None, budget).run().why == "budget"
    assert set(walked) == {"walking"} and len(walked) < len(alone.network.destinations)


def test_what_proving_takes_is_kept_back_from_the_search() -> None:
    budget = Budget(60, clock=lambda: 10.0, start=0.0)
    assert budget.share(2, less=5, what="x").left == 20.0
    assert budget.share(2, less=50).left == 0.0
