"""The walk over switches finds what the walk over links finds, on the columns that it takes, and leaves the others alone."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.dependency import states
from pauseproof.dependency.pinned import walk_pinned
from pauseproof.dependency.plan import I64
from pauseproof.dependency.states import Explored, explore
from strategies import Case, anything, plain, sane

EXAMPLES = int(os.environ.get("PAUSEPROOF_EXAMPLES", "300"))


def cases() -> st.SearchStrategy[Case]:
    return st.one_of(anything(), sane(), plain().map(lambda case: Case(case.choices, case.traffic)))


def test_both_walks_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, int]] = []

    def note(found: Explored, columns: I64) -> I64:
        left = walk_pinned(found, columns)
        assert set(left.tolist()) <= set(columns.tolist())
        taken.append((len(columns) - len(left), len(left)))
        return left

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(cases())
    def compare(case: Case) -> None:
        monkeypatch.setattr(states, "walk_pinned", note)
        one = explore(*case)
        monkeypatch.setattr(states, "walk_pinned", lambda found, columns: columns)
        two = explore(*case)
        assert np.array_equal(one.reached, two.reached)
        assert np.array_equal(one.used.sorted(), two.used.sorted())
        assert np.array_equal(one.injected_count, two.injected_count)
        assert np.array_equal(one.drops, two.drops) and np.array_equal(one.unknowns, two.unknowns)

    compare()
    assert any(some and others for some, others in taken), "no example had columns for both walks"
    assert any(some > 1 and not others for some, others in taken)
