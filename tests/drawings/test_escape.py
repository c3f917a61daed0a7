import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.drawings.document import document
from pauseproof.drawings.escape import LONGEST, label, quoted, shortened
from pauseproof.drawings.render import pure_executable, render
from pauseproof.reports.words import printable

HOSTILE = [
    'a"b',
    "back\\slash",
    "\\N\\G\\n",
    "<b>bold</b>",
    "&lt;script&gt;",
    "]]><script>",
    "new\nline",
    "\x00\x1b[31m",
    "…→节点",
]


@given(st.text())
def test_a_quoted_name_ends_where_it_should(name: str) -> None:
    text = quoted(name)
    assert re.fullmatch(r'"(?:[^"\\\n]|\\["\\])*"', text)


@given(st.text(max_size=200))
def test_a_short_name_is_short_and_keeps_both_ends(name: str) -> None:
    short = shortened(name)
    assert len(short) <= LONGEST
    assert short == printable(name) or (short[:3] == printable(name)[:3] and short[-3:] == printable(name)[-3:])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_drawing_shows_exactly_the_name(name: str) -> None:
    source = document("t", "dot", [f"n0 [label={label(name)}]"])
    svg = render(source, "dot", "svg").decode()
    texts = [html.unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)]
    assert printable(name) in [text.replace("\xa0", " ") for text in texts]
    assert "<script" not in svg and "<b>" not in svg


def test_pure_is_installed_beside_python() -> None:
    assert pure_executable().endswith("graphviz-pure")
