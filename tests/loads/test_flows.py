import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.loads.flows import Flows, Pairs, blocks_of

Row = tuple[int, int, float, int, int, int, int]


def rows(flows: Flows) -> list[Row]:
    columns = (flows.src, flows.dst, flows.bytes, flows.sport, flows.sqpn, flows.dqpn, flows.phase)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@st.composite
def pairs(draw: st.DrawFn) -> Pairs:
    n_src, n_dst, q = draw(st.integers(0, 5)), draw(st.integers(0, 5)), draw(st.integers(1, 3))
    numbers = st.lists(st.integers(0, 1000), min_size=5, max_size=5)
    machine = st.lists(st.integers(0, 3), min_size=5, max_size=5)
    src, dst, src_node, dst_node = (np.array(draw(s), np.int32) for s in (numbers, numbers, machine, machine))
    first_s, first_d, slot_s, slot_d = (np.array(draw(numbers), np.int64) for _ in range(4))
    sent = np.array(draw(st.lists(st.floats(0, 10), min_size=q, max_size=q)))
    known = draw(st.booleans())
    return Pairs(
        *(src[:n_src], dst[:n_dst], src_node[:n_src], dst_node[:n_dst]),
        sent,
        *(first_s[:n_src], first_d[:n_dst], slot_s[:n_src], slot_d[:n_dst]),
        stride=draw(st.integers(1, 9)),
        phase=draw(st.integers(0, 9)),
        source_port=(lambda a, b: (a * b) % 65536) if known else None,
        step=draw(st.integers(1, 3)),
    )


def one_by_one(p: Pairs) -> list[Row]:
    """The definition, one connection at a time."""
    out: list[Row] = []
    for i in range(len(p.src)):
        for j in range(len(p.dst)):
            if p.src_node[i] == p.dst_node[j]:
                continue
            for k in range(len(p.bytes)):
                a = int(p.first_sqpn[i]) + p.stride * int(p.dst_slot[j]) + k * p.step
                b = int(p.first_dqpn[j]) + p.stride * int(p.src_slot[i]) + k * p.step
                sport = a * b % 65536 if p.source_port else -1
                out.append((int(p.src[i]), int(p.dst[j]), float(p.bytes[k]), sport, a, b, p.phase))
    return out


@settings(deadline=None)
@given(pairs(), st.integers(1, 30))
def test_pairs_are_what_their_definition_says_in_blocks_of_any_size(p: Pairs, most: int) -> None:
    expected = one_by_one(p)
    blocks = list(blocks_of([p], most))
    assert [row for block in blocks for row in rows(block)] == expected
    assert len(p) == len(expected)
    assert all(len(block) <= max(most, len(p.dst) * len(p.bytes)) for block in blocks)


@settings(deadline=None)
@given(pairs())
def test_what_comes_back_of_pairs_is_what_comes_back_of_their_flows(p: Pairs) -> None:
    forth = [row for block in p.blocks() for row in rows(block.returned(block.bytes / 2))]
    assert sorted(row for block in p.returned(p.bytes / 2).blocks() for row in rows(block)) == sorted(forth)


def test_flows_are_cut_into_blocks() -> None:
    flows = Flows.of([0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0], sport=[5, 6, 7], phase=4)
    assert [rows(block) for block in blocks_of([flows], 2)] == [rows(flows)[:2], rows(flows)[2:]]
    assert rows(flows)[1] == (1, 2, 2.0, 6, -1, -1, 4)


def test_what_comes_back_swaps_the_ends() -> None:
    flows = Flows.of([0], [1], 8.0, sport=50000, sqpn=17, dqpn=34, phase=2)
    assert rows(flows.returned(0.5)) == [(1, 0, 0.5, 50000, 34, 17, 2)]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError):
        Flows.of([0, 1], [1], 1.0, sport=[1, 2, 3])
