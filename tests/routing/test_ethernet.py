"""From hand-made Ethernet records to a network: hosts, classes, next hops, and what is refused."""

from ipaddress import IPv4Network, ip_address, ip_network

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pauseproof
from pauseproof.deadlock.analysis import analyse
from pauseproof.fabric.places import BadInput
from pauseproof.readers.declared import Declarations
from pauseproof.readers.roce_records import ConfigDb, NextHop
from pauseproof.routing.ethernet import ethernet_network
from pauseproof.routing.ethernet_records import EthernetRecords
from pauseproof.routing.groups import Grouping, sonic_order
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, RowTable
from pauseproof.routing.walk import walk_known, walk_worst
from roce_by_hand import Said, addresses, cables, declared, routes
from small_clos import LEAF_SPINE, TABLES, clos, entry, members, remarks, words

BOTH_SPINES = "leaf1>spine1 leaf1>spine2"


def refused(**records: object) -> str:
    with pytest.raises(BadInput) as caught:
        clos(**records)  # type: ignore[arg-type]
    return str(caught.value)


def host_names(network: Network) -> list[str]:
    return sorted(host.name for host in network.fabric.hosts())


def test_uncabled_ports_with_a_subnet_are_hosts_and_prefixes_are_columns() -> None:
    network = clos()
    assert host_names(network) == ["leaf1:swp31", "leaf2:swp31"]
    assert members(network) == {"10.10.1.0/24": ["leaf1:swp31"], "10.10.2.0/24": ["leaf2:swp31"]}
    assert entry(network, "leaf1", "10.10.2.0/24") == BOTH_SPINES
    assert entry(network, "leaf2", "10.10.2.0/24") == "deliver leaf2>leaf2:swp31"
    assert entry(network, "spine1", "10.10.2.0/24") == "spine1>leaf2"
    assert network.tables_read == 4
    assert isinstance(network.routes, RowTable)
    place = network.routes.place(0, list(network.destinations.names).index("10.10.2.0/24"))
    assert str(place) == "leaf1.json:4"


def test_loopbacks_management_ports_and_cabled_ports_are_no_hosts() -> None:
    more: dict[str, Said] = {"10.0.0.1/32": "lo", "192.168.7.0/24": "eth0", "10.99.0.0/24": "Loopback0"}
    network = clos({"leaf1": more, "spine1": {"10.0.0.2/32": "lo"}})
    assert host_names(network) == ["leaf1:swp31", "leaf2:swp31"]
    assert list(members(network)) == ["10.10.1.0/24", "10.10.2.0/24"]


def test_a_port_that_routes_use_is_a_link_whose_cable_is_missing_and_no_host() -> None:
    network = clos(cabled=LEAF_SPINE[1:])
    assert host_names(network) == ["leaf1:swp31", "leaf2:swp31"]
    assert entry(network, "leaf1", "10.10.2.0/24") == "leaf1>(uncabled) leaf1>spine2"
    assert entry(network, "spine1", "10.10.1.0/24") == "spine1>(uncabled)"
    assert entry(network, "(uncabled)", "10.10.1.0/24") == "unknown"
    assert len(remarks(network, "uncabled-link")) == 1
    assert not remarks(network, "table-missing")


def test_a_port_that_routes_lead_out_of_into_nothing_is_named() -> None:
    bgp: dict[str, Said | None] = {"10.10.1.0/24": "swp31", "10.66.0.1/32": ["10.10.1.5 swp31"]}
    network = clos({"leaf1": {**bgp, "10.10.7.0/24": "swp7", "0.0.0.0/0": ["192.168.0.1 eth0"]}})
    assert host_names(network) == ["leaf1:swp7", "leaf2:swp31"]
    assert remarks(network, "uncabled-link") == [
        "routes of leaf1 lead out of swp31, which no input cables; where it leads is unknown"
    ]


def test_a_host_route_takes_its_own_way_and_the_rest_of_the_subnet_keeps_its() -> None:
    network = clos({"leaf1": {"10.10.2.7/32": ["10.1.1.3 swp1"]}})
    assert entry(network, "leaf1", "10.10.2.7/32") == "leaf1>spine1"
    assert entry(network, "leaf1", "10.10.2.0/24") == BOTH_SPINES
    assert members(network)["10.10.2.7/32"] == ["leaf2:swp31"]
    assert walk_known(network, network.traffics["hosts"]).pairs == 3


def test_a_blackhole_inside_a_subnet_drops_that_part_of_it() -> None:
    network = clos({"spine1": {"10.10.2.128/25": "drop"}})
    assert entry(network, "spine1", "10.10.2.128/25") == "drop"
    assert entry(network, "leaf1", "10.10.2.128/25") == BOTH_SPINES
    assert walk_known(network, network.traffics["hosts"]).unroutable_pairs == 1


def test_a_default_route_serves_what_nothing_else_names() -> None:
    network = clos({"leaf1": {"10.10.2.0/24": None, "0.0.0.0/0": ["10.1.2.3 swp2"]}})
    assert entry(network, "leaf1", "10.10.2.0/24") == "leaf1>spine2"


