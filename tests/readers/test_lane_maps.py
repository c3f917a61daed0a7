from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput
from pauseproof.readers import sl2vl, subnet_lst
from pauseproof.readers.cabling import build_fabric
from pauseproof.readers.lane_maps import NO_HOST_ROWS, NO_TABLES, LanesRead, lanes_from_records
from pauseproof.readers.records import LaneMapRecords
from pauseproof.readers.source import open_source
from shared_cases import shared_case

Vl = tuple[int, ...]
Turns = dict[tuple[int, int, int], Vl]  # (switch id, in, out) -> 16 VLs

IDENTITY: Vl = tuple(range(16))
CABLED = ((1, 2), (1, 2, 3))  # the cabled ports of each switch


def two_leaves() -> Fabric:
    """s0 and s1, radix 4, cabled by their ports 1; a host on port 2 of s0, and on ports 2 and 3 of s1."""
    guids = np.array([0xB0, 0xB1, 0xA0, 0xA2, 0xA4], np.uint64)
    kinds, ports = np.array([0, 0, 1, 1, 1], np.uint8), np.array([4, 4, 1, 1, 1], np.int32)
    cables = np.array([(0, 1, 1, 1), (0, 2, 2, 1), (1, 2, 3, 1), (1, 3, 4, 1)], np.int32).T
    nodes = Nodes(["s0", "s1", "h0", "h1", "h2"], guids, kinds, ports)
    return make_fabric("two leaves", "infiniband", nodes, Cables(*map(np.array, cables)))


FABRIC = two_leaves()
HOST_OF = {0xA1: 0, 0xA3: 1, 0xA5: 2}


def records(turns: Turns, hosts: dict[int, Vl], file: str = "f") -> LaneMapRecords:
    keys, ports = np.array([*turns], np.int32).reshape(-1, 3), {h: guid for guid, h in HOST_OF.items()}
    return LaneMapRecords(
        file,
        FABRIC.node_guid[keys[:, 0]],
        keys[:, 1],
        keys[:, 2],
        np.array([*turns.values()], np.uint8).reshape(-1, 16),
        np.arange(1, len(turns) + 1, dtype=np.int32),
        np.array([ports[h] for h in hosts], np.uint64),
        np.array([*hosts.values()], np.uint8).reshape(-1, 16),
        np.arange(100, 100 + len(hosts), dtype=np.int32),
    )


def every_turn(vl: Vl) -> Turns:
    return {(s, i, o): vl for s in (0, 1) for o in CABLED[s] for i in (0, *CABLED[s])}


def lanes_of(files: Sequence[LaneMapRecords], labels: Sequence[int] | None = None) -> LanesRead:
    return lanes_from_records(FABRIC, files, HOST_OF, labels)


def rules(read: LanesRead) -> list[str]:
    return [remark.rule for remark in read.remarks]


def lane_after_turn(read: LanesRead, s: int, i: int, o: int, sl: int) -> int | None:
    """The VL, None for a drop, KeyError where unknown; the label must not change."""
    after = read.lanes.after_turn(s, i, o, sl)
    assert after is None or after[0] == sl
    return None if after is None else after[1]


def test_without_tables_every_sl_rides_its_own_vl() -> None:
    read = lanes_of([])
    assert read.assumptions == (NO_TABLES,) and not read.remarks
    assert [lane_after_turn(read, 0, 1, 2, sl) for sl in range(16)] == [*range(15), None]
    assert read.lanes.after_host(2, 7) == (7, 7)


rows = st.sampled_from([IDENTITY, (0,) * 16, (0, 1) * 8, (15,) * 16, tuple(range(15, -1, -1))]) | st.tuples(
    *[st.integers(0, 15)] * 16
)
turn_keys = st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 4))
tables = st.tuples(st.dictionaries(turn_keys, rows), st.dictionaries(st.integers(0, 2), rows))


