from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.roce_records import NextHop
from pauseproof.routing.groups import Grouping, Groups, Member, agreed, plain, sonic_order

MEMBERS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), min_size=1, max_size=4, unique_by=lambda m: m[0])
GROUPINGS = MEMBERS.map(lambda found: Grouping(tuple(Member((link,), weight) for link, weight in found)))


def test_links_are_each_once_and_ascending() -> None:
    grouping = Grouping((Member((5, 7), 2), Member((3,)), Member((7,))))
    assert grouping.links == (3, 5, 7) and grouping.bundled
    assert not plain((1, 2)).bundled


@given(GROUPINGS, GROUPINGS)
def test_what_two_routes_say_is_clear_only_where_they_say_the_same(a: Grouping, b: Grouping) -> None:
    both = agreed(a, b)
    assert (both.unclear == "") == (a == b)
    assert both.members == a.members
    assert agreed(both, b) == both or a == b


def test_groups_over_the_same_links_are_numbered() -> None:
    groups, turned = Groups(), Grouping((Member((2,)), Member((1,))))
    assert groups.number("a", plain((1, 2))) == 0 and groups.by_switch({"a": 0}) == {}
    assert [groups.number("a", turned), groups.number("a", turned), groups.number("a", plain((1, 2)))] == [1, 1, 0]
    assert groups.by_switch({"a": 5}) == {(5, (1, 2)): (plain((1, 2)), turned)}
    number = groups.disputed("a", (1, 2), 0, 1)
    assert number == 2 and groups.found["a", (1, 2)][2].unclear
    assert groups.disputed("a", (1, 2), 2, 0) == 2


def test_another_table_of_buckets_is_a_contradiction() -> None:
    assert agreed(plain((1, 2)), Grouping(plain((1, 2)).members, buckets=32)).unclear


@given(st.lists(st.ip_addresses(v=4), min_size=1, max_size=5))
def test_sonic_compares_the_bytes_of_ipv4_addresses_from_the_last(found: list[object]) -> None:
    by_bytes = sorted(map(str, found), key=lambda text: [int(byte) for byte in reversed(text.split("."))])
    assert [hop.address for hop in sorted((NextHop(str(a), "") for a in found), key=sonic_order)] == by_bytes
