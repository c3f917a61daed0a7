import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.ip_prefix import parse_prefix
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import NextHop, RouteKind
from pauseproof.readers.route_groups import HopRows
from pauseproof.readers.route_rows import RouteRows
from route_facts import tables

KEY = ("a", "default", parse_prefix("10.0.0.0/8"))


def test_rows_of_a_prefix_are_one_route_in_their_order() -> None:
    problems = Problems("in")
    hops, rows = HopRows(problems), RouteRows("in", "some-format", problems)
    for line, interface in enumerate(["e2", "e1", "e2"], start=1):
        hops.add(KEY, RouteKind.FORWARD, NextHop("10.1.1.1", interface), line)
    hops.add((*KEY[:2], parse_prefix("::/0")), RouteKind.DISCARD, None, 4)
    hops.add((*KEY[:2], parse_prefix("10.0.0.1/32")), RouteKind.LOCAL, NextHop("", "lo"), 5)
    hops.into(rows)
    problems.raise_any()
    assert tables(rows.records()) == {
        ("a", "default"): {
            "10.0.0.0/8": ("forward", ("10.1.1.1@e2", "10.1.1.1@e1")),
            "::/0": ("discard", ()),
            "10.0.0.1/32": ("local", ("@lo",)),
        }
    }
    assert rows.records()[0].line.tolist() == [1, 4, 5]


def test_a_route_that_both_drops_and_forwards() -> None:
    problems = Problems("in")
    hops = HopRows(problems)
    hops.add(KEY, RouteKind.FORWARD, NextHop("10.1.1.1", "e1"), 1)
    hops.add(KEY, RouteKind.DISCARD, None, 2)
    with pytest.raises(BadInput, match="in:2: the route is discard here and forward in line 1"):
        problems.raise_any()
