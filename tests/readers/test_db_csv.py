import numpy as np
import pytest

from cabling_texts import CABLES, Written
from pauseproof.fabric.model import NodeKind
from pauseproof.readers.db_csv import matches, read
from pauseproof.readers.records import UNKNOWN_LMC
from texts import refusal, source_of

TEXT = Written().db_csv()
LINK = "0x00000000000b0001,1,0x00000000000b0002,1\n"


def test_cables_are_stated_once_with_the_speed_of_their_ports() -> None:
    records = read(source_of(TEXT))
    ends = zip(
        records.cable_a.tolist(),
        records.cable_a_port.tolist(),
        records.cable_b.tolist(),
        records.cable_b_port.tolist(),
        strict=True,
    )
    assert list(ends) == [(*a, *b) for a, b in CABLES]
    assert set(records.cable_speed.tolist()) == {100.0}
    lines = TEXT.split("\n")
    assert [lines[line - 1].split(",")[1] for line in records.cable_line.tolist()] == [str(a[1]) for a, _ in CABLES]


def test_lids_lmcs_and_oper_vls() -> None:
    records = read(source_of(TEXT))
    owners = zip(records.port_node.tolist(), records.port_number.tolist(), strict=True)
    facts = dict(zip(owners, zip(records.port_lid.tolist(), records.port_lmc.tolist(), strict=True), strict=True))
    assert facts[0xB0001, 0] == (3, 0) and facts[0xA0001, 2] == (8, 0)
    assert facts[0xA0001, 1] == (7, UNKNOWN_LMC)  # N/A
    assert records.oper_vls[0xB0001, 1] == 4 and records.oper_vls[0xA0001, 2] == 4
    assert len(facts) == 7


@pytest.mark.parametrize(("code", "count"), [("1", 1), ("2", 2), ("3", 4), ("4", 8), ("5", 15)])
def test_codes_of_oper_vls(code: str, count: int) -> None:
    text = TEXT.replace(",2,512,3\n", f",2,512,{code}\n")
    assert set(read(source_of(text)).oper_vls.values()) == {count}


@pytest.mark.parametrize("code", ["0", "N/A", ""])
def test_unknown_oper_vls_are_left_out(code: str) -> None:
    assert read(source_of(TEXT.replace(",2,512,3\n", f",2,512,{code}\n"))).oper_vls == {}


@pytest.mark.parametrize(
    ("width", "lane", "speed"),
    [("2", "1", 10), ("2", "2048", 400), ("8", "256", 168), ("2", "65536", 40), ("16", "1024", 100), ("N/A", "512", np.nan)],
)
def test_speeds(width: str, lane: str, speed: float) -> None:
    found = read(source_of(TEXT.replace(",2,512,3\n", f",{width},{lane},3\n"))).cable_speed
    assert np.array_equal(np.unique(found), np.array([speed], np.float32), equal_nan=True)


def test_columns_are_found_by_name_and_spaces_do_not_matter() -> None:
    text = TEXT.replace("NodeGuid1,PortNum1,NodeGuid2,PortNum2", "Extra, NODEGUID1 ,PortNum1,NodeGuid2,PortNum2")
    head, links = text.split("Extra")
    body = "\n".join(
        line if line.startswith("END") or not line.startswith("0x") else f"7, {line}" for line in links.split("\n")
    )
    assert len(read(source_of(f"{head}Extra{body}")).cable_a) == len(CABLES)


def test_a_switch_whose_lid_stands_at_every_port() -> None:
    gone = "".join(line for line in TEXT.splitlines(keepends=True) if ",0x00000000000b0001,0,3," not in line)
    text = gone.replace(",0x00000000000b0001,1,0,", ",0x00000000000b0001,1,3,")
    assert text != gone != TEXT
    records = read(source_of(text))
    at = np.flatnonzero(records.port_node == 0xB0001)
    assert records.port_number[at].tolist() == [0] and records.port_lid[at].tolist() == [3]


def test_a_switch_without_a_type_is_known_by_the_section_of_switches() -> None:
    records = read(source_of(TEXT.replace('"leaf one",8,2', '"leaf one",8,N/A')))
    assert records.node_kind[0] == NodeKind.SWITCH


def test_other_sections_and_comments_are_passed_over() -> None:
    text = "# This database\nSTART_PM_INFO\nNodeGUID\n0x1\nEND_PM_INFO\n\n" + TEXT + "START_LATER\nx\n"
    assert matches(text.encode()[:4096]) and len(read(source_of(text)).cable_a) == len(CABLES)


def test_names_with_commas_and_quotes_either_way() -> None:
    for quoted in ('"a, "b", c"', '"a, ""b"", c"'):
        assert read(source_of(TEXT.replace('"leaf one"', quoted))).node_name[0] == 'a, "b", c'


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("END_LINKS\n", "", "the section LINKS is cut off; expected END_LINKS"),
        ("START_LINKS", "START_LYNX", "has no section LINKS"),
        ("NodeGuid2,", "NodeGuid3,", "the section LINKS has no column NodeGuid2"),
        ('"leaf one",8,2', '"leaf one",8,7', "expected 1 (CA), 2 (switch) or 3 (router)"),
        ('"leaf one",8,2', '"leaf one",8,1', "as in SWITCHES"),
        ('"leaf one",8,2', '"leaf one",eight,2', 'NumPorts is "eight"; expected a number or N/A'),
        ('"leaf one",8,2', '"leaf one",N/A,2', "a node without NodeGUID or NumPorts"),
        (LINK, "0x00000000000b0001,1,0x00000000000b0002\n", "3 values in a row of LINKS"),
        (LINK, "0x00000000000b0001,1,0x00000000000b9992,1\n", "a node that NODES does not have"),
        (LINK, "0x00000000000b0001,N/A,0x00000000000b0002,1\n", "a link that lacks an end"),
    ],
)  # fmt: skip
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in TEXT
    assert any(said in problem for problem in refusal(read, TEXT.replace(before, after)))


def test_a_section_that_comes_twice() -> None:
    assert "a second section NODES" in refusal(read, TEXT + TEXT)[0]
