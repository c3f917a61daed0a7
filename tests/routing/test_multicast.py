"""Trees become columns: copies leave by every port of the entry but the one they came by."""

from pathlib import Path

import pytest

from pauseproof import verify
from pauseproof.deadlock.analysis import analyse
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import Verdict
from pauseproof.routing.multicast import NO_TREES, TREE_SENDERS
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from routing.dumps import RING, at, column, network_of, ports

MCFDBS = "opensm.mcfdbs"


def trees(rows: dict[int, str]) -> dict[str, str]:
    """``rows[s]``: the ports of S0.. for 0xC000."""
    blocks = (f"\nSwitch 0x{0x200000 + s:016x}\nLID    : Out Port(s)\n0xC000 : {ports} \n" for s, ports in rows.items())
    return {**RING, MCFDBS: "".join(blocks)}


LINE = {0: "0x001  0x003", 1: "0x001  0x002", 2: "0x002  0x003  0x004"}  # H0x0 - S0 - S1 - S2 - two hosts
ROUND = dict.fromkeys(range(5), "0x001  0x002  0x003")


def test_a_tree_has_the_hosts_on_its_ports(tmp_path: Path) -> None:
    network = network_of(tmp_path, trees(LINE))
    d = column(network, "0xC000")
    assert network.destinations.kind[d] == DestinationKind.MULTICAST
    assert sorted(network.fabric.host(h).name for h in network.destinations.members(d)) == ["H0x0", "H2x0", "H2x1"]
    assert ports(network, at(network, "S0", "0xC000")) == [1, 3]
    assert at(network, "S2", "0xC000").kind is ChoiceKind.MULTICAST
    assert TREE_SENDERS in network.assumptions and NO_TREES not in network.assumptions


def test_a_row_that_is_not_there_is_unknown_and_no_copy_of_a_whole_tree_meets_it(tmp_path: Path) -> None:
    network = network_of(tmp_path, trees(LINE))
    assert at(network, "S3", "0xC000").kind is ChoiceKind.UNKNOWN
    whole, torn = analyse(network, network.traffics["hosts"]), {s: ports for s, ports in LINE.items() if s != 1}
    assert not whole.meets_unknown
    network = network_of(tmp_path, trees(torn))
    assert analyse(network, network.traffics["hosts"]).unknown_destinations == [column(network, "0xC000")]


def test_without_trees_it_is_said(tmp_path: Path) -> None:
    assert NO_TREES in network_of(tmp_path, {**RING, MCFDBS: "\nSwitch 0x0000000000200000\nLID    : Out Port(s)\n"}).assumptions


def test_copies_count_as_dependencies_but_not_as_pairs(tmp_path: Path) -> None:
    with_tree, without = (verify(network_of(tmp_path, files)).fabrics[0] for files in (trees(LINE), trees({})))
    assert with_tree.coverage["pairs"] == without.coverage["pairs"] == 90
    assert int(with_tree.coverage["dependencies"]) >= int(without.coverage["dependencies"])


def test_a_tree_that_is_a_ring_loops_by_itself(tmp_path: Path) -> None:
    """One host alone has no pairs; its copies go round both ways."""
    report = verify(network_of(tmp_path, trees(ROUND)), only=["H0x0"]).fabrics[0]
    assert report.coverage["pairs"] == 0
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert report.cyclic_components == (5, 5)
    (tmp_path / MCFDBS).unlink()
    with pytest.raises(BadInput, match="no pair of hosts is left"):
        verify(network_of(tmp_path, RING), only=["H0x0"])


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ({0: "0x001  0x009"}, "port 9 is beyond the radix of S0; expected 0..4"),
        ({0xAA: "0x001"}, "0x00000000002000aa, which the cabling does not have"),
    ],
)
def test_what_the_cabling_cannot_have_is_refused(rows: dict[int, str], problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=problem):
        network_of(tmp_path, trees(rows))


def test_two_port_sets_for_one_tree_are_refused(tmp_path: Path) -> None:
    files = trees(LINE)
    with pytest.raises(BadInput, match="two different port sets of S0 for multicast LID 0xC000"):
        network_of(tmp_path, {**files, "more.mcfdbs": trees({0: "0x001  0x004"})[MCFDBS]})
