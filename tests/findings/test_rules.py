import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pauseproof
from pauseproof.findings.report import Severity
from pauseproof.findings.rules import BY_SLUG, RULES, Rule, UnknownRule, rule

PACKAGE = Path(pauseproof.__file__).parent
PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"
SECTIONS = ["What it means", "Why it matters", "How it is found", "How to fix", "Example"]


def remark_slugs(text: str) -> Iterator[str]:
    """The first argument of every call of ``Remark``: a literal, or several in a conditional expression."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Remark":
            first = node.args[0] if node.args else next(k.value for k in node.keywords if k.arg == "rule")
            literals = [part.value for part in ast.walk(first) if isinstance(part, ast.Constant)]
            yield from (value for value in literals if isinstance(value, str))


def test_every_remark_names_a_rule() -> None:
    used = {slug: path for path in sorted(PACKAGE.rglob("*.py")) for slug in remark_slugs(path.read_text("utf-8"))}
    assert {slug: path for slug, path in used.items() if slug not in BY_SLUG} == {}
    assert used, "the scan sees no Remark at all"


def test_the_scan_sees_what_it_should() -> None:
    text = "Remark('a', m, b); x.Remark(rule='c'); Remark('d' if e else 'f', 'g', 'h'); Other('i')"
    assert sorted(remark_slugs(text)) == ["a", "c", "d", "f"]


def test_codes_and_slugs_are_unique_and_well_formed() -> None:
    assert len({r.code for r in RULES}) == len({r.slug for r in RULES}) == len(RULES)
    assert [r.code for r in RULES] == sorted(r.code for r in RULES)
    assert all(re.fullmatch(r"PP[1-9]\d\d", r.code) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", r.slug) for r in RULES)


@pytest.mark.parametrize("one", RULES, ids=str)
def test_meaning_and_fix_are_sentences(one: Rule) -> None:
    for sentence in (one.meaning, one.fix):
        assert sentence[0].isupper() and sentence.endswith(".")


@pytest.mark.parametrize("one", RULES, ids=str)
def test_every_rule_has_a_page_that_agrees(one: Rule) -> None:
    page = (PAGES / f"{one.code}.md").read_text("utf-8")
    assert page.startswith(f"# {one.code} {one.slug}\n\nSeverity: {one.severity.value}.\n")
    assert re.findall(r"^## (.*)$", page, re.M) == SECTIONS


def test_every_page_has_a_rule() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {r.code for r in RULES}


def test_only_few_rules_are_errors() -> None:
    """A deadlock, no escape, a loop, a wrong host, tables unlike the cabling, hosts unseen, a job that does not arrive."""
    errors = {r.slug for r in RULES if r.severity is Severity.ERROR}
    deadlocks = {"cyclic-buffer-dependency", "stuck-set", "escape-set-fails"}
    assert errors == deadlocks | {"forwarding-loop", "wrong-host", "route-to-dead-port", "subnet-without-ports"} | {
        "job-not-delivered"
    }


@pytest.mark.parametrize("name", ["PP101", "pp101", "cyclic-buffer-dependency", "Cyclic-Buffer-Dependency"])
def test_code_and_slug_are_both_accepted(name: str) -> None:
    assert rule(name).code == "PP101"


@pytest.mark.parametrize(
    ("wrong", "near"), [("stuck-sets", "stuck-set"), ("blackhole", "black-hole"), ("cyclic-buffer", "cyclic-buffer-dependency")]
)
def test_the_nearest_name_is_suggested(wrong: str, near: str) -> None:
    with pytest.raises(UnknownRule) as caught:
        rule(wrong)
    assert str(caught.value) == f"{wrong!r} is not a rule; did you mean {near!r}?"