def test_a_prefix_that_only_a_switch_owns_an_address_of_is_nobody_s() -> None:
    network = clos({"leaf2": {"10.10.2.1/32": "local"}, "leaf1": {"10.10.2.1/32": ["10.1.1.3 swp1"]}})
    assert "10.10.2.1/32" not in members(network)


def test_a_missing_row_drops_and_one_behind_a_cut_is_unknown() -> None:
    assert entry(clos({"spine1": {"10.10.2.0/24": None}}), "spine1", "10.10.2.0/24") == "drop"
    rows = {name: dict(table) for name, table in TABLES.items()}
    del rows["spine1"]["10.10.2.0/24"]
    tables = [routes(name, table, complete=name != "spine1") for name, table in rows.items()]
    network = clos(routes=tables)
    assert entry(network, "spine1", "10.10.2.0/24") == "unknown"
    assert entry(network, "spine1", "10.10.1.0/24") == "spine1>leaf1"
    assert remarks(network, "table-truncated")


def test_a_switch_without_a_table_is_unknown_and_a_server_is_no_switch() -> None:
    tables = [routes(name, table) for name, table in TABLES.items() if name != "spine2"]
    network = clos(routes=tables, cabled=(*LEAF_SPINE, "leaf1:swp30 srv1:eth0"))
    assert host_names(network) == ["leaf1:swp31", "leaf2:swp31", "srv1"]
    assert entry(network, "spine2", "10.10.1.0/24") == "unknown"
    assert len(remarks(network, "table-missing")) == 1
    (report,) = pauseproof.verify(network).fabrics
    assert report.verdict.value == "UNDECIDED"


def test_a_role_makes_a_switch_of_a_device_that_no_route_uses() -> None:
    cabling = cables(*LEAF_SPINE, "leaf1:swp30 box:1", roles={"box": "switch"})
    network = ethernet_network(EthernetRecords([cabling], [routes(n, t) for n, t in TABLES.items()]), "clos")
    assert "box" in list(network.fabric.node_name)[: network.fabric.n_switches]


def test_a_cabled_server_takes_packets_of_the_subnet_of_its_port() -> None:
    network = clos(cabled=(*LEAF_SPINE, "leaf1:swp31 srv1:eth0"))
    assert members(network)["10.10.1.0/24"] == ["srv1"]
    assert entry(network, "leaf1", "10.10.1.0/24") == "deliver leaf1>srv1"


def test_a_server_with_two_nics_in_two_subnets_has_a_column_for_each() -> None:
    network = clos(cabled=(*LEAF_SPINE, "leaf1:swp31 srv1:eth0", "leaf2:swp31 srv1:eth1"))
    assert members(network) == {"10.10.1.0/24": ["srv1"], "10.10.2.0/24": ["srv1"]}
    assert walk_known(network, network.traffics["hosts"]).pairs == 0


def mlag() -> Network:
    """srv1 is on both leaves with one subnet; x sends."""
    same: dict[str, dict[str, Said | None]] = {
        "leaf1": {"10.10.1.0/24": "bond1", "10.10.2.0/24": None, "10.10.9.0/24": ["10.1.1.3 swp1", "10.1.2.3 swp2"]},
        "leaf2": {"10.10.2.0/24": None, "10.10.1.0/24": "bond1", "10.10.9.0/24": ["10.1.1.5 swp1", "10.1.2.5 swp2"]},
        "spine1": {"10.10.2.0/24": None, "10.10.1.0/24": ["10.1.1.2 swp1", "10.1.1.4 swp2"], "10.10.9.0/24": "swp9"},
        "spine2": {"10.10.2.0/24": None, "10.10.1.0/24": ["10.1.2.2 swp1", "10.1.2.4 swp2"], "10.10.9.0/24": ["10.1.2.2 swp1"]},
    }
    lags = declared("lags: {leaf1: {bond1: [swp31]}, leaf2: {bond1: [swp31]}}")
    return clos(same, (*LEAF_SPINE, "leaf1:swp31 srv1:eth0", "leaf2:swp31 srv1:eth1"), declarations=lags)


def test_a_server_on_two_switches_takes_its_packets_at_either() -> None:
    network = mlag()
    assert members(network)["10.10.1.0/24"] == ["srv1", "srv1"]
    assert entry(network, "leaf1", "10.10.1.0/24") == "deliver leaf1>srv1"
    assert entry(network, "leaf2", "10.10.1.0/24") == "deliver leaf2>srv1"
    assert not isinstance(network.routes, RowTable)
    walked = walk_known(network, network.traffics["hosts"])
    assert (walked.pairs, walked.unroutable_pairs) == (4, 0)
    (report,) = pauseproof.verify(network).fabrics
    assert (report.coverage["pairs"], report.coverage["unroutable_pairs"]) == (4, 0)
    assert (report.coverage["buffers"], report.coverage["dependencies"]) == (len(walked.buffers), len(walked.dependencies))


