"""An engine with a fault is caught by the checker: the certificate that it makes is refused.

Each fault is one that an engine could have. It is refused as it is, and again with the right counts in place of those of the
faulty engine, so that its ranks, or its witnesses, must give it away by themselves.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pauseproof
from certificate_truth import Reference
from pauseproof.deadlock import analysis, row_analysis
from pauseproof.deadlock.check import Refused, check
from pauseproof.deadlock.stuck import peel
from pauseproof.deadlock.stuck_rows import peel_rows
from pauseproof.dependency import graph, states
from pauseproof.dependency.graph import assemble
from pauseproof.dependency.plan import I64, Plan, make_plan
from pauseproof.dependency.sources import injected
from pauseproof.dependency.successors import Successors, successors
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route, RowTable
from routing import dumps
from routing.test_multicast import ROUND, trees

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
DATELINE = """
ring: {switches: 5}
routing: ecmp
lanes: 2
lane-rules:
  - {at: s4, out: s0, label: {0: 1}}
"""
Patch = Callable[[pytest.MonkeyPatch], None]


def network_of(name: str, tmp_path: Path) -> Network:
    """An entry of the catalogue, or a topology in YAML."""
    if "\n" not in name:
        return pauseproof.load(TOPOLOGIES / name)
    (tmp_path / "fabric.yaml").write_text(name)
    return pauseproof.load(tmp_path / "fabric.yaml")


def proved(network: Network) -> Any:
    return json.loads(json.dumps(pauseproof.prove(network)))


def with_right_counts(certificate: Any, network: Network) -> Any:
    """The same ranks or witnesses, with what the checker would count."""
    return {**certificate, **Reference(network).counts(certificate["question"])}


def as_choices(network: Network) -> Network:
    """So that the walk over states reads it."""
    routes = network.routes
    if not isinstance(routes, RowTable):
        return network
    kind = ChoiceKind.ADAPTIVE if routes.by_load else ChoiceKind.HASHED
    return replace(network, routes=choice_table_from_rows(routes, kind=kind))


def planned(change: Callable[[Plan], Plan]) -> Patch:
    """The engine's constants, changed."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(states, "make_plan", lambda *network, worst: change(make_plan(*network, worst=worst)))
        monkeypatch.setattr(states, "walk_pinned", lambda found, columns: columns)  # all columns by the general walk

    return patch


def one_row_ignored(s: int, d: int) -> Patch:
    def without(plan: Plan) -> Plan:
        table = plan.table
        routes = [[table.route(i, j) for j in range(len(plan.destinations))] for i in range(plan.fabric.n_switches)]
        routes[s][d] = Route(ChoiceKind.DROP, ())
        network = Network(plan.fabric, plan.destinations, ChoiceTable.from_routes(routes), plan.lanes, {})
        return make_plan(network, plan.traffic, worst=plan.worst)

    return planned(without)


def one_column_ignored(plan: Plan) -> Plan:
    on = plan.columns.on.copy()
    on[np.flatnonzero(on)[-1]] = False
    return replace(plan, columns=replace(plan.columns, on=on))


def lanes_changed_at_every_turn_of_s0(plan: Plan) -> Plan:
    """Packets that turn at s0 are taken to change to lane 1 as well."""
    assert plan.lanes.turn_row is not None
    row = plan.lanes.turn_row.copy()
    row[0] = row[4].max()
    return replace(plan, lanes=replace(plan.lanes, turn_row=row))


def one_label_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    right = states.pairs_by_label
    monkeypatch.setattr(states, "pairs_by_label", lambda plan, columns: [one for one in right(plan, columns) if one[1] == 0])


def one_group_of_senders_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_the_last(*arguments: Any) -> Any:
        out = injected(*arguments)
        out[:, -1] = False
        return out

    monkeypatch.setattr(states, "injected", without_the_last)
    monkeypatch.setattr(states, "walk_pinned", lambda found, columns: columns)


def every_group_one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    right = graph._hops

    def open_choices(*arguments: Any) -> Any:
        hops = right(*arguments)
        return hops._replace(adaptive=np.ones_like(hops.adaptive))

    monkeypatch.setattr(graph, "_hops", open_choices)


def open_choices_committed(plan: Plan) -> Plan:
    kind = np.where(plan.choice_kind == ChoiceKind.ADAPTIVE, np.uint8(ChoiceKind.HASHED), plan.choice_kind)
    return replace(plan, choice_kind=kind)


def unknown_rows_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis.StateAnalysis, "meets_unknown", False)


def unknown_rows_are_drops_even_at_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "explore", lambda network, traffic, worst=False: states.explore(network, traffic))


def only_the_first_copy_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_copy(*arguments: Any) -> Successors:
        hop = successors(*arguments)
        _, first = np.unique(hop.parent, return_index=True)
        return hop._replace(parent=hop.parent[first], slot=hop.slot[first])

    monkeypatch.setattr(states, "successors", first_copy)
    monkeypatch.setattr(graph, "successors", first_copy)
    monkeypatch.setattr(states, "walk_pinned", lambda found, columns: columns)


