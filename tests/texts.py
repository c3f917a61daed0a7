"""Texts as sources, and what a reader says when it refuses them."""

from collections.abc import Callable

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.source import Source


def source_of(text: str | bytes, path: str = "in") -> Source:
    """A file with this content."""
    data = text.encode() if isinstance(text, str) else text
    return Source(path, data, data)


def refusal(read: Callable[[Source], object], text: str | bytes) -> list[str]:
    """The problems for which ``read`` refuses the text, as ``line: message``; fails where it does not refuse."""
    with pytest.raises(BadInput) as caught:
        read(source_of(text))
    return [f"{problem.place.line}: {problem.message}" for problem in caught.value.problems]


def cuts_that_pass(read: Callable[[Source], object], text: str) -> list[int]:
    """At which bytes the text can be cut off without the reader noticing."""
    passed = []
    for length in range(len(text.encode())):
        try:
            read(source_of(text.encode()[:length]))
            passed.append(length)
        except BadInput:
            continue
    return passed
