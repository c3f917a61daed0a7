import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers import fts, lfts
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source, open_source
from shared_cases import shared_case

DUMP = b"""Unicast lids [0x0-0x9] of switch DR path slid 0; dlid 0; 0,1,2 guid 0x00000000000b0001 (leaf one):
  Lid  Out   Destination
       Port     Info\x20
0x0003 000 : (Switch portguid 0x00000000000b0001: 'leaf one')
0x0006 001 : (node info not available fabric scan)
0x0008 003 : (Channel Adapter portguid 0x00000000000a0002: 'n1 (illegal port)')
0x0009 004 : (path #2 out of 2: portguid 0x00000000000a0002)
4 valid lids dumped\x20
"""
PORTS = [255, 255, 255, 0, 255, 255, 1, 255, 3, 4]
ALL = b"""Unicast lids [0x0-0x3] of switch Lid 3 guid 0x00000000000b0001 (leaf one):
  Lid  Out   Destination
       Port     Info\x20
0x0000 255 : (path #0 - illegal port)
0x0001 077 : (illegal port)
0x0002 077 : (path #2 - illegal port)
0x0003 004 : (path #2 out of 2)
4 lids dumped\x20
"""
WARNING = b"\n*** WARNING ***: this command has been replaced by dump_fts\n\n\n"


def read(data: bytes, size: int = 1 << 20) -> ForwardingRecords:
    return fts.read(Source("fts.txt", data, data), size=size)


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_a_block(size: int) -> None:
    found = read(DUMP + WARNING, size)
    assert found.switch_guid.tolist() == [0xB0001] and found.switch_lid.tolist() == [0]
    assert found.switch_name == ["leaf one"]
    assert found.out_port.tolist() == [PORTS]
    assert found.owner_guid is not None
    assert found.owner_guid.tolist() == [0, 0, 0, 0xB0001, 0, 0, 0, 0, 0xA0002, 0xA0002]
    assert found.unknown_from.tolist() == [-1] and not found.remarks
    assert found.line_of(0, 9).line == 7


def test_without_destinations() -> None:
    brief = b"".join(line[:11] + b"\n" if line.startswith(b"0x") else line for line in DUMP.splitlines(keepends=True))
    found = read(brief)
    assert found.out_port.tolist() == [PORTS]
    assert found.owner_guid is None


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_all_rows_even_those_with_an_illegal_port(size: int) -> None:
    found = read(ALL, size)
    assert found.switch_lid.tolist() == [3]
    assert found.out_port.tolist() == [[255, 255, 255, 4]]
    assert found.unknown_from.tolist() == [-1]


def test_sniffing() -> None:
    assert fts.matches(DUMP) and fts.matches(b"ibwarn: [1] sim_connect: attached\n" + DUMP) and fts.matches(WARNING + DUMP)
    assert fts.matches(b"Multicast mlids [0xc000-0xc3ff] of switch Lid 3 guid 0xb (x):\n")
    assert not lfts.matches(DUMP)
    assert not fts.matches(b"Unicast lids [0-7] of switch") and not fts.matches(b"") and not fts.matches(WARNING)


def test_a_count_that_is_not_the_number_of_rows_makes_all_rows_unknown() -> None:
    lines = DUMP.splitlines(keepends=True)
    found = read(b"".join(lines[:4] + lines[5:]))
    assert found.unknown_from.tolist() == [0]
    assert "has 3 rows and ends with the number 4" in found.remarks[0].message


def test_a_part_of_the_range_is_not_the_table() -> None:
    found = read(DUMP.replace(b"[0x0-", b"[0x3-"))
    assert found.unknown_from.tolist() == [0]
    assert "only from LID 3 on" in found.remarks[0].message


def test_a_block_without_trailer_is_cut() -> None:
    lines = DUMP.splitlines(keepends=True)
    assert read(b"".join(lines[:5]) + DUMP).unknown_from.tolist() == [7, -1]
    assert read(DUMP[:-30]).unknown_from.tolist() == [9]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"0xC003 003 : (x)", "fts.txt:5: LID 0xc003 is too large"),
        (b"0x0006 300 : (x)", "fts.txt:5: port 300 is too large"),
        (b"0x0006 003 (x)", 'fts.txt:5: "0x0006 003 (x)" is not understood'),
        (b"Unicast lids [0-9] of switch Lid 3 guid 0x00000000000b0001 (leaf one):", "names no switch; expected"),
        (b"0 valid mlids dumped", "fts.txt:5: the end of a table that did not begin"),
    ],
)
def test_what_is_refused(row: bytes, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(DUMP.replace(b"0x0006 001 : (node info not available fabric scan)", row))
    assert message in str(refused.value)


def test_the_same_fabric_by_dump_fts_and_by_opensm() -> None:
    dump = fts.read(open_source(shared_case("opensm/ring5_minhop/dump_fts.txt")))
    opensm = lfts.read(open_source(shared_case("opensm/ring5_minhop/opensm-lfts.dump")))
    assert dump.switch_guid.tolist() != opensm.switch_guid.tolist()
    rows = dict(zip(dump.switch_guid.tolist(), dump.out_port.tolist(), strict=True))
    assert rows == dict(zip(opensm.switch_guid.tolist(), opensm.out_port.tolist(), strict=True))
    assert dump.owner_guid is not None and opensm.owner_guid is not None
    assert dump.owner_guid.tolist() == opensm.owner_guid.tolist()
