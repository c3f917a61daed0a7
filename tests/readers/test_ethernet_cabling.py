from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.places import BadInput
from pauseproof.readers import cable_csv, registry
from pauseproof.readers.ethernet_cabling import BuiltEthernet, ethernet_fabric
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from texts import source_of

Row = tuple[str, str, str, str]
CLOS = ("clos4x2.clab.yml", "clos4x2.layer1_topology.json", "clos4x2.ptm.dot")
SWITCHES = {*(f"leaf{i}" for i in range(1, 5)), "spine1", "spine2"}


def records(*rows: Row, file: str = "plan.csv", format: str = "cable-csv", **more: Any) -> CableRecords:
    a, a_port, b, b_port = ([row[i] for row in rows] for i in range(4))
    nan = np.full(len(rows), np.nan, np.float32)
    lines = np.arange(2, len(rows) + 2, dtype=np.int32)
    return CableRecords(file, format, a, a_port, b, b_port, nan, nan, lines, **more)


def built(*of: CableRecords, switches: Collection[str] = ("leaf1", "leaf2", "spine1", "spine2"), **more: Any) -> BuiltEthernet:
    extra: Mapping[str, Collection[str]] = more.pop("extra_ports", {})
    return ethernet_fabric("f", of, switches=switches, extra_ports=extra, **more)


def cables(fabric: Fabric) -> list[tuple[str, str, str, str]]:
    """Every link by names, from its sending to its receiving end."""
    name, port = fabric.node_name, fabric.port_name
    return [(name[l.src], port(l.src, l.src_port), name[l.dst], port(l.dst, l.dst_port)) for l in fabric.links()]


def refused(*of: CableRecords, **more: Any) -> list[str]:
    with pytest.raises(BadInput) as caught:
        built(*of, **more)
    return list(map(str, caught.value.problems))


def test_the_three_forms_of_one_cabling_give_one_fabric() -> None:
    hosts = {(f"leaf{i}", "swp31"): f"server{i}" for i in range(1, 5)}
    found = []
    for file in CLOS:
        source = open_source(shared_case(f"frr/{file}"))
        reader = registry.reader_for(source.head)
        assert reader is not None
        found.append(built(reader.read(source), switches=SWITCHES, hosts=hosts).fabric)
    assert found[0].n_switches == 6 and found[0].n_hosts == 4 and found[0].n_links == 24
    assert ("leaf1", "swp31", "server1", "nic0") in cables(found[0])
    assert cables(found[0]) == cables(found[1]) == cables(found[2])
    together = ethernet_fabric(
        "all", [_of(shared_case(f"frr/{file}")) for file in CLOS], switches=SWITCHES, extra_ports={}, hosts=hosts
    )
    assert cables(together.fabric) == cables(found[0]) and together.remarks == ()


def _of(path: Path) -> CableRecords:
    source = open_source(path)
    reader = registry.reader_for(source.head)
    assert reader is not None
    found: CableRecords = reader.read(source)
    return found


def test_ports_are_numbered_in_natural_order_among_all_that_are_known() -> None:
    one = built(
        records(("leaf1", "swp10", "spine1", "swp1"), ("leaf1", "swp2", "spine2", "swp1")),
        extra_ports={"leaf1": ["swp9", "lo", "swp2"]},
    )
    leaf = one.node["leaf1"]
    assert list(one.fabric.port_names[leaf]) == ["", "lo", "swp2", "swp9", "swp10"]
    assert one.port["leaf1", "swp10"] == 4 and ("leaf1", "swp1") not in one.port
    assert one.fabric.out_link[leaf].tolist()[2:] == [one.fabric.out_link[leaf, 2], -1, one.fabric.out_link[leaf, 4]]
    assert str(one.fabric.place_of_link(int(one.fabric.out_link[leaf, 4]))) == "plan.csv:2"


def test_who_is_a_switch() -> None:
    one = built(
        records(("leaf1", "1", "x", "1"), ("leaf1", "2", "y", "1"), roles={"x": "switch", "leaf1": "host"}),
        switches=["leaf1", "z"],
    )
    kinds = dict(zip(one.fabric.node_name, one.fabric.node_kind.tolist(), strict=True))
    assert kinds == {"leaf1": NodeKind.SWITCH, "x": NodeKind.SWITCH, "z": NodeKind.SWITCH, "y": NodeKind.HOST}


def test_a_cable_stated_from_both_ends_is_one() -> None:
    one = built(records(("leaf1", "a", "spine1", "b"), ("spine1", "b", "leaf1", "a")))
    assert one.fabric.n_links == 2 and one.remarks == ()