def test_the_members_of_a_bundle_are_the_group() -> None:
    cabled = ("leaf1:swp1 spine1:swp1", "leaf1:swp2 spine1:swp3", *LEAF_SPINE[2:])
    lags = declared("lags: {leaf1: {po1: [swp1, swp2]}, spine1: {po1: [swp1, swp3]}}")
    up: dict[str, Said | None] = {"10.1.1.2/31": "po1", "10.1.2.2/31": None, "10.10.2.0/24": ["10.1.1.3 po1"]}
    network = clos({"leaf1": up, "spine1": {"10.1.1.2/31": "po1", "10.10.1.0/24": ["10.1.1.2 po1"]}}, cabled, declarations=lags)
    assert entry(network, "leaf1", "10.10.2.0/24") == "leaf1>spine1 leaf1>spine1"
    assert entry(network, "spine1", "10.10.1.0/24") == "spine1>leaf1 spine1>leaf1"


def test_servers_of_a_vlan_share_a_column_and_each_takes_its_own() -> None:
    vlans = declared("vlans: {leaf1: {vlan10: [swp31, swp32]}}")
    network = clos({"leaf1": {"10.10.1.0/24": "vlan10"}}, declarations=vlans)
    assert members(network)["10.10.1.0/24"] == ["leaf1:swp31", "leaf1:swp32"]
    assert walk_known(network, network.traffics["hosts"]).unroutable_pairs == 0


def test_a_route_to_a_server_of_a_vlan_leaves_its_servers_hosts() -> None:
    vlans = declared("vlans: {leaf1: {vlan10: [swp31]}}")
    network = clos({"leaf1": {"10.10.1.0/24": "vlan10", "10.66.0.1/32": ["10.10.1.5 vlan10"]}}, declarations=vlans)
    assert host_names(network) == ["leaf1:swp31", "leaf2:swp31"]


def test_a_server_on_a_bundle_is_one_server_with_a_port_for_each_cable() -> None:
    network = clos({"leaf1": {"10.10.1.0/24": "bond1"}}, declarations=declared("lags: {leaf1: {bond1: [swp31, swp32]}}"))
    assert members(network)["10.10.1.0/24"] == ["leaf1:bond1", "leaf1:bond1"]
    assert entry(network, "leaf1", "10.10.1.0/24") == "deliver leaf1>leaf1:bond1 leaf1>leaf1:bond1"
    (report,) = pauseproof.verify(network).fabrics
    assert (report.coverage["hosts"], report.coverage["pairs"], report.coverage["unroutable_pairs"]) == (3, 4, 0)


@pytest.mark.parametrize("key", ["lags", "vlans"])
def test_ports_of_a_device_that_nothing_speaks_of_are_refused(key: str) -> None:
    with pytest.raises(BadInput, match="vlan10 of 'laef1', which no other input speaks of; did you mean 'leaf1'"):
        clos({"leaf1": {"10.10.1.0/24": "vlan10"}}, declarations=declared(f"{key}: {{laef1: {{vlan10: [swp31]}}}}"))


def test_a_vlan_without_known_ports_has_no_hosts_and_is_said_to() -> None:
    network = clos({"leaf1": {"10.20.1.0/24": "vlan20"}})
    assert host_names(network) == ["leaf1:swp31", "leaf2:swp31"]
    assert len(remarks(network, "subnet-without-ports")) == 1


def test_a_vlan_over_two_switches_is_bridged_to_the_one_that_has_the_host() -> None:
    vlans = declared("vlans: {leaf1: {vlan10: [swp31, swp9]}, leaf2: {vlan10: [swp9, swp31]}}")
    changes: dict[str, dict[str, Said | None]] = {
        "leaf1": {"10.10.1.0/24": "vlan10", "10.10.2.0/24": None},
        "leaf2": {"10.10.1.0/24": "vlan10", "10.10.2.0/24": None},
    }
    network = clos(changes, (*LEAF_SPINE, "leaf1:swp9 leaf2:swp9"), declarations=vlans)
    assert entry(network, "leaf1", "10.10.1.0/24 at leaf1") == "deliver leaf1>leaf1:swp31"
    assert entry(network, "leaf1", "10.10.1.0/24 at leaf2") == "leaf1>leaf2"
    assert entry(network, "leaf2", "10.10.1.0/24 at leaf2") == "deliver leaf2>leaf2:swp31"


def test_declared_hosts_have_their_addresses_and_no_others() -> None:
    hosts = declared("hosts: [{name: gpu1, ports: [leaf1:swp31], addresses: [10.10.1.5, 10.10.1.6]}]")
    network = clos(declarations=hosts)
    assert members(network) == {"10.10.1.5/32 and 1 more": ["gpu1"], "10.10.2.0/24": ["leaf2:swp31"]}


def test_a_declared_host_on_no_port_is_refused() -> None:
    text = "hosts: [{name: gpu1, ports: [leaf1:swp1], addresses: [10.10.1.5]}]"
    assert "pauseproof.yaml:1:30: leaf1:swp1 leads to no host" in refused(declarations=declared(text))


