import numpy as np
import pytest

from cabling_texts import Written
from pauseproof.fabric.model import NodeKind
from pauseproof.readers.ibnetdiscover import matches, read
from pauseproof.readers.records import UNKNOWN_LMC, CablingRecords
from texts import refusal, source_of

TEXT = Written().discover()
GROUPED = """\
#
# Topology file: generated on Tue Jan  2 03:04:05 2024
#
# Initiated from node 00000000000a0001 port 00000000000a0002

Chassis 1 (guid 0xb0001)
Hostname: somewhere

# Spine Nodes
vendid=0x2c9
devid=0xd2f0
sysimgguid=0xb0001\t\t# Chassis 1
switchguid=0xb0001(b0001)\t# Spine 1 Chip 1
Switch\t4 "S-00000000000b0001"\t\t# "sp" enhanced port 0 lid 3 lmc 0
[1][ext 7]\t"H-00000000000a0001"[1](a0002) \t\t# "h" lid 7 4xNDR s=8 w=2 v=4 slot 1
[2]\t"S-00000000000b0001"[3][ext 9]\t\t# "sp" lid 3 ??SDR
[3][ext 9]\t"S-00000000000b0001"[2]\t\t# "sp" lid 3 4x???

# Line Nodes
# Chassis Switches
vendid=0x2c9
devid=0xd2f0
sysimgguid=0xb0001\t\t# Chassis 1
switchguid=0xb0001(b0001)\t# Spine 1 Chip 1
Switch\t4 "S-00000000000b0001"\t\t# "sp" enhanced port 0 lid 3 lmc 0
[1][ext 7]\t"H-00000000000a0001"[1](a0002) \t\t# "h" lid 7 4xNDR s=8 w=2 v=4 slot 1
[2]\t"S-00000000000b0001"[3][ext 9]\t\t# "sp" lid 3 ??SDR
[3][ext 9]\t"S-00000000000b0001"[2]\t\t# "sp" lid 3 4x???

# Chassis CAs
Non-Chassis Nodes

vendid=0x2c9
devid=0x1017
caguid=0xa0001
Ca\t2 "H-00000000000a0001"\t\t# "h" (scp)
[1](a0002) \t"S-00000000000b0001"[1][ext 7]\t\t# lid 7 lmc 2 "sp" lid 3 4xNDR s=8 w=2 v=4
"""


def port(records: CablingRecords, node: int, number: int) -> tuple[int, int, int]:
    at = np.flatnonzero((records.port_node == node) & (records.port_number == number))[0]
    return int(records.port_guid[at]), int(records.port_lid[at]), int(records.port_lmc[at])


def test_a_grouped_and_full_file() -> None:
    records = read(source_of(GROUPED))
    assert records.node_guid.tolist() == [0xB0001, 0xA0001] and records.node_name == ["sp", "h"]
    assert records.node_ports.tolist() == [4, 2]
    assert port(records, 0xB0001, 0) == (0xB0001, 3, 0)
    assert port(records, 0xA0001, 1) == (0xA0002, 7, 2)
    assert len(records.cable_a) == 7 and records.cable_line.tolist()[:2] == [15, 16]
    assert np.array_equal(records.cable_speed[:3], np.array([400, np.nan, np.nan], np.float32), equal_nan=True)


def test_a_host_of_two_ports_and_a_switch_whose_port_guid_is_another() -> None:
    records = read(source_of(TEXT))
    assert port(records, 0xA0001, 1) == (0xA0002, 7, 0) and port(records, 0xA0001, 2) == (0xA0003, 8, 0)
    assert port(records, 0xB0002, 0) == (0xB00F2, 4, 0)
    assert NodeKind.ROUTER in records.node_kind.tolist()


@pytest.mark.parametrize(
    "change",
    [
        ("# Initiated", "# Max of 5 hops discovered\n# Initiated"),
        ("\n", "\r\n"),
        ("# Initiated", "# Reported max hops discovered: 5\n# Total MADs used: 100\n# Initiated"),
        (" 4xEDR\n", " 4xEDR s=1 w=2 v=5\n"),
        (" 4xEDR\n", " 4xEDR slot 3\n"),
        ("enhanced port 0", "base port 0"),
        ("sysimgguid=0xb0001\n", ""),
        ("Ca\t", "Hca\t"),
        ("\t", " "),
        ("\t", ""),
    ],
)  # fmt: skip
def test_spellings_that_say_the_same(change: tuple[str, str]) -> None:
    text = TEXT.replace(*change)
    assert text != TEXT
    one, other = read(source_of(TEXT)), read(source_of(text))
    for name in ("node_guid", "node_kind", "node_ports", "port_lid", "port_lmc", "cable_a", "cable_b_port", "cable_speed"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.node_name == other.node_name


def test_an_old_file_without_lmc_and_without_remote_lids() -> None:
    text = TEXT.replace(" lmc 0", "").replace(" enhanced port 0", " port 0")
    assert set(read(source_of(text)).port_lmc.tolist()) == {UNKNOWN_LMC}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("vendid", "< vendid").replace("Switch", "> Switch"), "is the output of ibnetdiscover --diff"),
        ('Ca\t : 0x00000000000a0001 ports 2 devid 0x1017 vendid 0x2c9 "h"\n', "is a list of nodes"),
        ('Switch\t : 0x00000000000b0001 ports 8 devid 0x1017 vendid 0x2c9 "h"\n', "is a list of nodes"),
        ("# Topology file: generated on now\n", "holds no cables"),
        ("src/query_smp.c:195; umad (DR path 0,1) bad status 110; Connection timed out\n" + TEXT, "a device did not answer"),
        (TEXT.replace("[1]\t", "1\t", 1), "is not understood; expected a node, a port or a key"),
        (TEXT.replace('Switch\t8 "S-00000000000b0001"', 'Swatch\t8 "S-00000000000b0001"'), "is not understood"),
        (TEXT[: TEXT.index("caguid=0xd0001")], "the node 0x00000000000d0001 has no block of its own"),
        (TEXT.replace("enhanced port 0 lid 3", "enhanced port zero lid 3"), "expected a name, lid and lmc"),
        (TEXT.replace("# lid 7 lmc 0", "# lid seven lmc 0"), "expected lid and lmc of the port"),
        ('# Topology file: generated\n[1]\t"S-00000000000b0001"[2]\n', "a port outside a block"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    assert any(said in problem for problem in refusal(read, text))


def test_a_relative_is_recognised_in_order_to_be_refused() -> None:
    assert matches(b'Ca\t : 0x00000000000a0001 ports 2 devid 0x1017 vendid 0x2c9 "h"\n')
    assert matches(b"\n< vendid=0x2c9\n< devid=0x1\n")
    assert not matches(b"Unicast lids [0x0-0x7] of switch Lid 3 guid 0x00000000000b0001 (leaf one):\n")
    assert not matches(b"Switch 0x00000000000b0001\nLID    : Out Port(s)\n")
