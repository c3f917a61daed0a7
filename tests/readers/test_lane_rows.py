import numpy as np
import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.lane_rows import LaneRows
from pauseproof.readers.problems import Problems

ONE, TWO = bytes([1] * 16), bytes([2] * 16)


def test_rows_become_arrays() -> None:
    rows = LaneRows()
    rows.add_turn(2**64 - 1, 3, 4, ONE, 7)
    rows.add_host(5, TWO, 9)
    records = rows.records("f", Problems("f"))
    assert records.switch_guid.tolist() == [2**64 - 1] and records.switch_guid.dtype == np.uint64
    assert records.vl.tolist() == [[1] * 16] and records.host_vl.tolist() == [[2] * 16]
    assert records.line.tolist() == [7] and records.host_line.tolist() == [9]


def test_no_rows_are_empty_arrays_of_the_same_shape() -> None:
    records = LaneRows().records("f", Problems("f"))
    assert records.vl.shape == records.host_vl.shape == (0, 16)


def test_contradictions_and_earlier_problems_are_told_together() -> None:
    rows, problems = LaneRows(), Problems("f")
    problems.add(2, "something else")
    for line, values in ((5, ONE), (3, ONE), (4, TWO)):
        rows.add_turn(1, 2, 3, values, line)
        rows.add_host(6, ONE, line)
    with pytest.raises(BadInput) as caught:
        rows.records("f", problems)
    turn = "the row for in-port 2, out-port 3 of switch 0x0000000000000001"
    assert list(map(str, caught.value.problems)) == [
        "f:2: something else",
        f"f:4: {turn} differs from the one in line 3; expected one row",
        f"f:5: {turn} differs from the one in line 4; expected one row",
    ]