def test_next_hops_by_address_alone() -> None:
    by_address: dict[str, Said | None] = {"10.10.2.0/24": ["10.1.1.3", "10.1.2.3"]}
    assert entry(clos({"leaf1": by_address}), "leaf1", "10.10.2.0/24") == BOTH_SPINES


def test_recursive_next_hops_are_looked_up_in_the_switch_s_own_table() -> None:
    recursive: dict[str, Said | None] = {"10.10.2.0/24": ["10.0.0.22"], "10.0.0.22/32": ["10.1.2.3 swp2"]}
    assert entry(clos({"leaf1": recursive}), "leaf1", "10.10.2.0/24") == "leaf1>spine2"


def test_link_local_next_hops_resolve_by_interface_and_cable() -> None:
    unnumbered: dict[str, Said | None] = {"10.10.2.0/24": ["fe80::1 swp1", "fe80::2 swp2"]}
    assert entry(clos({"leaf1": unnumbered}), "leaf1", "10.10.2.0/24") == BOTH_SPINES


def test_a_loop_of_recursion_is_unknown() -> None:
    loop: dict[str, Said | None] = {"10.10.2.0/24": ["10.0.0.1"], "10.0.0.0/24": ["10.0.0.2"]}
    assert entry(clos({"leaf1": loop}), "leaf1", "10.10.2.0/24") == "unknown"


@pytest.mark.parametrize("hop", ["10.1.1.9 swp1", "10.77.0.1", "10.1.1.9"])
def test_a_next_hop_that_nobody_owns_is_unknown_and_said_to_be(hop: str) -> None:
    network = clos({"leaf1": {"10.10.2.0/24": [hop]}})
    assert entry(network, "leaf1", "10.10.2.0/24") == "unknown"
    assert len(remarks(network, "next-hop-unknown")) == 1


def test_interface_addresses_say_who_owns_a_next_hop() -> None:
    hop: dict[str, Said | None] = {"10.10.2.0/24": ["10.55.0.1 swp1"]}
    owned = clos({"leaf1": hop}, addresses=[addresses("spine1", "lo 10.55.0.1/32", "swp1 10.1.1.3/31")])
    assert entry(owned, "leaf1", "10.10.2.0/24") == "leaf1>spine1"
    other = clos({"leaf1": hop}, addresses=[addresses("spine1", "swp1 10.1.1.3/31")])
    assert entry(other, "leaf1", "10.10.2.0/24") == "unknown"


def test_interface_addresses_stand_in_for_connected_routes_that_a_dump_lacks() -> None:
    only_bgp: dict[str, Said | None] = {"10.1.1.2/31": None, "10.1.2.2/31": None, "10.10.1.0/24": None}
    own = addresses("leaf1", "swp1 10.1.1.2/31", "swp2 10.1.2.2/31", "swp31 10.10.1.1/24")
    network = clos({"leaf1": only_bgp}, addresses=[own])
    assert members(network)["10.10.1.0/24"] == ["leaf1:swp31"]
    assert entry(network, "leaf1", "10.10.1.0/24") == "deliver leaf1>leaf1:swp31"


def grouped(network: Network, switch: str) -> list[tuple[str, ...]]:
    """What the groups of a switch hash over, where that is not plain: ``spine1+spine1*3`` for each next hop."""
    fabric, s = network.fabric, list(network.fabric.node_name).index(switch)
    names = [fabric.node_name[int(n)] for n in fabric.link_dst]
    groups: dict[tuple[int, ...], dict[int, Grouping]] = {}
    for d in range(len(network.destinations)):
        route = network.routes.route(s, d)
        if (s, route.links) in network.groups:
            groups.setdefault(route.links, {})[route.group] = network.group(s, route.links, route.group)
    return [
        (*("+".join(names[link] for link in m.links) + (f"*{m.weight}" if m.weight > 1 else "") for m in g.members), g.unclear)
        for links in sorted(groups)
        for _, g in sorted(groups[links].items())
    ]


def test_weights_are_kept() -> None:
    network = clos({"leaf1": {"10.10.2.0/24": ["10.1.1.3 swp1 x3", "10.1.2.3 swp2"]}})
    assert grouped(network, "leaf1") == [("spine1*3", "spine2", "")]
    ((s, links),) = network.groups
    assert network.group(s, links).members[0].weight == 3
    assert [member.links for member in network.group(s + 1, links).members] == [(link,) for link in links]


def test_routes_over_the_same_links_may_be_hashed_in_other_ways() -> None:
    """Costs of the way behind a spine differ from prefix to prefix: so do weights."""
    turned: dict[str, Said | None] = {"10.10.2.0/24": ["10.1.2.3 swp2", "10.1.1.3 swp1"]}
    assert grouped(clos({"leaf1": turned}), "leaf1") == [("spine2", "spine1", "")]
    heavy: dict[str, Said | None] = {**turned, "10.10.2.0/25": ["10.1.1.3 swp1 x2", "10.1.2.3 swp2"]}
    network = clos({"leaf1": heavy})
    assert grouped(network, "leaf1") == [("spine2", "spine1", ""), ("spine1*2", "spine2", "")]
    assert {entry(network, "leaf1", name) for name in ("10.10.2.0/24", "10.10.2.0/25")} == {BOTH_SPINES}
    ((where, known),) = network.groups.items()
    assert network.group(*where).unclear and not network.group(*where, number=1).unclear and len(known) == 2
    assert pauseproof.verify(network).fabrics[0].coverage == pauseproof.verify(clos({"leaf1": heavy})).fabrics[0].coverage


