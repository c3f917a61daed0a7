import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers import hash_samples
from texts import source_of

ROWS = """# measured on Monday
device,sip,dip,sport,egress
leaf1,10.0.1.1,10.0.2.1,49152,Ethernet0
leaf1,10.0.1.1,10.0.2.1,0xc001,Ethernet4
"""


def test_rows() -> None:
    first, second = hash_samples.read(source_of(ROWS, "s.csv")).samples
    assert (first.device, first.family, first.sip, first.dip, first.egress, first.line) == (
        *("leaf1", 4, 0x0A000101, 0x0A000201),
        *("Ethernet0", 3),
    )
    assert first.numbers == {
        **{"proto": 17, "sport": 49152, "dport": 4791, "qp": 0, "opcode": 0, "flow_label": 0, "vlan": 0, "in_port": 0}
    }
    assert second.numbers["sport"] == 0xC001


def test_columns_may_be_called_as_fields_are() -> None:
    text = "Src-IP,dst-ip,l4-src-port,dest-qp,l4-dst-port,port\nfd00::1,fd00::2,1,7,2,e\n"
    (sample,) = hash_samples.read(source_of(text, "s.csv")).samples
    assert (sample.device, sample.family, sample.numbers["qp"], sample.numbers["dport"], sample.egress) == ("", 6, 7, 2, "e")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sip,dip,egress\n", "s.csv:1: no column 'sport'; expected sip, dip, sport, egress, and maybe device"),
        ("sip,dip,sport,egress,ttl\n", 'unknown column "ttl"; expected'),
        ("sip,dip,sport,src-ip,egress\n", "s.csv:1: two columns give sip; expected one"),
        ("sip,dip,sport,egress\n", "has no samples below its header"),
        ("sip,dip,sport,egress\n10.0.0.1,fd00::1,1,e\n", "s.csv:2: one address is IPv4 and the other IPv6"),
        ("sip,dip,sport,egress\nleaf1,10.0.0.1,1,e\n", "s.csv:2: 'leaf1' does not appear to be an IPv4 or IPv6 address"),
        ("sip,dip,sport,egress\n10.0.0.1,10.0.0.2,70000,e\n", 's.csv:2: "70000" is no sport; expected 0 to 65535'),
        ("sip,dip,sport,egress\n10.0.0.1,10.0.0.2,,e\n", 's.csv:2: "" is no sport'),
        ("sip,dip,sport,egress\n10.0.0.1,10.0.0.2,1,\n", "s.csv:2: no egress port"),
        ("sip,dip,sport,egress\n10.0.0.1,10.0.0.2,1,e", "s.csv:2: the file is cut off in this line"),
        ("sip,dip,sport,egress\n10.0.0.1,10.0.0.2,1\n", "s.csv:2: 3 columns; expected 4"),
        ("", "no column 'sip'"),
        (
            "sip,dip,sport,egress\n" + "".join(f"10.0.0.1,10.0.0.2,{i},e{i}\n" for i in range(1000)),
            "s.csv:514: the device sends by more than 512 ports; expected the members of one group",
        ),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        hash_samples.read(source_of(text, "s.csv"))
    assert message in str(error.value)
