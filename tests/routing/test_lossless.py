"""The classes of whole fabrics: two ToRs that bounce packets for each other's servers, a Clos that raises the priority."""

import json
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pauseproof.fabric.lanes import NOT_OFFERED, UNKNOWN_ROW, Lanes
from pauseproof.fabric.places import BadInput
from pauseproof.readers import declarations
from pauseproof.readers.config_db import read as read_config
from pauseproof.readers.declared import Declarations
from pauseproof.readers.roce_records import ConfigDb
from pauseproof.readers.source import open_source
from pauseproof.routing import config_classes
from pauseproof.routing.class_hops import Label, Side
from pauseproof.routing.lossless import LosslessClasses, lossless_classes
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Route
from pauseproof.routing.walk import Walked, walk_known
from shared_cases import shared_case
from sonic_texts import DUAL_TOR, GROUPS, IDENTITY, config, configs, named_fabric, numbers, qos_row, t1, tor
from strategies import Column, destinations_of, uniform_traffic
from texts import source_of


def declared(text: str) -> Declarations:
    return declarations.read(source_of(text, "pauseproof.yaml"))


class DualTor:
    """x sends to sa and sb; T1 sends to both ToRs; each bounces packets for the other's server."""

    def __init__(self, *texts: str, says: str = "") -> None:
        self.fabric = named_fabric(DUAL_TOR)
        self.found = lossless_classes(self.fabric, configs(*texts), declared(says) if says else Declarations(""))
        self.lt, self.t1, self.ut = range(3)
        self.name = dict(enumerate(self.fabric.node_name))

    def link(self, name: str) -> int:
        return next(l.id for l in self.fabric.links() if f"{self.name[l.src]}>{self.name[l.dst]}" == name)

    def turn(self, lanes: Lanes, a: str, b: str) -> int:
        into, out = self.fabric.link(self.link(a)), self.fabric.link(self.link(b))
        return lanes.row_at(into.dst, into.dst_port, out.src_port)

    def walk(self, dscp: int) -> Walked:
        """With the rows that a table's entries name: packets in a tunnel go to the one ToR, others to either."""
        lanes, labels = self.found.lanes, self.found.labels
        step = lanes.step.copy()
        only_plain = self.turn(lanes, "x>T1", "T1>UT")
        step = np.vstack([step, np.where([k.inner < 0 for k in labels], step[only_plain], NOT_OFFERED)])
        lanes = replace(lanes, step=step, coupled=lanes.coupled and (*lanes.coupled, lanes.coupled[only_plain]))
        restricted = len(step) - 1
        rows = {tunnel.at: tunnel.row for tunnel in self.found.tunnels}
        bounce = {s: int(rows[s][1, 1]) for s in (self.lt, self.ut)}
        hosts = [h.name for h in self.fabric.hosts()]
        columns = [Column(DestinationKind.HOST, members=(hosts.index(name),)) for name in ("sa", "sb")]
        to = {name: self.link(name) for name in ("T1>UT", "T1>LT", "UT>T1", "LT>T1", "UT>sa", "LT>sb")}

        def either(home: str, other: str) -> Route:
            return Route(ChoiceKind.HASHED, (to[home], to[other]), (-1, restricted))

        routes = [
            [Route(ChoiceKind.HASHED, (to["LT>T1"],), (bounce[self.lt],)), Route(ChoiceKind.HASHED, (to["LT>sb"],))],
            [either("T1>UT", "T1>LT"), either("T1>LT", "T1>UT")],
            [Route(ChoiceKind.HASHED, (to["UT>sa"],)), Route(ChoiceKind.HASHED, (to["UT>T1"],), (bounce[self.ut],))],
        ]
        network = Network(self.fabric, destinations_of(columns), ChoiceTable.from_routes(routes), lanes, {})
        traffic = uniform_traffic(self.fabric, 2)
        sends = np.array([name == "x" for name in hosts])
        return walk_known(network, replace(traffic, host_sends=sends, label=labels.index(Label(dscp))))

    def loops(self, dscp: int) -> list[list[str]]:
        """The cyclic components, as ``lane:from>to``."""
        graph = nx.DiGraph(self.walk(dscp).dependencies)
        found = [c for c in nx.strongly_connected_components(graph) if len(c) > 1]
        return sorted(sorted(self.words(b) for b in c) for c in found)

    def words(self, buffer: tuple[int, int]) -> str:
        link = self.fabric.link(buffer[0])
        return f"{self.found.lanes.lane_names[buffer[1]]}:{self.name[link.src]}>{self.name[link.dst]}"

    def remarks(self, rule: str) -> list[str]:
        return [remark.message for remark in self.found.remarks if remark.rule == rule]


