"""One hop, held to a derivation that reads the configuration's own words, and to the rows that fabrics are given."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.routing.class_hops import Label, Rewrite, Side, enter, land, leave
from pauseproof.routing.class_rows import Out, Rows, Way
from pauseproof.routing.config_classes import DeviceConfig, TunnelMaps
from sonic_texts import configs

Tables = dict[str, Any]
TC, DSCP, PRIORITY = st.integers(0, 7), st.integers(0, 63), st.integers(0, 7)


def maps_of(keys: st.SearchStrategy[int], values: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, str]]:
    return st.dictionaries(keys.map(str), values.map(str), max_size=6)


@st.composite
def devices(draw: st.DrawFn) -> Tables:
    """A configuration of one port, ``Ethernet0``, with few or many maps, a tunnel, and buffers."""
    tables = {
        "DSCP_TO_TC_MAP": {"M": draw(maps_of(st.integers(0, 3), TC)), "T": draw(maps_of(st.integers(0, 3), TC))},
        "TC_TO_PRIORITY_GROUP_MAP": {"M": draw(maps_of(TC, PRIORITY)), "T": draw(maps_of(TC, PRIORITY))},
        "TC_TO_QUEUE_MAP": {"M": draw(maps_of(TC, TC)), "T": draw(maps_of(TC, TC))},
        "TC_TO_DSCP_MAP": {"M": draw(maps_of(TC, st.integers(0, 3))), "T": draw(maps_of(TC, st.integers(0, 3)))},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"M": draw(maps_of(PRIORITY, TC))},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"M": draw(maps_of(PRIORITY, PRIORITY))},
        "BUFFER_PROFILE": {"lossy": {"size": "0"}, "lossless": {"xoff": "9"}},
        "BUFFER_PG": {
            f"Ethernet0|{g}": {"profile": draw(st.sampled_from(["lossy", "lossless", "NULL"]))} for g in draw(st.sets(PRIORITY))
        },
    }
    fields = ("dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map", "pfc_to_queue_map", "pfc_to_pg_map", "tc_to_dscp_map")
    row = dict.fromkeys(sorted(draw(st.sets(st.sampled_from(fields)))), "M")
    common = {"dscp_to_tc_map": "M"} if draw(st.booleans()) else {"pfc_enable": "0,1,2"}
    row |= {"pfc_enable": ",".join(map(str, sorted(draw(st.sets(PRIORITY)))))} if draw(st.booleans()) else {}
    tunnel = {"tunnel_type": "IPINIP", "dscp_mode": draw(st.sampled_from(["pipe", "uniform"]))}
    ends = ("decap_dscp_to_tc_map", "decap_tc_to_pg_map", "encap_tc_to_dscp_map", "encap_tc_to_queue_map")
    tunnel |= dict.fromkeys(sorted(draw(st.sets(st.sampled_from(ends)))), "T")
    return tables | {"PORT_QOS_MAP": {"global": common, "Ethernet0": row}, "TUNNEL": {"t": tunnel}}


def field(tables: Tables, name: str) -> str:
    rows = tables["PORT_QOS_MAP"]
    return str(rows["Ethernet0"].get(name, rows["global"].get(name, "")))


def looked_up(tables: Tables, table: str, name: str, key: int, default: int) -> int:
    """A value by the map called ``name``: ``default`` where there is no such map, 0 where it has no row."""
    return int(tables[table][name].get(str(key), 0)) if name else default


def naive_lossless_groups(tables: Tables) -> dict[int, set[int]]:
    """Group -> the priorities it pauses, for the lossless ones."""
    out: dict[int, set[int]] = {}
    for p in filter(None, field(tables, "pfc_enable").split(",")):
        g = looked_up(tables, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", field(tables, "pfc_to_pg_map"), int(p), int(p))
        if tables["BUFFER_PG"].get(f"Ethernet0|{g}", {}).get("profile") != "lossy":
            out.setdefault(g, set()).add(int(p))
    return out


def naive_arrival(tables: Tables, dscp: int, inner: int | None) -> tuple[int, int]:
    """(traffic class, group) of a packet that arrives."""
    tunnel = tables["TUNNEL"]["t"] if inner is not None else {}
    port_tc, port_group = field(tables, "dscp_to_tc_map"), field(tables, "tc_to_pg_map")
    seen = dscp if inner is None or tunnel["dscp_mode"] == "uniform" else inner
    tc = looked_up(tables, "DSCP_TO_TC_MAP", tunnel.get("decap_dscp_to_tc_map", port_tc), seen, 0)
    own_maps = {"decap_dscp_to_tc_map", "decap_tc_to_pg_map"} & tunnel.keys()
    by = tc if own_maps or inner is None else looked_up(tables, "DSCP_TO_TC_MAP", port_tc, dscp, 0)
    return tc, looked_up(tables, "TC_TO_PRIORITY_GROUP_MAP", tunnel.get("decap_tc_to_pg_map", port_group), by, by)


def naive_hop(a: Tables, b: Tables, dscp: int, inner: int | None) -> tuple[int, int, int, set[int]]:
    """In and out by the one port of ``a``, to that of ``b``: (DSCP, group or -1, queue, the groups that stop the queue)."""
    tc, _ = naive_arrival(a, dscp, inner)
    if inner is not None and a["TUNNEL"]["t"]["dscp_mode"] == "pipe":
        dscp = inner
    name = field(a, "tc_to_dscp_map")
    dscp = int(a["TC_TO_DSCP_MAP"][name].get(str(tc), dscp)) if name else dscp
    queue = looked_up(a, "TC_TO_QUEUE_MAP", field(a, "tc_to_queue_map"), tc, tc)
    heard = [int(p) for p in field(a, "pfc_enable").split(",") if p]
    stopping = {p for p in heard if looked_up(a, "MAP_PFC_PRIORITY_TO_QUEUE", field(a, "pfc_to_queue_map"), p, p) == queue}
    groups = naive_lossless_groups(b)
    _, group = naive_arrival(b, dscp, None)
    return dscp, group if group in groups else -1, queue, {g for g, pauses in groups.items() if pauses & stopping}


def side_of(tables: Tables) -> tuple[Side, TunnelMaps]:
    device = DeviceConfig("d", tuple(configs(json.dumps(tables))))
    (tunnel,) = device.tunnels()
    side = Side(device.profile("Ethernet0"), tunnel)
    assert not device.problems
    return side, tunnel


@settings(deadline=None, max_examples=25)
@given(devices(), devices(), st.integers(0, 3), st.none() | st.integers(0, 3))
def test_a_hop_is_what_the_configuration_says(a: Tables, b: Tables, dscp: int, inner: int | None) -> None:
    (side, _), (other, _) = side_of(a), side_of(b)
    label = Label(dscp, -1 if inner is None else inner)
    assert (side.traffic_class(label), side.group(label)) == naive_arrival(a, dscp, inner)
    landing = land(leave(side, side.profile, label, None), other)
    stops = other.profile.groups_that_stop(landing.queue, side.profile)
    assert (landing.label.dscp, landing.group, landing.queue, set(stops)) == naive_hop(a, b, dscp, inner)
    assert landing.label.inner == -1


@settings(deadline=None, max_examples=25)
@given(devices(), devices())
def test_a_row_couples_the_lanes_that_stop_the_queue_or_share_it(a: Tables, b: Tables) -> None:
    (side, _), (other, _) = side_of(a), side_of(b)
    labels = [Label(d) for d in range(64)]
    rows = Rows(labels, list(range(8)))
    row = rows.row(Way(side), Out(side.profile, other), [])
    hops = [naive_hop(a, b, k, None) for k in range(64)]
    pairs = list(rows.classes)
    for k, (dscp, group, queue, stops) in enumerate(hops):
        c = int(rows.step[row, k])
        assert pairs[c] == (dscp, group if group >= 0 else len(rows.lanes))
        beside = {g for _, g, q, _ in hops if q == queue and g >= 0}
        expected = tuple(sorted((stops | beside) - {group}))
        assert (rows.coupled[row][k] if rows.coupled else ()) == expected


@settings(deadline=None, max_examples=25)
@given(devices(), st.integers(0, 3))
def test_a_tunnel_gives_the_outer_label_and_its_own_queue(a: Tables, dscp: int) -> None:
    side, tunnel = side_of(a)
    tc, _ = naive_arrival(a, dscp, None)
    maps = a["TUNNEL"]["t"]
    outer = looked_up(a, "TC_TO_DSCP_MAP", maps.get("encap_tc_to_dscp_map", ""), tc, dscp)
    queue = looked_up(a, "TC_TO_QUEUE_MAP", maps.get("encap_tc_to_queue_map") or field(a, "tc_to_queue_map"), tc, tc)
    assert enter(side, side.profile, Label(dscp), tunnel) == (Label(outer, dscp), queue)


def test_a_rewrite_changes_the_queue_unless_the_old_one_stays() -> None:
    qos = {
        "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "M", "pfc_enable": "3,4"}},
        "DSCP_TO_TC_MAP": {"M": {"3": "3", "4": "4"}},
    }
    profile = DeviceConfig("d", tuple(configs(json.dumps(qos)))).profile("Ethernet0")
    to_four = tuple(4 if d == 3 else d for d in range(64))
    assert leave(Side(profile), profile, Label(3), Rewrite(to_four, old_queue=False)) == (Label(4), 4)
    assert leave(Side(profile), profile, Label(3), Rewrite(to_four, old_queue=True)) == (Label(4), 3)
    assert leave(Side(profile), profile, Label(5), Rewrite(to_four, old_queue=True)) == (Label(5), 0)


def test_labels_say_what_is_inside() -> None:
    assert [str(Label(3)), str(Label(2, 3))] == ["3", "2 (inside 3)"]
