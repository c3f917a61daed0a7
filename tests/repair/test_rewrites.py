"""Lines for turns that are rewritten alike."""

from pauseproof.repair.rewrites import RewriteLine, lines_of, place_of
from strategies import fabric_of


def test_ports_with_one_change_share_a_line() -> None:
    fabric = fabric_of([4, 4], [1], [((0, 1), (1, 1)), ((0, 2), (1, 2)), ((0, 3), (1, 3)), ((0, 4), (2, 1))])
    up, other = {"26": "34"}, {"26": "34", "34": "42"}
    rewrites = {(0, 1, 2): up, (0, 3, 2): up, (0, 1, 4): up, (0, 3, 4): up, (0, 2, 1): other, (1, 1, 2): up}
    assert lines_of(fabric, rewrites) == [
        RewriteLine("s0", ("1", "3"), ("2", "4"), (("26", "34"),)),
        RewriteLine("s0", ("2",), ("1",), (("26", "34"), ("34", "42"))),
        RewriteLine("s1", ("1",), ("2",), (("26", "34"),)),
    ]


def test_a_turn_is_made_where_its_first_link_ends() -> None:
    fabric = fabric_of([2, 1], [1], [((0, 1), (1, 1)), ((0, 2), (2, 1))])
    up = fabric.host(0).up
    across = next(l.id for l in fabric.links() if (l.src, l.dst) == (0, 1))
    assert place_of(fabric, ((up, 0), across)) == (0, 2, 1)