PLAIN_LOOP = ["3:LT>T1", "3:T1>LT", "3:T1>UT", "3:UT>T1"]


def test_bounced_packets_in_the_class_of_the_others_make_a_loop_of_four() -> None:
    pair = DualTor(t1(), tor("UT", "LT", remap=False), tor("LT", "UT", remap=False))
    assert pair.loops(3) == [PLAIN_LOOP]
    assert pair.found.lanes.coupled is None
    assert not pair.found.remarks


def test_bounced_packets_in_a_class_of_their_own_make_none() -> None:
    pair = DualTor(t1(), tor("UT", "LT"), tor("LT", "UT"))
    assert pair.found.labels == (Label(2, 3), Label(3), Label(4), Label(6, 4))
    assert pair.found.sends == {"data": (1, 2)}
    walk = pair.walk(3)
    held = {pair.words(b) for b in walk.buffers}
    assert held == {"3:x>T1", "3:T1>UT", "3:T1>LT", "2:UT>T1", "2:LT>T1", "2:T1>UT", "2:T1>LT", "3:UT>sa", "3:LT>sb"}
    assert pair.loops(3) == pair.loops(4) == []
    assert walk.unroutable_pairs == 0
    assert not pair.remarks("lossless-class-falls-lossy") and not pair.remarks("pause-misses-queue")


def test_without_the_remap_at_the_t1_the_bounce_is_lossy_and_said_to_be() -> None:
    pair = DualTor(t1(bounce=False), tor("UT", "LT"), tor("LT", "UT"))
    assert pair.loops(3) == []
    assert pair.walk(3).unroutable_pairs == 0  # the bounce arrives, without a promise
    messages = pair.remarks("lossless-class-falls-lossy")
    assert messages[0] == (
        "DSCP 2 (inside 3) is lossy where it arrives at T1 on Ethernet0, Ethernet4 from LT, UT: traffic class 1, "
        "priority group 0; PFC is on for 3, 4"
    )
    remark = next(r for r in pair.found.remarks if r.about == "T1/Ethernet0/2 (inside 3)")
    lines = t1(bounce=False).splitlines()
    assert [lines[place.line - 1].strip() for place in remark.places] == ['"AZURE": {', '"Ethernet0": {']


def test_bounced_priorities_in_the_group_of_the_others_make_the_loop_again() -> None:
    one_group = {"AZURE": {**GROUPS, "2": "3"}, "AZURE_TUNNEL": numbers({3: 3, 4: 6}, range(8), 0)}
    tables: dict[str, Any] = {"TC_TO_PRIORITY_GROUP_MAP": one_group}
    pair = DualTor(t1(**tables), tor("UT", "LT", **tables), tor("LT", "UT", **tables))
    assert pair.loops(3) == [PLAIN_LOOP]
    assert pair.remarks("pause-misses-queue")  # group 3 pauses priority 3 alone: no queue 2 is stopped by it


def test_a_group_of_two_priorities_pauses_both() -> None:
    one_group = {"AZURE": {**GROUPS, "2": "3"}, "AZURE_TUNNEL": numbers({3: 3, 4: 6}, range(8), 0)}
    maps: dict[str, Any] = {
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"AZURE": {**IDENTITY, "2": "3"}},
        "TC_TO_PRIORITY_GROUP_MAP": one_group,
    }
    row = {**qos_row("AZURE_UPLINK", "2,3,4,6"), "pfc_to_pg_map": "AZURE"}
    ports = dict.fromkeys(("Ethernet0", "Ethernet4", "Ethernet8"), row)
    qos: dict[str, Any] = {"PORT_QOS_MAP": ports, **maps}
    pair = DualTor(t1(**qos), tor("UT", "LT", **maps), tor("LT", "UT", **maps))
    assert pair.loops(3) == [PLAIN_LOOP]