def test_dumps_that_list_next_hops_in_another_order_leave_the_order_unknown() -> None:
    tables = [routes(name, table) for name, table in TABLES.items()]
    again = routes("leaf1", {**TABLES["leaf1"], "10.10.2.0/24": ["10.1.2.3 swp2", "10.1.1.3 swp1"]}, file="again.json")
    network = clos(routes=[*tables, again])
    assert entry(network, "leaf1", "10.10.2.0/24") == BOTH_SPINES
    assert [unclear for *_, unclear in grouped(network, "leaf1")] != [""]


def test_sonic_sorts_next_hops_anew() -> None:
    config = ConfigDb("leaf1.json", "leaf1", {"DEVICE_METADATA": {"localhost": {}}}, {})
    turned: dict[str, Said | None] = {"10.10.2.0/24": ["10.1.2.3 swp2", "10.1.1.3 swp1"]}
    assert grouped(clos({"leaf1": turned}, configs=[config]), "leaf1") == []
    last = [NextHop("10.0.0.9", "Ethernet0"), NextHop("10.0.1.2", "Ethernet4"), NextHop("10.0.0.2", "Ethernet8")]
    assert [hop.interface for hop in sorted(last, key=sonic_order)] == ["Ethernet8", "Ethernet4", "Ethernet0"]
    six = [NextHop("fe80::2", "b"), NextHop("fe80::1", "b"), NextHop("fe80::2", "a"), NextHop("10.0.0.9", "c")]
    assert [hop.address + hop.interface for hop in sorted(six, key=sonic_order)] == [
        "10.0.0.9c",
        "fe80::1b",
        "fe80::2a",
        "fe80::2b",
    ]


def test_the_cables_of_a_bundle_are_one_next_hop() -> None:
    cabled = (*LEAF_SPINE, "leaf1:swp3 spine1:swp3", "leaf1:swp4 spine2:swp3")
    lags = declared("lags: {leaf1: {bond1: [swp1, swp3]}, spine1: {bond9: [swp1, swp3]}}")
    rows: dict[str, Said | None] = {
        "10.1.1.2/31": "bond1",
        "10.10.2.0/24": ["10.1.1.3 bond1 x2", "10.1.2.3 swp2", "fe80::1 swp4"],
    }
    spine: dict[str, Said | None] = {"10.1.1.2/31": "bond9", "10.10.1.0/24": ["10.1.1.2 bond9"]}
    network = clos({"leaf1": rows, "spine1": spine}, cabled, declarations=lags)
    assert grouped(network, "leaf1") == [("spine1+spine1*2", "spine2", "spine2", "")]
    assert grouped(network, "spine1") == [("leaf1+leaf1", "")]


def test_a_switch_bridges_over_a_bundle_as_over_one_next_hop() -> None:
    cabled = (*LEAF_SPINE, "leaf1:swp5 leaf2:swp5", "leaf1:swp6 leaf2:swp6")
    lags = "lags: {leaf1: {bond1: [swp5, swp6]}, leaf2: {bond1: [swp5, swp6]}}"
    both = declared(f"{lags}\nvlans: {{leaf1: {{vlan10: [bond1]}}, leaf2: {{vlan10: [bond1, swp31]}}}}")
    network = clos({"leaf1": {"10.10.2.0/24": "vlan10"}, "leaf2": {"10.10.2.0/24": "vlan10"}}, cabled, declarations=both)
    assert entry(network, "leaf1", "10.10.2.0/24") == "leaf1>leaf2 leaf1>leaf2"
    assert grouped(network, "leaf1") == [("leaf2+leaf2", "")]


def test_a_bond_of_a_server_is_one_next_hop_of_its_switch() -> None:
    network = clos({"leaf1": {"10.10.1.0/24": "bond1"}}, declarations=declared("lags: {leaf1: {bond1: [swp31, swp32]}}"))
    assert grouped(network, "leaf1") == [("leaf1:bond1+leaf1:bond1", "")]


def test_a_next_hop_found_in_the_switchs_own_table_leaves_its_weights_unknown() -> None:
    rows: dict[str, Said | None] = {"10.9.9.9/32": ["10.1.1.3 swp1", "10.1.2.3 swp2"], "10.10.2.0/24": ["10.9.9.9"]}
    ((*_, unclear),) = grouped(clos({"leaf1": rows}), "leaf1")
    assert unclear


