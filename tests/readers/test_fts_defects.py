from collections.abc import Callable

from pauseproof.readers import fts
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source, open_source
from shared_cases import shared_case


def read(*blocks: bytes) -> ForwardingRecords:
    data = b"".join(blocks)
    return fts.read(Source("fts.txt", data, data))


def block(top: int, port: Callable[[int], int], guid: int = 0xB, *, lost: int = -1) -> bytes:
    rows = [b"0x%04x %03d : (illegal port)\n" % (0, 255)]
    rows += [b"0x%04x %03d : (Switch portguid 0xb: 'b')\n" % (lid, port(lid)) for lid in range(1, top + 1) if lid != lost]
    header = b"Unicast lids [0x0-0x%x] of switch Lid 1 guid 0x%016x (b):\n  Lid  Out   Destination\n       Port     Info \n"
    return header % (top, guid) + b"".join(rows) + b"%d lids dumped \n" % len(rows)


def by_three(lid: int) -> int:
    return lid % 3


def test_the_last_lid_is_lost_where_it_is_a_multiple_of_64() -> None:
    found = read(block(64, by_three, lost=64), block(64, by_three, 0xC, lost=64))
    assert found.unknown_lids == (64,)
    assert found.out_port.shape == (2, 65)
    assert found.unknown_from.tolist() == [-1, -1]
    (remark,) = found.remarks
    assert (remark.rule, remark.about, str(remark.places[0])) == ("dump-fts-top-lid", "LID 64", "fts.txt:1")


def test_no_lid_is_lost_elsewhere() -> None:
    assert read(block(64, by_three)).unknown_lids == ()
    assert read(block(65, by_three, lost=65)).unknown_lids == ()
    assert read(block(64, by_three, lost=64)[:-60]).unknown_lids == ()


def test_a_lid_that_only_one_switch_lost_is_unknown_there() -> None:
    found = read(block(64, by_three, lost=64), block(70, by_three, 0xC))
    assert found.unknown_lids == ()
    assert found.unknown_from.tolist() == [64, -1]
    assert [remark.rule for remark in found.remarks] == ["dump-fts-top-lid"]


def test_the_real_dump_of_sixteen_switches() -> None:
    for name, switches in (("dump_fts.txt.gz", 16), ("ibroute.txt", 1)):
        found = fts.read(open_source(shared_case(f"opensm/ring16_dump_fts_defect/{name}")))
        assert found.out_port.shape == (switches, 65)
        assert found.unknown_lids == (64,)
        assert (found.unknown_from == -1).all()


def test_64_entries_that_occur_twice_are_remarked() -> None:
    found = read(block(200, by_three), block(200, lambda lid: lid * lid % 61 % 9, 0xC))
    assert not [remark for remark in found.remarks if remark.rule == "repeated-stale-block"]
    found = read(block(200, by_three), block(200, lambda lid: 1 + lid % 64 % 7, 0xC), block(200, lambda lid: 1 + lid % 32, 0xD))
    (remark,) = [remark for remark in found.remarks if remark.rule == "repeated-stale-block"]
    assert remark.about == "0x000000000000000c/128"
    assert "LIDs 128-191" in remark.message and "likewise on 1 more" in remark.message
    assert found.unknown_from.tolist() == [-1, -1, -1]


def test_all_by_one_uplink_is_no_repetition() -> None:
    assert not read(block(300, lambda lid: 5)).remarks


def test_a_block_that_the_tool_says_it_could_not_read_is_unknown_from_there() -> None:
    failed = b"SubnGet(LFT) failed on switch 'b' DR path slid 0; dlid 0; 0,2 Node GUID 0xc SMA LID 4; MAD status 0x110 AM 0x2\n"
    found = read(failed, block(200, by_three), block(200, by_three, 0xC))
    assert found.unknown_from.tolist() == [-1, 128]
    assert [(remark.rule, remark.about) for remark in found.remarks] == [("table-truncated", "0x000000000000000c")]


def test_multicast_tables_are_passed_over() -> None:
    matrix = (
        b"Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x000000000000000b (b):\n"
        b"            0 1 \n     Ports: 0 1 2 \n MLid\n"
        b"0xc000        x x \n1 valid mlids dumped \n"
    )
    found = read(matrix, block(70, by_three), matrix)
    assert found.switch_guid.tolist() == [0xB]
    (remark,) = found.remarks
    assert remark.rule == "multicast-matrix-skipped" and [place.line for place in remark.places] == [1, 82]
    alone = read(matrix)
    assert len(alone.switch_guid) == 0 and alone.out_port.shape == (0, 1)
