import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proofs import smt2

Run = Callable[..., Any]
RING = "topologies/opensm/ring5_minhop"
LASH = "topologies/opensm/ring5_lash"
UNKNOWN = "topologies/unknown-row.yaml"


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ([RING], "DEADLOCK_POSSIBLE"),
        ([LASH], "DEADLOCK_FREE"),
        ([LASH, "--traffic", "hosts+switches"], "DEADLOCK_POSSIBLE"),
        ([LASH, "--all-on-sl", "0"], "DEADLOCK_POSSIBLE"),
        ([RING, "--only", "H0*", "--exclude", "H4*"], "DEADLOCK_FREE"),
        (["topologies/two-buffer-reselecting.yaml", "--adaptive", "committed"], "DEADLOCK_POSSIBLE"),
        (["topologies/leaf-spine.yaml", "--endpoint-coupled", "*"], "DEADLOCK_POSSIBLE"),
        (["topologies/unknown-row-harmless.yaml"], "DEADLOCK_FREE"),
        (["topologies/unknown-row-with-loop.yaml"], "DEADLOCK_POSSIBLE"),
    ],
)
def test_what_is_proved_is_what_verify_says_and_holds(run: Run, tmp_path: Path, words: list[str], verdict: str) -> None:
    done = run("prove", *words, "-o", "cert.json.gz")
    assert (done.code, done.out, done.err) == (0, "", f"{verdict}; written: cert.json.gz\n")
    assert run("verify", *words, "--certificate", "same.json.gz").out.startswith(f"{verdict}  ")
    assert (tmp_path / "cert.json.gz").read_bytes() == (tmp_path / "same.json.gz").read_bytes()
    checked = run("check", "cert.json.gz", words[0])
    assert (checked.code, checked.err) == (0, "")
    assert checked.out.startswith(f"HOLDS  {verdict}, traffic: hosts")


def test_a_name_without_gz_is_plain_text_and_a_dash_is_stdout(run: Run, tmp_path: Path) -> None:
    run("prove", RING, "-o", "cert.json")
    run("prove", RING, "-o", "cert.json.gz")
    text = (tmp_path / "cert.json").read_bytes()
    assert gzip.decompress((tmp_path / "cert.json.gz").read_bytes()) == text
    assert run("prove", RING, "-o", "-").out.encode() == text
    assert json.loads(text)["verdict"] == "DEADLOCK_POSSIBLE"


@pytest.mark.parametrize("words", [["-o", "out"], ["--smtlib", "-o", "out"]])
def test_what_is_undecided_is_not_written(run: Run, tmp_path: Path, words: list[str]) -> None:
    done = run("prove", UNKNOWN, *words)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("UNDECIDED: ") and done.err.endswith("; there is nothing to prove\n")
    assert not (tmp_path / "out").exists()


def test_verify_says_that_what_is_undecided_is_not_written(run: Run, tmp_path: Path) -> None:
    done = run("verify", UNKNOWN, "--certificate", "out")
    assert done.code == 3
    assert done.err == "UNDECIDED: there is nothing to prove, so out is not written\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("path", "status"), [(RING, "unsat"), (LASH, "sat")])
def test_the_ranking_problem_is_written_for_solvers(run: Run, tmp_path: Path, path: str, status: str) -> None:
    assert run("prove", path, "--smtlib", "-o", "ring.smt2").code == 0
    text = (tmp_path / "ring.smt2").read_text()
    assert smt2.status(text) == smt2.z3_answer(text) == status


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([RING], "Missing option '-o'"),
        ([RING, "-o", "none/cert.json"], "cannot be written"),
        (["none", "-o", "cert.json"], "none: cannot be read"),
        ([RING, "-o", "cert.json", "--only", "nobody"], "no node is called 'nobody'"),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    done = run("prove", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert not (tmp_path / "cert.json").exists()
