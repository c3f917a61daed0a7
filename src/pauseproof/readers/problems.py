"""Collecting what is wrong with one file, so that everything is said at once; and the file's lines."""

import io
from collections.abc import Iterator

from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.readers.source import Source

LONGEST_LINE = 1 << 20
_QUOTED = 256  # bytes of a line that are looked at for a message
MOST = 20  # problems listed of one file; a last one says how many more there are


class Problems:
    """The problems of one file, in the order of their lines.

    >>> problems = Problems("a.psl")
    >>> problems.add(3, "SL 16 is too large; expected 0..15")
    >>> problems.raise_any()
    Traceback (most recent call last):
    pauseproof.fabric.places.BadInput: a.psl:3: SL 16 is too large; expected 0..15
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[tuple[int, str]] = []

    def add(self, line: int, message: str) -> None:
        """One more; ``line`` 0 where the whole file is meant."""
        self._found.append((line, message))

    def raise_any(self) -> None:
        """Raise BadInput where anything was found."""
        if not self._found:
            return
        self._found.sort()
        listed = [Problem(Place(self.file, line), message) for line, message in self._found[:MOST]]
        if len(self._found) > MOST:
            listed.append(Problem(Place(self.file), f"and {len(self._found) - MOST} more problems like these"))
        raise BadInput(listed)


def numbered_lines(source: Source, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, trailing blanks off. A last line without a newline is a cut-off file: a problem.

    Dumping tools end every line; a row cut in the middle may still look like a row with another value. A line that is
    far too long is a problem, and the last that is looked at.
    """
    for number, line in enumerate(io.BytesIO(bytes(source.data)), start=1):
        if len(line) > LONGEST_LINE:
            problems.add(number, f"a line of more than {LONGEST_LINE} bytes; expected the text of a dump")
            return
        if line.endswith(b"\n"):
            yield number, line.rstrip()
        elif line.strip():
            problems.add(number, "the file is cut off in this line; expected a newline at its end")


def shown(text: bytes) -> str:
    """A piece of a file as it is quoted in a message: printable, and not long.

    >>> shown(b"0x0007 : 99")
    '"0x0007 : 99"'
    """
    clean = text.strip()[:_QUOTED].decode("utf-8", "replace").strip()
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in clean)
    return f'"{clean[:57]}..."' if len(clean) > 60 else f'"{clean}"'


def first_lines(head: bytes, count: int) -> list[bytes]:
    """The first lines of a head that hold anything, stripped; the last line of a full head may be cut.

    >>> first_lines(b"\\n\\n a\\n\\nb \\nc", 2)
    [b'a', b'b']
    """
    return [line for line in map(bytes.strip, head.split(b"\n")) if line][:count]
