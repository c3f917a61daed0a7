from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.declared import Classes
from pauseproof.routing.port_classes import NO_QUEUE, declared_profile, overridden

PRIORITY = st.integers(0, 7)
LOSSLESS = st.sets(PRIORITY).map(lambda found: tuple(sorted(found)))


@st.composite
def groups(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """Priorities put into groups, some into none."""
    group = draw(st.lists(st.integers(0, 3), min_size=8, max_size=8))
    return tuple(members for g in (1, 2, 3) if (members := tuple(p for p in range(8) if group[p] == g)))


def test_without_a_map_a_dscp_has_the_priority_of_its_class_selector() -> None:
    profile = declared_profile(Classes(), (3,))
    assert [profile.tc_of_dscp[d] for d in (0, 24, 26, 31, 32, 63)] == [0, 3, 3, 3, 4, 7]
    assert profile.lossless_groups == (3,)
    assert [profile.stops[p] for p in (3, 4)] == [3, NO_QUEUE]


def test_with_a_map_other_dscps_have_priority_0() -> None:
    profile = declared_profile(Classes(dscp={26: 3}), (3,))
    assert [profile.tc_of_dscp[d] for d in (26, 24)] == [3, 0]


def test_a_group_goes_by_its_least_priority_and_pauses_all_of_it() -> None:
    profile = declared_profile(Classes(groups=((3, 2),)), (2, 3))
    assert profile.lossless_groups == (2,) and profile.pauses[2] == {2, 3}
    assert [profile.group_of_tc[t] for t in (2, 3, 4)] == [2, 2, 4]
    assert profile.groups_that_stop(3, profile) == {2} == profile.groups_that_stop(2, profile)
    assert profile.groups_that_stop(4, profile) == set()


def test_a_group_that_is_lossless_in_part_pauses_that_part() -> None:
    profile = declared_profile(Classes(groups=((2, 3),)), (3,))
    assert profile.pauses[2] == {3} and profile.lossless(2)
    assert profile.groups_that_stop(2, profile) == set()


@given(LOSSLESS, groups())
def test_declared_groups_split_the_lossless_priorities(
    lossless: tuple[int, ...], together: tuple[tuple[int, ...], ...]
) -> None:
    profile = declared_profile(Classes(groups=together), lossless)
    least = {p: min(members) for members in together for p in members}
    assert set().union(*profile.pauses) == set(lossless)
    for p in range(8):
        g = least.get(p, p)
        assert profile.group_of_tc[p] == g
        assert (p in profile.pauses[g]) == (p in lossless)
        assert profile.stops[p] == (p if p in lossless else NO_QUEUE)


@given(LOSSLESS, LOSSLESS, groups(), st.dictionaries(st.integers(0, 63), PRIORITY, max_size=4))
def test_overriding_a_declared_profile_is_declaring_it_so(
    before: tuple[int, ...], after: tuple[int, ...], together: tuple[tuple[int, ...], ...], dscp: dict[int, int]
) -> None:
    plain = declared_profile(Classes(), before)
    found = overridden(plain, Classes(lossless=after, groups=together, dscp=dscp))
    expected = declared_profile(Classes(groups=together), after)
    assert found.pauses == expected.pauses and found.stops == expected.stops and found.group_of_tc == expected.group_of_tc
    assert found.tc_of_dscp == tuple(dscp.get(d, d // 8) for d in range(64))


@given(LOSSLESS, groups())
def test_saying_nothing_changes_nothing(lossless: tuple[int, ...], together: tuple[tuple[int, ...], ...]) -> None:
    profile = declared_profile(Classes(groups=together), lossless)
    assert overridden(profile, Classes()) == profile
