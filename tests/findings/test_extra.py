"""Escape lanes and smallest stuck sets, asked for."""

from pathlib import Path

import pytest

import pauseproof
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import FabricReport

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"


def asked(name: str, **words: object) -> FabricReport:
    (fabric,) = pauseproof.verify(pauseproof.load(TOPOLOGIES / f"{name}.yaml"), **words).fabrics  # type: ignore[arg-type]
    return fabric


def slugs(fabric: FabricReport) -> set[str]:
    return {finding.slug for finding in fabric.findings}


def test_dimension_order_is_an_escape_of_an_adaptive_mesh_and_the_adaptive_lane_is_not() -> None:
    good = asked("mesh4x4-adaptive-escape", escape_lanes=("escape",))
    assert "escape-set-fails" not in slugs(good)
    assert [fact.kind for fact in good.evidence] == ["certificate", "escape"]
    assert "escape-set-fails" in slugs(asked("mesh4x4-adaptive-escape", escape_lanes=("adaptive",)))


def test_a_single_lane_that_loops_is_no_escape() -> None:
    assert "escape-set-fails" in slugs(asked("ring5", escape_lanes=("0",)))
    assert "escape-set-fails" not in slugs(asked("fat-tree-k4", escape_lanes=("0",)))


def test_a_lane_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="there is no lane '7'; expected one of: 0"):
        asked("ring5", escape_lanes=("7",))


@pytest.mark.parametrize(
    ("name", "size"), [("mesh4x4-adaptive-reselecting", 4), ("ring3-parallel-reselecting", 6), ("ring5", 5)]
)
def test_the_smallest_stuck_set_is_found_and_proved(name: str, size: int) -> None:
    fabric = asked(name, smallest=20.0)
    (fact,) = [fact for fact in fabric.evidence if fact.kind == "smallest"]
    assert fact.statement == f"a stuck set of {size} buffers; no smaller one exists"
    found = [finding for finding in fabric.findings if finding.slug == "stuck-set"]
    assert {len(finding.loop) for finding in found} == {size}


def test_where_nothing_is_stuck_nothing_is_looked_for() -> None:
    assert [fact.kind for fact in asked("fat-tree-k4", smallest=1.0).evidence] == ["certificate"]
