import pytest

from pauseproof.readers.route_csv import matches, read
from route_facts import table, tables
from route_files import BATFISH_ROUTES, ROUTE_CSV
from small_files import CABLE_CSV
from texts import cuts_that_pass, refusal, source_of

HEADER = "device,prefix,next_hop,interface,vrf,weight\n"


def test_a_small_file() -> None:
    (record,) = read(source_of(ROUTE_CSV))
    assert (record.device, record.vrf, record.format) == ("leaf2", "default", "route-csv")
    assert table(record) == {
        "10.10.4.0/24": ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
        "10.10.2.0/24": ("connected", ("@swp31",)),
    }
    assert record.line.tolist() == [2, 4]


def test_only_a_cut_between_rows_is_not_seen() -> None:
    ends = [at + 1 for at, letter in enumerate(ROUTE_CSV) if letter == "\n"]
    assert cuts_that_pass(read, ROUTE_CSV) == ends[1:-1]


def test_devices_vrfs_weights_and_kinds() -> None:
    rows = (
        "b,10.0.0.0/8,10.1.1.1,,red,3\na,10.0.0.1,local,lo,,\na,0.0.0.0/0,DROP,,,\n"
        "a,::/0,fe80::1,e1,,\nb,10.0.0.0/8,10.1.1.2,,red,\n"
    )
    assert tables(read(source_of(HEADER + rows))) == {
        ("a", "default"): {
            "10.0.0.1/32": ("local", ("@lo",)),
            "0.0.0.0/0": ("discard", ()),
            "::/0": ("forward", ("fe80::1@e1",)),
        },
        ("b", "red"): {"10.0.0.0/8": ("forward", ("10.1.1.1@*3", "10.1.1.2@"))},
    }


def test_columns_in_any_order_and_comments() -> None:
    text = "# routes of today\nInterface,Prefix,Device\nswp1,10.0.0.0/8,leaf1\n"
    assert tables(read(source_of(text))) == {("leaf1", "default"): {"10.0.0.0/8": ("connected", ("@swp1",))}}


def test_a_row_told_twice_is_one_next_hop() -> None:
    row = "a,10.0.0.0/8,10.1.1.1,e1,,\n"
    assert tables(read(source_of(HEADER + row + row))) == {("a", "default"): {"10.0.0.0/8": ("forward", ("10.1.1.1@e1",))}}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (",10.0.0.0/8,10.1.1.1,,,", "the row names no device"),
        ("a,10.0.0.1/8,10.1.1.1,,,", "has bits set behind its length"),
        ("a,10.0.0.0/8,10.1.1.300,,,", "'10.1.1.300' is no IP address"),
        ("a,10.0.0.0/8,,,,", "has neither a next hop nor an interface"),
        ("a,10.0.0.0/8,10.1.1.1,,,0", "'0' is no weight"),
        ("a,10.0.0.0/8,10.1.1.1,,,2.5", "'2.5' is no weight"),
        ("a,10.0.0.0/8,10.1.1.1,,", "5 columns; expected 6"),
        ("a,20.0.0.0/8,drop,,,", "the route is discard here and forward in line 2"),
    ],
)
def test_bad_rows(row: str, said: str) -> None:
    (problem,) = refusal(read, HEADER + "a,20.0.0.0/8,10.1.1.1,,,\n" + row + "\n")
    assert problem.startswith("3: ") and said in problem


def test_unknown_and_repeated_columns_and_no_rows() -> None:
    assert (
        "unknown column 'nexthop'; did you mean 'next_hop'?" in refusal(read, "device,prefix,nexthop,interface\na,::/0,,e\n")[0]
    )
    assert "the column 'device' is there twice" in refusal(read, "device,prefix,interface,device\na,::/0,e,a\n")[0]
    assert refusal(read, HEADER) == ["0: has no routes below its header"]


@pytest.mark.parametrize("text", [BATFISH_ROUTES, CABLE_CSV, "device,prefix\n", "prefix,next_hop\n", ""])
def test_what_is_no_such_file(text: str) -> None:
    assert not matches(text.encode())
