"""The nearest legal word to a wrong one."""

from collections.abc import Iterable
from difflib import get_close_matches

MOST_LISTED = 12


def expected_one_of(word: str, known: Iterable[str]) -> str:
    """What was expected instead of ``word``: the nearest name, or the legal ones where few.

    >>> expected_one_of("swiches", ["switches", "hosts"])
    "did you mean 'switches'?"
    >>> expected_one_of("qqq", ["switches", "hosts"])
    'expected one of hosts, switches'
    """
    names = sorted(known)
    if near := get_close_matches(word, names[:10_000], 1):
        return f"did you mean {near[0]!r}?"
    more = ", ..." if len(names) > MOST_LISTED else ""
    return f"expected one of {', '.join(names[:MOST_LISTED])}{more}" if names else "none is known"
