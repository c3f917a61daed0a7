"""Senders that a switch treats alike are one group."""

from dataclasses import replace

import numpy as np
from hypothesis import given

from examples import on_some
from pauseproof.dependency.plan import make_plan
from pauseproof.dependency.sources import Sources, find_sources, injected
from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.routing.walk import pairs
from stories import Story, line, ring_of_three
from strategies import Case, anything, sane


def of(story: Story) -> Sources:
    return find_sources(make_plan(story.network, story.traffic, worst=False))


def test_hosts_of_one_switch_are_a_group_with_no_link_of_its_own() -> None:
    story = Story("a-b a-x a-y b-z", "x y z")
    groups = of(story).groups
    host = story.host
    assert groups.of_host[host["x"]] == groups.of_host[host["y"]] != groups.of_host[host["z"]]
    both, alone = groups.of_host[host["x"]], groups.of_host[host["z"]]
    assert groups.switch[[both, alone]].tolist() == [story.switch["a"], story.switch["b"]]
    assert groups.n_senders[[both, alone]].tolist() == [2, 1]
    assert groups.in_link[[both, alone]].tolist() == [-1, story.link["z>b"]]


def test_switches_that_send_are_groups_of_their_own() -> None:
    story = ring_of_three().senders("xb")
    groups = of(story).groups
    g = groups.of_switch[story.switch["b"]]
    assert groups.of_switch.tolist().count(-1) == 2
    assert (groups.switch[g], groups.in_link[g], groups.in_port[g], groups.n_senders[g]) == (story.switch["b"], -1, 0, 1)


def test_a_host_beside_a_host_is_in_no_group() -> None:
    story = Story("a-x y-z", "x y")
    sources = of(story)
    assert sorted(sources.lone.tolist()) == sorted([story.host["y"], story.host["z"]])
    assert sources.groups.of_host[story.host["y"]] == -1


def test_a_host_whose_map_was_not_read_is_in_no_group() -> None:
    story = line()
    story.lanes = replace(story.lanes, host_row=np.array([UNKNOWN_ROW, 0], np.int32))
    sources = of(story)
    assert sources.first == [None, [0]]
    assert sources.groups.of_host[story.host["x"]] == -1 != sources.groups.of_host[story.host["y"]]


@on_some
@given(anything())
def test_what_groups_inject_is_what_pairs_there_are(case: Case) -> None:
    check_injected(case)


@on_some
@given(sane())
def test_on_sane_networks_what_groups_inject_is_what_pairs_there_are(case: Case) -> None:
    check_injected(case)


def check_injected(case: Case) -> None:
    """A group injects into a column iff some sender of it has a pair there; no member is counted that is not one."""
    plan = make_plan(*case, worst=False)
    groups = find_sources(plan).groups
    columns = np.arange(len(case.network.destinations))
    found = {(int(d), int(g)) for d, g in zip(*np.nonzero(injected(plan, groups, columns)), strict=True)}
    group_of = {"host": groups.of_host, "switch": groups.of_switch}
    wanted = {(d, int(group_of[source.kind][source.id])) for source, d, _ in pairs(*case)}
    assert found == {(d, g) for d, g in wanted if g >= 0}
