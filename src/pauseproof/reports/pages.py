"""The pages of the rules, as they stand in docs/rules/, for the terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pauseproof.findings.rules import Rule
from pauseproof.reports.styled import BLANK, Line, Span, line, title

_PACKAGE = Path(__file__).resolve().parents[1]
_PLACES = (_PACKAGE / "docs" / "rules", _PACKAGE.parents[1] / "docs" / "rules")  # installed; in a clone


def page_text(rule: Rule) -> str | None:
    """The page of a rule as Markdown, None where the pages are not installed."""
    found = next((place / f"{rule.code}.md" for place in _PLACES if (place / f"{rule.code}.md").is_file()), None)
    return found.read_text("utf-8") if found else None


def rule_page(rule: Rule) -> Iterator[Line]:
    """The page line by line, headings as titles; what the rule table says where there is no page."""
    text = page_text(rule)
    if text is None:
        yield title(f"{rule} ({rule.severity.value})")
        yield from (BLANK, line(rule.meaning), BLANK, line("fix: ", rule.fix))
        return
    for row in text.rstrip().splitlines():
        if not row.startswith("```"):
            yield title(row.lstrip("# ")) if row.startswith("#") else line(row.replace("`", ""))


def rule_table(rules: Sequence[Rule]) -> Iterator[Line]:
    """One line a rule."""
    width = max(len(rule.slug) for rule in rules)
    for rule in rules:
        yield line(Span(f"{rule.code} {rule.slug:<{width}}", "title"), f"  {rule.severity.value:<7}  {rule.meaning}")
