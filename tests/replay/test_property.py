"""The short profile of long_run.py: certified fabrics never freeze, loaded loops mostly do."""

import pytest

from replay.long_run import tally


@pytest.mark.parametrize("first", [0, 100_000])
def test_free_fabrics_never_freeze_and_four_of_five_loaded_loops_do(first: int) -> None:
    share = tally(range(first, first + 16))
    assert share.free >= 4 and share.stuck >= 4
    assert share.of_stuck >= 0.8, f"never froze: {share.never}"
