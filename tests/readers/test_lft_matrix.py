import numpy as np
import pytest

from pauseproof.readers.lft_matrix import PortMatrix, TooSparse


def test_it_grows_both_ways_and_keeps_what_was_set() -> None:
    matrix = PortMatrix(1000)
    truth = np.full((40, 90), 255, np.uint8)
    for blocks, width in [(1, 3), (2, 7), (5, 7), (6, 31), (40, 90)]:
        matrix.grow(blocks, width, part_read=blocks / 40)
        matrix.flat()[(blocks - 1) * matrix.width + width - 1] = width
        truth[blocks - 1, width - 1] = width
    assert np.array_equal(matrix.trimmed(90), truth)
    assert matrix.trimmed(95).shape == (40, 95)
    assert matrix.trimmed(95).flags.c_contiguous


def test_far_more_cells_than_bytes_are_refused_before_they_are_made() -> None:
    with pytest.raises(TooSparse):
        PortMatrix(5_000_000).grow(1_000_000, 0xC000, part_read=1.0)


def test_one_block_costs_no_more_than_its_width() -> None:
    matrix = PortMatrix(100)
    matrix.grow(1, 49152, part_read=0.5)
    assert matrix.width == 49152
