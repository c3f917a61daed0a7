"""Progress of long work: one line on a terminal's stderr, once a second, gone when the work is done; nothing elsewhere."""

import sys
import time


class Progress:
    """``words`` says what was done, with ``{done}`` and ``{total}`` in it. Call it with both numbers, within ``with``."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.next = time.monotonic() + 1
        self.width = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def __call__(self, done: int, total: int) -> None:
        """So much is done."""
        now = time.monotonic()
        if now >= self.next and sys.stderr.isatty():
            self.next = now + 1
            line = self.words.format(done=f"{done:,}", total=f"{total:,}")
            self.width = max(self.width, len(line))
            print(f"\r{line:{self.width}}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self.width:
            print(f"\r{'':{self.width}}\r", end="", file=sys.stderr, flush=True)
