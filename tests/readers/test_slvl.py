import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.slvl import matches, read
from small_files import GUID2LID, PSL, SL2VL, SLVL
from texts import cuts_that_pass, refusal, source_of


def row(guid: int, in_port: int, out_port: int, vl: list[int]) -> str:
    nibbles = "".join(f"{v:x}" for v in vl)
    return f"0x{guid:016x} {in_port} {out_port} " + " ".join("0x" + nibbles[i : i + 2] for i in range(0, 16, 2)) + "\n"


def test_the_high_nibble_is_the_even_sl() -> None:
    records = read(source_of(SLVL))
    assert records.vl[1].tolist() == [7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 15]
    assert records.in_port.tolist() == [0, 2] and records.out_port.tolist() == [1, 1]
    assert records.line.tolist() == [1, 2] and len(records.host_line) == 0


@given(st.integers(1, 2**64 - 1), st.lists(st.integers(0, 15), min_size=16, max_size=16), st.booleans())
def test_any_row_is_read_back(guid: int, vl: list[int], shout: bool) -> None:
    text = row(guid, 254, 0, vl)
    records = read(source_of(text.upper().replace("0X", "0x") if shout else text))
    assert records.vl.tolist() == [vl] and records.switch_guid.tolist() == [guid]


def test_comments_blank_lines_and_equal_rows_are_fine() -> None:
    assert len(read(source_of("# made by hand\n\n" + SLVL + SLVL)).line) == 4


def test_only_a_cut_between_rows_is_not_seen() -> None:
    assert cuts_that_pass(read, SLVL) == [SLVL.index("\n") + 1]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("0x01 0 1 0x01\n", '3: "0x01 0 1 0x01" is not a row'),
        (row(1, 255, 0, [0] * 16), "3: port 255 is too large"),
        (
            row(0xB0001, 2, 1, [0] * 16),
            "3: the row for in-port 2, out-port 1 of switch 0x00000000000b0001 differs from the one in",
        ),
        ("-E- something\n", '3: "-E- something" is not a row'),
    ],
)
def test_bad_rows_are_refused_with_their_line(bad: str, said: str) -> None:
    problems = refusal(read, SLVL + bad)
    assert len(problems) == 1 and problems[0].startswith(said)


def test_no_rows_at_all() -> None:
    assert refusal(read, "# nothing\n")[0].startswith("0: no row was found")


def test_sniffing() -> None:
    assert matches(b"\n# comment\n" + SLVL.encode())
    assert not any(matches(text.encode()) for text in (PSL, GUID2LID, SL2VL, ""))
