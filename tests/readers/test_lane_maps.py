import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane_samples import CABLED, IDENTITY, Turns, Vl, every_turn, lane_after_turn, lanes_of, records, rules
from pauseproof.readers import sl2vl, subnet_lst
from pauseproof.readers.cabling import build_fabric
from pauseproof.readers.lane_maps import NO_HOST_ROWS, NO_TABLES, lanes_from_records
from pauseproof.readers.source import open_source
from shared_cases import shared_case


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