@given(st.lists(tables, min_size=1, max_size=3), st.none() | st.sets(st.integers(0, 15)))
def test_any_tables_mean_what_a_naive_reading_says(files: list[tuple[Turns, dict[int, Vl]]], used: set[int] | None) -> None:
    read = lanes_of(
        [records(turns, hosts, str(n)) for n, (turns, hosts) in enumerate(files)], None if used is None else sorted(used)
    )
    labels = list(range(16)) if used is None else sorted({0} | used)
    pairs: set[tuple[int, int]] = set()

    def check(rows: list[Vl], got: dict[int, int | None] | None) -> None:
        meant = {tuple(row[sl] for sl in labels) for row in rows}
        if len(meant) != 1:
            assert got is None
            return
        expected = {sl: None if row == 15 else row for sl, row in zip(labels, meant.pop(), strict=True)}
        assert got == expected
        pairs.update((sl, vl) for sl, vl in expected.items() if vl is not None)

    for s in (0, 1):
        for i in range(5):
            for o in range(5):
                cabled = i in (0, *CABLED[s]) and o in CABLED[s]
                rows = [turns[s, i, o] for turns, _ in files if (s, i, o) in turns] if cabled else []
                known = read.lanes.row_at(s, i, o) >= 0
                check(rows, {sl: lane_after_turn(read, s, i, o, sl) for sl in labels} if known else None)
    any_host = any(hosts for _, hosts in files)
    for h in range(3):
        rows = [hosts[h] for _, hosts in files if h in hosts] if any_host else [IDENTITY]
        known = read.lanes.host_row[h] >= 0
        after = {sl: read.lanes.after_host(h, sl) for sl in labels} if known else {}
        check(rows, {sl: pair and pair[1] for sl, pair in after.items()} if known else None)
    assert read.assumptions == (() if any_host else (NO_HOST_ROWS,))
    classes = list(zip(read.lanes.class_label.tolist(), read.lanes.class_lane.tolist(), strict=True))
    assert classes == sorted(pairs)
    assert len(np.unique(read.lanes.step, axis=0)) == len(read.lanes.step)


def test_everything_known_makes_no_remark() -> None:
    read = lanes_of([records(every_turn(IDENTITY), dict.fromkeys(range(3), IDENTITY))])
    assert not read.remarks and not read.assumptions
    assert read.lanes.label_names == read.lanes.lane_names == tuple(map(str, range(16)))


def test_missing_turns_and_hosts_are_summed_up() -> None:
    turns = every_turn(IDENTITY)
    del turns[0, 2, 1], turns[1, 0, 3], turns[1, 1, 3]
    read = lanes_of([records(turns, {1: IDENTITY})])
    assert rules(read) == ["sl2vl-missing", "sl2vl-missing"]
    assert read.remarks[0].message == (
        "3 turns between cabled ports of 2 switches have no SL-to-VL row, the first in-port 2, out-port 1 of s0"
    )
    assert read.remarks[0].about == "0x00000000000000b0/2/1"
    assert read.remarks[1].message == "2 hosts have no SL-to-VL row while others have, the first h0 port 1"
    with pytest.raises(KeyError):
        read.lanes.after_turn(0, 2, 1, 0)
    with pytest.raises(KeyError):
        read.lanes.after_host(0, 0)


def test_two_files_that_disagree_are_both_named_and_neither_is_believed() -> None:
    hosts = dict.fromkeys(range(3), IDENTITY)
    other = every_turn(IDENTITY) | {(1, 2, 3): (1,) * 16, (1, 3, 3): (1,) * 16}
    files = [records(every_turn(IDENTITY), hosts, "one"), records(other, hosts | {2: (1,) * 16}, "two")]
    read = lanes_of(files)
    assert rules(read) == ["table-disagreement"] * 2
    assert read.remarks[0].message.startswith(
        "the SL-to-VL row of s1 for in-port 2, out-port 3 differs between two inputs, and 1 more"
    )
    assert [place.file for place in read.remarks[0].places] == ["one", "two"]
    first, second = read.remarks[0].places
    assert files[0].out_port[first.line - 1] == files[1].out_port[second.line - 1] == 3
    assert files[0].in_port[first.line - 1] == files[1].in_port[second.line - 1] == 2
    assert read.remarks[1].about == "0x00000000000000a4/1"
    with pytest.raises(KeyError):
        read.lanes.after_turn(1, 2, 3, 0)


def test_a_difference_in_sls_that_nobody_uses_is_none() -> None:
    hosts = dict.fromkeys(range(3), IDENTITY)
    files = [records(every_turn(IDENTITY), hosts), records(every_turn((*IDENTITY[:4], *[0] * 12)), hosts)]
    assert not lanes_of(files, [3, 2]).remarks
    assert lanes_of(files, [3, 4]).remarks


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_folded_sls_are_told_once(n: int) -> None:
    fold = tuple(sl & (n - 1) for sl in IDENTITY)
    read = lanes_of([records(every_turn(fold), {0: fold, 1: IDENTITY, 2: IDENTITY})])
    assert rules(read) == ["sl2vl-folded"]
    assert read.remarks[0].message.startswith(f"5 switch ports and 1 host ports have {n} VL")
    assert rules(lanes_of([records(every_turn(fold), dict.fromkeys(range(3), fold))], [0, n])) == ["sl2vl-folded"]
    assert not lanes_of([records(every_turn(fold), dict.fromkeys(range(3), fold))], range(n)).remarks