def test_a_queue_that_two_priorities_stop_couples_their_lanes() -> None:
    shared_queue: dict[str, Any] = {
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {**IDENTITY, "2": "3"}},
        "TC_TO_QUEUE_MAP": {"AZURE": {**IDENTITY, "2": "3"}},
    }
    pair = DualTor(t1(**shared_queue), tor("UT", "LT"), tor("LT", "UT"))
    lanes = pair.found.lanes
    two, three = lanes.lane_names.index("2"), lanes.lane_names.index("3")
    row = pair.turn(lanes, "UT>T1", "T1>LT")
    assert lanes.waits_also(row, pair.found.labels.index(Label(2, 3))) == (three,)
    assert lanes.waits_also(row, pair.found.labels.index(Label(3))) == (two,)
    assert lanes.waits_also(row, pair.found.labels.index(Label(4))) == ()
    waits = {(pair.words(b), pair.words(b2)) for b, b2 in pair.walk(3).dependencies}
    assert ("2:UT>T1", "3:T1>LT") in waits and ("3:x>T1", "2:T1>LT") in waits
    assert pair.loops(3) == [["2:LT>T1", "2:UT>T1", "3:T1>LT", "3:T1>UT"]]


def test_a_tunnel_is_told_with_its_labels() -> None:
    pair = DualTor(t1(), tor("UT", "LT"), tor("LT", "UT"))
    lt, ut = pair.found.tunnels
    assert (lt.at, lt.to, lt.address) == (pair.lt, pair.ut, f"10.1.0.{ord('U')}")
    assert ut.packs == ((), (0,), (3,), ()) and ut.unpacks == (1, -1, -1, 2)
    assert (ut.row[:, 2] != UNKNOWN_ROW).all() and not lt.standby


SAYS = """
lossless: [2, 3]
dscp: {16: 2, 26: 3}
traffic: {data: 26}
tunnels:
  - {at: UT, to: LT, dscp: {26: 16}, standby: [10.0.0.2]}
  - {at: LT, to: UT, dscp: {26: 16}, standby: [10.0.0.1]}
"""


def test_the_same_from_declarations_alone() -> None:
    pair = DualTor(says=SAYS)
    assert pair.loops(26) == []
    assert [word.text for word in pair.found.tunnels[0].standby] == ["10.0.0.2"]
    together = DualTor(says=SAYS + "groups: [[2, 3]]\n")
    assert [len(loop) for loop in together.loops(26)] == [4]
    assert together.found.lanes.lane_names == ("2", "lossy")
    copied = DualTor(says=SAYS.replace("dscp: {26: 16}, ", ""))
    assert copied.loops(26) == [PLAIN_LOOP]


CLOS = "leaf1:u1-spine1:d1 leaf1:u2-spine2:d1 leaf2:u1-spine1:d2 leaf2:u2-spine2:d2 leaf1:h-x leaf2:h-y"
BOUNCES = """
lossless: [3, 4]
dscp: {26: 3, 28: 4}
traffic: {data: 26, cnp: 48}
roles: {leaf: {match: "leaf*"}, spine: {match: "spine*"}}
remaps:
  - {at: leaf, in: spine, out: spine, dscp: {26: 28}}
"""


def next_of(found: LosslessClasses, turn: tuple[int, int, int], dscp: int) -> tuple[str, str] | None:
    after = found.lanes.after_turn(*turn, found.labels.index(Label(dscp)))
    return None if after is None else (found.lanes.label_names[after[0]], found.lanes.lane_names[after[1]])


def test_a_bounce_at_a_leaf_raises_the_priority() -> None:
    fabric = named_fabric(CLOS)
    found = lossless_classes(fabric, declared=declared(BOUNCES))
    leaf, spine = 0, 2
    assert next_of(found, (leaf, 1, 2), 26) == ("28", "4")
    assert next_of(found, (leaf, 3, 2), 26) == ("26", "3")
    assert next_of(found, (leaf, 1, 3), 26) == ("26", "3")
    assert next_of(found, (leaf, 1, 2), 28) == ("28", "4")
    assert next_of(found, (spine, 1, 2), 26) == ("26", "3")
    assert found.sends == {"data": (found.labels.index(Label(26)),), "cnp": (found.labels.index(Label(48)),)}
    assert found.lanes.coupled is None and not found.remarks


def test_at_a_turn_the_first_remap_that_matches_counts() -> None:
    more = "  - {at: leaf1, out: [u1, u2], dscp: {26: 20}}\n"
    found = lossless_classes(named_fabric(CLOS), declared=declared(BOUNCES + more))
    assert next_of(found, (0, 1, 2), 26) == ("28", "4")
    assert next_of(found, (0, 3, 2), 26) == ("20", "lossy")  # 20 has priority 0