def test_case_makes_another_port_but_not_another_device() -> None:
    one = built(records(("leaf1", "eth1", "spine1", "a"), ("LEAF1", "Eth1", "spine1", "b")))
    assert [c for c in cables(one.fabric) if c[0] == "leaf1"] == [
        ("leaf1", "eth1", "spine1", "a"),
        ("leaf1", "Eth1", "spine1", "b"),
    ]
    assert one.node["LEAF1"] == one.node["leaf1"] and one.port["LEAF1", "Eth1"] == one.port["leaf1", "Eth1"]


def test_a_domain_is_no_other_device() -> None:
    one = built(
        records(("leaf1.example.com", "a", "spine1", "b"), ("10.0.0.1", "a", "spine1", "c")), switches=["leaf1", "spine1", "10"]
    )
    assert sorted(one.fabric.node_name) == ["10", "10.0.0.1", "leaf1", "spine1"]
    assert one.node["leaf1.example.com"] == one.node["leaf1"]
    two = records(("leaf1.east", "a", "spine1", "b"), ("leaf1.west", "a", "spine1", "c"))
    assert refused(two) == ["plan.csv:3: 'leaf1.east' and 'leaf1.west' could both be 'leaf1'; expected one of them"]


def test_aliases_of_the_caller_and_of_the_file() -> None:
    names = {"leaf1": {"fortyGigE0/112": "Ethernet112"}}
    plan = records(("leaf1", "fortyGigE0/112", "spine1", "e1-1"), aliases={"spine1": {"e1-1": "ethernet-1/1"}})
    seen = records(("leaf1", "Ethernet112", "spine1", "ethernet-1/1"), file="leaf1.lldp", format="lldp-table", declared=False)
    one = built(plan, seen, aliases=names)
    assert cables(one.fabric)[0] == ("spine1", "ethernet-1/1", "leaf1", "Ethernet112") and one.fabric.n_links == 2
    assert one.port["leaf1", "fortyGigE0/112"] == one.port["leaf1", "Ethernet112"] == 1 and one.remarks == ()


def test_an_alias_that_looks_like_another_ports_name() -> None:
    names = {"leaf1": {"Ethernet4": "Ethernet12", "Ethernet1": "Ethernet0", "Ethernet2": "Ethernet4"}}
    mini = built(records(("leaf1", "Ethernet4", "spine1", "a"), format="minigraph"), aliases=names)
    config = built(records(("leaf1", "Ethernet4", "spine1", "a"), format="DEVICE_NEIGHBOR of config_db"), aliases=names)
    lldp = built(records(("spine1", "Ethernet4", "leaf1", "Ethernet4"), format="lldp-table"), aliases=names)
    assert [one.port.get(("leaf1", "Ethernet12")) for one in (mini, config, lldp)] == [1, None, 1]
    assert lldp.port["spine1", "Ethernet4"] == 1


def test_what_is_observed_counts_before_what_is_declared() -> None:
    plan = records(("leaf1", "a", "spine1", "1"), ("leaf2", "a", "spine2", "1"), whole=True)
    seen = records(("leaf1", "a", "spine2", "1"), file="leaf1.lldp", format="lldp-table", declared=False)
    one = built(plan, seen)
    assert cables(one.fabric) == [("spine2", "1", "leaf1", "a"), ("leaf1", "a", "spine2", "1")]
    assert [(r.rule, r.about, tuple(map(str, r.places))) for r in one.remarks] == [
        ("cabling-disagreement", "leaf1/a", ("leaf1.lldp:2", "plan.csv:2")),
        ("cabling-disagreement", "spine2/1", ("leaf1.lldp:2", "plan.csv:3")),
    ]
    assert one.remarks[0].message == (
        "port a of 'leaf1' is cabled to port 1 of 'spine2' in leaf1.lldp, to port 1 of 'spine1' in plan.csv;"
        " what was observed counts"
    )


def test_a_port_that_sees_several_neighbours() -> None:
    seen = records(("leaf1", "a", "nic", "x"), ("leaf1", "a", "server", "y"), file="leaf1.lldp", declared=False)
    plan = records(("leaf1", "a", "server", "y"), file="plan", whole=True)
    assert cables(built(seen).fabric)[1][2:] == ("nic", "x") and "the first counts" in built(seen).remarks[0].message
    confirmed = built(seen, plan)
    assert cables(confirmed.fabric)[1][2:] == ("server", "y")
    assert list(confirmed.fabric.node_name) == ["leaf1", "leaf2", "spine1", "spine2", "server"]


def test_a_port_cabled_twice_in_one_plan_is_refused() -> None:
    said = refused(records(("leaf1", "a", "spine1", "1"), ("leaf1", "a", "spine2", "1"), ("spine1", "2", "spine1", "2")))
    assert said == [
        "plan.csv:3: port a of 'leaf1' is cabled twice: here to port 1 of 'spine2', in line 2 to port 1 of 'spine1';"
        " a port has one cable",
        "plan.csv:4: port 2 of 'spine1' is cabled to itself",
    ]


