"""Entries set anew, against the table written out entry by entry."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from examples import on_some
from pauseproof.repair.entries import with_entries
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route, in_order
from strategies import Case, anything


@on_some
@given(anything(), st.data())
def test_only_the_given_entries_change(case: Case, data: st.DataObject) -> None:
    table, n = case.network.routes, case.network.fabric.n_switches
    assert isinstance(table, ChoiceTable)
    columns = len(case.network.destinations)
    links = st.lists(st.integers(0, max(case.network.fabric.n_links - 1, 0)), max_size=3, unique=True)
    route = st.builds(lambda some: Route(ChoiceKind.HASHED, tuple(some)), links)
    at = st.tuples(st.integers(0, n - 1), st.integers(0, columns - 1))
    entries = data.draw(st.dictionaries(at, route, max_size=4))
    after = with_entries(table, entries)
    for s in range(n):
        for d in range(columns):
            assert meaning(after.route(s, d)) == meaning(in_order(entries.get((s, d), table.route(s, d))))


def meaning(route: Route) -> Route:
    """A row of -1 for each link, and none at all, say the same."""
    return route._replace(rows=route.rows or (-1,) * len(route.links))


def test_choices_that_are_alike_are_not_mixed_up() -> None:
    """Switches that commit make two choices with the same links; numbers of choices must not shift."""
    table = ChoiceTable.from_routes(
        [[Route(ChoiceKind.ADAPTIVE, (0,)), Route(ChoiceKind.HASHED, (0,)), Route(ChoiceKind.DROP, ())]]
    )
    alike = replace(table, kind=table.kind * 0 + ChoiceKind.HASHED)
    after = with_entries(alike, {(0, 0): Route(ChoiceKind.HASHED, (1,))})
    assert [after.route(0, d).links for d in range(3)] == [(1,), (0,), ()]
