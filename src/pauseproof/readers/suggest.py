"""The nearest legal words to a wrong one: those that begin with it, else the most alike.

Who writes ``leaf1`` where ports are meant wants ``leaf1:swp31``, though ``leaf4:swp31`` is as alike. So beginnings come first,
and of these the ports of a device: ``leaf1:swp31`` before ``leaf10``.
"""

from collections.abc import Iterable, Sequence

PARTS = (":", "/")  # between a device and its port
MOST_LISTED = 12
MOST_BEGINNINGS = 4
MOST_COMPARED = 10_000


def expected_one_of(word: str, known: Iterable[str]) -> str:
    """What was expected instead of ``word``: the nearest names, or the legal ones where few.

    >>> expected_one_of("swiches", ["switches", "hosts"])
    "did you mean 'switches'?"
    >>> expected_one_of("leaf1", ["leaf4:swp31", "leaf1:swp31", "leaf1:swp32", "leaf10"])
    "did you mean 'leaf1:swp31' or 'leaf1:swp32'?"
    >>> expected_one_of("qqq", ["switches", "hosts"])
    'expected one of hosts, switches'
    """
    names = sorted(set(known))
    if near := nearest(word, names):
        return did_you_mean(near)
    more = ", ..." if len(names) > MOST_LISTED else ""
    return f"expected one of {', '.join(names[:MOST_LISTED])}{more}" if names else "none is known"


def nearest(word: str, names: Sequence[str]) -> list[str]:
    """The parts of what the word names, else the shortest names that begin with it, else the one most alike, if any is.

    >>> nearest("gpu", ["gpu-nics", "gpus", "hosts"])
    ['gpus']
    """
    begin = [name for name in names if word and name.startswith(word)]
    parts = [name for name in begin if name[len(word) :].startswith(PARTS)]
    least = min(map(len, begin), default=0)
    from difflib import get_close_matches

    return parts or [name for name in begin if len(name) == least] or get_close_matches(word, names[:MOST_COMPARED], 1)


def did_you_mean(near: Sequence[str]) -> str:
    """A question that names the first few.

    >>> did_you_mean(["a1", "a2", "a3", "a4", "a5"])
    "did you mean 'a1', 'a2', 'a3', 'a4' or another like them?"
    """
    shown = [repr(name) for name in near[:MOST_BEGINNINGS]]
    if len(near) > MOST_BEGINNINGS:
        return f"did you mean {', '.join(shown)} or another like them?"
    return f"did you mean {' or '.join(filter(None, [', '.join(shown[:-1]), shown[-1]]))}?"
