import numpy as np
import pytest

from cabling_texts import CABLES, Written
from pauseproof.fabric.model import NodeKind
from pauseproof.readers.records import UNKNOWN_LMC
from pauseproof.readers.subnet_lst import matches, read
from texts import refusal, source_of

TEXT = Written().lst()


def test_every_line_is_a_statement_with_its_line_number() -> None:
    records = read(source_of(TEXT, "x.lst"))
    assert len(records.cable_a) == 2 * len(CABLES)
    assert records.cable_line.tolist() == list(range(1, 15))
    assert (records.cable_a[0], records.cable_a_port[0]) == (0xA0001, 1)
    assert (records.cable_b[0], records.cable_b_port[0]) == (0xB0001, 3)
    assert set(records.port_lmc.tolist()) == {UNKNOWN_LMC}
    assert records.file == "x.lst"


def test_a_node_has_the_line_it_is_first_seen_on() -> None:
    records = read(source_of(TEXT))
    lines = dict(zip(records.node_guid.tolist(), records.node_line.tolist(), strict=True))
    assert lines[0xA0001] == lines[0xB0001] == 1 and lines[0xB0002] == 2


def test_comments_and_blank_lines_move_the_numbers_only() -> None:
    records = read(source_of("# made by hand\n\n" + TEXT.replace("\n", "\r\n")))
    assert records.cable_line.tolist() == list(range(3, 17))
    assert records.node_line.min() == 3


@pytest.mark.parametrize(
    ("words", "speed"),
    [
        ("PHY=4x LOG=ACT SPD=2.5", 10), ("PHY=4x LOG=ACT SPD=5", 20), ("PHY=1x LOG=ACT SPD=10", 10),
        ("PHY=4x LOG=ACT SPD=FDR10", 40), ("PHY=4x LOG=ACT SPD=14", 56), ("PHY=2x LOG=ACT SPD=50", 100),
        ("PHY=4x LOG=ACT SPD=100", 400), ("PHY=12x LOG=ACT SPD=25", 300), ("PHY=4x LOG=ACT SPD=??", np.nan),
        ("PHY=?? LOG=ACT SPD=25", np.nan), ("PHY=4x LOG=ACT", np.nan), ("PHY=8x LOG=INI SPD=5 ", 40),
    ],
)  # fmt: skip
def test_speeds(words: str, speed: float) -> None:
    found = read(source_of(TEXT.replace("PHY=4x LOG=ACT SPD=25", words))).cable_speed
    assert np.array_equal(np.unique(found), np.array([speed], np.float32), equal_nan=True)


def test_a_link_that_is_down_is_no_cable() -> None:
    lines = TEXT.replace("LOG=ACT", "LOG=DWN", 1).splitlines(keepends=True)
    back = next(i for i, line in enumerate(lines) if "{leaf one} LID:0003 PN:03 } { CA" in line)
    lines[back] = lines[back].replace("LOG=ACT", "LOG=DWN")
    records = read(source_of("".join(lines)))
    assert len(records.cable_a) == 12 and len(records.node_guid) == 6


@pytest.mark.parametrize("name", ["a} LID:0001 PN:01 } { SW", "{", "}", "", "  x", "{{}} {}", "x PN:01 } { y"])
def test_names_that_look_like_the_format(name: str) -> None:
    written = Written()
    written.names[0xB0001] = written.names[0xA0011] = name
    records = read(source_of(written.lst()))
    names = dict(zip(records.node_guid.tolist(), records.node_name, strict=True))
    assert names[0xB0001] == names[0xA0011] == name and names[0xB0002] == "spine"
    assert len(records.cable_a) == 14 and records.cable_line.tolist() == list(range(1, 15))


def test_an_end_of_an_aggregation_node() -> None:
    records = read(source_of(TEXT))
    kinds = dict(zip(records.node_guid.tolist(), records.node_kind.tolist(), strict=True))
    assert kinds[0xD0001] == NodeKind.AGGREGATION and kinds[0xC0001] == NodeKind.ROUTER


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("PortGUID", "PortGuid", 1, "is not understood; expected { CA|SW|Rt Ports"),
        ("{ CA Ports:02", "{ XX Ports:02", 1, "is not understood"),
        ("LID:0009", "LID:00009", 3, "is not understood"),
        ("PHY=4x LOG=ACT SPD=25", "PHY=4x LOG=ACT SPEED=25", 1, "expected PHY=.. LOG=.. SPD=.."),
        ("{ SW Ports:08", "{ SW Ports:06", 4, "is stated differently in line"),
    ],
)
def test_what_is_refused(before: str, after: str, line: int, said: str) -> None:
    last = TEXT.rindex(before) if line == 4 else -1
    text = TEXT[:last] + after + TEXT[last + len(before) :] if line == 4 else TEXT.replace(before, after)
    found = refusal(read, text)
    assert said in found[0]
    if line != 4:
        assert found[0].startswith(f"{line}: ")


def test_every_bad_line_is_told_up_to_twenty() -> None:
    assert len(refusal(read, "what is this\n" * 30)) == 21


@pytest.mark.parametrize(
    "head", ["{ CA Ports:01 ", "\n\n# x\n{ SW-SM Ports:24 ", "{ Rt Ports:02 SystemGUID", "\r\n{ SW Ports:08 System\r\n"]
)
def test_is_this_format(head: str) -> None:
    assert matches(head.encode())


@pytest.mark.parametrize("head", ["", "{", '{"CA": 1}', "x { CA Ports:01", "# { CA Ports:01", "0x0001 : 1"])
def test_is_another_format(head: str) -> None:
    assert not matches(head.encode())
