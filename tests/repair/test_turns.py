"""The fewest turns, against every smaller set, with the turns in use as the reference walker sees them."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

import pauseproof
from examples import on_some
from pauseproof.library import repairs
from pauseproof.repair.alternative import Alternative, Budget
from pauseproof.repair.repair import repair
from pauseproof.routing.ask import Question
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import walk_known
from repair.ring_networks import rings
from small_repairs import arriving, inner, is_free, is_stuck
from strategies import Case

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
Turn = tuple[int, int]


def turns(network: Network, traffic: Traffic) -> set[Turn]:
    """The pairs of links between switches that some packet takes one after the other."""
    waits = walk_known(network, traffic).dependencies
    return {(b[0], after[0]) for b, after in waits if inner(network, b[0]) and inner(network, after[0])}


def no_loop(some: set[Turn]) -> bool:
    return bool(nx.is_directed_acyclic_graph(nx.DiGraph(some)))


def forbidden(network: Network, found: Alternative) -> set[Turn]:
    """The turns that an alternative names, by device and port."""
    fabric, out = network.fabric, set[Turn]()
    by_name = {fabric.identity(s): s for s in range(fabric.n_switches)}
    for change in found.changes:
        if change.machine["action"] == "forbid":
            s = by_name[str(change.machine["switch"])]
            ports = [fabric.port_name(s, p) for p in range(fabric.max_radix + 1)]
            came, goes = (ports.index(str(change.machine[key])) for key in ("in", "out"))
            out.add((int(fabric.in_link[s, came]), int(fabric.out_link[s, goes])))
    return out


def hold(network: Network, traffic: Traffic, found: Alternative) -> None:
    today, gone = turns(network, traffic), forbidden(network, found)
    assert len(gone) == found.cost and gone <= today
    assert no_loop((today - gone) | turns(found.network, found.traffic))
    assert is_free(found.network, found.traffic)
    assert arriving(network, traffic) <= arriving(found.network, found.traffic)


@on_some
@given(rings())
def test_no_smaller_set_leaves_no_loop(case: Case) -> None:
    if not is_stuck(case.network, case.traffic):
        return
    network = replace(case.network, traffics={"hosts": case.traffic})
    found = repair(network, Question(), kinds=["turns"], budget=Budget(20))
    today = turns(case.network, case.traffic)
    for one in found.offered:
        hold(case.network, case.traffic, one.alternative)
        fewer = combinations(sorted(today), one.alternative.bound - 1)
        assert not any(no_loop(today - set(some)) for some in fewer)


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("opensm/irregular_updn", 1),
        ("opensm/siblings_ftree", 2),
        ("opensm/ring5_minhop", 2),
        ("ring5.yaml", 2),
        ("torus4x4-dimension-order.yaml", 8),
        ("mesh4x4-adaptive-committed.yaml", 18),
    ],
)
def test_known_answers_are_found_and_proved(name: str, cost: int) -> None:
    """A torus of 4 x 4 has 16 rings of links; dimension order uses 8 of them up to a loop."""
    found = repairs(pauseproof.load(TOPOLOGIES / name), kinds=["turns"], seconds=60)
    (one,) = found.offered
    assert (one.alternative.cost, one.alternative.optimal, one.checked) == (cost, True, True)
    before = found.before.asked
    hold(before.network, before.traffic, one.alternative)


def test_a_forwarding_loop_is_not_mended_by_turns() -> None:
    found = repairs(pauseproof.load(TOPOLOGIES / "forwarding-loop.yaml"), kinds=["turns"])
    assert not found.offered and found.not_offered
