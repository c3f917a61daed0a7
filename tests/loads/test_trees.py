"""The trees against NCCL's own drawings (the comments of trees.cc) and against a plain transcription of its loops."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collective_chunks import nccl_children, nccl_parent
from pauseproof.loads.trees import binary_tree, double_binary_tree


def children(parent: list[int], node: int) -> list[int]:
    return [child for child, up in enumerate(parent) if up == node]


def test_fourteen_nodes_as_drawn_by_nccl() -> None:
    first, second = (tree.tolist() for tree in double_binary_tree(14))
    assert {r: children(first, r) for r in (0, 8, 4, 12, 2, 6, 10)} == {
        **{0: [8], 8: [4, 12], 4: [2, 6], 12: [10, 13]},
        **{2: [1, 3], 6: [5, 7], 10: [9, 11]},
    }
    mirrored = {13 - r: sorted(13 - child for child in children(first, r)) for r in range(14)}
    assert {r: children(second, r) for r in range(14)} == mirrored


def test_thirteen_nodes_are_shifted_as_drawn_by_nccl() -> None:
    first, second = (tree.tolist() for tree in double_binary_tree(13))
    assert children(first, 8) == [4, 12] and children(first, 12) == [10]
    assert second.index(-1) == 1 and children(second, 1) == [9]
    assert children(second, 9) == [0, 5] and children(second, 0) == [11] and children(second, 5) == [3, 7]


@settings(deadline=None)
@given(st.integers(1, 300))
def test_parents_and_children_are_those_of_nccl(n: int) -> None:
    parent = binary_tree(n).tolist()
    assert parent == [nccl_parent(n, r) for r in range(n)]
    assert [sorted(children(parent, r)) for r in range(n)] == [sorted(nccl_children(n, r)) for r in range(n)]


@settings(deadline=None)
@given(st.integers(2, 300))
def test_a_leaf_of_one_tree_is_no_leaf_of_the_other(n: int) -> None:
    first, second = (tree.tolist() for tree in double_binary_tree(n))
    for tree in (first, second):
        for node in range(n):  # every node reaches the root
            for _ in range(n):
                node = tree[node] if node >= 0 else node
            assert node == -1
    if n % 2 == 0:
        interior = [set(tree) - {-1} for tree in (first, second)]
        assert interior[0] | interior[1] == set(range(n)) and not interior[0] & interior[1]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_small_ones(n: int) -> None:
    assert [tree.tolist() for tree in double_binary_tree(n)] == {
        1: [[-1], [-1]],
        2: [[-1, 0], [1, -1]],
        3: [[-1, 2, 0], [1, -1, 0]],
    }[n]
