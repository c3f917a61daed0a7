import pytest

from pauseproof.readers.minigraph import matches, read
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from small_files import MINIGRAPH
from texts import cuts_that_pass, refusal, source_of

BOMB = """\
<?xml version="1.0"?>
<!DOCTYPE x [
 <!ENTITY a "aaaaaaaaaa">
 <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
 <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
"""


def test_planned_links_by_alias() -> None:
    found = read(source_of("\n" + MINIGRAPH))
    assert (found.a_device, found.a_port, found.b_device, found.b_port) == (
        ("leaf1",),
        ("fortyGigE0/0",),
        ("spine1",),
        ("Ethernet1",),
    )
    assert found.speed.tolist() == [40] and found.line.tolist() == [5]
    assert found.declared and not found.whole and found.roles == {"leaf1": "switch"}


def test_links_that_carry_no_traffic_are_left_out() -> None:
    logical = MINIGRAPH.replace("DeviceInterfaceLink<", "LogicalLink<")
    assert refusal(read, logical) == ["0: holds no cables; expected at least one"]


def test_a_real_file() -> None:
    found = read(open_source(shared_case("sonic/minigraph-arista-7260-dualtor.xml")))
    ends = list(zip(found.a_device, found.a_port, found.b_device, found.b_port, strict=True))
    assert len(ends) == 64 and len({end[:2] for end in ends} | {end[2:] for end in ends}) == 128
    assert ("str2-7260cx3-acs-12", "Ethernet13/1", "ARISTA01T1", "Ethernet1") in ends
    assert ("Servers25", "eth0", "str2-7260cx3-acs-12", "Ethernet34/1") in ends
    assert found.roles["ARISTA01T1"] == "switch" and found.roles["Servers25"] == "host"
    assert not any("-SC" in device for device in found.roles) and found.line[0] == 368


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "<DeviceMiniGraph",
            BOMB + "<DeviceMiniGraph",
            "declares a document type, which can hold entities that expand without bound",
        ),
        ("<DeviceMiniGraph", '<!DOCTYPE x SYSTEM "file:///etc/passwd"><DeviceMiniGraph', "declares a document type"),
        ("<EndPort>Ethernet1</EndPort>", "", "4: no port at the second end of a cable"),
        ("DeviceInterfaceLink<", "DeviceInterfaceLnk<", '4: a link of the type "DeviceInterfaceLnk"; expected one of'),
        ("40000", "fast", "4: Bandwidth in Mb/s: speed 'fastM' is not understood"),
        ("</PngDec>", "", "18: is not whole XML: mismatched tag"),
        ("<PngDec>", "<PngDec>&x;", "2: is not whole XML: undefined entity"),
        ("<PngDec>", "<PngDec>" + "<a>" * 80, "2: is nested more than 64 deep"),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in MINIGRAPH
    assert any(said in problem for problem in refusal(read, MINIGRAPH.replace(before, after, 1)))


def test_another_root() -> None:
    assert "1: the root is <x>; expected <DeviceMiniGraph>" in refusal(read, "<x/>")


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, MINIGRAPH.rstrip()) == []


def test_is_this_format() -> None:
    assert matches(MINIGRAPH.encode()) and not matches(b"<graphml/>")
