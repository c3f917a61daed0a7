import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.path_records import matches, read
from small_files import PATH_RECORDS, SL2VL
from texts import cuts_that_pass, refusal, source_of

HEADER = 'Channel Adapter 0x00000000000a0002, base LID 7, "n1 : 3 : 4", port 1\n# LID  : SL : MTU : RATE\n'


def test_rows_of_hosts_and_switches() -> None:
    records = read(source_of(PATH_RECORDS))
    assert records.by_port
    assert records.source_guid.tolist() == [0xA0002, 0xA0002, 0xB0001]
    assert records.destination_lid.tolist() == [3, 8, 7]
    assert records.sl.tolist() == [0, 2, 1]
    assert records.line.tolist() == [3, 4, 9]
    assert records.unreachable == {(0xA0002, 9)}


@given(st.dictionaries(st.integers(1, 0xBFFF), st.none() | st.integers(0, 15), min_size=1))
def test_any_rows_are_read_back(sl_of: dict[int, int | None]) -> None:
    text = "".join(
        f"0x{lid:04X} : " + ("UNREACHABLE" if sl is None else f"{sl:<2d} : 4   : 3   ") + "\n" for lid, sl in sl_of.items()
    )
    records = read(source_of(HEADER + text))
    got: dict[int, int | None] = dict(zip(records.destination_lid.tolist(), records.sl.tolist(), strict=True))
    assert got | {lid: None for _, lid in records.unreachable} == sl_of


def test_rows_stay_in_the_order_of_the_file_and_each_source_has_its_own() -> None:
    block = "Channel Adapter 0x{:x}, base LID 7, port 1\n# LID  : SL : MTU : RATE\n0x0009 : {} : 4 : 3\n0x0002 : 0 : 4 : 3\n"
    records = read(source_of(block.format(0xB, 5) + block.format(0xA, 6) + block.format(0xC, 7)[:-19]))
    got = zip(records.source_guid.tolist(), records.destination_lid.tolist(), records.sl.tolist(), strict=True)
    assert list(got) == [(0xB, 9, 5), (0xB, 2, 0), (0xA, 9, 6), (0xA, 2, 0), (0xC, 9, 7)]


def test_a_header_without_a_name() -> None:
    assert read(
        source_of("Channel Adapter 0x0a, base LID 7, port 1\n# LID  : SL : MTU : RATE\n0x0001 : 1 : 4 : 3\n")
    ).sl.tolist() == [1]


def test_only_a_cut_between_lines_is_not_seen() -> None:
    ends = {i + 1 for i, letter in enumerate(PATH_RECORDS) if letter == "\n"}
    blanks_left_out = {i for i in range(len(PATH_RECORDS)) if not PATH_RECORDS[:i].rpartition("\n")[2].strip()}
    assert set(cuts_that_pass(read, PATH_RECORDS)) <= ends | blanks_left_out


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("0x0008 : 16 : 4 : 3", "3: SL 16 is out of range; expected 0..15"),
        ("0x0000 : 1 : 4 : 3", "3: LID 0x0000 is out of range"),
        ("0xC000 : 1 : 4 : 3", "3: LID 0xc000 is out of range"),
        ("0x0008 : 1", '3: "0x0008 : 1" is not a row'),
        ("0x0001 : 1 : 4 : 3", "4: the row for LID 0x0001 from port 0x00000000000a0002 differs from the one in line 3"),
        ("0x0001 : UNREACHABLE", "4: the row for LID 0x0001 from port 0x00000000000a0002 differs from the one in line 3"),
    ],
)
def test_bad_rows_are_refused_with_their_line(bad: str, said: str) -> None:
    problems = refusal(read, f"{HEADER}{bad}\n0x0001 : 2 : 4 : 3\n")
    assert len(problems) == 1 and problems[0].startswith(said)


def test_rows_before_any_block() -> None:
    assert refusal(read, "0x0001 : 2 : 4 : 3\n" + HEADER)[0].startswith("1: a row before any block header")


def test_the_dump_of_switch_pairs_is_another_file() -> None:
    text = PATH_RECORDS[PATH_RECORDS.index("Switch") :]
    assert refusal(read, text)[0].startswith("0: no block of a channel adapter or router was found")


def test_sniffing() -> None:
    assert matches(b"\n" + PATH_RECORDS.encode())
    assert not any(matches(text.encode()) for text in (SL2VL, "", HEADER.splitlines()[0]))
