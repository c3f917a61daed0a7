import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.guid2lid import matches, read
from shared_cases import shared_case
from small_files import GUID2LID, PSL, SLVL
from texts import cuts_that_pass, refusal, source_of


def test_two_ports() -> None:
    records = read(source_of(GUID2LID))
    assert records.port_guid.tolist() == [0xB0001, 0xA0002]
    assert records.first.tolist() == [3, 8] and records.last.tolist() == [3, 9]
    assert records.line.tolist() == [1, 3]


@given(st.lists(st.integers(0, 7), min_size=1, max_size=20))
def test_any_aligned_ranges_are_read_back(lmcs: list[int]) -> None:
    ranges, lid = [], 1
    for lmc in lmcs:
        first = -(-lid >> lmc) << lmc or 1 << lmc
        ranges.append((first, first + (1 << lmc) - 1))
        lid = ranges[-1][1] + 1
    text = "".join(f"0x{n:016x} 0x{first:04x} 0x{last:04x}\n\n" for n, (first, last) in enumerate(ranges, start=1))
    records = read(source_of(text))
    assert list(zip(records.first.tolist(), records.last.tolist(), strict=True)) == ranges


def test_only_a_cut_between_rows_is_not_seen() -> None:
    after_first = GUID2LID.index("\n") + 1
    assert cuts_that_pass(read, GUID2LID) == [after_first, after_first + 1, len(GUID2LID) - 1]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("0x0a 0x0008 0x0007", "2: 0x0008..0x0007 is no range of LIDs"),
        ("0x0a 0x0000 0x0000", "2: 0x0000..0x0000 is no range of LIDs"),
        ("0x0a 0xbfff 0xc000", "2: 0xbfff..0xc000 is no range of LIDs"),
        ("0x0a 0x0008 0x000a", "2: 3 LIDs from 0x0008 are what no LMC gives"),
        ("0x0a 0x0009 0x000a", "2: 2 LIDs from 0x0009 are what no LMC gives"),
        ("0x0a 0x0100 0x01ff", "2: 256 LIDs from 0x0100 are what no LMC gives"),
        ("0x0a 4 4", '2: "0x0a 4 4" is not a row'),
        ("0x01 0x0003 0x0003", "2: port 0x0000000000000001 has other LIDs in line 1"),
        ("0x0a 0x0002 0x0002", "2: LID 0x0002 belongs to port 0x0000000000000001 in line 1"),
    ],
)
def test_bad_rows_are_refused_with_their_line(bad: str, said: str) -> None:
    problems = refusal(read, f"0x01 0x0002 0x0002\n{bad}\n")
    assert len(problems) == 1 and problems[0].startswith(said)


def test_overlapping_ranges_name_both_ports() -> None:
    text = "0x01 0x0004 0x0007\n0x02 0x0006 0x0006\n0x03 0x0007 0x0007\n"
    said = "LID 0x000{} belongs to port 0x0000000000000001 in line 1; expected one owner"
    assert refusal(read, text) == ["2: " + said.format(6), "3: " + said.format(7)]


def test_a_repeated_row_is_one_row() -> None:
    assert len(read(source_of(GUID2LID + GUID2LID)).line) == 2


def test_no_rows_at_all() -> None:
    assert refusal(read, "\n")[0].startswith("0: no row was found")


def test_sniffing() -> None:
    assert matches(b"\n\n" + GUID2LID.encode())
    assert not any(matches(text.encode()) for text in (SLVL, PSL, ""))


def test_a_real_file() -> None:
    records = read(source_of(shared_case("opensm/ring5_dfsssp_lmc1/guid2lid").read_bytes()))
    assert sorted((records.last - records.first + 1).tolist()) == [1] * 5 + [2] * 10
