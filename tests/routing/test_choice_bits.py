"""Choices said by bits say the same, and what bits cannot say stays choices."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from pauseproof.routing.choice_bits import rows_of_choices
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route, RowTable
from stories import UNKNOWN, Story
from strategies import Case, PlainCase, anything, plain


def entries(network: Network) -> list[Route]:
    return [network.routes.route(s, d) for s in range(network.fabric.n_switches) for d in range(len(network.destinations))]


def as_bits(network: Network) -> RowTable | None:
    assert isinstance(network.routes, ChoiceTable)
    return rows_of_choices(network.routes, network.destinations, network.fabric)


@settings(deadline=None)
@given(anything())
def test_where_there_are_bits_they_say_the_same(case: Case) -> None:
    rows = as_bits(case.network)
    if rows is not None:
        assert entries(replace(case.network, routes=rows)) == entries(case.network)


@settings(deadline=None)
@given(plain())
def test_plain_tables_with_one_port_a_host_are_said_by_bits(case: PlainCase) -> None:
    network = case.choices
    several = (np.bincount(network.fabric.host_node, minlength=1) > 1).any()
    straight = any(
        route.kind == ChoiceKind.HASHED and any(network.fabric.host_of_link[link] >= 0 for link in route.links)
        for route in entries(network)
    )
    rows = as_bits(network)
    if rows is not None:
        assert entries(replace(network, routes=rows)) == entries(network)
    elif not several and not straight:
        kinds = {route.kind for route in entries(network)}
        assert kinds - {ChoiceKind.DROP, ChoiceKind.DEAD_PORT, ChoiceKind.HASHED, ChoiceKind.DELIVER}


def story() -> Story:
    told = Story("a-b a-x b-y", "x y").at("a", "y", "a>b").at("b", "x", "b>a")
    told.at("a", "x", told.choice(ChoiceKind.DELIVER, "a>x"))
    return told.at("b", "y", told.choice(ChoiceKind.DELIVER, "b>y"))


def test_a_plain_story_is_said_by_bits() -> None:
    rows = as_bits(story().network)
    assert rows is not None
    assert rows.dead is None
    assert entries(replace(story().network, routes=rows)) == entries(story().network)


def test_unknown_rows_stay_choices() -> None:
    assert as_bits(story().at("a", "y", UNKNOWN).network) is None


def test_rewritten_columns_and_members_with_rows_stay_choices() -> None:
    told = story()
    assert as_bits(told.at("a", "y", Route(ChoiceKind.HASHED, (told.link["a>b"],), (), 0)).network) is None
    assert as_bits(told.at("a", "y", Route(ChoiceKind.HASHED, (told.link["a>b"],), (0,))).network) is None


def test_links_straight_to_hosts_stay_choices() -> None:
    assert as_bits(story().at("a", "y", "a>b a>x").network) is None


def test_a_server_with_two_ports_stays_choices() -> None:
    told = Story("a-b a-x a-u b-v", "uv", nodes={"u": "s", "v": "s"})
    told.at("a", "uv", told.choice(ChoiceKind.DELIVER, "a>u")).at("b", "uv", told.choice(ChoiceKind.DELIVER, "b>v"))
    assert as_bits(told.network) is None
