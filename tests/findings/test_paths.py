"""Valleys and lopsided groups, named with the switch and the prefix."""

import pauseproof
from pauseproof.findings.paths import path_findings
from pauseproof.routing.ethernet import ethernet_network
from pauseproof.routing.ethernet_records import EthernetRecords
from pauseproof.routing.network import Network
from roce_by_hand import Said, cables, routes
from small_clos import LEAF_SPINE, TABLES, clos


def found(network: Network, slug: str) -> list[str]:
    return [f.message for f in path_findings(network, network.traffics["hosts"]) if f.slug == slug]


def test_a_whole_clos_has_none() -> None:
    network = clos()
    assert path_findings(network, network.traffics["hosts"]) == []


def three_leaves(changes: dict[str, dict[str, Said | None]]) -> Network:
    cabled = (*LEAF_SPINE, "leaf3:swp1 spine1:swp3", "leaf3:swp2 spine2:swp3")
    third: dict[str, dict[str, Said | None]] = {
        "leaf3": {"10.10.1.0/24": ["fe80::1 swp1", "fe80::1 swp2"], "10.10.2.0/24": ["fe80::1 swp1", "fe80::1 swp2"]},
    }
    third["leaf3"]["10.10.3.0/24"] = "swp31"
    for leaf in ("leaf1", "leaf2"):
        third[leaf] = {"10.10.3.0/24": ["fe80::1 swp1", "fe80::1 swp2"]}
    for spine in ("spine1", "spine2"):
        third[spine] = {"10.10.3.0/24": ["fe80::1 swp3"]}
    for name, rows in changes.items():
        third.setdefault(name, {}).update(rows)
    return clos(third, cabled)


def test_a_leaf_that_sends_up_what_came_down_is_a_valley() -> None:
    network = three_leaves({"spine1": {"10.10.1.0/24": ["fe80::1 swp2"]}})
    assert found(network, "valley-path") == [
        "leaf2 sends packets for 10.10.1.0/24 that came down to it up again, to spine1, spine2"
    ]
    (finding,) = [f for f in pauseproof.verify(network).fabrics[0].findings if f.slug == "valley-path"]
    assert [str(place) for place in finding.where] == ["leaf2.json:4"]
    assert finding.identity == "valley-path/leaf2"


def test_an_entry_that_no_packet_meets_is_no_valley() -> None:
    """spine1 would send packets for 10.10.1.0/24 down to leaf2, but nobody sends them to spine1."""
    away: dict[str, Said | None] = {"10.10.1.0/24": ["fe80::1 swp2"]}
    network = three_leaves({"spine1": {"10.10.1.0/24": ["fe80::1 swp2"]}, "leaf2": away, "leaf3": away})
    assert found(network, "valley-path") == []


def test_a_leaf_with_fewer_next_hops_than_its_peers_is_named() -> None:
    network = three_leaves({"leaf1": {"10.10.3.0/24": ["fe80::1 swp1"]}, "leaf3": {"10.10.9.0/24": "swp32"}})
    assert found(network, "asymmetric-ecmp") == []  # one of two: neither is what most do
    up: Said = ["fe80::1 swp1", "fe80::1 swp2"]
    more: dict[str, dict[str, Said | None]] = {
        "leaf1": {"10.10.3.0/24": ["fe80::1 swp1"]},
        "leaf2": {"10.10.3.0/24": up},
        "leaf3": {"10.10.3.0/24": up, "10.10.8.0/24": "swp31", "10.10.1.0/24": up},
        "leaf4": {"10.10.3.0/24": "swp31", "0.0.0.0/0": up},
    }
    more |= {spine: {"10.10.3.0/24": ["fe80::1 swp4"], "10.10.8.0/24": ["fe80::1 swp3"]} for spine in ("spine1", "spine2")}
    cabled = (*LEAF_SPINE, *(f"leaf{n}:swp{s} spine{s}:swp{n}" for n in (3, 4) for s in (1, 2)))
    network = clos(more, cabled)
    assert "leaf1 has 1 next hop up for 10.10.3.0/24, where most switches of its tier have 2" in found(
        network, "asymmetric-ecmp"
    )


def test_a_cable_that_carries_packets_one_way_only_is_named() -> None:
    network = clos({"spine1": {"10.10.1.0/24": None}, "leaf2": {"10.10.1.0/24": ["fe80::1 swp2"]}})
    assert found(network, "asymmetric-ecmp") == [
        "leaf1 sends packets for 10.10.2.0/24 to spine1, which never sends any back there",
        "spine1 sends packets for 10.10.2.0/24 to leaf2, which never sends any back there",
    ]


def test_a_switch_without_a_table_is_not_said_to_send_nothing_back() -> None:
    tables = [routes(name, dict(rows)) for name, rows in TABLES.items() if name != "spine1"]
    network = ethernet_network(EthernetRecords(cables=[cables(*LEAF_SPINE)], routes=tables), "clos")
    assert any(r.rule == "table-missing" for r in network.remarks)
    assert found(network, "asymmetric-ecmp") == []


def test_designs_are_not_looked_at() -> None:
    network = clos({"spine1": {"10.10.1.0/24": None}})
    assert found(network, "asymmetric-ecmp")
    network.notes["routing"] = "tables"
    assert path_findings(network, network.traffics["hosts"]) == []
