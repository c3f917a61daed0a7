import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers import fdbs
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source

ROWS = b"""LID    : Port : Hops : Optimal
0x0003 : 000  : 00   : yes
0x0004 : 001  : 01   : yes
0x0005 : UNREACHABLE
0x0006 : 003  : HOPS UNKNOWN
0x000A : 003  : 02   : No 1 hop path possible via port 1!
"""
ONE = b"dump_ucast_routes: Switch 0x00000000000b0001\n" + ROWS
TWO = b"osm_ucast_mgr_dump_ucast_routes: Switch 0x00000000000B0002\n" + ROWS.replace(b"0x000A", b"0x000a")
PORTS = [255, 255, 255, 0, 1, 255, 3, 255, 255, 255, 3]


def read(data: bytes, size: int = 1 << 20) -> ForwardingRecords:
    return fdbs.read(Source("opensm.fdbs", data, data), size=size)


@pytest.mark.parametrize("size", [1, 40, 1 << 20])
def test_both_dialects_of_headers(size: int) -> None:
    found = read(b"\n" + ONE + TWO, size)
    assert found.switch_guid.tolist() == [0xB0001, 0xB0002]
    assert found.block_line.tolist() == [2, 9]
    assert found.out_port.tolist() == [PORTS, PORTS]
    assert found.unknown_from.tolist() == [-1, -1]
    assert found.owner_guid is None
    assert [found.line_of(block, lid).line for block, lid in [(0, 3), (0, 10), (1, 5), (1, 9)]] == [4, 8, 13, 9]


def test_sniffing() -> None:
    assert fdbs.matches(b"\n# by hand\n" + ONE) and fdbs.matches(TWO)
    assert fdbs.matches(b"dump_ucast_routes: Switch 0x00000000000b00")
    assert not fdbs.matches(b"Switch 0x00000000000b0001\nLID    : Out Port(s)\n0xC000 : 0x001\n")
    assert not fdbs.matches(b"") and not fdbs.matches(ROWS)


def test_a_block_that_stops_before_the_others_is_cut() -> None:
    lines = ONE.splitlines(keepends=True)
    assert read(b"".join(lines[:5]) + TWO).unknown_from.tolist() == [6, -1]
    assert read(TWO + b"".join(lines[:2])).unknown_from.tolist() == [-1, 0]


def test_an_end_in_mid_line_cuts_the_last_block() -> None:
    assert read(TWO + ONE[:-8]).unknown_from.tolist() == [-1, 7]
    assert read(ONE[:-8]).unknown_from.tolist() == [7]
    assert read(ONE + TWO[:20]).unknown_from.tolist() == [-1]
    assert read(ONE + TWO[:-1]).unknown_from.tolist() == [-1, -1]


def test_a_single_block_cannot_be_compared() -> None:
    assert read(b"".join(ONE.splitlines(keepends=True)[:4])).unknown_from.tolist() == [-1]


@pytest.mark.parametrize(
    "row",
    [
        b"0x0004 : 001  : 01   : no",
        b"0x0004 : 001  : 01   :",
        b"0x0004 : 01  : 01   : yes",
        b"0x0004 : UNREACHABL",
        b"0x0004 : UNREACHABLE or not",
        b"0x0004 : 001  : 0x   : yes",
    ],
)
def test_a_malformed_row_is_refused_with_its_line(row: bytes) -> None:
    with pytest.raises(BadInput, match=r"^opensm\.fdbs:4: .* is not understood; expected a row"):
        read(ONE.replace(b"0x0004 : 001  : 01   : yes", row) + TWO)


@pytest.mark.parametrize(("old", "new"), [(b"UNREACHABLE", b"009  : 01   : yes"), (b"003  : HOPS UNKNOWN", b"UNREACHABLE")])
def test_contradictory_rows_are_refused_even_far_apart(old: bytes, new: bytes) -> None:
    filler = b"".join(b"0x%04X : 001  : 01   : yes\n" % lid for lid in range(11, 200))
    again = next(line for line in ONE.splitlines(keepends=True) if old in line).replace(old, new)
    for size in (1, 64, 1 << 20):
        with pytest.raises(BadInput, match=r"^opensm\.fdbs:197: a second row for LID 0x000[56] that differs"):
            read(ONE + filler + again + TWO, size)


def test_a_row_that_is_not_there_was_lost() -> None:
    rows = b"".join(b"0x%04X : UNREACHABLE\n" % lid for lid in range(1, 8))
    head = b"dump_ucast_routes: Switch 0x00000000000b0001\nLID    : Port : Hops : Optimal\n"
    whole, holed = read(head + rows), read(head + rows.replace(b"0x0005 : UNREACHABLE\n", b"")[21:])
    assert whole.every_lid and not whole.lost_rows
    assert holed.unknown_from.tolist() == [-1]
    assert {block: lids.tolist() for block, lids in holed.lost_rows.items()} == {0: [1, 5]}
