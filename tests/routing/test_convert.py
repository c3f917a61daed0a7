"""From one form of table to another."""

from pauseproof.routing.convert import choices_with, paired
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route

DROP = Route(ChoiceKind.DROP, ())
IN_LANE = Route(ChoiceKind.HASHED, (1, 4), (2, -1))
ONWARD = Route(ChoiceKind.HASHED, (3,), (-1,), column=1)  # into a tunnel
TABLE = ChoiceTable.from_routes([[IN_LANE, DROP], [DROP, ONWARD]])


def entries(table: ChoiceTable) -> list[list[Route]]:
    return [[table.route(s, d) for d in range(2)] for s in range(2)]


def test_entries_that_are_not_replaced_keep_their_rows_and_columns() -> None:
    table = choices_with(TABLE, {(0, 1): Route(ChoiceKind.HASHED, (7, 5), (1, 0))}, TABLE.place_of)
    assert entries(table) == [[IN_LANE, Route(ChoiceKind.HASHED, (5, 7), (0, 1))], [DROP, ONWARD]]


def test_a_pair_of_tables_is_combined_entry_by_entry() -> None:
    other = ChoiceTable.from_routes([[DROP, ONWARD], [IN_LANE, DROP]])
    assert entries(paired(TABLE, other, lambda a, b: a if a.links else b)) == [[IN_LANE, ONWARD], [IN_LANE, ONWARD]]