def test_dumps_that_agree_are_one_table_and_a_row_in_dispute_is_unknown() -> None:
    tables = [routes(name, table) for name, table in TABLES.items()]
    again = routes("leaf1", {**TABLES["leaf1"], "10.0.0.1/32": "lo"}, file="again.json")
    assert entry(clos(routes=[*tables, again]), "leaf1", "10.10.2.0/24") == BOTH_SPINES
    other = routes("leaf1", {**TABLES["leaf1"], "10.10.2.0/24": ["10.1.1.3 swp1"]}, file="other.json")
    network = clos(routes=[*tables, again, other])
    assert entry(network, "leaf1", "10.10.2.0/24") == "unknown"
    assert entry(network, "leaf1", "10.10.1.0/24") == "deliver leaf1>leaf1:swp31"
    (remark,) = [remark for remark in network.remarks if remark.rule == "table-disagreement"]
    assert {str(place) for place in remark.places} == {"leaf1.json:4", "other.json:4"}


def test_a_table_of_one_family_says_nothing_of_the_other() -> None:
    six: dict[str, dict[str, Said | None]] = {
        "leaf1": {"2001:db8:1::/64": "swp31", "2001:db8:2::/64": ["fe80::1 swp1"]},
        "leaf2": {"2001:db8:2::/64": "swp31", "2001:db8:1::/64": ["fe80::1 swp1"]},
        "spine1": {"2001:db8:1::/64": ["fe80::1 swp1"], "2001:db8:2::/64": ["fe80::1 swp2"]},
    }
    network = clos(six)
    assert entry(network, "leaf1", "2001:db8:2::/64") == "leaf1>spine1"
    assert entry(network, "spine2", "2001:db8:2::/64") == "unknown"
    assert members(network)["2001:db8:2::/64"] == ["leaf2:swp31"]


def test_columns_that_all_tables_treat_alike_are_one() -> None:
    six: dict[str, dict[str, Said | None]] = {
        "leaf1": {"2001:db8:1::/64": "swp31", "2001:db8:2::/64": ["fe80::1 swp1", "fe80::1 swp2"]},
        "leaf2": {"2001:db8:2::/64": "swp31", "2001:db8:1::/64": ["fe80::1 swp1", "fe80::1 swp2"]},
        "spine1": {"2001:db8:1::/64": ["fe80::1 swp1"], "2001:db8:2::/64": ["fe80::1 swp2"]},
        "spine2": {"2001:db8:1::/64": ["fe80::1 swp1"], "2001:db8:2::/64": ["fe80::1 swp2"]},
    }
    assert list(members(clos(six))) == ["10.10.1.0/24 and 1 more", "10.10.2.0/24 and 1 more"]


def test_one_vrf_at_a_time() -> None:
    tables = [routes(name, table, vrf="Vrf-gpu") for name, table in TABLES.items()]
    assert members(clos(routes=tables)) == members(clos())
    both = [*tables, *(routes(name, {}) for name in TABLES)]
    network = clos(routes=both, declarations=declared("vrf: Vrf-gpu"))
    assert members(network) == members(clos())
    assert any("Vrf-gpu" in sentence and "default" in sentence for sentence in network.assumptions)


def test_a_vrf_that_is_not_there_is_refused() -> None:
    assert refused(declarations=declared("vrf: Vrf-gpu")).endswith(
        "no table of VRF 'Vrf-gpu' was read; expected one of default"
    )
    several = [routes("leaf1", TABLES["leaf1"], vrf="a"), routes("leaf2", TABLES["leaf2"], vrf="b")]
    assert "tables of VRFs a, b, none of them the default one" in refused(routes=several)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ({"routes": []}, "cables.csv: cabling, but no forwarding tables"),
        ({"cables": []}, "leaf1.json: forwarding tables, but no cabling"),
        ({"cabled": ["a:1 b:1"]}, "tables of leaf1, leaf2, spine1, spine2, but the cabling speaks of a, b"),
        ({"changes": {"leaf1": {"10.10.1.0/24": None}, "leaf2": {"10.10.2.0/24": None}}}, "no port leads to a host"),
        ({"declarations": [Declarations("a.yaml"), Declarations("b.yaml")]}, "b.yaml: a second declaration beside a.yaml"),
    ],
)
def test_what_cannot_be_one_fabric_is_refused(records: dict[str, object], said: str) -> None:
    assert said in refused(**records)


def test_a_forwarding_loop_says_how_little_fills_it_and_who_reaches_it() -> None:
    rows = {"a": {"10.1.0.0/31": "s1", "10.9.0.0/24": ["10.1.0.1 s1"], "10.8.0.0/24": "h1"}}
    rows |= {"b": {"10.1.0.0/31": "s1", "10.9.0.0/24": ["10.1.0.0 s1"], "10.8.0.0/24": ["10.1.0.0 s1"]}}
    rows |= {"c": {"10.2.0.0/31": "s1", "10.9.0.0/24": "h1"}}
    tables = [routes(name, table) for name, table in rows.items()]
    cabling = cables("a:s1 b:s1", "b:s2 c:s1", speed=40.0)
    records = EthernetRecords([cabling], tables, (), (), declared("ttl: 16"))
    (report,) = pauseproof.verify(ethernet_network(records, "loop")).fabrics
    (message,) = [f.message for f in report.findings if f.slug == "forwarding-loop"]
    assert message.endswith("it freezes when more than 5 Gb/s (2 links of 40 Gb/s, TTL 16) enters it; a:h1 can send into it")


