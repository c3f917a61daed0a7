"""Adaptive groups laid over the plain tables of the ring."""

from pathlib import Path

import pytest

from pauseproof import verify
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import Verdict
from pauseproof.routing.tables import ChoiceKind
from routing.dumps import FDBS, RING, at, edited, network_of, ports, slugs

HEAD = 'File version: 1\nSwitch 0x{:016x} "S0"\nGroups Definition:\nGroup SubGroup WHBF Ports\n------\n'
LFT = "LFT Definition:\nLID    StaticPort LidState Group\n------\n"


def far(groups: str, rows: str, guid: int = 0x200000) -> dict[str, str]:
    return {**RING, "ibdiagnet2.far": HEAD.format(guid) + groups + LFT + rows}


GROUP = "1     0        -    1,2\n"


def test_a_free_row_leaves_by_any_port_of_its_group_and_by_its_static_one(tmp_path: Path) -> None:
    network = network_of(tmp_path, far(GROUP + "2     0        -    2\n", "0x0009 1          Free     1\n0x000A 1 Bounded 2\n"))
    entry = at(network, "S0", "9")
    assert (entry.kind, ports(network, entry)) == (ChoiceKind.ADAPTIVE, [1, 2])
    assert ports(network, at(network, "S0", "10")) == [1, 2]  # group 2 is port 2; the static port is one more
    assert ports(network, at(network, "S0", "11")) == [1]  # no row here: the plain table's
    assert slugs(network) == []


def test_a_static_row_is_the_plain_tables_or_disagrees_with_it(tmp_path: Path) -> None:
    network = network_of(tmp_path, far("", "0x0009 1 Static -\n0x000A 2 Static -\n"))
    assert ports(network, at(network, "S0", "9")) == [1]
    assert at(network, "S0", "10").kind is ChoiceKind.UNKNOWN
    assert slugs(network) == ["table-disagreement"]


def test_what_switches_do_with_a_free_choice_decides(tmp_path: Path) -> None:
    """The way back is in S0's group: a hash may take it, and then packets for LID 9 can wait in a ring of two."""
    network = network_of(tmp_path, far(GROUP, "0x0009 1 Free 1\n"))
    committed, reselecting = (verify(network, adaptive=how).fabrics[0] for how in ("committed", "reselecting"))
    assert committed.verdict is reselecting.verdict is Verdict.DEADLOCK_POSSIBLE
    assert any("that pick by load" in said for said in committed.assumptions)


@pytest.mark.parametrize(
    ("groups", "rows", "problem"),
    [
        ("", "0x0009 1 Free 7\n", "group 7, which is not defined"),
        ("1     0        -    1,9\n", "0x0009 1 Free 1\n", "port 9 is beyond the radix of S0; expected 0..4"),
        ("", "0x0009 9 Static -\n", "port 9 is beyond the radix of S0; expected 0..4"),
    ],
)
def test_groups_and_ports_that_are_not_there_are_refused(groups: str, rows: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=problem):
        network_of(tmp_path, far(groups, rows))


def test_a_switch_that_is_not_cabled_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="0x00000000002000aa, which the cabling does not have"):
        network_of(tmp_path, far(GROUP, "0x0009 1 Free 1\n", guid=0x2000AA))


def test_an_adaptive_table_stands_in_for_a_plain_one_that_was_not_read(tmp_path: Path) -> None:
    files = far("", "".join(f"0x{lid:04x} {1 if lid != 2 else 0} Static -\n" for lid in range(1, 16)))
    gone = edited(files, FDBS, r"dump_ucast_routes: Switch 0x0000000000200000\n.*?(?=dump_ucast)", "")
    network = network_of(tmp_path, gone)
    assert "table-missing" not in slugs(network)
    assert ports(network, at(network, "S0", "7")) == [1]
