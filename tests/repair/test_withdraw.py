"""Withdrawals alone, against every smaller set of them, and where they are no way out."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

import pauseproof
from examples import on_some
from pauseproof.library import repairs
from pauseproof.repair.alternative import Budget
from pauseproof.repair.fewest import Search
from pauseproof.repair.grid import grid_of
from pauseproof.routing.ask import Question, ask
from repair.ring_networks import rings
from small_repairs import arriving, changed, is_free, is_stuck, some_change_repairs
from strategies import Case

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
FRR = (TOPOLOGIES / "frr/two_failures", TOPOLOGIES / "frr/clos4x2.clab.yml")


@on_some
@given(rings())
def test_the_fewest_withdrawals(case: Case) -> None:
    if not is_stuck(case.network, case.traffic):
        return
    asked = ask(replace(case.network, traffics={"hosts": case.traffic}), Question())
    grid = grid_of(asked)
    found = Search(asked, grid, None, Budget(20), may_add=False).run()
    if found.member is None:
        assert found.why == "hopeless"
        assert not some_change_repairs(case.network, case.traffic, 2, add=False)
        return
    after = changed(case.network, dict(grid.entries(found.member)))
    assert is_free(after, case.traffic) and arriving(case.network, case.traffic) <= arriving(after, case.traffic)
    assert grid.withdrawn(found.member) == found.bound
    assert not some_change_repairs(case.network, case.traffic, min(found.bound - 1, 2), add=False)


def test_two_bounces_are_mended_by_two_withdrawals() -> None:
    (one,) = repairs(pauseproof.load(*FRR), kinds=["withdraw"]).offered
    assert (one.alternative.cost, one.alternative.optimal) == (2, True)
    assert all(change.machine["action"] == "withdraw" for change in one.alternative.changes)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("forwarding-loop-40g.yaml", "would cut pairs off, since no other route is left there: s0 to s2"),
        ("ring5.yaml", "no packet comes down the tiers"),
        ("opensm/ring5_minhop", "can be moved, not withdrawn"),
    ],
)
def test_where_it_is_no_way_out_it_says_so(name: str, why: str) -> None:
    found = repairs(pauseproof.load(TOPOLOGIES / name), kinds=["withdraw"])
    assert not found.offered and why in found.not_offered[0].reason
