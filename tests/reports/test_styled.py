import io

import pytest

from pauseproof.reports.styled import Span, line, show, title, wants_colour


class Terminal(io.StringIO):
    encoding = "ascii"

    def isatty(self) -> bool:
        return True


LINES = [title("Loop"), line("  S0 → S1 ", Span("bad", "bad"))]


def test_a_file_gets_plain_text() -> None:
    out = io.StringIO()
    show(LINES, out)
    assert out.getvalue() == "Loop\n  S0 → S1 bad\n"


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    show(LINES, out)
    assert "\x1b[1;31mbad\x1b[0m" in out.getvalue()


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_unless_the_user_says_no(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour(Terminal())
    monkeypatch.setenv(variable, value)
    assert not wants_colour(Terminal())


def test_square_brackets_are_no_markup() -> None:
    out = Terminal()
    show([line("port [red]1[/red]")], out, colour=True)
    assert "port [red]1[/red]" in out.getvalue()


def test_a_terminal_that_cannot_show_an_arrow_gets_an_escape() -> None:
    out = Terminal()
    show(LINES, out, colour=False)
    assert out.getvalue() == "Loop\n  S0 \\u2192 S1 bad\n"
