"""What reports have in common: names made safe to print, and the words for numbers."""

import re

# Names come from node descriptions that anyone on the fabric may set: terminal escapes, line ends and bidirectional overrides
# in them must not reach a terminal, a log or a drawing as such; lone surrogates cannot be encoded at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def printable(text: str) -> str:
    r"""``text`` with every character that could steer a terminal written as an escape.

    >>> printable("leaf\x1b[31m\n1")
    'leaf\\x1b[31m\\n1'
    """
    return _UNPRINTABLE.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


LONGEST = 2000


def shortened(message: str) -> str:
    """``message`` without its middle where it quotes far too much: both ends say what is wrong.

    >>> len(shortened("x" * 1_000_000)) <= LONGEST
    True
    """
    return message if len(message) <= LONGEST else f"{message[: LONGEST - 505]} ... {message[-500:]}"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "host"), count(1200, "switch", "switches")
    ('1 host', '1,200 switches')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def encodable(text: str) -> str:
    """For documents: lone surrogates are no JSON text, other readers refuse the whole document."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
