import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.mcfdbs import matches, read
from small_files import FAR, MCFDBS, SL2VL
from texts import cuts_that_pass, refusal, source_of

IBDIAGNET = """\
# This database file was automatically generated

Switch 0x00000000000b0001
LID    : Out Port(s) 
0xC000 : 0x001  0x00b 
"""  # noqa: W291


def test_ports_are_hexadecimal_and_blocks_may_be_empty() -> None:
    records = read(source_of(MCFDBS))
    assert records.switch_guid.tolist() == [0xB0001] * 2
    assert records.mlid.tolist() == [0xC000, 0xC001]
    assert list(records.ports) == [(1, 11), (0,)]
    assert records.line.tolist() == [4, 5]


def test_ibdiagnets_form() -> None:
    assert matches(IBDIAGNET.encode())
    assert list(read(source_of(IBDIAGNET)).ports) == [(1, 11)]


def test_nothing_but_empty_blocks() -> None:
    assert len(read(source_of("\nSwitch 0x0b\nLID    : Out Port(s)\n")).line) == 0


@given(st.dictionaries(st.integers(0xC000, 0xFFFE), st.sets(st.integers(0, 254), min_size=1), min_size=1, max_size=8))
def test_any_table_is_read_back(table: dict[int, set[int]]) -> None:
    text = "".join(f"0x{mlid:04X} :" + "".join(f" 0x{port:03X} " for port in ports) + "\n" for mlid, ports in table.items())
    records = read(source_of("\nSwitch 0x0b\nLID    : Out Port(s)\n" + text))
    got = dict(zip(records.mlid.tolist(), records.ports, strict=True))
    assert got == {mlid: tuple(sorted(ports)) for mlid, ports in table.items()}


def test_only_a_cut_between_lines_is_not_seen() -> None:
    after_newlines = [i + 1 for i, letter in enumerate(MCFDBS[:-1]) if letter == "\n"]
    assert cuts_that_pass(read, MCFDBS) == after_newlines[1:]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("0xBFFF : 0x001", "3: LID 0xbfff is no multicast LID"),
        ("0xFFFF : 0x001", "3: LID 0xffff is no multicast LID"),
        ("0xC000 : 0x0ff", "3: port 0x0ff is too large"),
        ("0xC000 : 1", '3: "0xC000 : 1" is not a row'),
        ("0xC001 : 0x001", "4: the row for MLID 0xc001 of switch 0x000000000000000b differs from the one in line 3"),
    ],
)
def test_bad_rows_are_refused_with_their_line(bad: str, said: str) -> None:
    problems = refusal(read, f"Switch 0x0b\nLID    : Out Port(s)\n{bad}\n0xC001 : 0x002\n")
    assert len(problems) == 1 and problems[0].startswith(said)


def test_rows_before_any_switch_and_no_switch_at_all() -> None:
    assert refusal(read, "0xC000 : 0x001\n")[1].startswith("1: a row before any switch")


def test_sniffing() -> None:
    assert matches(b"\n\n\n" + MCFDBS.encode())
    assert not any(matches(text.encode()) for text in (SL2VL, FAR, ""))
