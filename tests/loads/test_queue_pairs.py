import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.loads.queue_pairs import FIRST, NUMBERS, Run, mixed, runs, shares, start


def test_splitmix64_known_answers() -> None:
    """The first outputs for seed 1234567, as published with the generator."""
    found = mixed(np.arange(5, dtype=np.uint64), 1234567).tolist()
    assert found == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@settings(deadline=None)
@given(st.integers(1, 5000), st.integers(1, 7), st.integers(1, 100), st.booleans())
def test_shares_are_those_of_messages_sent_one_by_one(sent: int, q: int, message: int, split: bool) -> None:
    carried = [0.0] * q
    for m in range(math.ceil(sent / message)):
        part = min(message, sent - m * message)
        for k in range(q):
            carried[k] += part / q if split else part * (m % q == k)
    assert shares(np.array([float(sent)]), q, float(message), split=split)[0].tolist() == pytest.approx(carried)


def test_a_long_stream_is_shared_evenly() -> None:
    assert shares(np.array([8.0, 4.0]), 4, 0.0, split=False).tolist() == [[2.0] * 4, [1.0] * 4]


@settings(deadline=None)
@given(st.integers(0, 100), st.integers(1, 1 << 23))
def test_starts_leave_room(seed: int, room: int) -> None:
    first = start(seed, np.arange(200), room)
    assert first.min() >= FIRST and (first + room).max() <= NUMBERS


def test_more_queue_pairs_than_there_are_numbers() -> None:
    with pytest.raises(BadInput, match="up to 16777216 QPs on one NIC, and a number has 24 bits"):
        start(0, np.arange(2), NUMBERS)


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_the_numbers_of_a_run_are_each_taken_once(gpus: int, far: int, nodes: int, channels: int, q: int, first: int) -> None:
    run = Run(first, gpus, far, nodes, channels, q)
    taken = [
        int(run.slot(*(np.array([x]) for x in (here, there, node, channel)), sends=sends)[0]) + k
        for here in range(gpus)
        for there in range(far)
        for node in range(nodes)
        for channel in range(channels)
        for sends in (True, False)
        for k in range(q)
    ]
    assert sorted(taken) == list(range(first, first + run.size))


def test_runs_follow_each_other() -> None:
    found, room = runs([("a", 1, 2, 1), ("b", 3, 2, 2)], 3, 4)
    assert (found["a"].first, found["b"].first, room) == (0, found["a"].size, found["a"].size + found["b"].size)
