import json
from typing import Any

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers import linux_routes
from pauseproof.readers.linux_nexthops import join_nexthops, matches, read
from pauseproof.readers.roce_records import Group, RouteKind
from pauseproof.readers.source import open_source
from route_facts import hop_text, table
from route_files import LINUX_ADDRESSES, LINUX_NEXTHOPS, LINUX_ROUTES
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of


def told(*objects: Any) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Each object's kind and next hops."""
    groups = read(source_of(json.dumps(objects))).groups
    return {number: words(group) for number, group in groups.items()}


def words(group: Group) -> tuple[str, tuple[str, ...]]:
    return str(group.kind), tuple(map(hop_text, group.hops))


def test_a_small_dump() -> None:
    records = read(source_of(LINUX_NEXTHOPS, "leaf2.ip_j_nexthop.json"))
    assert records.device == "leaf2"
    assert {number: words(group) for number, group in records.groups.items()} == {
        16: ("forward", ("10.1.1.5@swp1",)),
        20: ("forward", ("10.1.2.5@swp2",)),
        21: ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
    }
    assert records.lines == {16: 1, 20: 2, 21: 3}


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, LINUX_NEXTHOPS) == [len(LINUX_NEXTHOPS) - 1]


ONE, TWO = {"id": 1, "gateway": "fe80::1", "dev": "swp1"}, {"id": 2, "dev": "swp2"}


def test_weights_blackholes_and_dead_members() -> None:
    dead = {"id": 3, "gateway": "10.0.0.1", "dev": "swp3", "flags": ["dead", "linkdown"]}
    found = told(
        ONE,
        TWO,
        dead,
        {"id": 4, "blackhole": None},
        {"id": 5, "group": [{"id": 1, "weight": 3}, {"id": 3}]},
        {"id": 6, "group": [{"id": 4}]},
        {"id": 7, "fdb": None, "via": "10.0.0.9"},
    )
    assert found == {
        1: ("forward", ("fe80::1@swp1",)),
        2: ("connected", ("@swp2",)),
        3: ("discard", ()),
        4: ("discard", ()),
        5: ("forward", ("fe80::1@swp1*3",)),
        6: ("discard", ()),
    }


def test_routes_are_joined_with_their_objects() -> None:
    text = '[{"dst":"10.0.0.0/24","nhid":21},{"dst":"10.0.1.0/24","nhid":16},{"dst":"10.0.2.0/24","dev":"swp9"}]'
    routes = linux_routes.read(source_of(text, "leaf2.routes"))
    (joined,) = join_nexthops(routes, [read(source_of(LINUX_NEXTHOPS, "leaf2.nexthops"))])
    assert not joined.awaited
    assert table(joined) == {
        "10.0.0.0/24": ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
        "10.0.1.0/24": ("forward", ("10.1.1.5@swp1",)),
        "10.0.2.0/24": ("connected", ("@swp9",)),
    }


def test_routes_that_await_nothing_are_left_as_they_are() -> None:
    routes = linux_routes.read(source_of(LINUX_ROUTES))
    assert join_nexthops(routes, []) == routes


