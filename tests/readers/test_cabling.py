"""Several cabling files of one fabric, and files that cannot be of one."""

from collections.abc import Callable

import pytest
import yaml

from cabling_texts import Written
from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers import db_csv, ibnetdiscover, ibnetdiscover_ports, ibutils_topo, subnet_lst
from pauseproof.readers.cabling import Built, build_fabric
from pauseproof.readers.records import UNKNOWN_LMC, CablingRecords
from pauseproof.readers.source import Source, open_source
from shared_cases import SHARED, shared_case
from texts import source_of

LST, DISCOVER, PORTS, CSV = Written().lst(), Written().discover(), Written().ports(), Written().db_csv()


def lst(text: str = LST, file: str = "a.lst") -> CablingRecords:
    return subnet_lst.read(source_of(text, file))


def discover(text: str = DISCOVER, file: str = "b.txt") -> CablingRecords:
    return ibnetdiscover.read(source_of(text, file))


def refused(*records: CablingRecords) -> list[str]:
    with pytest.raises(BadInput) as caught:
        build_fabric("f", records)
    return [str(problem) for problem in caught.value.problems]


def rules(built: Built) -> list[str]:
    return [remark.rule for remark in built.remarks]


def test_all_four_formats_of_one_fabric_agree() -> None:
    ports = ibnetdiscover_ports.read(source_of(PORTS, "c.txt"))
    built = build_fabric("f", [ports, lst(), discover(), db_csv.read(source_of(CSV, "d.db_csv"))])
    alone = build_fabric("f", [lst()])
    assert built.remarks == ()
    assert built.fabric.node_guid.tolist() == alone.fabric.node_guid.tolist()
    assert built.fabric.node_ports.tolist() == alone.fabric.node_ports.tolist()
    assert built.fabric.link_src.tolist() == alone.fabric.link_src.tolist()
    assert built.lid_lmc.tolist() == [0] * 7 and alone.lid_lmc.tolist() == [UNKNOWN_LMC] * 7
    assert built.oper_vls[0, 1] == 4


def test_an_lmc_comes_from_the_file_that_has_it() -> None:
    spread = Written().discover(lmc=1)
    for lid in (11, 10, 9, 8, 7, 4, 3):
        spread = spread.replace(f"lid {lid} ", f"lid {lid * 2} ")
    assert build_fabric("f", [discover(spread)]).lid_lmc.tolist() == [1] * 7
    assert "LID 4 belongs to 'spine'" in refused(discover(Written().discover(lmc=1)))[0].replace("port 0 of ", "")


def test_a_cable_that_two_files_end_differently() -> None:
    lines = LST.splitlines(keepends=True)
    spoke = [line for line in lines if "{n2 HCA-1}" in line]
    assert len(spoke) == 2
    moved = LST.replace("{leaf one} LID:0003 PN:04", "{leaf one} LID:0003 PN:06")
    built = build_fabric("f", [lst(), lst(moved, "moved.lst")])
    assert rules(built) == ["cabling-disagreement"]
    remark = built.remarks[0]
    assert remark.about == "0x00000000000a0011/1"
    assert [place.file for place in remark.places] == ["a.lst", "moved.lst"]
    assert built.fabric.n_links == 14
    assert built.fabric.out_link[0, 4] >= 0 and built.fabric.out_link[0, 6] < 0


def test_a_cable_that_only_one_file_has_is_kept_and_told() -> None:
    loop_back = "{leaf one} LID:0003 PN:02 }"
    fewer = "".join(line for line in LST.splitlines(keepends=True) if loop_back not in line)
    built = build_fabric("f", [lst(fewer, "fewer.lst"), discover()])
    assert rules(built) == ["cabling-only-in-one"]
    assert built.remarks[0].about == "0x00000000000b0001/2 - 0x00000000000b0001/5"
    assert built.remarks[0].places[1] == Place("fewer.lst")
    assert built.fabric.n_links == 14


@pytest.mark.parametrize(
    ("before", "after", "about"),
    [
        ("Switch\t8", "Switch\t6", "'leaf one' is a switch with 8 ports"),
        ("Rt\t2", "Ca\t2", "is a router with 2 ports"),
        ("lid 11 lmc", "lid 12 lmc", "has LID 11"),
    ],
)
def test_a_node_that_two_files_describe_differently(before: str, after: str, about: str) -> None:
    other = DISCOVER.replace(before, after)
    assert other != DISCOVER
    if after.startswith("Switch"):
        other = other.replace('Switch\t6 "S-00000000000b0002"', 'Switch\t8 "S-00000000000b0002"')
    built = build_fabric("f", [lst(), discover(other)])
    assert rules(built) == ["cabling-disagreement"] and about in built.remarks[0].message
    assert len(built.remarks[0].places) == 2


