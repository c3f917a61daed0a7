import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.sl2vl import matches, read
from shared_cases import shared_case
from small_files import PATH_RECORDS, SL2VL
from texts import cuts_that_pass, refusal, source_of

vls = st.lists(st.integers(0, 15), min_size=16, max_size=16)
turns = st.tuples(st.integers(1, 2**64 - 1), st.integers(0, 254), st.integers(0, 254))


def block(header: str, rows: list[str]) -> str:
    line = "#" + "-" * 20
    return "\n".join([header, "#in out : 0  1  2", line, *rows, line, "", ""])


def row(in_port: int, out_port: int, vl: list[int]) -> str:
    return f"{in_port:<3d} {out_port:<3d} :" + "".join(f" {v:<2d}" for v in vl)


def test_switch_and_host_rows() -> None:
    records = read(source_of(SL2VL))
    assert records.switch_guid.tolist() == [0xB0001] * 2
    assert records.in_port.tolist() == [0, 2] and records.out_port.tolist() == [1, 1]
    assert records.vl[1].tolist() == [7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 15]
    assert records.line.tolist() == [4, 5]
    assert records.host_port_guid.tolist() == [0xA0002] and records.host_line.tolist() == [11]
    assert records.host_vl[0].tolist() == list(range(16))


def test_old_versions_give_the_out_port_of_a_host_its_number() -> None:
    text = block('Channel Adapter 0xa0002, base LID 7, "n1"', [row(0, 2, [1] * 16)])
    assert read(source_of(text)).host_vl.tolist() == [[1] * 16]


def test_routers_are_end_nodes_and_names_may_hold_anything() -> None:
    text = block('Router 0xA0002, base LID 7, "r # \\" } 0 1 : 3"', [row(0, 0, [1] * 16)])
    assert read(source_of(text)).host_port_guid.tolist() == [0xA0002]


def test_a_switch_without_cabled_ports_has_an_empty_block() -> None:
    assert len(read(source_of(block('Switch 0xb0001, base LID 3, "s"', []))).line) == 0
    assert refusal(read, block('Channel Adapter 0xa1, base LID 3, "s"', []))[0].startswith("1: this block has no rows")


@given(st.dictionaries(turns, vls, min_size=1, max_size=8))
def test_any_rows_are_read_back(table: dict[tuple[int, int, int], list[int]]) -> None:
    text = "".join(block(f'Switch 0x{g:016x}, base LID 1, "s"', [row(i, o, vl)]) for (g, i, o), vl in table.items())
    records = read(source_of(text))
    got = zip(records.switch_guid.tolist(), records.in_port.tolist(), records.out_port.tolist(), strict=True)
    assert dict(zip(got, records.vl.tolist(), strict=True)) == table


def test_a_cut_is_seen_everywhere_but_after_a_whole_block() -> None:
    whole = SL2VL.index("\n\nChannel") + 1
    assert cuts_that_pass(read, SL2VL) == [whole, whole + 1, len(SL2VL) - 1]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (row(0, 1, [16] * 16), '4: "0   1   : 16'),
        (row(0, 1, [1] * 15), "4: "),
        (row(0, 1, [1] * 17), "4: "),
        (row(0, 255, [1] * 16), "4: "),
        ("0 x : 1", '4: "0 x : 1" is not a row'),
        ("nonsense", '4: "nonsense" is not understood'),
        (
            row(2, 1, [1] * 16),
            "5: the row for in-port 2, out-port 1 of switch 0x00000000000b0001 differs from the one in line 4",
        ),
    ],
)
def test_bad_rows_are_refused_with_their_line(bad: str, said: str) -> None:
    problems = refusal(read, block('Switch 0xb0001, base LID 3, "s"', [bad, row(2, 1, [0] * 16)]))
    assert len(problems) == 1 and problems[0].startswith(said)


def test_all_problems_are_told_at_once() -> None:
    bad = row(0, 0, [1] * 16) + "\n" + block('Channel Adapter 0xa1, base LID 3, "h"', [row(3, 0, [1] * 16), "0 0 : 1"])
    assert [problem.partition(":")[0] for problem in refusal(read, bad)] == ["1", "5", "6"]


def test_hosts_may_not_contradict_themselves() -> None:
    one = block('Channel Adapter 0xa1, base LID 3, "h"', [row(0, 0, [1] * 16)])
    assert len(read(source_of(one + one)).host_line) == 2
    other = block('Channel Adapter 0xa1, base LID 3, "h"', [row(0, 0, [2] * 16)])
    assert "10: the row of port 0x00000000000000a1 differs from the one in line 4" in refusal(read, one + other)[0]


def test_an_empty_file_is_refused() -> None:
    assert refusal(read, "\n") == ["0: no block was found; expected 'Switch 0x..., base LID n, \"name\"' and its rows"]


def test_sniffing() -> None:
    assert matches(b"\n\n" + SL2VL.encode())
    assert not matches(PATH_RECORDS.encode())
    assert not matches(b"")


def test_a_real_dump() -> None:
    path = shared_case("opensm/ring5_dfsssp/opensm-sl2vl.dump")
    records = read(source_of(path.read_bytes()))
    assert len(records.line) == 5 * 4 * 5 and len(records.host_line) == 10
    assert np.unique(records.vl, axis=0).tolist() == [[k & 7 for k in range(16)]]
