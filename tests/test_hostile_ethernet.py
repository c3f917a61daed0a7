"""Nothing that is done to the dumps of Ethernet switches makes pauseproof fall over, or call a fabric free that may not be.

``PAUSEPROOF_EXAMPLES`` and ``PAUSEPROOF_SEED`` as in ``test_hostile.py``.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest

from hostile_ethernet import damaged, frr_case, lost, naive_dependencies, rerouted
from hostile_inputs import Files, mangled
from oracle import component_sizes, greatest_stuck_set
from pauseproof import load, verify
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import FabricReport, Verdict
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.walk import walk_worst

EXAMPLES = int(os.environ.get("PAUSEPROOF_EXAMPLES", "30"))
SEED = int(os.environ.get("PAUSEPROOF_SEED", "1"))
REFUSED = "refused"
FORMS = ("*.show_ip_route.json", "*.ip_j_*.json")
HEALTHY, FAILURES = ({form: frr_case(name, form) for form in FORMS} for name in ("healthy", "two_failures"))


def reported(files: Files, folder: Path) -> FabricReport | None:
    """The report, None where the files are refused; DEADLOCK_FREE is held to the reference walker."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        network = load(folder)
        (report,) = verify(network).fabrics
    except BadInput as error:
        assert error.problems
        assert all(problem.message and problem.place.file for problem in error.problems)
        return None
    if report.verdict is Verdict.DEADLOCK_FREE:
        asked = ask(network, Question())
        assert not greatest_stuck_set(walk_worst(asked.network, asked.traffic).choice_sets)
    return report


def each(name: str, mutate: Callable[[Random], Files], folder: Path, check: Callable[[Files, str], None]) -> Counter[str]:
    """How often each answer came; a failure names the mutation that led to it."""
    count: Counter[str] = Counter()
    for i in range(EXAMPLES):
        seed = f"{name}/{SEED}/{i}"
        try:
            files = mutate(Random(seed))
            report = reported(files, folder / "case")
            given = REFUSED if report is None else report.verdict.value
            check(files, given)
        except Exception as error:
            error.add_note(f"mutation {seed}; its files are in {folder / 'case'}")
            raise
        rmtree(folder / "case")
        count[given] += 1
    return count


def anything(files: Files, given: str) -> None:
    """Every answer will do."""


def not_free(files: Files, given: str) -> None:
    assert given != "DEADLOCK_FREE"


def as_walked(files: Files, given: str) -> None:
    """Whole tables are decided as a plain longest match of every address decides them."""
    loops = component_sizes(naive_dependencies(files))
    assert given == ("DEADLOCK_POSSIBLE" if loops else "DEADLOCK_FREE")


@pytest.mark.parametrize(("name", "files"), [("healthy", HEALTHY), ("two_failures", FAILURES)])
def test_other_rows_are_decided_as_a_plain_longest_match_decides_them(
    name: str, files: dict[str, Files], tmp_path: Path
) -> None:
    found = each(f"rerouted-{name}", lambda random: rerouted(files[FORMS[0]], random), tmp_path, as_walked)
    assert found["DEADLOCK_POSSIBLE"] > EXAMPLES / 20
    assert found["DEADLOCK_FREE"] > EXAMPLES / 20


@pytest.mark.parametrize("form", FORMS)
def test_whatever_is_done_to_the_files(form: str, tmp_path: Path) -> None:
    others = HEALTHY[FORMS[0]]
    found = each(f"damaged-{form}", lambda random: damaged(FAILURES[form], random), tmp_path, anything)
    found += each(f"mangled-{form}", lambda random: mangled(FAILURES[form], random, others), tmp_path, anything)
    assert found[REFUSED] > EXAMPLES / 10


@pytest.mark.parametrize("form", FORMS)
def test_a_loop_does_not_go_away_with_what_is_lost(form: str, tmp_path: Path) -> None:
    files = FAILURES[form]
    found = each(f"lost-{form}", lambda random: lost(files, random, HEALTHY[form]), tmp_path, not_free)
    assert min(found[REFUSED], found["UNDECIDED"], found["DEADLOCK_POSSIBLE"]) > EXAMPLES / 50


@pytest.mark.parametrize("text", ["asume: {incomplete-arp: flood}\n", "- hosts\n", "{\n", "\0\n"])
def test_declarations_that_are_not_understood_are_refused_and_not_left_out(text: str, tmp_path: Path) -> None:
    files = HEALTHY[FORMS[0]] | {"pauseproof.yaml": text.encode()}
    assert reported(files, tmp_path / "case") is None
