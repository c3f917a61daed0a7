"""Lines of text whose parts carry a meaning, so that one report serves a terminal with colours and a plain file."""

import os
import sys
from collections.abc import Iterable
from typing import Literal, NamedTuple, TextIO

Meaning = Literal["", "good", "bad", "unsure", "title", "quiet"]

_STYLES: dict[Meaning, str] = {
    "": "",
    "good": "bold green",
    "bad": "bold red",
    "unsure": "bold yellow",
    "title": "bold",
    "quiet": "dim",
}


class Span(NamedTuple):
    """A run of characters and what it means."""

    text: str
    meaning: Meaning = ""


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of spans; plain strings mean nothing in particular."""
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def title(text: str) -> Line:
    """A heading."""
    return line(Span(text, "title"))


BLANK: Line = ()


def plain(lines: Iterable[Line]) -> str:
    r"""The lines without colours, each with its line end.

    >>> plain([title("Loops"), BLANK])
    'Loops\n\n'
    """
    return "".join("".join(span.text for span in spans) + "\n" for spans in lines)


def wants_colour(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal whose user has not asked for plain text (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show(lines: Iterable[Line], stream: TextIO | None = None, *, colour: bool | None = None) -> None:
    """Write the lines to ``stream`` (stdout), in colour where it is a terminal; ``colour`` overrules that."""
    out = sys.stdout if stream is None else stream
    if wants_colour(out) if colour is None else colour:
        _show_coloured(lines, out)
    else:
        out.write(_encodable(plain(lines), out))


def _show_coloured(lines: Iterable[Line], out: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, force_terminal=True, highlight=False, soft_wrap=True)
    for spans in lines:
        console.print(Text.assemble(*((_encodable(span.text, out), _STYLES[span.meaning]) for span in spans)))


def _encodable(text: str, out: TextIO) -> str:
    """A terminal set to ASCII gets escapes for what it cannot show, never a traceback."""
    encoding = out.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