def test_repeating_rows_of_another_plan_are_not_folded() -> None:
    assert not lanes_of(
        [records(every_turn((0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5)), dict.fromkeys(range(3), IDENTITY))]
    ).remarks


def test_rows_beyond_the_fabric_are_refused_at_once() -> None:
    bad = records({(0, 5, 1): IDENTITY, (0, 1, 9): IDENTITY, (1, 1, 5): IDENTITY}, {})
    no_guid, no_vl, no_line = np.empty(0, np.uint64), np.empty((0, 16), np.uint8), np.empty(0, np.int32)
    guid, port, line = np.full(2, 0xCC, np.uint64), np.ones(2, np.int32), np.array([7, 8], np.int32)
    alien = LaneMapRecords("g", guid, port, port, np.zeros((2, 16), np.uint8), line, no_guid, no_vl, no_line)
    with pytest.raises(BadInput) as caught:
        lanes_of([bad, alien])
    assert sorted(map(str, caught.value.problems)) == [
        "f:1: port 5 of s0 is beyond its radix; expected 0..4",
        "f:3: port 5 of s1 is beyond its radix; expected 0..4",
        "g:7: switch 0x00000000000000cc is not in the topology; expected tables of the switches that are cabled",
    ]


def test_rows_of_uncabled_hosts_are_left_out() -> None:
    one = records(every_turn(IDENTITY), dict.fromkeys(range(3), IDENTITY))
    read = lanes_from_records(FABRIC, [one], {0xA1: 0, 0xA3: 1})
    assert rules(read) == ["sl2vl-missing", "sl2vl-missing"]
    assert read.remarks[0].about == "0x00000000000000a5"


def test_a_switch_may_be_named_by_its_port_guid() -> None:
    one = records(every_turn(IDENTITY), dict.fromkeys(range(3), IDENTITY))
    named = replace(one, switch_guid=one.switch_guid + np.uint64(0x1000))
    read = lanes_from_records(FABRIC, [named], HOST_OF, switch_of_port_guid={0x10B0: 0, 0x10B1: 1})
    assert not read.remarks
    with pytest.raises(BadInput):
        lanes_from_records(FABRIC, [named], HOST_OF)


def test_slvl_rows_may_name_a_host_by_node_and_port() -> None:
    one = records(every_turn(IDENTITY), {})
    more = replace(
        one,
        switch_guid=np.append(one.switch_guid, np.array([0xA0, 0xA2, 0xA4], np.uint64)),
        in_port=np.append(one.in_port, np.zeros(3, np.int32)),
        out_port=np.append(one.out_port, np.ones(3, np.int32)),
        vl=np.append(one.vl, np.full((3, 16), 2, np.uint8), axis=0),
        line=np.append(one.line, np.full(3, 90, np.int32)),
    )
    read = lanes_of([more])
    assert not read.assumptions and [read.lanes.after_host(h, 9) for h in range(3)] == [(9, 2)] * 3


CASES = ("ring5_dfsssp", "ring5_dfsssp_lmc1", "ring5_lash", "ring5_nue_8vl", "torus8x8_torus2qos", "mesh8x8_dfsssp")


@pytest.mark.parametrize("case", CASES)
def test_real_dumps_are_complete_and_mean_what_they_say(case: str) -> None:
    folder = shared_case(f"opensm/{case}")
    cabling = subnet_lst.read(open_source(next(folder.glob("opensm-subnet.lst*"))))
    table = sl2vl.read(open_source(next(folder.glob("opensm-sl2vl.dump*"))))
    fabric = build_fabric(case, [cabling]).fabric
    port = {
        (n, p): guid
        for n, p, guid in zip(cabling.port_node.tolist(), cabling.port_number.tolist(), cabling.port_guid.tolist(), strict=True)
    }
    host_of = {port[int(fabric.node_guid[host.node]), host.port]: host.id for host in fabric.hosts()}
    read = lanes_from_records(fabric, [table], host_of)
    assert not read.assumptions
    assert rules(read) == ([] if case == "torus8x8_torus2qos" else ["sl2vl-folded"])
    id_of = {int(guid): n for n, guid in enumerate(fabric.node_guid)}
    for i in range(0, len(table.line), 37):
        s, turn = id_of[int(table.switch_guid[i])], (int(table.in_port[i]), int(table.out_port[i]))
        if fabric.in_link[s, turn[0]] >= 0 or turn[0] == 0:
            assert [lane_after_turn(read, s, *turn, sl) for sl in range(16)] == table.vl[i].tolist()
    for guid, vl in zip(table.host_port_guid.tolist(), table.host_vl.tolist(), strict=True):
        assert [read.lanes.after_host(host_of[guid], sl) for sl in range(16)] == list(enumerate(vl))
