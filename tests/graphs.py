"""Small dependency graphs for tests: from choice sets in plain Python to the engine's arrays, and back."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from pauseproof.dependency.graph import Dependencies, assemble

STEP = 3  # buffer ids of a drawn graph are multiples of this, so that an index is not an id


class Sets(NamedTuple):
    """``n`` buffers; ``sets[i]`` is (owner, members of one choice set)."""

    n: int
    sets: Sequence[tuple[int, frozenset[int]]]

    def choices(self) -> dict[int, set[frozenset[int]]]:
        out: dict[int, set[frozenset[int]]] = {}
        for owner, members in self.sets:
            out.setdefault(owner, set()).add(members)
        return out

    def graph(self) -> Dependencies:
        """Every other singleton set goes in as a set of its own key: that makes no difference."""
        rows = [
            (owner, b, i if len(members) > 1 or i % 2 else -1)
            for i, (owner, members) in enumerate(self.sets)
            for b in sorted(members)
        ]
        source, target, key = np.array(rows, np.int64).reshape(-1, 3).T
        return assemble(1, np.arange(self.n, dtype=np.int64) * STEP, source, target, key)


def of_edges(text: str) -> Dependencies:
    """``"ab bc"``: a waits for b alone, b for c; ``"a(bc)"``: a for b or c. Buffers are the letters up to the last one."""
    sets = [(ord(part[0]) - 97, frozenset(ord(c) - 97 for c in part[1:] if c.isalpha())) for part in text.split()]
    return Sets(1 + max(max(owner, *members) for owner, members in sets), sets).graph()


def letters(buffers: Sequence[int]) -> str:
    """Buffer indices as letters."""
    return "".join(chr(97 + b) for b in buffers)


@st.composite
def choice_sets(draw: st.DrawFn, *, most: int = 3) -> Sets:
    """1-9 buffers with up to 18 choice sets of up to ``most`` members."""
    n = draw(st.integers(1, 9))
    buffer = st.integers(0, n - 1)
    one = st.tuples(buffer, st.frozensets(buffer, min_size=1, max_size=most))
    return Sets(n, draw(st.lists(one, max_size=18)))