PREFIXES = st.sampled_from(
    ["0.0.0.0/0", "10.10.0.0/22", "10.10.1.0/28", "10.10.1.8/29", "10.10.1.9/32", "10.10.2.0/28", "10.10.2.4/30"]
)
SAID = st.sampled_from(["drop", "up", "other", "one"])
CHANGES = st.dictionaries(st.sampled_from(list(TABLES)), st.dictionaries(PREFIXES, SAID, max_size=5), max_size=4)
BESIDE = {"leaf1": ("10.1.1.3 swp1", "10.1.2.3 swp2"), "leaf2": ("10.1.1.5 swp1", "10.1.2.5 swp2")}
BESIDE |= {"spine1": ("10.1.1.2 swp1", "10.1.1.4 swp2"), "spine2": ("10.1.2.2 swp1", "10.1.2.4 swp2")}


def say(device: str, what: str) -> Said:
    first, second = BESIDE[device]
    return {"drop": "drop", "up": [first, second], "one": [first], "other": [second]}[what]


def naive(rows: dict[str, dict[str, Said]], device: str, address: int) -> str:
    """The entry by looking one address up, in the words of ``small_clos.words``."""
    found = [ip_network(p) for p in rows[device] if ip_address(address) in ip_network(p)]
    if not found:
        return "drop"
    said = rows[device][str(max(found, key=lambda prefix: prefix.prefixlen))]
    if said == "drop":
        return "drop"
    if said == "swp31":
        return f"deliver {device}>{device}:swp31"
    if isinstance(said, str):
        return "drop"
    ports = {hop.split()[1] for hop in said}
    ends = [cable.split() for cable in LEAF_SPINE]
    far = {a: b for pair in ends for a, b in (pair, pair[::-1])}
    return " ".join(sorted(f"{device}>{far[f'{device}:{port}'].split(':')[0]}" for port in ports))


@settings(max_examples=40)
@given(CHANGES)
def test_columns_are_what_looking_up_every_address_gives(changes: dict[str, dict[str, str]]) -> None:
    rows = {name: dict(table) for name, table in TABLES.items()}
    for name, table in rows.items():
        for prefix in ("10.10.1.0/24", "10.10.2.0/24"):
            table[prefix.replace("/24", "/28")] = table.pop(prefix)
        for prefix, what in changes.get(name, {}).items():
            if table.get(prefix) != "swp31":
                table[prefix] = say(name, what)
    network = clos(routes=[routes(name, table) for name, table in rows.items()])
    names = list(network.fabric.node_name)[: network.fabric.n_switches]
    for h, (leaf, subnet) in enumerate((("leaf1", "10.10.1.0/28"), ("leaf2", "10.10.2.0/28"))):
        found = {
            tuple(words(network, s, d) for s in range(len(names)))
            for d in range(len(network.destinations))
            if network.destinations.members(d) == (h,)
        }
        delivered = f"deliver {leaf}>{leaf}:swp31"
        every = [tuple(naive(rows, name, int(address)) for name in names) for address in IPv4Network(subnet)]
        assert found == {column for column in every if column[names.index(leaf)] == delivered}


def test_whole_tables_hash_and_deliver_and_nothing_else() -> None:
    kinds = {clos().routes.route(s, d).kind for s in range(4) for d in range(2)}
    assert kinds == {ChoiceKind.HASHED, ChoiceKind.DELIVER}


ODD = st.sampled_from(["10.10.1.0/24", "10.10.2.0/24", "10.10.2.7/32", "0.0.0.0/0"])
SAYS = st.sampled_from(["drop", "up", "one", "other", "nobody", "tunnel"])
STRANGE = st.dictionaries(st.sampled_from(list(TABLES)), st.dictionaries(ODD, SAYS, max_size=3), max_size=4)


OUT_OF_A_TUNNEL = {"leaf1": {"10.10.2.0/24": "nobody"}, "spine1": {"10.10.1.0/24": "drop", "10.10.2.0/24": "tunnel"}}


@settings(max_examples=40)
@given(STRANGE, st.booleans(), st.booleans())
@example(OUT_OF_A_TUNNEL, False, False)  # leaf1 unpacks them, and where they go then was not read
def test_the_engine_finds_what_the_naive_walk_finds(changes: dict[str, dict[str, str]], bond: bool, cut: bool) -> None:
    rows = {name: dict(table) for name, table in TABLES.items()}
    for name, table in rows.items():
        table["10.0.0.1/32" if name == "leaf1" else "10.0.0.9/32"] = "lo"
        table.setdefault("10.0.0.1/32", say(name, "one"))
        for prefix, what in changes.get(name, {}).items():
            if table.get(prefix) != "swp31":
                strange = {"nobody": ["10.77.0.1"], "tunnel": [">10.0.0.1"]}
                table[prefix] = strange[what] if what in strange else say(name, what)
    if bond:
        rows["leaf2"]["10.10.1.0/24"] = "swp30"
    servers = ("leaf1:swp31 srv1:eth0", "leaf2:swp30 srv1:eth1") if bond else ()
    tables = [routes(name, table, complete=not cut or name != "spine1") for name, table in rows.items()]
    network = clos(routes=tables, cabled=(*LEAF_SPINE, *servers))
    traffic = network.traffics["hosts"]
    for worst, walked in ((False, walk_known(network, traffic)), (True, walk_worst(network, traffic))):
        found = analyse(network, traffic, worst=worst)
        assert (found.n_buffers, found.n_dependencies) == (len(walked.buffers), len(walked.dependencies))
        if not worst:
            out = found.outcomes
            counts = out.pairs, out.unroutable_pairs, out.looping_pairs, out.unknown_pairs
            assert counts == (walked.pairs, walked.unroutable_pairs, walked.looping_pairs, walked.unknown_pairs)


