"""Traffic classes of a fabric, and what a question makes of them."""

from dataclasses import replace

import numpy as np
import pytest

from lane_samples import FABRIC
from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.places import BadInput
from pauseproof.routing.ask import (
    ASSUMED,
    COMMITTED,
    CONSUMING,
    COUPLED,
    ONE_PAUSES,
    QUEUES_SHARED,
    RESELECTING,
    Asked,
    Question,
    ask,
    named,
    traffic_classes,
)
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, Route

NAMES = ["gpu1", "gpu2", "nfs", "leaf[1]"]
HOST, SWITCH, TREE = DestinationKind.HOST, DestinationKind.SWITCH, DestinationKind.MULTICAST
COLUMNS = Destinations(  # h0, h1, h2, s0, s1, and a tree of h0 and h2
    ["1", "2", "3", "4", "5", "0xC000"],
    np.array([HOST, HOST, HOST, SWITCH, SWITCH, TREE], np.uint8),
    np.array([-1, -1, -1, 0, 1, -1], np.int32),
    np.array([0, 1, 2, 3, 3, 3, 5], np.int64),
    np.array([0, 1, 2, 0, 2], np.int32),
)


def network(*, aggregation: bool = False, kind: ChoiceKind = ChoiceKind.HASHED) -> Network:
    """Two leaves whose every entry is both links of the switch."""
    kinds = FABRIC.node_kind.copy()
    kinds[-1] = NodeKind.AGGREGATION if aggregation else NodeKind.HOST
    fabric = replace(FABRIC, node_kind=kinds)
    out = [tuple(l.id for l in fabric.links() if l.src == s) for s in range(2)]
    table = ChoiceTable.from_routes([[Route(kind, links)] * len(COLUMNS) for links in out])
    labels = np.ones((fabric.n_hosts, len(COLUMNS)), np.uint32)
    lanes = Lanes.identity(fabric.n_hosts, ("0", "1"))
    return Network(fabric, COLUMNS, table, lanes, traffic_classes(fabric, COLUMNS, labels))


@pytest.mark.parametrize(
    ("only", "exclude", "left"),
    [
        ((), (), NAMES),
        (("gpu*",), (), ["gpu1", "gpu2"]),
        (("gpu*", "nfs"), ("*2",), ["gpu1", "nfs"]),
        ((), ("gpu?",), ["nfs", "leaf[1]"]),
        (("GPU*",), (), []),
        (("leaf[[]1]",), (), ["leaf[1]"]),
        (("leaf[1]",), (), []),  # a glob: one of the letters in brackets
    ],
)
def test_globs_name_nodes(only: tuple[str, ...], exclude: tuple[str, ...], left: list[str]) -> None:
    kept = named(NAMES, Question(only=only, exclude=exclude))
    assert [name for name, keep in zip(NAMES, kept.tolist(), strict=True) if keep] == left


def test_hosts_are_the_least_class_and_the_others_add_to_it() -> None:
    classes = network(aggregation=True).traffics
    assert list(classes) == ["hosts", "hosts+switches", "hosts+aggregation"]
    hosts, switches, everyone = classes.values()
    assert hosts.host_sends.tolist() == hosts.host_receives.tolist() == [True, True, False]
    assert not hosts.switch_sends.any()
    assert hosts.destination_on.tolist() == [True] * 3 + [False] * 2 + [True]
    assert switches.switch_sends.all() and switches.destination_on.all()
    assert not switches.host_sends.all()
    assert everyone.host_sends.all() and not everyone.switch_sends.any()
    assert list(network().traffics) == ["hosts", "hosts+switches"]


def test_narrowing_takes_senders_receivers_and_switches_with_their_columns() -> None:
    asked = ask(network(), Question("hosts+switches", only=("h*", "s1"), exclude=("h1",))).traffic
    assert asked.host_sends.tolist() == asked.host_receives.tolist() == [True, False, True]
    assert asked.switch_sends.tolist() == [False, True]
    assert asked.destination_on.tolist() == [True, True, True, False, True, True]


def test_one_label_for_all_replaces_the_labels_of_pairs() -> None:
    asked = ask(network(), Question(all_on=1))
    assert (asked.traffic.label, asked.traffic.labels) == (1, None)
    assert any("SL 1, whatever its path record says" in said for said in asked.assumptions)
    kept = ask(network(), Question())
    assert kept.traffic.labels is not None
    assert any("SL of its path record" in said for said in kept.assumptions)


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        (Question("host"), r"--traffic: this fabric has no traffic 'host'; expected one of: hosts, hosts\+switches"),
        (Question(all_on=2), r"--all-on-sl: there is no label 2; expected 0\.\.1"),
        (Question(only=("*",), exclude=("*",)), "--only/--exclude: no host is left to send"),
        (Question(only=("h*", "nobody")), "--only: no node is called 'nobody'"),
        (Question(exclude=("nobody*",)), r"--exclude: no node is called 'nobody\*'"),
        (Question(endpoint_coupled=("s1",)), "--endpoint-coupled: no host is called 's1'"),
    ],
)
def test_what_cannot_be_asked_is_refused(question: Question, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        ask(network(), question)


def test_what_is_counted_is_not_assumed() -> None:
    plain = network()
    shared = replace(plain, lanes=replace(plain.lanes, coupled=(((1,), ()),)))
    assert set(ASSUMED) <= set(ask(plain, Question()).assumptions)
    counted = ask(shared, Question(endpoint_coupled=("h1",))).assumptions
    assert set(ASSUMED) - set(counted) == {ONE_PAUSES, CONSUMING}
    assert QUEUES_SHARED in counted and COUPLED.format(1) in counted


def kinds(asked: Asked) -> set[ChoiceKind]:
    routes = asked.network.routes
    return {routes.route(s, d).kind for s in range(2) for d in range(len(COLUMNS))}


def test_what_switches_that_pick_by_load_do_is_as_asked() -> None:
    by_load = network(kind=ChoiceKind.ADAPTIVE)
    for question, kind, said in (
        (Question(), ChoiceKind.HASHED, "commit to a link"),  # committed, where the input does not say
        (Question(adaptive=COMMITTED), ChoiceKind.HASHED, "commit to a link"),
        (Question(adaptive=RESELECTING), ChoiceKind.ADAPTIVE, "switches that pick by load keep the choice open"),
    ):
        asked = ask(by_load, question)
        assert asked.by_load and kinds(asked) == {kind}
        assert any(said in assumed for assumed in asked.assumptions)
    one = replace(by_load, reselects=np.array([False, True]))
    asked = ask(one, Question())
    assert asked.reselecting == 1
    assert [asked.network.routes.route(s, 0).kind for s in range(2)] == [ChoiceKind.HASHED, ChoiceKind.ADAPTIVE]


def test_hashed_tables_stay_as_they_are_whatever_is_asked() -> None:
    for adaptive in (None, COMMITTED, RESELECTING):
        asked = ask(network(), Question(adaptive=adaptive))
        assert not asked.by_load and kinds(asked) == {ChoiceKind.HASHED}
        assert not any("pick by load" in said for said in asked.assumptions)
