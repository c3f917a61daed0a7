import numpy as np
import pytest

from cabling_texts import Written
from pauseproof.fabric.model import NodeKind
from pauseproof.readers.ibnetdiscover_ports import matches, read
from texts import refusal, source_of

TEXT = Written().ports()


def test_ports_are_nodes_and_switches_have_their_port_0() -> None:
    records = read(source_of(TEXT))
    assert records.guid_is_port
    nodes = dict(
        zip(records.node_guid.tolist(), zip(records.node_kind.tolist(), records.node_ports.tolist(), strict=True), strict=True)
    )
    assert nodes[0xB0001] == (NodeKind.SWITCH, 8) and nodes[0xA0003] == (NodeKind.HOST, 2)
    assert nodes[0xC0002][0] == NodeKind.ROUTER and nodes[0xD0002][0] == NodeKind.AGGREGATION
    numbers = dict(
        zip(records.port_node.tolist(), zip(records.port_number.tolist(), records.port_lid.tolist(), strict=True), strict=True)
    )
    assert numbers[0xB0001] == (0, 3) and numbers[0xA0003] == (2, 8)
    assert set(records.cable_speed.tolist()) == {100.0}


def test_a_port_without_a_cable_shows_the_radix() -> None:
    fewer = "".join(line for line in TEXT.splitlines(keepends=True) if " - " in line)
    ports = [
        dict(zip(r.node_guid.tolist(), r.node_ports.tolist(), strict=True))
        for r in (read(source_of(TEXT)), read(source_of(fewer)))
    ]
    assert ports[0][0xB0001] == 8 and ports[1][0xB0001] == 5


def test_names_with_the_words_between_names() -> None:
    written = Written()
    written.names[0xB0001] = "a' - 'b"
    records = read(source_of(written.ports()))
    names = dict(zip(records.node_guid.tolist(), records.node_name, strict=True))
    assert names[0xB0001] == "a' - 'b" and names[0xA0012] == "n2 HCA-1" and names[0xB00F2] == "spine"


def test_unknown_widths_and_speeds() -> None:
    assert np.isnan(read(source_of(TEXT.replace("4x EDR", "?? ???"))).cable_speed).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("0x", "", 1), "1: "),
        (TEXT.replace("( '", "('", 1), "is not understood; expected TYPE LID PORT"),
        (TEXT.replace("RT    10", "CA    10", 1), "is stated differently"),
        ("# nothing\n", "holds no ports"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    assert said in refusal(read, text)[0]


def test_is_this_format() -> None:
    assert matches(("# saved yesterday\n\n" + TEXT).encode()[:4096])
    assert matches(b"SW     3  2 0x00000000000b0001 4x SDR                                    'leaf one'\n")
    assert not matches(b"SW something else\n") and not matches(b"")
