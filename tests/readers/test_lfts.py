import numpy as np
import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers import fdbs, fts, lfts
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source, open_source
from shared_cases import shared_case

DUMP = b"""Unicast lids [0-7] of switch Lid 3 guid 0x00000000000b0001 ('leaf guid 0x5 (one)'):
0x0003 000 # Switch portguid 0x00000000000b0001: 'leaf one'
0x0006 001 # unknown node and type
0x0007 003 # Channel Adapter portguid 0x00000000000a0002: 'n1 # portguid 0x99: HCA-1'
7 lids dumped
"""


def read(data: bytes, size: int = 1 << 20) -> ForwardingRecords:
    return lfts.read(Source("opensm-lfts.dump", data, data), size=size)


def test_a_block() -> None:
    found = read(DUMP)
    assert found.format == lfts.NAME
    assert (found.switch_guid.tolist(), found.switch_lid.tolist()) == ([0xB0001], [3])
    assert found.switch_name == ["leaf guid 0x5 (one)"]
    assert found.block_line.tolist() == [1]
    assert found.out_port.tolist() == [[255, 255, 255, 0, 255, 255, 1, 3]]
    assert found.unknown_from.tolist() == [-1]
    assert found.owner_guid is not None
    assert found.owner_guid.tolist() == [0, 0, 0, 0xB0001, 0, 0, 0, 0xA0002]
    assert str(found.line_of(0, 7)) == "opensm-lfts.dump:4"
    assert str(found.line_of(0, 5)) == "opensm-lfts.dump:1"


def test_the_first_line_of_its_own_tells_the_format() -> None:
    assert lfts.matches(b"\n\n# made by hand\n" + DUMP)
    assert lfts.matches(b"Unicast lids [0-7] of swi")
    assert not lfts.matches(b"# Unicast lids [0-7] of switch\n")
    assert not lfts.matches(b"Unicast lids [0x0-0x7] of switch Lid 3 guid 0xb (x):\n")
    assert not lfts.matches(b"")


def test_the_same_switch_twice_keeps_both_blocks() -> None:
    found = read(DUMP + DUMP.replace(b"0x0007 003", b"0x0007 004"))
    assert found.switch_guid.tolist() == [0xB0001, 0xB0001]
    assert found.out_port[:, 7].tolist() == [3, 4]
    assert found.line_of(1, 7).line == 9


def test_rows_may_be_written_by_hand() -> None:
    found = read(DUMP.replace(b" # unknown node and type", b"").replace(b"0x0003", b"0x00000003") + b"\n# the end\n")
    assert found.out_port.tolist() == [[255, 255, 255, 0, 255, 255, 1, 3]]


def test_port_255_is_what_a_switch_holds_for_discard() -> None:
    assert read(DUMP.replace(b"0x0007 003", b"0x0007 255")).out_port[0, 7] == 255


def test_a_block_without_trailer_is_cut_where_it_ends() -> None:
    cut = DUMP.replace(b"7 lids dumped\n", b"")
    assert read(cut + DUMP).unknown_from.tolist() == [8, -1]
    assert read(cut[:-9]).unknown_from.tolist() == [7]
    assert read(DUMP[:-1]).unknown_from.tolist() == [-1]
    assert read(DUMP[:-2]).unknown_from.tolist() == [8]


def test_a_trailer_of_another_block_makes_all_rows_unknown() -> None:
    found = read(DUMP.replace(b"7 lids dumped", b"9 lids dumped"))
    assert found.unknown_from.tolist() == [0]
    assert [(remark.rule, remark.about) for remark in found.remarks] == [("table-truncated", "0x00000000000b0001")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"0xFFFF0000 003 # x", "opensm-lfts.dump:3: LID 0xffff0000 is too large; expected a unicast LID, at most 0xbfff"),
        (b"0xC000 003 # x", "opensm-lfts.dump:3: LID 0xc000 is too large"),
        (b"0x0006 256 # x", "opensm-lfts.dump:3: port 256 is too large; expected 0..254, or 255 for unreachable"),
        (b"0x0006 01", 'opensm-lfts.dump:3: "0x0006 01" is not understood; expected a row'),
        (b"0x0006 " + b"1" * 5000, "is not understood"),
        (b"Unicast lids of a switch", "names no switch; expected"),
        (b"0x0003 004 # x", "opensm-lfts.dump:3: a second row for LID 0x0003 that differs: port 4 here, port 0 before"),
        (b"7 lids dumped", "opensm-lfts.dump:4: a row outside any switch's table"),
    ],
)
def test_what_is_refused(line: bytes, message: str) -> None:
    for size in (1, 1 << 20):
        with pytest.raises(BadInput) as refused:
            read(DUMP.replace(b"0x0006 001 # unknown node and type", line), size)
        assert message in str(refused.value)


def test_rows_out_of_order_are_read_and_a_repeated_row_is_one() -> None:
    lines = DUMP.splitlines(keepends=True)
    found = read(b"".join([lines[0], lines[3], lines[2], lines[1], lines[2], lines[4]]))
    assert found.out_port.tolist() == [[255, 255, 255, 0, 255, 255, 1, 3]]
    assert read(b"".join([lines[0], lines[3], lines[1]])).unknown_from.tolist() == [0]


CASES = """
    dgx_aggregation_nodes_minhop fattree8_updn_connect_roots io_nodes_ftree irregular_updn mesh8x8_dfsssp ring16_dump_fts_defect
    ring5_dfsssp ring5_dfsssp_lmc1 ring5_lash ring5_minhop ring5_nue_8vl siblings_ftree torus8x8_minhop torus8x8_torus2qos
"""


@pytest.mark.parametrize("case", CASES.split())
def test_opensm_wrote_the_same_tables_twice(case: str) -> None:
    folder = shared_case(f"opensm/{case}")
    (dump,) = folder.glob("opensm-lfts.dump*")
    (hops,) = folder.glob("opensm.fdbs*")
    assert [reader.matches(open_source(dump).head) for reader in (lfts, fdbs, fts)] == [True, False, False]
    assert [reader.matches(open_source(hops).head) for reader in (lfts, fdbs, fts)] == [False, True, False]
    one, other = lfts.read(open_source(dump)), fdbs.read(open_source(hops))
    assert (one.unknown_from == -1).all() and (other.unknown_from == -1).all()
    by_guid, other_by_guid = np.argsort(one.switch_guid), np.argsort(other.switch_guid)
    assert np.array_equal(one.switch_guid[by_guid], other.switch_guid[other_by_guid])
    assert np.array_equal(one.out_port[by_guid], other.out_port[other_by_guid])
