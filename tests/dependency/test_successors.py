"""One hop of one packet, by kind of entry. Every hop of every packet is told in test_states."""

from dataclasses import replace

import numpy as np
import pytest

from pauseproof.dependency.plan import make_plan
from pauseproof.dependency.successors import Successors, successors
from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW
from pauseproof.routing.tables import ChoiceKind, Route
from stories import DEAD, DROP, LOCAL, UNKNOWN, Story

HASHED, ADAPTIVE, MULTICAST, DELIVER = ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, ChoiceKind.MULTICAST, ChoiceKind.DELIVER


def story(entry: Route | str, column: str = "y") -> Story:
    """a in the middle: b, c and the hosts x and y around it; the entry of a for the column."""
    return Story("a-b a-c a-x a-y", column).at("a", column, entry)


def hop(told: Story, *, came_by: str = "b>a", worst: bool = False) -> Successors:
    plan = make_plan(told.network, told.traffic, worst=worst)
    link = told.link[came_by]
    at = plan.table.value[told.switch["a"], 0]
    one = [np.array([n], np.int64) for n in (told.switch["a"], link, told.fabric.link(link).dst_port, 0, at, 0)]
    return successors(plan, *one)


def after(told: Story, found: Successors) -> set[str]:
    """The next links, by name."""
    plan = make_plan(told.network, told.traffic, worst=False)
    return {told.name[slot // plan.n_classes] for slot in found.slot.tolist()}


def ends(found: Successors) -> tuple[bool, bool]:
    """(dropped, unknown)."""
    return bool(len(found.dropped)), bool(len(found.unknown))


@pytest.mark.parametrize(
    ("kind", "links", "wanted"),
    [
        (HASHED, "a>c", {"a>c"}),
        (HASHED, "a>b a>c", {"a>b", "a>c"}),  # back where it came from: a table may say so
        (ADAPTIVE, "a>b a>c", {"a>b", "a>c"}),
        (MULTICAST, "a>b a>c a>x", {"a>c", "a>x"}),  # a copy never goes back
        (DELIVER, "a>y", {"a>y"}),
    ],
)
def test_members_follow(kind: ChoiceKind, links: str, wanted: set[str]) -> None:
    told = story(DROP)
    told.at("a", "y", told.choice(kind, links))
    found = hop(told)
    assert after(told, found) == wanted
    assert ends(found) == (False, False)


@pytest.mark.parametrize(
    ("entry", "dropped", "unknown"),
    [(DROP, True, False), (DEAD, True, False), (LOCAL, True, False), (Route(HASHED, ()), True, False), (UNKNOWN, False, True)],
)
def test_where_a_packet_ends(entry: Route, dropped: bool, unknown: bool) -> None:
    found = hop(story(entry))
    assert ends(found) == (dropped, unknown)
    assert not len(found.slot)


def test_at_the_switch_that_it_is_for_a_packet_is_not_dropped() -> None:
    found = hop(story(LOCAL, "a"))
    assert (ends(found), len(found.slot)) == ((False, False), 0)


def test_in_the_worst_case_an_unread_entry_leads_anywhere() -> None:
    told = story(UNKNOWN)
    assert after(told, hop(told, worst=True)) == {"a>b", "a>c", "a>x", "a>y"}


def test_a_lossy_or_unread_turn_ends_there() -> None:
    told = story("a>c")
    ports = told.fabric.max_radix + 1
    turn = np.zeros((told.fabric.n_switches, ports, ports), np.int32)
    lossy = np.array([[LOSSY]], np.int16)
    told.lanes = replace(told.lanes, step=lossy, turn_row=turn)
    assert ends(hop(told)) == (True, False)
    told.lanes = replace(told.lanes, step=np.array([[0]], np.int16), turn_row=turn + UNKNOWN_ROW)
    assert ends(hop(told)) == (False, True)
    assert not len(hop(told).slot)


def test_a_group_of_which_some_turn_was_not_read_is_not_followed_where_it_picks_by_load() -> None:
    told = story(DROP)
    ports = told.fabric.max_radix + 1
    turn = np.zeros((told.fabric.n_switches, ports, ports), np.int32)
    turn[told.switch["a"], :, told.fabric.link(told.link["a>c"]).src_port] = UNKNOWN_ROW
    told.lanes = replace(told.lanes, turn_row=turn)
    for kind, wanted in ((HASHED, {"a>x"}), (ADAPTIVE, set[str]())):
        told.at("a", "y", told.choice(kind, "a>c a>x"))
        found = hop(told)
        assert after(told, found) == wanted
        assert ends(found) == (False, True)