def test_two_fabrics_in_one_folder() -> None:
    shifted = LST.replace("00000000000", "0000000000f")
    said = refused(lst(), lst(shifted, "other.lst"))
    assert "two fabrics, or two moments of one, seem to be mixed" in said[0]
    assert said[0].startswith("other.lst:") and "a.lst:" in said[0]


def test_one_lid_of_two_ports_in_one_file() -> None:
    said = refused(lst(LST.replace("LID:0009", "LID:000A")))
    assert "LID 10 belongs to" in said[0] and "mixed" not in said[0]


def test_one_port_with_two_lids_in_one_file() -> None:
    said = refused(lst(LST.replace("LID:0009 PN:01 } { SW", "LID:0019 PN:01 } { SW")))
    assert "LID 25" in said[0] and "LID 9" in said[0] and "expected one" in said[0]


@pytest.mark.parametrize("none", ["0000", "FFFF"])
def test_no_lid_is_no_clash(none: str) -> None:
    built = build_fabric("f", [lst(LST.replace("LID:0009", f"LID:{none}").replace("LID:000a", f"LID:{none}"))])
    assert built.lid_base.tolist() == [3, 4, 7, 8, 11]


@pytest.mark.parametrize("lid", ["C000", "FFFE"])
def test_a_lid_beyond_unicast(lid: str) -> None:
    assert "expected 1 to 49151" in refused(lst(LST.replace("LID:0009", f"LID:{lid}")))[0]


def test_a_range_that_ends_beyond_unicast() -> None:
    assert "49151" in refused(discover(Written().discover(lmc=7).replace("lid 11 ", "lid 49100 ")))[0]


def test_a_radix_beyond_infiniband() -> None:
    assert "InfiniBand has 0 to 254" in refused(lst(LST.replace("Ports:08", "Ports:FF")))[0]


def test_a_port_beyond_its_radix() -> None:
    assert "cannot be cabled: its ports are 1 to 4" in refused(lst(LST.replace("Ports:08", "Ports:04")))[0]


def test_a_port_cabled_twice_in_one_file_is_refused_beside_other_files_too() -> None:
    twice = LST.replace("{leaf one} LID:0003 PN:04", "{leaf one} LID:0003 PN:03")
    for records in ([lst(twice)], [lst(twice), discover()]):
        assert "is cabled twice" in refused(*records)[0]


def test_nothing_is_no_fabric() -> None:
    assert "no cabling" in refused()[0]


def test_a_plan_joins_by_names_or_not_at_all() -> None:
    plan = "MTS800 spine\n P1 -> MTS800 leaf P1\n"
    known = ibutils_topo.read(source_of(plan.replace("leaf", "spine").replace("P1\n", "P2\n"), "p.topo"))
    unknown = ibutils_topo.read(source_of(plan, "p.topo"))
    assert "'leaf' is the name of no nodes" in refused(lst(), unknown)[0]
    assert build_fabric("f", [lst(), known]).fabric.n_nodes == 6
    again = ibutils_topo.read(source_of("MTS800 leaf\n P1 -> MTS800 spine P1\n P2 -> MTS800 top P1\n", "q.topo"))
    both = build_fabric("f", [unknown, again])
    assert both.fabric.node_name == ["leaf", "spine", "top"] and both.fabric.node_guid.tolist() == [0, 0, 0]
    assert both.fabric.identity(0) == "leaf" and rules(both) == ["cabling-only-in-one"]
    report = ibnetdiscover_ports.read(source_of(PORTS, "c.txt"))
    assert "has names and no GUIDs" in refused(report, unknown)[0]


CASES = sorted(path.parent.name for path in (SHARED / "cases" / "opensm").glob("*/opensm-subnet.lst*"))


@pytest.mark.parametrize("case", CASES or ["ring5_minhop"])
def test_real_opensm_fabrics_have_the_known_size(case: str) -> None:
    folder = shared_case(f"opensm/{case}")
    expected = yaml.safe_load((folder / "expected.yaml").read_text())["host_traffic"]
    read: Callable[[Source], CablingRecords] = subnet_lst.read
    built = build_fabric(case, [read(open_source(path)) for path in folder.glob("opensm-subnet.lst*")])
    fabric = built.fabric
    ordinary = sum(host.kind == NodeKind.HOST for host in fabric.hosts())
    assert (fabric.n_switches, ordinary) == (expected["switches"], expected["hosts"])
    assert built.remarks == () and len(built.lid_base) == fabric.n_nodes
