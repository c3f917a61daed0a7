"""The walk over rows of bits against the naive walker: what every link carries, and every count."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from examples import on_many, on_some
from pauseproof.dependency.row_counts import count
from pauseproof.dependency.row_outcomes import row_outcomes
from pauseproof.dependency.rows import meets, packed, plain_lane, unpacked, walk_rows
from pauseproof.fabric.lanes import Lanes
from pauseproof.routing.walk import pairs, walk_known, walk_pair
from strategies import PlainCase, plain


@on_many
@given(st.lists(st.lists(st.booleans(), min_size=67, max_size=67), max_size=3))
def test_bits_are_packed_and_unpacked(lists: list[list[bool]]) -> None:
    bits = np.array(lists, np.bool_).reshape(-1, 67)
    rows = packed(bits, 2)
    assert rows.shape == (len(lists), 2)
    assert (unpacked(rows, 67) == bits).all()
    for i, row in enumerate(lists):
        assert int(rows[i, 0]) | int(rows[i, 1]) << 64 == sum(1 << d for d, bit in enumerate(row) if bit)


def test_rows_meet_where_they_have_a_bit_in_common() -> None:
    a, b = (np.array(rows, np.uint64) for rows in ([[1, 0], [2, 4], [0, 1 << 63]], [[2, 1], [4, 4], [0, 3 << 62]]))
    assert meets(a, b).tolist() == [False, True, True]


@on_some
@given(plain())
def test_links_carry_the_columns_whose_packets_the_walker_finds_on_them(case: PlainCase) -> None:
    network, traffic = case.rows, case.traffic
    if plain_lane(network, traffic) is None:
        return
    walk = walk_rows(network, traffic)
    carrying = {
        int(l): np.flatnonzero(bits)
        for l, bits in zip(walk.carrying, unpacked(walk.carried(walk.carrying), len(network.destinations)), strict=True)
    }
    told = {(l, d) for l, columns in carrying.items() for d in columns.tolist()}
    met = {
        (l, d, member)
        for source, d, member in pairs(network, traffic)
        for l, _, _ in walk_pair(network, traffic, source, d, member).states
    }
    delivered = {(network.fabric.host(member).down, d) for _, d, member in met if member is not None}
    between = {(l, d) for l, d, _ in met if network.fabric.link(l).src < network.fabric.n_switches}
    assert told - delivered == between - delivered


@on_many
@given(plain())
def test_every_count_is_the_walkers(case: PlainCase) -> None:
    network, traffic = case.rows, case.traffic
    if plain_lane(network, traffic) is None:
        return
    walked, walk = walk_known(network, traffic), walk_rows(network, traffic)
    counts = count(walk)
    assert (counts.buffers, counts.dependencies) == (len(walked.buffers), len(walked.dependencies))
    down = {h.id for h in network.fabric.hosts() if any(l == h.down for l, _ in walked.buffers)}
    assert set(np.flatnonzero(counts.down).tolist()) == down
    for may_loop in {True, bool(oracle.cyclic_components(walked.dependencies))}:
        out = row_outcomes(walk, may_loop=may_loop)
        assert (out.pairs, out.unroutable_pairs, out.looping_pairs) == (
            walked.pairs,
            walked.unroutable_pairs,
            walked.looping_pairs,
        )


def test_only_one_lane_without_maps_and_host_senders_are_plain() -> None:
    @given(plain())
    def holds(case: PlainCase) -> None:
        network, fabric = case.rows, case.rows.fabric
        quiet = replace(case.traffic, switch_sends=np.zeros(fabric.n_switches, np.bool_), coupled=None)
        beside = bool((fabric.link_dst[fabric.host_up] >= fabric.n_switches).any())
        assert (plain_lane(network, quiet) == 0) is not beside
        assert plain_lane(case.choices, quiet) is None
        assert plain_lane(network, replace(quiet, switch_sends=np.ones(fabric.n_switches, np.bool_))) is None
        labels = np.ones((fabric.n_hosts, len(network.destinations)), np.uint32)
        assert plain_lane(network, replace(quiet, labels=labels)) is None
        two = Lanes.identity(fabric.n_hosts, ("0", "1"))
        assert plain_lane(replace(network, lanes=two), replace(quiet, label=1)) == (None if beside else 1)

    holds()


def test_a_table_of_choices_has_no_rows_to_walk() -> None:
    @given(plain())
    def holds(case: PlainCase) -> None:
        with pytest.raises(TypeError, match="reads a RowTable"):
            walk_rows(case.choices, case.traffic)

    holds()
