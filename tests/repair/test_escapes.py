"""The smallest escape, against every set of buffers tried; that each is one is for deadlock/escape.py to say."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deadlock.test_escape import Sets, graph_of, systems
from examples import on_some
from pauseproof.deadlock.escape import escape_fault
from pauseproof.deadlock.stuck import peel
from pauseproof.repair.alternative import Budget
from pauseproof.repair.escapes import smallest_escape


def serves(n: int, sets: Sets, some: tuple[int, ...]) -> bool:
    return escape_fault(graph_of(n, sets), np.array(some, np.int64)) is None


@on_some
@given(systems())
def test_no_smaller_set_serves(system: tuple[int, Sets]) -> None:
    n, sets = system
    found = smallest_escape(graph_of(n, sets), Budget(20))
    waiting = sorted({b for b, _ in sets})
    if found is None:
        assert len(peel(graph_of(n, sets)).stuck)
        assert not any(serves(n, sets, some) for k in range(n + 1) for some in combinations(range(n), k))
        return
    assert serves(n, sets, found.buffers) and set(found.buffers) <= set(waiting)
    assert found.bound == len(found.buffers)
    assert not found.buffers or not any(serves(n, sets, some) for some in combinations(waiting, len(found.buffers) - 1))


@on_some
@given(systems(), st.just(0.0))
def test_without_time_it_is_one_from_which_nothing_can_be_left_out(system: tuple[int, Sets], seconds: float) -> None:
    n, sets = system
    found = smallest_escape(graph_of(n, sets), Budget(seconds))
    if found is not None:
        assert serves(n, sets, found.buffers)
        assert not any(serves(n, sets, tuple(set(found.buffers) - {b})) for b in found.buffers)
