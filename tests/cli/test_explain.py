from collections.abc import Callable
from typing import Any

import pytest

from pauseproof.findings.rules import RULES

Run = Callable[..., Any]
RING = "topologies/opensm/ring5_minhop"


@pytest.mark.parametrize("word", ["PP203", "pp203", "black-hole"])
def test_a_rule_by_code_or_slug(run: Run, word: str) -> None:
    done = run("explain", word)
    assert done.code == 0 and done.out.startswith("PP203 black-hole\n")


def test_without_a_word_all_rules(run: Run) -> None:
    assert len(run("explain").out.splitlines()) == len(RULES)


def test_a_finding_of_a_fabric_with_the_page_of_its_rule(run: Run) -> None:
    report = run("verify", RING).out
    loop = next(row.split()[1] for row in report.splitlines() if row.startswith("  id: "))
    out = run("explain", loop, RING).out
    assert out.startswith("Loop  PP101 cyclic-buffer-dependency: ")
    assert f"  id: {loop}\n\nPP101 cyclic-buffer-dependency\n" in out
    assert ", VL 0\n" in out and ", SL 0, " in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["PP999"], "'PP999' is not a rule; the rules are PP101 to PP106, PP201 to "),
        (["pp1"], "the rules are PP101 to PP106, "),
        (["blackhole"], "did you mean 'black-hole'?"),
        (["cyclic"], "did you mean 'cyclic-buffer-dependency'?"),
        (["0123abcd"], "for the id of a finding, add its PATHs"),
        (["0123abcd", RING], "no finding of these paths has that id"),
    ],
)
def test_what_is_not_known(run: Run, words: list[str], said: str) -> None:
    done = run("explain", *words)
    assert (done.code, done.out) == (2, "") and said in done.err
