"""Every closed form against the same collective carried out chunk by chunk."""

from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import collective_chunks as chunks
from pauseproof.loads.collectives import Transfers, double_tree, halving_doubling, line, ring
from pauseproof.readers.job_lines import Kind

KINDS = st.sampled_from(["all-reduce", "all-gather", "reduce-scatter"])
SIZES = st.integers(1, 1 << 40)
CHANNELS = st.integers(1, 5)


def counted(transfers: Transfers) -> dict[tuple[int, int], float]:
    total: dict[tuple[int, int], float] = defaultdict(float)
    for src, dst, sent in zip(transfers.src.tolist(), transfers.dst.tolist(), transfers.bytes.tolist(), strict=True):
        total[src, dst] += sent
    return total


def same(found: Transfers, expected: dict[tuple[int, int], Fraction]) -> None:
    assert counted(found) == pytest.approx({pair: float(sent) for pair, sent in expected.items()})


@settings(deadline=None)
@given(KINDS, st.integers(1, 9), st.integers(1, 4), SIZES, CHANNELS)
def test_ring_of_ranks_seen_from_outside_the_nodes(kind: Kind, nodes: int, each: int, size: int, channels: int) -> None:
    n = nodes * each
    carry = {"all-reduce": chunks.ring_all_reduce, "all-gather": chunks.ring_gathered, "reduce-scatter": chunks.ring_scattered}
    crossings: dict[tuple[int, int], Fraction] = {}
    for (a, b), sent in carry[kind](n, Fraction(size), list(range(n))).items():
        if a // each != b // each:
            crossings[a // each, b // each] = crossings.get((a // each, b // each), Fraction(0)) + sent
    same(ring(kind, nodes, n, size, channels), crossings)


def test_ring_known_answer() -> None:
    """Four nodes of eight GPUs, 1 GiB on 8 channels: each channel's crossing carries 2 * 31/32 of an eighth."""
    found = ring("all-reduce", 4, 32, 1 << 30, 8)
    assert set(found.bytes.tolist()) == {2 * 31 / 32 * (1 << 30) / 8} and len(found) == 32
    assert sorted(zip(found.src.tolist(), found.dst.tolist(), found.channel.tolist(), strict=True)) == sorted(
        (a, (a + 1) % 4, c) for a in range(4) for c in range(8)
    )


@settings(deadline=None)
@given(st.integers(1, 40), SIZES, CHANNELS)
def test_double_tree(n: int, size: int, channels: int) -> None:
    first = [chunks.nccl_parent(n, r) for r in range(n)]
    if n % 2:
        second = [-1 if first[r - 1] < 0 else (first[r - 1] + 1) % n for r in range(n)]
    else:
        second = [-1 if first[n - 1 - r] < 0 else n - 1 - first[n - 1 - r] for r in range(n)]
    found = double_tree(n, size, channels)
    same(found, chunks.trees_all_reduce(n, Fraction(size), [first, second]))
    assert set(found.channel.tolist()) == (set(range(2 * channels)) if n > 1 else set())


@settings(deadline=None)
@given(KINDS, st.integers(1, 20), SIZES, CHANNELS)
def test_halving_doubling(kind: Kind, n: int, size: int, channels: int) -> None:
    if kind != "all-reduce" and n & (n - 1):
        with pytest.raises(ValueError, match=f"needs a power of two, not {n} ranks"):
            halving_doubling(kind, n, size, channels)
        return
    found = halving_doubling(kind, n, size, channels)
    same(found, chunks.halving_doubling(n, Fraction(size), kind))
    for step in set(found.step.tolist()):  # one partner at a time
        now = found.step == step
        assert len(set(found.src[now].tolist())) * channels == now.sum()


def test_steps_of_halving_doubling() -> None:
    found = halving_doubling("all-reduce", 4, 8.0, 1)
    steps = [(set(found.bytes[found.step == s].tolist()), found.dst[found.step == s].tolist()) for s in range(4)]
    assert steps == [({4.0}, [2, 3, 0, 1]), ({2.0}, [1, 0, 3, 2]), ({2.0}, [1, 0, 3, 2]), ({4.0}, [2, 3, 0, 1])]
    assert found.step.max() == 3


def test_pipeline() -> None:
    assert counted(line(3, 5.0, 2.0, 1)) == {(0, 1): 5.0, (1, 2): 5.0, (1, 0): 2.0, (2, 1): 2.0}
    assert counted(line(3, 5.0, 0.0, 1, closed=True)) == {(0, 1): 5.0, (1, 2): 5.0, (2, 0): 5.0}
    assert len(line(1, 5.0, 2.0, 1, closed=True)) == 0 and len(line(3, 5.0, 2.0, 4)) == 16
