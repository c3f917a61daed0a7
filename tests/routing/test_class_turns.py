"""Rows of every turn of random small fabrics, held to one hop at a time."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place
from pauseproof.readers.declared import Classes, Declarations, RemapLine, RoleLine
from pauseproof.readers.native_lines import Word
from pauseproof.routing.class_hops import Label, Rewrite, Side, land, leave
from pauseproof.routing.lossless import lossless_classes
from pauseproof.routing.port_classes import Profile, declared_profile
from strategies import fabric_of

HERE = Place("pauseproof.yaml", 1)
DSCPS = (0, 1, 2)
LOSSLESS = st.sets(st.integers(0, 2)).map(lambda found: tuple(sorted(found)))
TO_PRIORITY = st.fixed_dictionaries({d: st.integers(0, 2) for d in DSCPS})


def word(text: str) -> Word:
    return Word(text, HERE)


SWITCH, PORT = (st.sampled_from(names).map(lambda name: (word(name),)) for names in (["s0", "s*"], ["1", "2", "3", "*"]))
REMAPS = st.builds(RemapLine, SWITCH, PORT, PORT, st.just({0: 1, 1: 2}), st.sampled_from(["old", "new"]), st.just(HERE))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Fabric, Declarations]:
    """Two or three switches, each with classes of its own or with none, cabled in a line or a ring, a host each; remaps."""
    n = draw(st.integers(2, 3))
    ring = [((i, 1), ((i + 1) % n, 2)) for i in range(n if draw(st.booleans()) else n - 1)]
    fabric = fabric_of([3] * n, [1] * n, [*ring, *(((i, 3), (n + i, 1)) for i in range(n))])
    known = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    roles = tuple(
        RoleLine(word(f"r{s}"), (word(f"s{s}"),), Classes(draw(LOSSLESS), draw(TO_PRIORITY))) for s in range(n) if known[s]
    )
    remaps = tuple(draw(st.lists(REMAPS, max_size=2)))
    traffic = {"data": DSCPS} if draw(st.booleans()) else {}
    return fabric, Declarations("pauseproof.yaml", HERE, roles=roles, remaps=remaps, traffic=traffic)


def naive_profiles(fabric: Fabric, declared: Declarations) -> list[Profile | None]:
    """By switch; a default where traffic is declared."""
    default = declared_profile(Classes(), (0,)) if declared.traffic else None  # DSCPs 0 to 2 have priority 0
    of_role = {role.match[0].text: declared_profile(role.classes, role.classes.lossless or ()) for role in declared.roles}
    return [of_role.get(switch.name, default) for switch in fabric.switches()]


def naive_rewrite(declared: Declarations, fabric: Fabric, s: int, i: int, o: int) -> Rewrite | None:
    for line in declared.remaps:
        at, into, out = line.at[0].text, line.into[0].text, line.out[0].text
        if at in ("s*", f"s{s}") and into in ("*", str(i)) and out in ("*", str(o)):
            return Rewrite(tuple(line.dscp.get(d, d) for d in range(64)), line.queue == "old")
    return None


@settings(deadline=None, max_examples=25)
@given(cases())
def test_every_turn_is_one_hop(case: tuple[Fabric, Declarations]) -> None:
    fabric, declared = case
    found = lossless_classes(fabric, declared=declared)
    if found.lanes.label_names == ("0",) and not declared.roles and not declared.remaps and not declared.traffic:
        return  # nothing was said
    lanes, profiles = found.lanes, naive_profiles(fabric, declared)
    for link, i in product(fabric.links(), range(4)):
        s, o, a = link.src, link.src_port, profiles[link.src] if link.src < fabric.n_switches else None
        if s >= fabric.n_switches:
            continue
        b = profiles[link.dst] if link.dst < fabric.n_switches else a
        ins = [0, *(p for p in range(1, 4) if fabric.in_link[s, p] >= 0)]
        if i not in ins:
            continue
        row = lanes.row_at(s, i, o)
        assert (row == UNKNOWN_ROW) == (a is None or b is None)
        if a is None or b is None:
            continue
        for k, label in enumerate(found.labels):
            landing = land(leave(Side(a), a, label, naive_rewrite(declared, fabric, s, i, o)), Side(b))
            after = lanes.after_row(row, k)
            assert after is not None and found.labels[after[0]] == landing.label
            assert lanes.lane_names[after[1]] == ("lossy" if landing.group < 0 else str(landing.group))
            beside = set(b.groups_that_stop(landing.queue, a))
            for j, other in product(ins, found.labels):
                near = land(leave(Side(a), a, other, naive_rewrite(declared, fabric, s, j, o)), Side(b))
                if near.queue == landing.queue and near.group >= 0:
                    beside.add(near.group)
            assert {int(lanes.lane_names[v]) for v in lanes.waits_also(row, k)} == beside - {landing.group}


@settings(deadline=None, max_examples=25)
@given(cases())
def test_hosts_send_into_the_classes_of_their_switch(case: tuple[Fabric, Declarations]) -> None:
    fabric, declared = case
    found = lossless_classes(fabric, declared=declared)
    profiles = naive_profiles(fabric, declared)
    if not (declared.roles or declared.traffic or declared.remaps):
        assert found.lanes.host_row.tolist() == [0] * fabric.n_hosts
        return
    for host in fabric.hosts():
        profile = profiles[fabric.link(host.up).dst]
        if profile is None:
            assert found.lanes.host_row[host.id] == UNKNOWN_ROW
            continue
        for k, label in enumerate(found.labels):
            group = Side(profile).group(label)
            after = found.lanes.after_host(host.id, k)
            lane = found.lanes.lane_names.index(str(group) if profile.lossless(group) else "lossy")
            assert after == (k, lane)
    if not declared.traffic:
        known = [profiles[fabric.link(host.up).dst] for host in fabric.hosts()]
        sent = {d for profile in known if profile for d in Side(profile).lossless_dscps}
        assert {found.labels[k] for k in found.sends["data"]} == {Label(d) for d in sent}


def test_the_tables_are_small_numbers() -> None:
    fabric = fabric_of([2], [1, 1], [((0, 1), (1, 1)), ((0, 2), (2, 1))])
    found = lossless_classes(fabric, declared=Declarations("x", HERE, classes=Classes(lossless=(3,)), traffic={"data": (26,)}))
    assert found.lanes.step.dtype == np.int16 and found.lanes.turn_row is None and found.lanes.host_row.tolist() == [0, 0]
