"""Dual ToRs that bounce packets in a tunnel, and floods of packets for silent hosts: the loops that are known of both."""

import json
from typing import Any

import networkx as nx
import pytest

import pauseproof
from pauseproof.fabric.places import BadInput
from pauseproof.readers import declarations
from pauseproof.readers.roce_records import RouteRecords
from pauseproof.routing.ethernet import ethernet_network
from pauseproof.routing.ethernet_records import EthernetRecords
from pauseproof.routing.network import Network
from pauseproof.routing.tables import DestinationKind
from pauseproof.routing.walk import Walked, walk_known
from roce_by_hand import Said, cables, routes
from small_clos import clos, entry, members
from sonic_texts import configs, t1, tor
from texts import source_of

VLAN: dict[str, Any] = {"VLAN_MEMBER": {"Vlan1000|Ethernet4": {}}}
SERVERS = """
hosts:
  - {name: sa, ports: [UT:Ethernet4], addresses: [192.168.0.2]}
  - {name: sb, ports: [LT:Ethernet4], addresses: [192.168.0.3]}
tunnels:
  - {at: UT, to: LT, address: 10.1.0.76, standby: [sb]}
  - {at: LT, to: UT, address: 10.1.0.85, standby: [192.168.0.2/32]}
"""
MUX: dict[str, Any] = {**VLAN, "MUX_CABLE": {"Ethernet4": {"server_ipv4": "192.168.0.2/32", "state": "auto"}}}


def tables() -> list[RouteRecords]:
    t1_rows: dict[str, Said] = {
        "192.168.0.0/21": ["10.0.0.1 Ethernet0", "10.0.0.3 Ethernet4"],
        "10.0.0.0/31": "Ethernet0",
        "10.0.0.2/31": "Ethernet4",
        "10.1.0.85/32": ["10.0.0.1 Ethernet0"],
        "10.1.0.76/32": ["10.0.0.3 Ethernet4"],
        "172.16.0.0/24": "Ethernet8",
    }
    ut: dict[str, Said] = {"10.1.0.85/32": "Loopback0", "10.0.0.0/31": "Ethernet0", "0.0.0.0/0": ["10.0.0.0 Ethernet0"]}
    lt: dict[str, Said] = {"10.1.0.76/32": "Loopback0", "10.0.0.2/31": "Ethernet0", "0.0.0.0/0": ["10.0.0.2 Ethernet0"]}
    ut["192.168.0.0/21"], lt["192.168.0.0/21"] = "Vlan1000", "Vlan1000"
    return [routes("T1", t1_rows), routes("UT", ut), routes("LT", lt)]


def pair(*texts: str, declared: str = SERVERS) -> Network:
    cabling = cables("T1:Ethernet0 UT:Ethernet0", "T1:Ethernet4 LT:Ethernet0")
    said = [declarations.read(source_of(declared, "pauseproof.yaml"))] if declared else []
    return ethernet_network(EthernetRecords([cabling], tables(), (), configs(*texts), said), "pair")


def loops(network: Network, walked: Walked) -> list[list[str]]:
    fabric, lanes = network.fabric, network.lanes.lane_names

    def words(b: tuple[int, int]) -> str:
        link = fabric.link(b[0])
        return f"{lanes[b[1]]}:{fabric.node_name[link.src]}>{fabric.node_name[link.dst]}"

    found = nx.strongly_connected_components(nx.DiGraph(walked.dependencies))
    return sorted(sorted(map(words, c)) for c in found if len(c) > 1)


def walk(network: Network) -> Walked:
    return walk_known(network, network.traffics["hosts"])


def loop_of_four(lane: int) -> list[str]:
    return [f"{lane}:LT>T1", f"{lane}:T1>LT", f"{lane}:T1>UT", f"{lane}:UT>T1"]


def test_tunnels_are_there_though_nothing_is_said_of_classes() -> None:
    silent = [json.loads(text) for text in (t1(), tor("UT", "LT", **VLAN), tor("LT", "UT", **VLAN))]
    for one in silent:
        del one["PORT_QOS_MAP"]
    network = pair(*map(json.dumps, silent))
    walked = walk(network)
    assert (walked.pairs, walked.unroutable_pairs, walked.looping_pairs, walked.unknown_pairs) == (6, 0, 0, 0)
    assert loops(network, walked) == [loop_of_four(0)]
    assert any("one lossless priority" in sentence for sentence in network.assumptions)


def test_without_a_word_on_standby_servers_they_are_those_of_the_subnet_that_only_the_peer_has() -> None:
    network = pair(t1(), tor("UT", "LT", remap=False, **VLAN), tor("LT", "UT", remap=False, **VLAN), declared="")
    walked = walk(network)
    assert (walked.pairs, walked.unroutable_pairs, walked.looping_pairs, walked.unknown_pairs) == (6, 0, 0, 0)
    assert loops(network, walked) == [loop_of_four(3), loop_of_four(4)]


