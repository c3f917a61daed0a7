"""The words of a DOT file, each with its line: names, quoted names, and signs.

Grammar: https://graphviz.org/doc/info/lang.html. Names beyond it (``leaf-1`` without quotes) are not words.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pauseproof.readers.problems import Problems, shown

SIGNS = frozenset("{}[]=;,:")
_WORD = re.compile(
    r'(?P<blank>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<name>[A-Za-z_\x80-\U0010ffff][\w]*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))|(?P<edge>--|->)|(?P<sign>[{}\[\]=;,:])",
    re.S,
)


class Word(NamedTuple):
    """One word. ``sign`` is itself for signs and edges, empty for names."""

    text: str
    line: int
    sign: str = ""


def words(text: str, problems: Problems) -> Iterator[Word]:
    """The words of a text, and last ``end``; or ``broken`` in place of what is no word, which is a problem."""
    at, line, last = 0, 1, "end"
    while at < len(text):
        found = _WORD.match(text, at)
        if found is None:
            said = "this quote is never closed: the file is cut off, or a quote is missing"
            if text[at] != '"':
                said = f"{shown(text[at : at + 30].split()[0].encode())} is no word of DOT; put names in double quotes"
            problems.add(line, said)
            last = "broken"
            break
        if found["quoted"] is not None:
            yield Word(re.sub(r"\\\r?\n", "", found["quoted"]).replace('\\"', '"'), line)
        elif found["name"] is not None:
            yield Word(found["name"], line)
        elif found["blank"] is None:
            yield Word(found[0], line, found[0])
        line += text.count("\n", at, found.end())
        at = found.end()
    yield Word("", line, last)
