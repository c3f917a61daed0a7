import numpy as np
import pytest

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.cabling import build_fabric
from pauseproof.readers.ibutils_topo import matches, read
from texts import refusal, source_of

TEXT = """\
# a plan
#------

MTS2400 SL1-1
   P1 -> MT23108 H-1 P1
\t P2 -4x-5G-> MT23108  H-1 P2
   P24 -12X-> MTS800 SL2-1 P1
   P23 -10G-> SX6036 top P36

SX6036 top CFG: leaf1=R,leaf2=R
   P1 -4x-2.5G-> HCA_1 H-2 P1

MTS800 SL2-1
   P1 -> MTS2400 SL1-1 P24
"""


def test_names_are_identities() -> None:
    records = read(source_of(TEXT))
    assert records.guid_is_name
    assert records.node_name == ["SL1-1", "H-1", "SL2-1", "top", "H-2"]
    assert records.node_kind.tolist() == [NodeKind.SWITCH, NodeKind.HOST, NodeKind.SWITCH, NodeKind.SWITCH, NodeKind.HOST]
    assert records.node_ports.tolist() == [24, 2, 8, 36, 1]
    assert records.node_line.tolist() == [4, 5, 7, 8, 11]
    assert len(records.port_node) == 0
    speeds = np.array([np.nan, 20, np.nan, np.nan, 10, np.nan], np.float32)
    assert np.array_equal(records.cable_speed, speeds, equal_nan=True)


def test_the_fabric_has_names_for_guids_and_no_lids() -> None:
    built = build_fabric("plan", [read(source_of(TEXT, "a.topo"))])
    fabric = built.fabric
    assert list(fabric.node_name) == ["SL1-1", "SL2-1", "top", "H-1", "H-2"]
    assert fabric.node_guid.tolist() == [0] * 5 and fabric.identity(2) == "top"
    assert fabric.n_links == 10 and fabric.n_hosts == 3 and len(built.lid_base) == 0
    assert str(fabric.place_of_link(int(fabric.out_link[0, 24]))) == "a.topo:7"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("P1 -> MT23108 H-1 P1", "L1/P1 -> MT23108 H-1 P1", "lies inside a chassis"),
        ("P1 -> MT23108 H-1 P1", "P1 => MT23108 H-1 P1", "5: "),
        ("SX6036 top CFG", "SX6025 top CFG", "top is a SX6025 here and a SX6036 in line 8"),
        ("MTS2400 SL1-1\n", "MTS2400 SL1-1\n\n", "a cable outside a system"),
        ("-> MT23108 H-1 P1", "-> MT23108 H-1", "is not understood"),
        ("P1 -> MTS2400 SL1-1 P24\n", "P1 -> MTS2400 SL1-1 P24", "the file is cut off in this line"),
        (TEXT[10:], "", "holds no cables"),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in TEXT
    assert any(said in problem for problem in refusal(read, TEXT.replace(before, after)))


def test_a_type_that_could_be_either() -> None:
    assert "whether a BOX is a switch cannot be told" in refusal(read, "BOX a\n P1 -> BOX b P1\n")[0]


def test_is_this_format() -> None:
    assert matches(TEXT.encode()) and matches(b"\n# x\nMTS800 a\n\tP1 -> MTS800 b P1\n")
    assert not matches(b"two words\nthree more words\n") and not matches(b"")
