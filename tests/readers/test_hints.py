import pytest

from pauseproof.readers.hints import beside, damaged_dump, seems_to_be


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        (b"\x7fELF\x00\x01", "it seems to be a binary file"),
        (b"\xef\xbb\xbf0x0a 1 1\n", "it begins with a byte order mark; save it as plain UTF-8"),
        (b"<HTML><body>", "it seems to be a web page"),
        (b"<?xml version='1.0'?>", "it seems to be XML"),
        (b'{"a": 1}', "it seems to be JSON"),
        (b"-I- Discovering ... 12 nodes\n", "it seems to be a log"),
        (b"Jan 02 03:04:05 123456 [1234] 0x03 -> OpenSM 3.3.23\n", "it seems to be a log"),
        (b"2026-01-02 03:04:05 started\n", "it seems to be a log"),
        ("# Überschrift\nJan is a name\n".encode(), "its first line is not of any format that is read"),
    ],
)
def test_near_misses_are_named(head: bytes, said: str) -> None:
    assert seems_to_be(head) == said


def test_files_that_lie_beside_the_ones_that_are_read() -> None:
    assert beside("opensm-sw2sw-path-records.dump")
    assert not beside("opensm-path-records.dump")


@pytest.mark.parametrize(
    ("name", "head", "holds"),
    [
        ("opensm-sl2vl.dump.gz", b"", "SL-to-VL tables"),
        ("path-sl.psl", b"\x00garbage", "path SLs"),
        ("opensm.mcfdbs", b"junk", "multicast tables"),
        ("opensm.mcfdbs", b"\n", ""),
        ("notes", b"see below\nLID    : Port : Hops : Optimal\n", "a dump"),
        ("opensm.log", b"-I- x\nLID    : Port : Hops : Optimal\n", ""),
        ("notes", b"LIDs are listed elsewhere\n", ""),
    ],
)
def test_damaged_dumps_are_told_from_other_files(name: str, head: bytes, holds: str) -> None:
    assert damaged_dump(name, head) == holds


def test_tables_of_routes_that_are_no_forwarding_tables() -> None:
    bgp = b'{\n "vrfId": 0,\n "vrfName": "default",\n "tableVersion": 20,\n "localAS": 65102,\n "routes": {'
    assert seems_to_be(bgp) == (
        "it is a table of BGP routes, not a forwarding table; expected the output of show ip route json"
    )
    text = b"Codes: K - kernel route, C - connected, S - static, R - RIP,\n       O - OSPF\n"
    assert "expected the same as JSON" in seems_to_be(text)
    assert seems_to_be(b'{"vrfName": "default"}') == "it seems to be JSON"