def verdict(network: Network) -> str:
    return pauseproof.verify(network).fabrics[0].verdict.value


def test_ipv6_addresses_beside_ipv4_tables_tell_nothing_of_other_ipv6_prefixes() -> None:
    forward = {name: {p: said for p, said in rows.items() if not isinstance(said, str)} for name, rows in TABLES.items()}
    own = [
        addresses("leaf1", "swp1 10.1.1.2/31", "swp2 10.1.2.2/31", "swp31 10.10.1.1/24", "swp31 2001:db8:1::1/64"),
        addresses("leaf2", "swp1 10.1.1.4/31", "swp2 10.1.2.4/31", "swp31 10.10.2.1/24", "swp31 2001:db8:2::1/64"),
        addresses("spine1", "swp1 10.1.1.3/31", "swp2 10.1.1.5/31", "swp1 2001:db8:f::1/64"),
        addresses("spine2", "swp1 10.1.2.3/31", "swp2 10.1.2.5/31"),
    ]
    records = EthernetRecords([cables(*LEAF_SPINE)], [routes(name, rows) for name, rows in forward.items()], own)
    network = ethernet_network(records, "clos")
    entries = [entry(network, switch, "2001:db8:2::/64") for switch in TABLES]
    assert entries == ["unknown", "deliver leaf2>leaf2:swp31", "unknown", "unknown"]
    assert entry(network, "leaf1", "10.10.2.0/24") == BOTH_SPINES
    assert verdict(network) == "UNDECIDED"


@pytest.mark.parametrize(("interface", "said"), [("Vlan10", "unknown"), ("vrf-red", "unknown"), ("lo", "drop")])
def test_what_lies_behind_an_interface_without_known_ports_is_unknown(interface: str, said: str) -> None:
    assert entry(clos({"leaf2": {"10.10.1.0/24": interface}}), "leaf2", "10.10.1.0/24") == said


def test_prefixes_behind_several_unread_switches_are_destinations_behind_each() -> None:
    records = EthernetRecords([cables(*LEAF_SPINE)], [routes("leaf1", TABLES["leaf1"])])
    network = ethernet_network(records, "clos")
    assert members(network)["10.10.2.0/24 at spine1"] == ["spine1:unread"]
    assert entry(network, "leaf1", "10.10.2.0/24 at spine2") == BOTH_SPINES
    assert verdict(network) == "UNDECIDED"


def test_unread_switches_behind_which_nobody_is_looked_for_are_named() -> None:
    rows: dict[str, dict[str, Said]] = {name: dict(TABLES[name]) for name in ("leaf1", "spine1", "spine2")}
    for table in rows.values():
        del table["10.10.2.0/24"]
    network = ethernet_network(EthernetRecords([cables(*LEAF_SPINE)], [routes(n, t) for n, t in rows.items()]), "clos")
    assert "no host is taken to be behind switches leaf2, whose table was not read" not in clos().assumptions
    assert not any("leaf2" in line for line in network.assumptions)  # no route leads to it: it is a host
    rows["spine1"]["0.0.0.0/0"] = ["10.1.1.4 swp2"]
    network = ethernet_network(EthernetRecords([cables(*LEAF_SPINE)], [routes(n, t) for n, t in rows.items()]), "clos")
    assert "no host is taken to be behind switches leaf2, whose table was not read" in network.assumptions


def test_hosts_without_an_address_are_named_and_none_at_all_refused() -> None:
    cabled = (*LEAF_SPINE, "leaf1:swp31 h1:e", "leaf2:swp31 h2:e")
    network = clos({"leaf1": {"10.10.1.0/24": "Vlan10"}}, cabled=cabled)
    assert "nothing is sent to hosts h1: no connected subnet of their ports was read" in network.assumptions
    with pytest.raises(BadInput, match="no host has an address as far as was read: nothing is sent"):
        clos({"leaf1": {"10.10.1.0/24": "Vlan10"}, "leaf2": {"10.10.2.0/24": "Vlan10"}}, cabled=cabled)


def test_more_labels_than_bits_are_refused() -> None:
    with pytest.raises(BadInput, match="hosts send with too many DSCPs, 64; expected up to 32"):
        clos(declarations=declared("lossless: [0, 1, 2, 3, 4, 5, 6, 7]\n"))
