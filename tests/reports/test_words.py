import pytest

from pauseproof.reports.words import printable


@pytest.mark.parametrize("text", ["leaf one", "Größe", "节点", "a\"b'c<d>&\\"])
def test_ordinary_names_stay(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("steering", ["\x1b[2J", "a\nb", "a\rb", "\u202egnp", "\x9b31m", "\udc80", "\u2028"])
def test_nothing_that_steers_a_terminal_stays(steering: str) -> None:
    shown = printable(steering)
    assert shown.isprintable() and "\\" in shown