def test_packets_bounced_in_their_own_class_make_a_loop_of_four() -> None:
    network = pair(t1(), tor("UT", "LT", remap=False, **VLAN), tor("LT", "UT", remap=False, **VLAN))
    walked = walk(network)
    assert (walked.pairs, walked.unroutable_pairs, walked.looping_pairs, walked.unknown_pairs) == (6, 0, 0, 0)
    assert loops(network, walked) == [loop_of_four(3), loop_of_four(4)]
    (report,) = pauseproof.verify(network).fabrics
    assert report.verdict.value == "DEADLOCK_POSSIBLE"
    assert report.cyclic_components == (4, 4)
    assert report.coverage["buffers"] == len(walked.buffers)
    assert report.coverage["dependencies"] == len(walked.dependencies)


def test_packets_bounced_in_another_class_make_none() -> None:
    network = pair(t1(), tor("UT", "LT", **VLAN), tor("LT", "UT", **VLAN))
    assert loops(network, walk(network)) == []
    (report,) = pauseproof.verify(network).fabrics
    assert report.verdict.value == "DEADLOCK_FREE"
    assert report.coverage["unroutable_pairs"] == 0


def test_a_t1_that_does_not_know_the_class_makes_the_bounce_lossy() -> None:
    network = pair(t1(bounce=False), tor("UT", "LT", **VLAN), tor("LT", "UT", **VLAN))
    walked = walk(network)
    assert loops(network, walked) == []
    assert walked.unroutable_pairs == 0  # the bounce arrives, without a promise
    assert any(remark.rule == "lossless-class-falls-lossy" for remark in network.remarks)


def test_each_server_s_mux_may_be_in_either_position() -> None:
    network = pair(t1(), tor("UT", "LT", remap=False, **MUX), tor("LT", "UT", remap=False, **MUX), declared="")
    assert members(network)["192.168.0.2/32 at UT"] == ["UT:Ethernet4"]
    assert loops(network, walk(network)) == [loop_of_four(3), loop_of_four(4)]
    assert any("either position" in sentence for sentence in network.assumptions)
    remapped = pair(t1(), tor("UT", "LT", **MUX), tor("LT", "UT", **MUX), declared="")
    assert loops(remapped, walk(remapped)) == []


def test_a_packet_is_bounced_once() -> None:
    """Both switches think that the other one serves the host: what comes out of the tunnel is dropped."""
    text = SERVERS.replace("standby: [sb]", "standby: [sa, sb]")
    network = pair(t1(), tor("UT", "LT", remap=False, **VLAN), tor("LT", "UT", remap=False, **VLAN), declared=text)
    walked = walk(network)
    assert (walked.looping_pairs, walked.unroutable_pairs) == (0, 2)


def test_a_route_names_the_end_of_its_tunnel() -> None:
    changes: dict[str, dict[str, Said | None]] = {
        "leaf1": {"10.10.2.0/24": [">10.0.0.12"], "10.0.0.12/32": ["10.1.2.3 swp2"]},
        "leaf2": {"10.0.0.12/32": "lo"},
        "spine1": {"10.0.0.12/32": ["10.1.1.4 swp2"], "10.10.2.0/24": None},
        "spine2": {"10.0.0.12/32": ["10.1.2.4 swp2"], "10.10.2.0/24": None},
    }
    network = clos(changes)
    inside = "10.10.2.0/24 in a tunnel to 10.0.0.12"
    assert entry(network, "leaf1", "10.10.2.0/24") == "leaf1>spine2"
    assert entry(network, "spine2", inside) == "spine2>leaf2"
    assert entry(network, "leaf2", inside) == "deliver leaf2>leaf2:swp31"
    assert entry(network, "spine2", "10.10.2.0/24") == "drop"
    walked = walk(network)
    assert (walked.pairs, walked.unroutable_pairs) == (2, 0)


def test_a_tunnel_whose_end_nobody_reaches_drops() -> None:
    network = clos({"leaf1": {"10.10.2.0/24": [">10.77.0.1"]}})
    assert entry(network, "leaf1", "10.10.2.0/24") == "drop"
    assert walk(network).unroutable_pairs == 1


def test_hashing_over_two_tunnels_is_unknown() -> None:
    network = clos({"leaf1": {"10.10.2.0/24": [">10.0.0.12", ">10.0.0.13"]}})
    assert entry(network, "leaf1", "10.10.2.0/24") == "unknown"


