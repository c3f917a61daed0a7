import pytest

from pauseproof.findings.rules import RULES, Rule
from pauseproof.reports import pages
from pauseproof.reports.styled import plain


@pytest.mark.parametrize("one", RULES, ids=str)
def test_every_page_is_found_and_shown_without_markup(one: Rule) -> None:
    shown = plain(pages.rule_page(one))
    assert shown.startswith(f"{one.code} {one.slug}\n")
    assert "How to fix" in shown and "`" not in shown and "\n#" not in shown


def test_without_pages_the_table_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_PLACES", ())
    shown = plain(pages.rule_page(RULES[0]))
    assert shown == f"{RULES[0]} (error)\n\n{RULES[0].meaning}\n\nfix: {RULES[0].fix}\n"


def test_the_table_has_a_line_for_each_rule() -> None:
    rows = plain(pages.rule_table(RULES)).splitlines()
    assert [row.split()[:2] for row in rows] == [[r.code, r.slug] for r in RULES]