def every_rank_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "peel", lambda graph: peel(graph)._replace(rank=np.ones(graph.n_buffers, np.int64)))


def depth_of_rows_upside_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(walk: Any) -> Any:
        peeled = peel_rows(walk)
        depth: I64 = np.where(peeled.depth > 0, peeled.depth.max() + 2 - peeled.depth, 0)
        return peeled._replace(depth=depth)

    monkeypatch.setattr(row_analysis, "peel_rows", turned)


FAULTS: list[tuple[Patch, str, str]] = [
    (planned(one_column_ignored), "loop-back-cable.yaml", "no rank"),
    (planned(one_column_ignored), "mesh4x4-adaptive-escape.yaml", "no rank"),
    (planned(lanes_changed_at_every_turn_of_s0), DATELINE, "no rank"),
    (one_label_forgotten, "ring4-infiniband-shared-vl.yaml", "no rank"),
    (one_group_of_senders_skipped, "opensm/ring5_minhop", "has no rank"),
    (every_group_one_set, "two-buffer-hashed.yaml", "do not rise"),
    (planned(open_choices_committed), "two-buffer-reselecting.yaml", "does not wait so"),
    (unknown_rows_ignored, "unknown-row.yaml", "do not rise"),
    (unknown_rows_are_drops_even_at_worst, "unknown-row.yaml", "do not rise"),
    (every_rank_alike, "two-buffer-reselecting.yaml", "do not rise"),
    (depth_of_rows_upside_down, "fat-tree-k4.yaml", "do not rise"),
]


@pytest.mark.parametrize(("fault", "name", "said"), FAULTS)
def test_the_certificate_of_a_faulty_engine_is_refused(
    fault: Patch, name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = network_of(name, tmp_path)
    rows = fault is depth_of_rows_upside_down
    engine_reads = network if rows else as_choices(network)
    if name != "unknown-row.yaml":
        assert check(proved(engine_reads), network)
    with monkeypatch.context() as patched:
        fault(patched)
        certificate = proved(engine_reads)
    with pytest.raises(Refused):
        check(certificate, network)
    with pytest.raises(Refused, match=said):
        check(with_right_counts(certificate, network), network)


def caught(patch: Patch, network: Network, reference: Reference, monkeypatch: pytest.MonkeyPatch, **asked: Any) -> bool:
    """Whether the certificate of the faulty engine is refused with the right counts: as it must be where it is false."""
    with monkeypatch.context() as patched:
        patch(patched)
        certificate = json.loads(json.dumps(pauseproof.prove(as_choices(network), **asked)))
    with_counts = with_right_counts(certificate, network)
    try:
        check(with_counts, network)
    except Refused:
        assert not reference.holds(with_counts)
        with pytest.raises(Refused):
            check(certificate, network)
        return True
    assert reference.holds(with_counts)
    return False


def dropping(dependency: tuple[int, int]) -> Patch:
    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        def without(n_lanes: int, buffers: I64, source: I64, target: I64, key: I64) -> Any:
            kept = (source != dependency[0]) | (target != dependency[1])
            return assemble(n_lanes, buffers, source[kept], target[kept], key[kept])

        monkeypatch.setattr(graph, "assemble", without)

    return patch


@pytest.mark.parametrize(("name", "matter"), [("two-buffer-hashed.yaml", 2), ("forwarding-loop.yaml", 2), ("ring5.yaml", 10)])
def test_any_dependency_that_the_engine_drops_is_caught_where_it_matters(
    name: str, matter: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It matters on the loops: without it the engine finds a rank, or too few loops."""
    network = pauseproof.load(TOPOLOGIES / name)
    whole, reference = analysis.whole_graph(network, network.traffics["hosts"]), Reference(network)
    every = list(zip(whole.source.tolist(), whole.target.tolist(), strict=True))
    assert sum(caught(dropping(one), network, reference, monkeypatch) for one in every) == matter


@pytest.mark.parametrize(("name", "matter"), [("two-buffer-hashed.yaml", 2), ("forwarding-loop.yaml", 2), ("ring5.yaml", 20)])
def test_any_row_that_the_engine_ignores_is_caught_where_it_matters(
    name: str, matter: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = pauseproof.load(TOPOLOGIES / name)
    reference, rows = Reference(network), product(range(network.fabric.n_switches), range(len(network.destinations)))
    assert sum(caught(one_row_ignored(s, d), network, reference, monkeypatch) for s, d in rows) == matter


def test_copies_that_are_not_followed_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that is a ring goes round both ways; an engine that follows one copy finds one loop."""
    network = dumps.network_of(tmp_path, trees(ROUND))
    reference = Reference(network)
    assert check(json.loads(json.dumps(pauseproof.prove(network, only=["H0x0"]))), network) == "DEADLOCK_POSSIBLE"
    assert caught(only_the_first_copy_followed, network, reference, monkeypatch, only=["H0x0"])
