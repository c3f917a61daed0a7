import pytest

from pauseproof.readers.lldp_table import matches, read
from texts import cuts_that_pass, refusal, source_of

TEXT = """\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice         RemotePortID       Capability    RemotePortDescr
-----------  -------------------  -----------------  ------------  -----------------
Ethernet0    spine 1              etp4               BR            leaf1:Ethernet0
Ethernet4    server1              0c:42:a1:00:00:01  O             enp1s0
Ethernet4    server1.example.com  0c42.a100.0002     O
Ethernet8                         0c:42:a1:00:00:03  O             a nic
eth0         mgmt                 Ethernet7          BR            to leaf1
--------------------------------------------------
Total entries displayed:  5
"""


def test_neighbours_and_their_ports() -> None:
    found = read(source_of(TEXT, "dumps/leaf1.lldp_table.txt"))
    assert set(found.a_device) == {"leaf1"}
    assert list(zip(found.a_port, found.b_device, found.b_port, strict=True)) == [
        ("Ethernet0", "spine 1", "etp4"),
        ("Ethernet4", "server1", "enp1s0"),
        ("Ethernet4", "server1.example.com", "0c42.a100.0002"),
        ("Ethernet8", "0c:42:a1:00:00:03", "a nic"),
    ]
    assert found.line.tolist() == [4, 5, 6, 7] and not found.declared and not found.whole
    assert [(r.rule, r.about) for r in found.remarks] == [("cabling-left-out", "leaf1/eth0")]


def test_no_neighbours_are_no_error() -> None:
    lines = TEXT.splitlines(keepends=True)
    assert len(read(source_of("".join([*lines[:3], *lines[8:9], "Total entries displayed:  0\n"]))).a_device) == 0


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "displayed:  5",
            "displayed:  6",
            "0: the last line counts 6 entries, 5 were found: the table is not whole; take it again",
        ),
        ("Total entries displayed:  5\n", "", "0: no last line 'Total entries displayed', 5 were found"),
        ("RemotePortID   ", "RemotePort     ", "3: the columns are LocalPort RemoteDevice RemotePort Capability"),
        ("Ethernet0  ", "           ", "4: no port at the first end of a cable"),
        ("etp4           ", "               ", "4: no port at the second end of a cable"),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in TEXT
    assert any(problem.startswith(said) for problem in refusal(read, TEXT.replace(before, after, 1)))


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, TEXT) == []


def test_is_this_format() -> None:
    assert matches(TEXT.encode()) and not matches(b"Local Port  RemoteDevice  RemotePortID\n")
