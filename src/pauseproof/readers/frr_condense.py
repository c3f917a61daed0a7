"""Makes a large dump of FRR's small before it is parsed: each array of next hops becomes a number.

The tables of a switch repeat a few arrays of next hops thousands of times. In a text that is laid out as FRR does it, an
array that was seen before is recognised by its bytes, which is many times faster than parsing it again.

Nothing changes in what the text says. The key before an array stands between two line breaks, and so does its end: no
string in JSON holds a line break, hence both are what they look like. An array is cut out up to the first closing bracket
at the depth of its key, and parsed on its own; no beginning of a JSON array is itself one, hence the whole of it was cut
out. The line breaks of the array stay behind its number, so that every line keeps its number.
"""

import re
from typing import NamedTuple

_KEY = re.compile(rb'(\n[ \t]*)"nexthops"[ \t]*:[ \t]*\[\n')
_NO_ARRAY = re.compile(rb'"nexthops"\s*:\s*[^\s\[]')


class Condensed(NamedTuple):
    """``text`` has, for each array of next hops, its index in ``arrays``."""

    text: bytes
    arrays: tuple[bytes, ...]


def condense(text: bytes) -> Condensed | None:
    """The text with its arrays of next hops apart, None where it is not laid out like FRR's, or half-written.

    Arrays in another layout stay in the text. A text in which a number could be mistaken for an array's is left alone.

    >>> condense(b'{"a": {\\n "nexthops":[\\n  1\\n ]\\n}}')
    Condensed(text=b'{"a": {\\n "nexthops":0\\n\\n\\n}}', arrays=(b'[\\n  1\\n ]',))
    """
    key = _KEY.search(text)
    if key is None:
        return None
    parts, arrays = _cut(text, key[0], key[1] + b"]")
    condensed = b"".join(parts)
    mistakable = len(_NO_ARRAY.findall(condensed)) != len(parts) // 3 or b"\\u" in condensed
    return None if mistakable or not arrays else Condensed(condensed, tuple(arrays))


def _cut(text: bytes, key: bytes, close: bytes) -> tuple[list[bytes], list[bytes]]:
    """Pieces of the condensed text, three for each array (before it, its number, its line breaks) and one behind the last."""
    parts: list[bytes] = []
    arrays: dict[bytes, tuple[bytes, bytes]] = {}  # array -> its number, its line breaks
    done, begin, last = 0, text.find(key), b"["
    while begin >= 0:
        begin += len(key) - 2
        if not text.startswith(last, begin) or last not in arrays:
            end = text.find(close, begin)
            if end < 0:
                return [], []
            last = text[begin : end + len(close)]
            arrays.setdefault(last, (b"%d" % len(arrays), b"\n" * last.count(b"\n")))
        parts += (text[done:begin], *arrays[last])
        done = begin + len(last)
        begin = text.find(key, done)
    parts.append(text[done:])
    return parts, list(arrays)