@pytest.mark.parametrize("key", ["in", "out"])
@pytest.mark.parametrize("text", ["swp*", "zz"])
def test_a_remap_at_ports_that_are_not_there_is_refused(key: str, text: str) -> None:
    with pytest.raises(BadInput, match="is neither a port of leaf nor a neighbour") as caught:
        lossless_classes(named_fabric(CLOS), declared=declared(BOUNCES.replace(f"{key}: spine", f'{key}: "{text}"')))
    assert caught.value.problems[0].place.line == BOUNCES.splitlines().index("remaps:") + 2


def test_a_rewritten_packet_that_stays_in_its_old_queue_couples_both_classes() -> None:
    fabric = named_fabric(CLOS)
    found = lossless_classes(fabric, declared=declared(BOUNCES.replace("out: spine,", "out: spine, queue: old,")))
    lanes, label = found.lanes, found.labels.index(Label(26))
    bounced, fresh = lanes.row_at(0, 1, 2), lanes.row_at(0, 3, 2)
    assert lanes.waits_also(bounced, label) == (lanes.lane_names.index("3"),)
    assert lanes.waits_also(fresh, label) == (lanes.lane_names.index("4"),)
    assert [remark.rule for remark in found.remarks] == ["pause-misses-queue"] * 2
    assert found.remarks[0].message.startswith("packets of DSCP 28 wait in queue 3 of leaf1's u1, u2, which the pause of")


@pytest.mark.parametrize(("mode", "wrong"), [("pipe", False), ("uniform", True)])
def test_a_second_tunnel_with_other_maps_is_refused(mode: str, wrong: bool) -> None:
    tables = json.loads(tor("LT", "UT"))
    first = tables["TUNNEL"]["MuxTunnel0"]
    tables["TUNNEL"]["Other"] = {**first, "dst_ip": "10.9.0.1", "dscp_mode": mode}
    with pytest.raises(BadInput, match="MuxTunnel0 and Other of LT have different maps") if wrong else nullcontext():
        DualTor(json.dumps(tables), tor("UT", "LT"), t1())


def test_a_packet_that_turns_lossy_still_waits_where_its_old_queue_is_paused() -> None:
    says = BOUNCES.replace("out: spine,", "out: spine, queue: old,").replace("{26: 28}", "{26: 0}")
    found = lossless_classes(named_fabric(CLOS), declared=declared(says))
    lanes, label = found.lanes, found.labels.index(Label(26))
    assert next_of(found, (0, 1, 2), 26) == ("0", "lossy")
    assert lanes.waits_also(lanes.row_at(0, 1, 2), label) == (lanes.lane_names.index("3"),)


@pytest.mark.parametrize("name", ["arista7260-dualtor", "arista7260-dualtor-remap-disabled", "mellanox4600c-d48c40-t0"])
def test_rendered_samples_carry_3_and_4_without_loss_and_26_with(name: str) -> None:
    config = read_config(open_source(shared_case(f"sonic/qos-{name}.json")))[0]
    assert isinstance(config, ConfigDb)
    config = replace(config, device="tor")
    ports = [port for port in config.tables["PORT_QOS_MAP"] if port != "global"]
    profiles = {port: config_classes.devices([config])["tor"].profile(port) for port in ports}
    lossless = {port: Side(profile).lossless_dscps for port, profile in profiles.items()}
    uplinks = [port for port in ports if config.tables["PORT_QOS_MAP"][port]["pfc_enable"] == "2,3,4,6"]
    assert bool(uplinks) == (name != "arista7260-dualtor-remap-disabled")
    assert {lossless[port] for port in uplinks} <= {(2, 3, 4, 6)}
    assert {lossless[port] for port in set(ports) - set(uplinks)} == {(3, 4)}
    fabric = named_fabric(f"tor:{ports[0]}-x tor:{ports[1]}-y")
    found = lossless_classes(fabric, [config], declared("traffic: {data: 26}\n"))
    (message,) = [remark.message for remark in found.remarks]
    assert message.startswith(f"DSCP 26 is lossy where it arrives at tor on {ports[0]}, {ports[1]} from x, y: ")


def test_what_hosts_are_taken_to_send_is_said_wherever_traffic_is_declared() -> None:
    said = "lossless: [3, 4]\ndscp: {26: 3, 34: 4}\ntraffic: {data: 26, ack: 10}\n"
    found = lossless_classes(named_fabric(CLOS), (), declared(said))
    sends = "hosts send only DSCP 26 (data), DSCP 10 (ack); DSCP 34 is lossless where hosts are cabled too: drop or rewrite it"
    assert any(one.startswith(sends) for one in found.assumptions)