def flooding(arp: str, *, uplinks: bool = True) -> Network:
    """SIGCOMM 2016: T0 and T1 below La and Lb; T1's silent server is reached by La, T0's by Lb."""
    vlan = ["Ethernet0", "Ethernet4", "Ethernet8"] if uplinks else ["Ethernet8"]
    text = f"assume: {{incomplete-arp: {arp}}}\nvlans: {{T0: {{Vlan10: {vlan}}}, T1: {{Vlan10: {vlan}}}}}\n".replace("'", "")
    rows: dict[str, dict[str, Said]] = {
        "T0": {"10.0.0.0/24": "Vlan10", "10.0.1.0/24": ["fe80::1 Ethernet0"]},
        "T1": {"10.0.1.0/24": "Vlan10", "10.0.0.0/24": ["fe80::1 Ethernet4"]},
        "La": {"10.0.1.0/24": ["fe80::1 Ethernet4"], "10.0.0.0/24": ["fe80::1 Ethernet0"]},
        "Lb": {"10.0.0.0/24": ["fe80::1 Ethernet0"], "10.0.1.0/24": ["fe80::1 Ethernet4"]},
    }
    cabling = cables(
        "T0:Ethernet0 La:Ethernet0", "T0:Ethernet4 Lb:Ethernet0", "T1:Ethernet0 La:Ethernet4", "T1:Ethernet4 Lb:Ethernet4"
    )
    said = [declarations.read(source_of(text, "pauseproof.yaml"))]
    return ethernet_network(EthernetRecords([cabling], [routes(n, t) for n, t in rows.items()], (), (), said), "flood")


def test_flooded_packets_close_the_loop_of_four() -> None:
    network = flooding("flood")
    walked = walk(network)
    assert loops(network, walked) == [["0:La>T1", "0:Lb>T0", "0:T0>La", "0:T1>Lb"]]
    assert (walked.pairs, walked.unroutable_pairs) == (2, 0)
    assert DestinationKind.MULTICAST in network.destinations.kind
    (report,) = pauseproof.verify(network).fabrics
    assert report.cyclic_components == (4,)
    assert (report.coverage["pairs"], report.coverage["unroutable_pairs"]) == (2, 0)
    assert (report.coverage["buffers"], report.coverage["dependencies"]) == (len(walked.buffers), len(walked.dependencies))


@pytest.mark.parametrize("network", [flooding("drop"), flooding("flood", uplinks=False)], ids=["drop", "no uplink in the VLAN"])
def test_without_floods_up_there_is_none(network: Network) -> None:
    assert loops(network, walk(network)) == []
    (report,) = pauseproof.verify(network).fabrics
    assert report.verdict.value == "DEADLOCK_FREE"


def tunnelled(declared: str = "", end: str = "") -> Network:
    """Leaf 1 sends to leaf 2's 10.0.0.2 by both spines."""
    into: dict[str, Said] = {"10.10.2.0/24": [">10.0.0.2"]} if not declared else {}
    rows: dict[str, dict[str, Said | None]] = {
        "leaf1": {**into, "10.0.0.2/32": ["10.1.1.3 swp1", "10.1.2.3 swp2"]},
        "spine1": {"10.0.0.2/32": ["10.1.1.4 swp2"]},
        "spine2": {"10.0.0.2/32": ["10.1.2.4 swp2"]},
        "leaf2": {"10.0.0.2/32": end} if end else {},
    }
    return clos(rows, declarations=[declarations.read(source_of(declared, "pauseproof.yaml"))] if declared else [])


def test_where_the_end_of_a_tunnel_was_not_read_packets_do_not_vanish() -> None:
    inside = "10.10.2.0/24 in a tunnel to 10.0.0.2"
    assert entry(tunnelled(end="lo"), "leaf2", inside) == "deliver leaf2>leaf2:swp31"
    assert entry(tunnelled(), "leaf2", inside) == "unknown"
    assert pauseproof.verify(tunnelled()).fabrics[0].verdict.value == "UNDECIDED"


STANDBY = "tunnels: [{{at: leaf1, to: leaf2, address: 10.0.0.2, standby: [{}]}}]\n"


def test_one_address_of_a_subnet_goes_into_a_tunnel() -> None:
    network = tunnelled(STANDBY.format("10.10.1.7"), end="lo")
    assert entry(network, "leaf1", "10.10.1.7/32") == "leaf1>spine1 leaf1>spine2"
    assert entry(network, "leaf1", "10.10.1.0/24") == "deliver leaf1>leaf1:swp31"
    assert pauseproof.verify(network).fabrics[0].verdict.value == "DEADLOCK_POSSIBLE"  # leaf 2 sends it back


@pytest.mark.parametrize("word", ["10.77.1.0/24", "h77"])
def test_a_tunnel_for_nobody_is_refused(word: str) -> None:
    with pytest.raises(BadInput, match=f"standby '{word}' has no host"):
        tunnelled(STANDBY.format(word), end="lo")


@pytest.mark.parametrize("tables", [VLAN, MUX])
def test_without_the_peer_nothing_is_known_of_servers_that_only_the_peer_has(tables: dict[str, Any]) -> None:
    network = pair(t1(), tor("UT", "XT", remap=False, **tables), tor("LT", "XT", remap=False, **tables), declared="")
    column = next(name for name in network.destinations.names if name.endswith("at LT"))
    assert [entry(network, s, column) for s in ("UT", "LT")] == ["unknown", "deliver LT>LT:Ethernet4"]
    assert pauseproof.verify(network).fabrics[0].verdict.value == "UNDECIDED"
