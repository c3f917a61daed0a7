"""Both solvers agree on every theorem and twin, no hypothesis is idle, and no theorem is empty."""

from pathlib import Path

import pytest

from proofs import smt2

FILES = smt2.THEOREMS + smt2.TWINS
NAMES = {
    "bounce_lanes_clos",
    "dateline_ring",
    "dateline_torus",
    "dimension_order_mesh",
    "escape_lane_mesh",
    "global_lane_dragonfly",
    "updown_any_graph",
    "updown_folded_clos",
}
ONE_BY_ONE = [(t, line) for t in smt2.THEOREMS for line in smt2.hypotheses(t.read_text())]
COMPONENTS = [(t, line) for t in smt2.THEOREMS for line in smt2.definitions(t.read_text(), "rank-")]
INVARIANTS = [(t, line) for t in smt2.THEOREMS for line in smt2.definitions(t.read_text(), "invariant ")]


def stem(value: object) -> str | None:
    return value.name.removesuffix(".smt2") if isinstance(value, Path) else None


def test_every_family_of_the_design_is_there() -> None:
    assert {path.stem for path in smt2.THEOREMS} == NAMES
    assert sorted(map(smt2.twin_of, smt2.THEOREMS)) == smt2.TWINS


@pytest.mark.parametrize("path", FILES, ids=stem)
def test_both_solvers_say_what_the_file_says(path: Path) -> None:
    text = path.read_text()
    assert smt2.status(text) == ("sat" if path in smt2.TWINS else "unsat")
    assert smt2.z3_answer(text) == smt2.status(text)
    assert smt2.cvc5_answer(text) == smt2.status(text)


@pytest.mark.parametrize("path", smt2.THEOREMS, ids=stem)
def test_the_twin_is_the_rule_less_one_hypothesis(path: Path) -> None:
    theorem, twin = path.read_text(), smt2.twin_of(path).read_text()
    (gone,) = set(smt2.hypotheses(theorem)) - set(smt2.hypotheses(twin))
    without = smt2.rule(theorem.replace(f"{gone}\n", ""))
    assert smt2.rule(twin) == without


@pytest.mark.parametrize("path", smt2.THEOREMS, ids=stem)
def test_the_hypotheses_can_hold(path: Path) -> None:
    text = "\n".join(smt2.without_claim(path.read_text()))
    assert smt2.z3_answer(text) == smt2.cvc5_answer(text) == "sat"


@pytest.mark.parametrize(("path", "hypothesis"), ONE_BY_ONE, ids=stem)
def test_no_hypothesis_is_idle(path: Path, hypothesis: str) -> None:
    text = smt2.dropped(path.read_text(), hypothesis)
    assert smt2.z3_answer(text) == smt2.cvc5_answer(text) == "sat"


@pytest.mark.parametrize(("path", "component"), COMPONENTS, ids=stem)
def test_no_part_of_the_rank_is_idle(path: Path, component: str) -> None:
    text = "\n".join(smt2.redefined(path.read_text(), component, "0"))
    assert smt2.z3_answer(text) == smt2.cvc5_answer(text) == "sat"


@pytest.mark.parametrize(("path", "invariant"), INVARIANTS, ids=stem)
@pytest.mark.parametrize("body", ["true", "false"])
def test_the_induction_rests_on_its_invariant(path: Path, invariant: str, body: str) -> None:
    text = "\n".join(smt2.redefined(path.read_text(), invariant, body))
    assert smt2.z3_answer(text) == smt2.cvc5_answer(text) == "sat"


def test_every_theorem_has_a_rank_and_hypotheses() -> None:
    assert {t for t, _ in ONE_BY_ONE} == {t for t, _ in COMPONENTS} == set(smt2.THEOREMS)