def test_only_in_one_of_the_whole_plans() -> None:
    one = records(("leaf1", "a", "spine1", "1"), ("leaf2", "a", "spine1", "2"), file="one", whole=True)
    two = records(("spine1", "1", "leaf1", "a"), file="two", whole=True)
    part = records(("leaf1", "z", "server", "1"), file="leaf1.lldp", declared=False)
    assert [(r.rule, r.about, str(r.places[0])) for r in built(one, two, part).remarks] == [
        ("cabling-only-in-one", "leaf2/a - spine1/2", "one:3")
    ]
    assert built(one, part).remarks == ()


def test_many_cables_in_one_plan_only_are_counted() -> None:
    one = records(*[("leaf1", str(i), "spine1", str(i)) for i in range(25)], file="one", whole=True)
    two = records(("leaf2", "1", "spine2", "1"), file="two", whole=True)
    remarks = built(one, two).remarks
    assert len(remarks) == 22 and remarks[-2].message == "5 more cables of one are not in two"


def test_the_two_arms_of_a_y_cable() -> None:
    arms = [
        records((tor, "Ethernet4", "server", "eth0"), file=f"{tor}.xml", format="minigraph", roles={"server": "host"})
        for tor in ("leaf1", "leaf2")
    ]
    one = built(*arms)
    assert one.remarks == () and one.fabric.n_hosts == 2
    assert [c[:3] for c in cables(one.fabric)[2:]] == [("leaf1", "Ethernet4", "server"), ("leaf2", "Ethernet4", "server")]
    assert list(one.fabric.port_names[one.node["server"]]) == ["", "eth0", "eth0#2"]
    other = records(("leaf2", "Ethernet4", "server", "eth0"), file="plan")
    assert [r.rule for r in built(arms[0], other).remarks] == ["cabling-disagreement"]


def test_hosts_of_the_caller() -> None:
    plan = records(("leaf1", "a", "spine1", "1"))
    one = built(plan, hosts={("leaf1", "swp31"): "h", ("leaf2", "swp31"): "h", ("leaf1", "swp4"): "g"})
    assert [(h.name, one.fabric.port_name(h.node, h.port)) for h in one.fabric.hosts()] == [
        ("g", "nic0"),
        ("h", "nic0"),
        ("h", "nic1"),
    ]
    assert one.fabric.place_of_link(int(one.fabric.host_up[0])) is None
    assert "has the name of a switch" in refused(plan, hosts={("leaf1", "swp31"): "spine1"})[0]
    assert "is cabled twice" in refused(plan, hosts={("leaf1", "a"): "h"})[0]


def test_no_files_and_no_cables() -> None:
    assert built(switches=["a"]).fabric.n_switches == 1 and built(records(), switches=["a"]).fabric.n_links == 0


PORT = st.tuples(st.sampled_from(["s1", "s2", "h1", "h2"]), st.sampled_from(["1", "2", "3"]))


@given(st.lists(st.lists(st.tuples(PORT, PORT), max_size=4), max_size=3))
def test_whatever_observers_say_no_port_has_two_cables_and_nothing_is_lost_silently(
    files: list[list[tuple[tuple[str, str], tuple[str, str]]]],
) -> None:
    seen = [
        records(*[(*a, *b) for a, b in rows if a != b], file=str(i), format=str(i), declared=False)
        for i, rows in enumerate(files)
    ]
    one = built(*seen, switches=["s1", "s2"])
    kept = cables(one.fabric)
    ends = [c[:2] for c in kept]
    assert len(set(ends)) == len(ends)
    stated = {frozenset((a, b)) for rows in files for a, b in rows if a != b}
    there = {frozenset((c[:2], c[2:])) for c in kept}
    disagreements = [r for r in one.remarks if r.rule == "cabling-disagreement"]
    assert there <= stated and len(stated - there) == len(disagreements)


def test_speeds_and_lengths_reach_the_links() -> None:
    text = b"a_device,a_port,b_device,b_port,speed,length\nleaf1,a,spine1,b,100G,3\nleaf1,c,spine1,d,,\n"
    fabric = built(cable_csv.read(source_of(text))).fabric
    assert fabric.speed is not None and fabric.length is not None
    by_name = {c[:2]: (float(fabric.speed[i]), float(fabric.length[i])) for i, c in enumerate(cables(fabric))}
    assert by_name["leaf1", "a"] == by_name["spine1", "b"] == (100.0, 3.0)
    assert np.isnan(by_name["leaf1", "c"]).all()
