"""Topology files as networks: ports, columns, overrides, lanes, assumptions, refusals."""

from pathlib import Path

import numpy as np
import pytest

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.native import read
from pauseproof.readers.source import Source
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.native import COMPUTED, ONE_LANE, load_native, network_of
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route, RowTable


def network(text: str) -> Network:
    data = text.encode()
    return network_of(read(Source("t.yaml", data, data)))


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as error:
        network(text)
    return str(error.value)


def route(found: Network, switch: str, destination: str) -> tuple[ChoiceKind, list[str]]:
    """An entry by names: the kind and the far ends of its links."""
    s = list(found.fabric.node_name).index(switch)
    kind, links, *_ = found.routes.route(s, list(found.destinations.names).index(destination))
    return kind, [found.fabric.node_name[found.fabric.link(l).dst] for l in links]


LINE = "switches: {a: {hosts: 2}, b: , c: {hosts: 1}}\ncables: [[a, b], [b, c]]\n"


def test_load_native_reads_a_file(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(LINE)
    assert load_native(tmp_path / "t.yaml").fabric.n_hosts == 3


def test_bare_ends_take_the_lowest_free_ports() -> None:
    fabric = network("switches: [a, b]\ncables: [[a, b], [a:1, b], [a, b:9]]").fabric
    ends = {(fabric.link_src_port[l], fabric.link_dst_port[l]) for l in range(fabric.n_links) if fabric.link_src[l] == 0}
    assert ends == {(2, 1), (1, 2), (3, 9)}
    assert fabric.node_ports.tolist() == [3, 9]


def test_named_ports_are_numbered_as_people_count() -> None:
    fabric = network("switches: [a, b]\ncables: [[a:swp10, b:1], [a:swp2, b:2]]").fabric
    assert [fabric.port_name(0, p) for p in (1, 2)] == ["swp2", "swp10"]
    assert fabric.place_of_link(0) == Place("t.yaml", 2)


def test_speed_and_length_hold_for_cables_that_do_not_say_otherwise() -> None:
    text = "speed: 400\nswitches: [a, b]\ncables: [{ends: [a, b], length: 3}, {ends: [a, b], speed: 100}]"
    fabric = network(text).fabric
    assert fabric.speed is not None and fabric.length is not None
    assert fabric.speed.tolist() == [400, 100, 400, 100]
    assert fabric.length[0] == 3 and np.isnan(fabric.length[1])
    ring = network("ring: {switches: 3}\nspeed: 400").fabric
    assert ring.speed is not None and set(ring.speed.tolist()) == {400}


def test_missing_cables_are_out_in_both_directions() -> None:
    whole, less = network("ring: {switches: 5}"), network("ring: {switches: 5}\nwithout: [[s0, s1]]")
    assert less.fabric.n_links == whole.fabric.n_links - 2
    assert route(less, "s0", "s1") == (ChoiceKind.HASHED, ["s4"])


def test_hosts_of_a_switch_share_a_column() -> None:
    found = network(LINE)
    assert isinstance(found.routes, RowTable)
    assert found.destinations.names == ["a", "c"]
    assert route(found, "a", "a") == (ChoiceKind.DELIVER, ["a-h0", "a-h1"])
    assert route(found, "b", "c") == (ChoiceKind.HASHED, ["c"])
    assert list(found.traffics) == ["hosts"]


def test_a_host_that_a_table_names_has_a_column_of_its_own() -> None:
    found = network(LINE + "routing: ecmp\ntables: [{switch: c, destination: a-h1, kind: drop}]")
    assert found.destinations.names == ["a", "c", "a-h1"]
    assert route(found, "a", "a") == (ChoiceKind.DELIVER, ["a-h0"])
    assert route(found, "a", "a-h1") == (ChoiceKind.DELIVER, ["a-h1"])
    assert route(found, "c", "a-h1") == (ChoiceKind.DROP, [])
    assert route(found, "c", "a") == (ChoiceKind.HASHED, ["b"])
    assert found.routes.place(2, 2) == Place("t.yaml", 4, 10)


def test_ports_of_one_host_have_columns_of_their_own() -> None:
    found = network("switches: [a, b]\nhosts: {h: {ports: 2}, g: }\ncables: [[h:1, a], [h:2, b], [g, a], [a, b]]")
    assert found.destinations.names == ["a", "h:1", "h:2"]
    assert route(found, "b", "h:1") == (ChoiceKind.HASHED, ["a"])


def test_infiniband_has_a_column_for_every_host_and_switch() -> None:
    found = network("kind: infiniband\n" + LINE)
    assert found.destinations.names == ["a-h0", "a-h1", "c-h0", "a", "b", "c"]
    assert route(found, "a", "a-h1") == (ChoiceKind.DELIVER, ["a-h1"])
    assert route(found, "b", "b") == (ChoiceKind.LOCAL, [])
    assert route(found, "b", "c") == (ChoiceKind.HASHED, ["c"])
    assert list(found.traffics) == ["hosts", "hosts+switches"]


def test_tables_alone_drop_what_they_do_not_name() -> None:
    found = network(LINE + "tables: [{switch: a, destination: c, out: b}]")
    assert found.notes["routing"] == "tables"
    assert found.tables_read == 3
    assert route(found, "a", "c") == (ChoiceKind.HASHED, ["b"])
    assert route(found, "b", "c") == (ChoiceKind.DROP, [])
    assert route(found, "c", "c") == (ChoiceKind.DELIVER, ["c-h0"])


def test_later_entries_override_and_patterns_spare_what_is_delivered() -> None:
    found = network(
        "ring: {switches: 4}\ntables:\n"
        ' - {switch: "*", destination: "s*", kind: drop}\n'
        ' - {switch: s0, destination: s1, out: ["3"]}\n'
    )
    assert route(found, "s1", "s1") == (ChoiceKind.DELIVER, ["s1-h0"])
    assert route(found, "s2", "s1") == (ChoiceKind.DROP, [])
    assert route(found, "s0", "s1") == (ChoiceKind.HASHED, ["s3"])


def test_entries_of_every_kind() -> None:
    text = (
        'leaf-spine: {leaves: 3, spines: 2}\ntables:\n - {switch: leaf0, destination: leaf1, out: "spine*", kind: adaptive}\n'
    )
    text += " - {switch: leaf1, destination: leaf0, kind: unknown}\n - {switch: leaf2, destination: leaf0, out: 3}\n"
    text += "without: [[leaf2, spine1]]\n"
    for adaptive, reselects in (
        ("committed", [False] * 5),
        ("reselecting", [True] * 5),
        ("{reselecting: leaf0}", [True] + [False] * 4),
        ('{reselecting: ["spine*"]}', [False] * 3 + [True] * 2),
    ):
        found = network(f"{text}adaptive: {adaptive}")
        assert found.reselects is not None and found.reselects.tolist() == reselects
        assert route(found, "leaf0", "leaf1") == (ChoiceKind.ADAPTIVE, ["spine0", "spine1"])
        assert route(found, "leaf1", "leaf0") == (ChoiceKind.UNKNOWN, [])
        assert route(found, "leaf2", "leaf0") == (ChoiceKind.DEAD_PORT, [])
        assert found.assumptions == (COMPUTED.format("ecmp"), ONE_LANE)
        asked = ask(found, Question()).network
        assert route(asked, "leaf0", "leaf1")[0] == (ChoiceKind.ADAPTIVE if reselects[0] else ChoiceKind.HASHED)


def test_minimal_adaptive_is_open_only_where_the_file_says_so() -> None:
    torus = "torus: {size: [4, 4]}\nrouting: minimal-adaptive\n"
    asked = ask(network(torus), Question()), ask(network(torus + "adaptive: reselecting"), Question())
    committed, reselecting = (one.network for one in asked)
    assert [(one.by_load, one.reselecting) for one in asked] == [(True, 0), (True, 16)]
    assert isinstance(committed.routes, RowTable)
    assert isinstance(reselecting.routes, ChoiceTable)
    assert route(committed, "s0-0", "s1-1") == (ChoiceKind.HASHED, ["s0-1", "s1-0"])
    assert route(reselecting, "s0-0", "s1-1") == (ChoiceKind.ADAPTIVE, ["s0-1", "s1-0"])
    assert route(reselecting, "s0-0", "s0-1") == (ChoiceKind.HASHED, ["s0-1"])


RULES = """
ring: {switches: 4}
lanes: [low, high]
labels: 3
lane-of-label: [low, high, high]
lane-rules:
 - {at: s0, in: hosts, out: s1, label: {0: 2}}
 - {at: s0, in: "*", out: s1, label: {0: 1, 1: lossy}, lane: {2: low}}
"""


def test_the_first_lane_rule_that_matches_counts() -> None:
    lanes, fabric = network(RULES).lanes, network(RULES).fabric
    to_s1 = int(fabric.link_src_port[next(l.id for l in fabric.links() if (l.src, l.dst) == (0, 1))])
    assert [lanes.after_turn(0, 1, to_s1, k) for k in range(3)] == [(2, 1), (1, 1), (2, 1)]
    assert [lanes.after_turn(0, 3, to_s1, k) for k in range(3)] == [(1, 1), None, (2, 0)]
    assert [lanes.after_turn(2, 1, 2, k) for k in range(3)] == [(0, 0), (1, 1), (2, 1)]
    assert lanes.after_host(0, 1) == (1, 1)


def test_above_and_below_go_by_tier() -> None:
    text = "leaf-spine: {leaves: 2, spines: 2}\nlanes: 2\nlane-rules: [{at: leaf*, in: above, out: above, label: {0: 1}}]"
    lanes = network(text).lanes
    assert lanes.after_turn(0, 2, 3, 0) == (1, 1)  # bounced
    assert lanes.after_turn(0, 1, 2, 0) == (0, 0)  # from a host
    assert lanes.after_turn(2, 1, 2, 0) == (0, 0)  # at a spine


def test_send_lines_give_labels_to_pairs() -> None:
    text = "ring: {switches: 3, hosts: 2}\nlanes: 2\nsend: [{from: s0, to: [s1, s2-h1], label: 1}, "
    text += "{from: s0-h1, to: s1, label: 0}]"
    found = network(text)
    labels = found.traffics["hosts"].labels
    assert labels is not None
    assert found.destinations.names == ["s0", "s1", "s2", "s2-h1"]
    assert labels.tolist() == [[1, 2, 1, 2], [1, 1, 1, 2]] + [[1, 1, 1, 1]] * 4


@pytest.mark.parametrize(
    "text", ["ring: {switches: 3, hosts: 0}", "kind: infiniband\nring: {switches: 3, hosts: 0}", "switches: [a]"]
)
def test_fabrics_without_hosts_are_networks_all_the_same(text: str) -> None:
    assert network(text).fabric.n_hosts == 0
    assert network(text + "\nlanes: 2").fabric.n_hosts == 0


WRONG = [
    ("switches: [a]\ncables: [[a, q]]", "t.yaml:2:14: no switch or host is called 'q'"),
    ("switches: [leaf1]\ncables: [[leaf1, laef1]]", "did you mean 'leaf1'?"),
    ("switches: [a, b]\ncables: [[a:x, b], [a, b]]", "t.yaml:2:21: 'a' has named ports (x...); name this one too: a:PORT"),
    ("switches: {a: {ports: 4}, b: }\ncables: [[a:5, b]]", "port 5 of 'a' cannot be cabled: its ports are 1 to 4"),
    ("switches: [a, b]\ncables: [[a:1, b], [a:1, b]]", "port 1 of 'a' is cabled twice"),
    ("switches: [a, b]\nhosts: [a]", "'a' is there twice"),
    ("switches: [a]\nhosts: [g, h]\ncables: [[g, h]]", "is cabled to a host; hosts are cabled to switches"),
    ("fat-tree: {k: 5}", "t.yaml:1:11: no fat-tree is like this: k must be even"),
    ("ring: {switches: 5}\nwithout: [[s0, s2], [s0, x]]", "t.yaml:2:12: 's0' and 's2' have no cable that could be missing"),
    ("ring: {switches: 5}\nrouting: valley-free", "t.yaml:2:10: the engine valley-free needs tiers"),
    ("ring: {switches: 5}\nrouting: updown", "the engine updown needs roots"),
    ("ring: {switches: 5}\nrouting: {engine: updown, roots: [s9]}", "no switch is called 's9'"),
    ("switches: [a]\nrouting: dimension-order", "the engine dimension-order needs coordinates"),
    (
        "ring: {switches: 5}\ntables: [{switch: s0, destination: s2, out: 9}]",
        "t.yaml:2:45: '9' is no port (1 to 3) and no neighbour",
    ),
    ("ring: {switches: 5}\ntables: [{switch: x, destination: s2, out: 2}]", "no switch is called 'x'"),
    ("ring: {switches: 5}\ntables: [{switch: s0, destination: q, out: 2}]", "no switch or host is called 'q'"),
    ("mesh: {size: [3]}\ntables: [{switch: s0, destination: s2, out: [2, 3]}]", "port '3' has no cable; a group"),
    ("ring: {switches: 5}\nlanes: 2\nlane-rules: [{at: s0, out: s2, label: {0: 1}}]", "matches no turn"),
    (
        "ring: {switches: 5}\nlanes: 2\nlane-rules: [{at: s0, label: {0: 7}}]",
        "t.yaml:3:34: '7' is no label; expected one of 0, 1",
    ),
    ("ring: {switches: 5}\nlanes: 2\nlane-rules: [{at: s0, lane: {0: 7}}]", "'7' is no lane"),
    ("ring: {switches: 5}\nlanes: 1\nlabels: 2", "'1' is no lane; expected lossy or one of 0; 'lane-of-label'"),
    ("ring: {switches: 5}\nlabels: 2\nlane-of-label: [0]", "lane-of-label gives 1 lanes for 2 labels"),
    ("ring: {switches: 5}\nsend: [{label: 4}]", "'4' is no label"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said[:40] for _, said in WRONG])
def test_words_that_mean_nothing_are_refused(text: str, said: str) -> None:
    assert said in refusal(text)


def test_several_wrong_words_are_told_at_once() -> None:
    text = "ring: {switches: 5}\ntables: [{switch: x, destination: s2, out: 2}, {switch: s1, destination: s2, out: s4}]\n"
    text += "send: [{label: 4}]"
    assert len(refusal(text).splitlines()) == 3


def test_routes_survive_the_change_of_form() -> None:
    rows, choices = (
        network("jellyfish: {switches: 30, ports: 5, hosts: 1}"),
        network("jellyfish: {switches: 30, ports: 5, hosts: 1}\nlabels: 2\nlane-of-label: [0, 0]"),
    )
    assert isinstance(rows.routes, RowTable)
    assert isinstance(choices.routes, ChoiceTable)

    def every(found: Network) -> list[Route]:
        return [found.routes.route(s, d) for s in range(30) for d in range(30)]

    assert every(rows) == every(choices)