def test_an_object_of_another_device_is_no_help() -> None:
    text = '[{"dst":"10.0.1.0/24","dev":"swp1"},\n{"dst":"10.0.0.0/24","nhid":21}]'
    routes = linux_routes.read(source_of(text, "leaf1.routes"))
    with pytest.raises(BadInput, match=r"leaf1\.routes:2: next-hop object 21 of leaf1 was not read"):
        join_nexthops(routes, [read(source_of(LINUX_NEXTHOPS, "leaf2.nexthops"))])


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"id": 0, "dev": "e"}, "is no next-hop object"),
        ({"id": "9", "dev": "e"}, "is no next-hop object"),
        ({"dev": "e"}, "is no next-hop object"),
        (7, "is no next-hop object"),
        ({"id": 1, "dev": "e"}, "the id 1 is there twice, first in line 1"),
        ({"id": 9}, "next-hop object 9: neither an address nor an interface"),
        ({"id": 9, "gateway": "x"}, "next-hop object 9: the next hop 'x' is no IP address"),
        ({"id": 9, "group": []}, '"group" is no list of members'),
        ({"id": 9, "group": [{"id": 8}]}, "is no next-hop object of this file"),
        ({"id": 9, "group": [{"id": 9}]}, "is no next-hop object of this file"),
        ({"id": 9, "group": [{"id": 1, "weight": -1}]}, "-1 is no weight of a member"),
        ({"id": 9, "group": [3]}, "is no next-hop object of this file"),
    ],
)
def test_bad_objects(bad: Any, said: str) -> None:
    (problem,) = refusal(read, f"[{json.dumps(ONE)},\n{json.dumps(bad)}]")
    assert problem.startswith("2: ") and said in problem


@pytest.mark.parametrize("text", [LINUX_ADDRESSES, LINUX_ROUTES, "[]", '[{"id":7}]', '[{"id":"7","dev":"e"}]'])
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())


@pytest.mark.parametrize("snapshot", ["healthy", "two_failures"])
def test_the_kernel_expands_its_objects_as_we_do(snapshot: str) -> None:
    """In real dumps, every route with an id says what the object of that id says."""
    folder = shared_case(f"frr/clos4x2_distinct_as/{snapshot}")
    compared = 0
    for path in sorted(folder.glob("*.ip_j_route.json")):
        rows = json.loads(path.read_text())
        bare = [{"dst": row["dst"], "nhid": row["nhid"]} for row in rows if "nhid" in row]
        objects = read(open_source(path.with_name(path.name.replace("route", "nexthop"))))
        (joined,) = join_nexthops(linux_routes.read(source_of(json.dumps(bare), str(path))), [objects])
        (whole,) = linux_routes.read(open_source(path))
        expanded = table(whole)
        assert all(sorted(hops) == sorted(expanded[prefix][1]) for prefix, (_, hops) in table(joined).items())
        compared += len(bare)
    assert compared > 30


def test_a_group_of_one_interface_stays_a_group() -> None:
    assert told(TWO, {"id": 9, "group": [{"id": 2}]})[9] == (str(RouteKind.FORWARD), ("@swp2",))


RESILIENT = {"type": "resilient", "resilient_args": {"buckets": 32, "idle_timer": 120, "unbalanced_timer": 0}}


def test_a_resilient_group_has_buckets_and_gives_them_to_the_routes_that_name_it() -> None:
    objects = read(source_of(json.dumps([ONE, TWO, {"id": 5, "group": [{"id": 1}, {"id": 2}], **RESILIENT}]), "leaf1.json"))
    assert [group.buckets for group in objects.groups.values()] == [0, 0, 32]
    hops = [{"gateway": "fe80::1", "dev": "swp1"}, {"dev": "swp2"}]
    rows = [{"dst": "10.0.0.0/24", "nhid": 5}, {"dst": "10.0.1.0/24", "nhid": 5, "nexthops": hops}]
    routes = linux_routes.read(source_of(json.dumps([*rows, {"dst": "10.0.2.0/24", "nexthops": hops}]), "leaf1.routes.json"))
    (joined,) = join_nexthops(routes, [objects])
    assert [joined.groups[g].buckets for g in joined.group.tolist()] == [32, 32, 0]


@pytest.mark.parametrize(
    "said",
    [
        {"type": "resilient"},
        {"type": "resilient", "resilient_args": {"buckets": 0}},
        {"type": "resilient", "resilient_args": []},
        {"type": "new", "resilient_args": {"buckets": 8}},
        {"type": ["mpath"]},
    ],
)
def test_a_group_of_another_type_is_refused(said: dict[str, Any]) -> None:
    (problem,) = refusal(read, json.dumps([ONE, {"id": 5, "group": [{"id": 1}], **said}], indent=None))
    assert "without buckets; expected" in problem
