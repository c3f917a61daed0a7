import numpy as np
import pytest

from pauseproof.readers.cable_csv import matches, read
from pauseproof.readers.roce_records import CableRecords
from texts import cuts_that_pass, refusal, source_of

TEXT = """\
a_device,a_port,b_device,b_port,speed,length
leaf1,swp1,spine1,swp1,100G,3m
leaf1,swp2,spine2,swp1,25000M,
"""
NETBOX = """\
\ufeff"side_a_device";"side_a_type";"side_a_name";"side_b_device";"side_b_type";"side_b_name";"status";"label";"length";"length_unit"
"leaf 1";"dcim.interface";"Ethernet1/1";"spine 1";"dcim.interface";"Ethernet1";"connected";"x; ""y""
two lines";"5";"ft"
"leaf 1";"dcim.powerport";"PSU1";"pdu";"dcim.poweroutlet";"1";"connected";"";"";""
"leaf 1";"dcim.interface";"Ethernet1/2";"spine 1";"dcim.interface";"Ethernet2";"planned";"";"";""
"""


def ends(records: CableRecords) -> list[tuple[str, str, str, str]]:
    return list(zip(records.a_device, records.a_port, records.b_device, records.b_port, strict=True))


def test_the_plain_form() -> None:
    found = read(source_of(TEXT, "plan.csv"))
    assert ends(found) == [("leaf1", "swp1", "spine1", "swp1"), ("leaf1", "swp2", "spine2", "swp1")]
    assert found.speed.tolist() == [100, 25] and found.length[0] == 3 and np.isnan(found.length[1])
    assert found.line.tolist() == [2, 3] and found.declared and found.whole and found.remarks == ()


def test_an_export_of_netbox() -> None:
    assert matches(NETBOX.encode())
    found = read(source_of(NETBOX, "cables.csv"))
    assert ends(found) == [("leaf 1", "Ethernet1/1", "spine 1", "Ethernet1")]
    assert found.length[0] == pytest.approx(1.524) and found.line.tolist() == [2]
    assert [(r.rule, r.message, str(r.places[0])) for r in found.remarks] == [
        ("cabling-left-out", "the cable ends at a dcim.powerport, not at an interface: left out", "cables.csv:4"),
        ("cabling-left-out", "the cable is planned, not connected: left out", "cables.csv:5"),
    ]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_delimiters_comments_and_line_ends(sign: str) -> None:
    text = "# made by hand\r\n\r\n" + TEXT.replace(",", sign).replace("\n", "\r\n") + "\r\n"
    assert matches(text.encode())
    found = read(source_of(text))
    assert len(ends(found)) == 2 and found.line.tolist() == [4, 5]


def test_the_list_view_of_netbox_and_columns_in_any_order() -> None:
    text = "ID,Label,Device B,Termination B,Device A,Termination A\n1,,s,2,l,1\n"
    assert matches(text.encode()) and ends(read(source_of(text))) == [("l", "1", "s", "2")]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("leaf1,swp1,spine1", "leaf1,swp1", "2: 5 columns; the header has 6"),
        ("leaf1,swp1,", "leaf1,,", "2: no port at the first end of a cable; expected device and port at both ends"),
        ("spine1,swp1", ",swp1", "2: no device at the second end"),
        ("spine1,swp1", "leaf1,swp1", "2: port swp1 of 'leaf1' is cabled to itself"),
        ("100G", "fast", "2: speed 'fast' is not understood; expected Gb/s"),
        ("100G", "100000", "2: speed '100000' is beyond any port; a bare number is in Gb/s"),
        ("3m", "3 furlongs", "2: length '3 furlongs' is not understood; units are m, cm, km, ft, in, mi"),
        ("length\n", "lenght\n", "1: the column 'lenght' is not known; did you mean 'length'?"),
        ("speed,", "device a,", "1: two columns give a_device; expected one"),
        ("leaf1,swp1", '"leaf1,swp1', "2: is no row of a table: unexpected end of data; is a quote missing?"),
        ("leaf1,swp1", '"leaf1"x,swp1', "2: is no row of a table: ',' expected after '\"'; is a quote missing?"),
        ("leaf1,swp1", "le\x1baf1,swp1", '2: "le\N{REPLACEMENT CHARACTER}af1" is no name for a device'),
        ("leaf1,swp1", "x" * 300 + ",swp1", '2: "' + "x" * 57 + '..." is no name for a device'),
        ("a_device", "device", "1: the header lacks columns; expected a_device, a_port, b_device, b_port"),
        (TEXT.partition("\n")[2], "", "0: holds no cables; expected at least one"),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in TEXT
    assert any(problem.startswith(said) for problem in refusal(read, TEXT.replace(before, after, 1)))


def test_everything_wrong_is_said_at_once() -> None:
    rows = "".join(f"leaf1,,spine1,{i},,\n" for i in range(30))
    said = refusal(read, TEXT + rows)
    assert len(said) == 21 and said[-1] == "0: and 10 more problems like these"


def test_only_cuts_between_rows_pass() -> None:
    rows = [TEXT.index("\n", TEXT.index("100G")) + 1]
    assert cuts_that_pass(read, TEXT) == rows


@pytest.mark.parametrize(
    "head", [b"a_device,a_port\n", b"device,prefix,next_hop\n", b"{}", b"# a_device,a_port,b_device,b_port"]
)
def test_what_is_another_table(head: bytes) -> None:
    assert not matches(head)


def test_what_is_no_text() -> None:
    assert refusal(read, TEXT.encode() + b"\xff\n") == ["4: is not UTF-8 text: invalid start byte"]
