"""The fewest dependencies that meet every loop, against all sets of fewer."""

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import on_some
from pauseproof.repair.alternative import Budget
from pauseproof.repair.feedback import disjoint_loops, fewest_feedback

Pairs = list[tuple[int, int]]
PAIRS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14).map(sorted)


def free(pairs: Pairs, without: object) -> bool:
    return bool(nx.is_directed_acyclic_graph(nx.DiGraph([p for p in pairs if p not in without])))  # type: ignore[operator]


@on_some
@given(PAIRS)
def test_no_fewer_will_do(pairs: Pairs) -> None:
    found = fewest_feedback(pairs, Budget(20))
    assert found.few is not None and free(pairs, found.few)
    assert found.bound == len(found.few)
    assert not found.few or not any(free(pairs, some) for some in combinations(pairs, len(found.few) - 1))


@on_some
@given(PAIRS)
def test_loops_that_share_nothing(pairs: Pairs) -> None:
    loops = disjoint_loops(pairs)
    used = [pair for loop in loops for pair in loop]
    assert len(set(used)) == len(used) and free(pairs, used)


@pytest.mark.parametrize("n", [3, 10])
def test_two_directions_of_a_ring_lose_one_each(n: int) -> None:
    ring = [(i, (i + 1) % n) for i in range(n)] + [(n + i, n + (i - 1) % n) for i in range(n)]
    assert fewest_feedback(ring, Budget(10)).bound == 2


def test_without_time_there_is_a_bound_all_the_same() -> None:
    loops = [(2 * i, 2 * i + 1) for i in range(9)] + [(2 * i + 1, 2 * i) for i in range(9)]
    found = fewest_feedback(loops, Budget(0))
    assert found.bound == 9 and found.few is None
