"""The ranking problem: both solvers answer as the file says, on the catalogue and on random networks."""

import re
from dataclasses import replace

import pytest
from hypothesis import given

import pauseproof
from examples import on_some
from pauseproof.deadlock.analysis import analyse, whole_graph
from pauseproof.deadlock.smtlib import smtlib
from pauseproof.findings.verdict import Undecided
from proofs import catalogue, smt2
from strategies import Case, anything

SMALL = [entry for entry in catalogue.entries() if not entry.name.startswith(("torus8x8", "wide-switch", "dragonfly"))]


@pytest.mark.parametrize("entry", SMALL, ids=lambda entry: entry.name)
def test_both_solvers_answer_as_the_file_says(entry: catalogue.Entry) -> None:
    network = pauseproof.load(*(catalogue.ROOT / path for path in entry.paths))
    try:
        verdict, content = pauseproof.library.ranking_problem(network)
    except Undecided:
        assert entry.name == "unknown-row"
        return
    text = content.decode()
    assert smt2.status(text) == ("sat" if verdict.value == "DEADLOCK_FREE" else "unsat")
    assert smt2.z3_answer(text) == smt2.cvc5_answer(text) == smt2.status(text)
    assert len(re.findall("^\\(declare-const", text, re.M)) >= pauseproof.prove(network)["coverage"]["buffers"]


@on_some
@given(anything())
def test_a_solver_finds_ranks_exactly_where_no_stuck_set_is(case: Case) -> None:
    graph = whole_graph(*case)
    names = [f"b{b}" for b in range(graph.n_buffers)]
    stuck = analyse(*case).stuck
    text = "\n".join(smtlib(graph, names, "unsat" if stuck else "sat"))
    assert smt2.z3_answer(text) == smt2.status(text)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\x85", "\ud800\n"])
def test_buffers_are_named_and_no_name_can_end_its_comment(end: str) -> None:
    network = pauseproof.load(catalogue.ROOT / "topologies" / "clos4x2.yaml")
    names = [f"{name}{end}(assert false)" for name in network.fabric.node_name]
    network = replace(network, fabric=replace(network.fabric, node_name=names))
    _, content = pauseproof.library.ranking_problem(network)
    lines = content.decode().splitlines()
    assert sum("(assert false)" in line for line in lines) == pauseproof.prove(network)["coverage"]["buffers"]
    assert not [line for line in lines if line.startswith("(assert false)")]
    assert smt2.z3_answer(content.decode()) == smt2.cvc5_answer(content.decode()) == "sat"


def test_an_adaptive_choice_is_a_disjunction() -> None:
    network = pauseproof.load(catalogue.ROOT / "topologies" / "two-buffer-reselecting.yaml")
    _, content = pauseproof.library.ranking_problem(network)
    assert re.search(r"^\(assert \(or \(< r\d+ r\d+\) \(< r\d+ r\d+\)\)\)$", content.decode(), re.M)