def test_one_lossless_priority_where_nothing_is_said() -> None:
    fabric = named_fabric(CLOS)
    found = lossless_classes(fabric)
    assert found.lanes.lane_names == ("0",) and found.sends == {"data": (0,)}
    assert found.assumptions == (
        "no DSCP, PFC or priority group was read or declared: all traffic rides one lossless priority",
    )


def test_a_switch_whose_classes_are_not_known_is_unknown_at_both_ends() -> None:
    found = lossless_classes(named_fabric(DUAL_TOR), configs(t1(), tor("UT", "LT", remap=False)))
    assert found.lanes.turn_row is not None
    assert (found.lanes.turn_row[0, 1, 2], found.lanes.turn_row[1, 1, 2]) == (UNKNOWN_ROW, UNKNOWN_ROW)
    assert found.lanes.turn_row[1, 2, 1] != UNKNOWN_ROW
    assert found.lanes.host_row.tolist().count(UNKNOWN_ROW) == 1
    assert "the classes of switches LT are not known" in found.assumptions
    filled = lossless_classes(named_fabric(DUAL_TOR), configs(t1(), tor("UT", "LT", remap=False)), declared("lossless: [3]\n"))
    assert UNKNOWN_ROW not in filled.lanes.host_row


def test_a_role_overrides_what_was_read() -> None:
    says = declared('traffic: {data: 26}\nroles: {all: {match: "*", dscp: {26: 3}}}\n')
    texts = (t1(), tor("UT", "LT"), tor("LT", "UT"))
    plain = lossless_classes(named_fabric(DUAL_TOR), configs(*texts), declared("traffic: {data: 26}\n"))
    assert set(plain.lanes.class_lane.tolist()) == {plain.lanes.lossy_lane}
    assert plain.remarks[0].message.startswith("DSCP 26 is lossy where it arrives at LT on Ethernet4 from sb")
    found = lossless_classes(named_fabric(DUAL_TOR), configs(*texts), says)
    assert next_of(found, (1, 3, 1), 26) == ("26", "3")


def test_the_lossy_buffer_profile_of_a_group_counts_and_its_absence_does_not() -> None:
    profile = {"lossy": {"pool": "p", "size": "0"}, "good": {"pool": "p", "size": "1", "xoff": "100"}}
    rows = {"Ethernet0|3": {"profile": "lossy"}, "Ethernet0|4": {"profile": "good"}, "Ethernet4|3-4": {"profile": "NULL"}}
    text = t1(BUFFER_PG=rows, BUFFER_PROFILE=profile)
    found = lossless_classes(named_fabric(DUAL_TOR), configs(text, tor("UT", "LT"), tor("LT", "UT")))
    assert next_of(found, (2, 2, 1), 3) == ("3", "lossy") and next_of(found, (2, 2, 1), 4) == ("4", "4")
    assert next_of(found, (0, 2, 1), 3) == ("3", "3")


@pytest.mark.parametrize(
    "broken, message",
    [
        (
            config("T1", {"Ethernet0": qos_row("AZUR", "3,4")}),
            "names DSCP_TO_TC_MAP 'AZUR', which is not there; did you mean 'AZURE'?",
        ),
        (config("T1", {"Ethernet0": qos_row("AZURE", "3,9")}), "pfc_enable '3,9' of Ethernet0 must be priorities 0..7, as 3,4"),
        (
            t1(DSCP_TO_TC_MAP={"AZURE": {"64": "1"}, "AZURE_UPLINK": {}}),
            "DSCP_TO_TC_MAP|AZURE maps '64' to '1'; expected 0..63 to 0..15",
        ),
    ],
)
def test_a_configuration_that_contradicts_itself_is_refused(broken: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        lossless_classes(named_fabric(DUAL_TOR), configs(broken))
    assert any(message in problem.message and problem.place.line for problem in caught.value.problems)


def test_names_that_mean_nothing_are_refused_together() -> None:
    says = "remaps: [{at: leef1, dscp: {26: 28}}]\nroles: {r: {match: zz}}\ntunnels: [{at: leaf1, to: leaf9}]\n"
    with pytest.raises(BadInput) as caught:
        lossless_classes(named_fabric(CLOS), declared=declared(says))
    assert [str(problem).split("; ")[0] for problem in caught.value.problems] == [
        "pauseproof.yaml:1:15: no switch is called 'leef1'",
        "pauseproof.yaml:2:20: no switch is called 'zz'",
        "pauseproof.yaml:3:27: no switch is called 'leaf9'",
    ]
