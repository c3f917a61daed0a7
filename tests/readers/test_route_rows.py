"""The rows that all readers of forwarding tables share, and what all of those readers have in common."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.readers import registry
from pauseproof.readers.ip_prefix import parse_prefix
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, RouteKind
from pauseproof.readers.route_rows import DISCARD, RouteRows, group_of
from route_facts import tables
from route_files import ROUTE_FILES
from texts import source_of

ONE, TWO = group_of((NextHop("10.0.0.1", "e1"),)), group_of((NextHop("10.0.0.2", "e2"),))


def rows(*found: tuple[str, str, str, Group]) -> tuple[RouteRows, Problems]:
    problems = Problems("in")
    out = RouteRows("in", "some-format", problems)
    for line, (device, vrf, prefix, group) in enumerate(found, start=1):
        out.add(device, vrf, parse_prefix(prefix), group, line)
    return out, problems


def test_kinds() -> None:
    assert ONE.kind == RouteKind.FORWARD
    assert group_of((NextHop("", "e1"), NextHop("", "e2"))).kind == RouteKind.CONNECTED
    assert group_of((NextHop("", "e1"), NextHop("10.0.0.1", ""))).kind == RouteKind.FORWARD
    assert group_of((NextHop("", "", 1, "10.9.0.1"),)).kind == RouteKind.FORWARD
    assert group_of((NextHop("", "e1"),), local=True).kind == RouteKind.LOCAL


def test_a_record_for_each_device_and_vrf_with_groups_of_its_own() -> None:
    found, problems = rows(
        ("b", "default", "10.0.0.0/8", ONE),
        ("a", "red", "::/0", DISCARD),
        ("b", "default", "10.0.0.0/9", TWO),
        ("b", "default", "0.0.0.0/0", ONE),
    )
    problems.raise_any()
    first, second = found.records()
    assert (first.device, second.device, first.groups, second.groups) == ("a", "b", (DISCARD,), (ONE, TWO))
    assert second.group.tolist() == [0, 1, 0] and second.line.tolist() == [1, 3, 4]
    assert [second.family.dtype, second.high.dtype, second.low.dtype, second.length.dtype] == ["u1", "u8", "u8", "u1"]
    assert [second.length.tolist(), first.family.tolist()] == [[8, 9, 0], [6]]


def test_routes_that_are_not_installed_are_one_remark_a_table() -> None:
    found, _ = rows(("a", "default", "10.0.0.0/8", ONE))
    for line in (9, 8, 7, 6):
        found.not_installed("b", "red", f"10.{line}.0.0/16", line)
    first, second = found.records()
    assert not first.remarks and len(second.line) == 0
    (remark,) = second.remarks
    said = "b (VRF red) chose 4 routes that are not installed: 10.6.0.0/16, 10.7.0.0/16, 10.8.0.0/16 and 1 more"
    assert (remark.rule, remark.message) == ("route-not-installed", said)
    assert [str(place) for place in remark.places] == ["in:6", "in:7", "in:8"]


def test_the_families_that_a_file_tells_of() -> None:
    found, _ = rows(("a", "default", "10.0.0.0/8", ONE), ("b", "default", "fe80::/64", ONE), ("c", "default", "0.0.0.0/0", ONE))
    found.add("c", "default", parse_prefix("ff00::/8"), ONE, 4)
    assert [sorted(record.families) for record in found.records()] == [[4], [6], [4, 6]]
    assert [len(record.line) for record in found.records()] == [1, 0, 1]


def test_an_empty_table_is_a_record() -> None:
    found, _ = rows()
    found.table("a", "default")
    (record,) = found.records()
    assert len(record.line) == len(record.high) == len(record.group) == 0


def test_the_same_again_is_one_route_and_another_a_problem() -> None:
    found, problems = rows(("a", "red", "10.0.0.0/8", ONE), ("a", "red", "10.0.0.0/8", ONE), ("a", "red", "10.0.0.0/8", TWO))
    assert len(found.records()[0].line) == 1
    with pytest.raises(BadInput, match="in:3: another route for the prefix of line 1 in VRF red"):
        problems.raise_any()


JSON = [module for module, text in ROUTE_FILES.items() if str(text).lstrip()[0] in "{["]
PLACES = {module: json.loads(ROUTE_FILES[module]) for module in JSON}
ODDITIES: list[Any] = [None, True, 0, -1, 7, 1.5, "", "x", "10.0.0.0/24", [], [7], ["x"], {}, {"x": 7}, [[]], [{}], 2**70]
ODD = st.sampled_from(ODDITIES)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value within a value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [inner for step, one in entries for inner in [(*path, step), *places(one, (*path, step))]]


@pytest.mark.parametrize("module", PLACES)
@given(data=st.data())
def test_an_odd_value_anywhere_is_read_or_refused_with_its_file(module: str, data: st.DataObject) -> None:
    whole = json.loads(json.dumps(PLACES[module]))
    path = data.draw(st.sampled_from(places(whole)))
    at = whole
    for step in path[:-1]:
        at = at[step]
    if data.draw(st.booleans()):
        at[path[-1]] = data.draw(ODD)
    else:
        del at[path[-1]]
    for text in (json.dumps(whole, indent=1), json.dumps(whole)):
        reader = registry.reader(module)
        if reader.matches(text.encode()[:4096]):
            try:
                reader.read(source_of(text))
            except BadInput as error:
                assert error.problems and all(problem.place.file == "in" for problem in error.problems)


@pytest.mark.parametrize("module", registry.ROUTES)
def test_every_format_tells_the_same_two_routes(module: str) -> None:
    source = source_of(ROUTE_FILES[module], "leaf2.any")
    (found,) = tables(registry.reader(module).read(source)).items()
    (device, vrf), table = found
    assert (device, vrf) == ("leaf2", "default")
    addresses = {prefix: (kind, [hop.partition("@")[0] for hop in hops]) for prefix, (kind, hops) in table.items()}
    assert addresses == {"10.10.4.0/24": ("forward", ["10.1.1.5", "10.1.2.5"]), "10.10.2.0/24": ("connected", [""])}
