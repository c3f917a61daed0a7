import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.readers.frr_routes import matches, read
from pauseproof.readers.roce_records import RouteRecords
from pauseproof.readers.source import Source, open_source
from route_facts import Told, table, tables
from route_files import FRR_ROUTES
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of

HOP = {"fib": True, "ip": "10.1.1.5", "afi": "ipv4", "interfaceName": "swp1", "active": True}
STATE = {"selected": True, "installed": True, "table": 254, "internalStatus": 16}


def entry(*hops: Any, **changes: Any) -> dict[str, Any]:
    """An installed route; a change to None takes the key away."""
    whole = {"protocol": "bgp", **STATE, "nexthops": list(hops) or [HOP], **changes}
    return {key: value for key, value in whole.items() if value is not None}


def dumped(value: Any) -> str:
    return json.dumps(value, indent=2, separators=(",", ":")) + "\n"


def told(*entries: Any, prefix: str = "10.0.0.0/24") -> Told | None:
    """What the reader makes of a prefix with these entries, whether laid out by FRR or in one line."""
    both = [tables(read(source_of(text, "s.json"))) for text in (dumped({prefix: entries}), json.dumps({prefix: entries}))]
    assert both[0] == both[1]
    return both[0].get(("s", "default"), {}).get(prefix)


def refused(*entries: Any, prefix: str = "10.0.0.0/24") -> str:
    said = refusal(read, dumped({prefix: entries}))
    assert said == [one.replace("1: ", "2: ", 1) for one in refusal(read, json.dumps({prefix: entries}))]
    assert len(said) == 1 and said[0].startswith(f"2: {prefix}: ")
    return said[0]


def test_a_small_dump() -> None:
    (record,) = read(source_of(FRR_ROUTES, "dumps/leaf2.show_ip_route.json"))
    assert (record.device, record.vrf, record.format, record.complete) == ("leaf2", "default", "frr-routes", True)
    assert table(record) == {
        "10.10.4.0/24": ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
        "10.10.2.0/24": ("connected", ("@swp31",)),
    }
    assert record.line.tolist() == [2, 35]


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, FRR_ROUTES) == [len(FRR_ROUTES) - 1]


def test_a_cut_is_told_with_line_and_column() -> None:
    text = FRR_ROUTES[: FRR_ROUTES.index('"10.1.2.5"') + 5]
    with pytest.raises(BadInput) as caught:
        read(source_of(text))
    (problem,) = caught.value.problems
    assert problem.place.line == text.count("\n") + 1 and problem.place.column > 0
    assert "is cut off here" in problem.message


@given(st.integers(0, len(FRR_ROUTES) - 1), st.sampled_from('{}[]",:1t \n\\'))
def test_the_fast_path_agrees_with_the_plain_one_on_damaged_files(at: int, letter: str) -> None:
    """One line, or laid out: the same routes, or both refused."""
    text = FRR_ROUTES[:at] + letter + FRR_ROUTES[at + 1 :]
    try:
        value = json.loads(text)
    except ValueError:
        with pytest.raises(BadInput):
            read(source_of(text))
        return
    same = json.dumps(value)
    assert outcome(text) == outcome(same) or twice(text)


def outcome(text: str) -> object:
    try:
        return tables(read(source_of(text)))
    except BadInput as error:
        return sorted(problem.message.partition(" of line ")[0] for problem in error.problems)


def twice(text: str) -> bool:
    """Whether a key is twice in an object: refused as it is, unseen in the copy."""
    found: list[bool] = []
    json.loads(text, object_pairs_hook=lambda pairs: found.append(len(dict(pairs)) < len(pairs)))
    return any(found)


HOPS = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.just(True) for key in ("fib", "active", "duplicate", "recursive", "unreachable", "blackhole")},
        "ip": st.sampled_from(["10.0.0.1", "fe80::1", "x", 7]),
        "interfaceName": st.sampled_from(["swp1", "swp2"]),
        "weight": st.sampled_from([1, 5, 0]),
    },
)
ENTRIES = st.fixed_dictionaries(
    {"nexthops": st.lists(HOPS, max_size=3)},
    optional={
        **{key: st.just(True) for key in ("selected", "installed", "blackhole")},
        "protocol": st.sampled_from(["bgp", "local"]),
        "vrfName": st.sampled_from(["default", "red"]),
        "internalStatus": st.just(16),
    },
)
DUMPS = st.dictionaries(
    st.sampled_from(["10.0.0.0/24", "10.0.0.0/8", "2001:db8::/64", "0.0.0.0/0", "x/4"]), st.lists(ENTRIES, max_size=3)
)


@given(DUMPS | st.dictionaries(st.sampled_from(["default", "red"]), DUMPS))
def test_the_fast_path_agrees_with_the_plain_one(dump: Any) -> None:
    assert outcome(dumped(dump)) == outcome(json.dumps(dump))


def test_only_the_selected_and_installed_entry_counts() -> None:
    other = {**HOP, "ip": "10.9.9.9"}
    kernel = entry(other, protocol="kernel", selected=None)
    waiting = entry(other, installed=None)
    assert told(kernel, entry(), waiting) == ("forward", ("10.1.1.5@swp1",))
    assert told(kernel, waiting) is None


def test_a_selected_route_that_is_not_installed_is_a_remark() -> None:
    dump = {"10.0.0.0/24": [entry(installed=None)], "fe80::/64": [entry(installed=None)], "10.0.1.0/24": [entry()]}
    (record,) = read(source_of(dumped(dump), "s"))
    assert list(table(record)) == ["10.0.1.0/24"]
    assert [(remark.rule, remark.message) for remark in record.remarks] == [
        ("route-not-installed", "s chose a route that is not installed: 10.0.0.0/24")
    ]
    assert not read(source_of(FRR_ROUTES))[0].remarks


def test_only_next_hops_in_the_forwarding_table_count() -> None:
    hops = [{**HOP, "fib": None}, {**HOP, "ip": "10.1.1.6", "duplicate": True}, {**HOP, "ip": "10.1.1.7"}]
    recursive = {"ip": "10.0.0.9", "active": True, "recursive": True, "fib": True}
    assert told(entry(*hops, recursive)) == ("forward", ("10.1.1.7@swp1",))


def test_without_any_fib_the_active_next_hops_count() -> None:
    hops = [{"ip": "10.1.1.7", "interfaceName": "swp1", "active": True}, {"ip": "10.1.1.8", "interfaceName": "swp2"}]
    assert told(entry(*hops)) == ("forward", ("10.1.1.7@swp1",))
    assert "has no next hop in the forwarding table" in refused(entry(hops[1]))


def test_an_old_version_without_installed() -> None:
    old = {"prefix": "10.0.0.0/24", "protocol": "bgp", "selected": True, "nexthops": [HOP]}
    assert told(old) == ("forward", ("10.1.1.5@swp1",))
    assert told({**old, "nexthops": [{**HOP, "fib": False}]}) is None
    assert told({**old, "blackhole": True, "nexthops": [{"fib": True, "blackhole": True}]}) == ("discard", ())
    assert told({**old, "reject": True, "nexthops": [{"fib": True}]}) == ("discard", ())


def test_a_blackhole_does_not_rub_off_on_routes_with_its_next_hops() -> None:
    text = dumped({"10.0.0.0/24": [entry(blackhole=True)], "10.0.1.0/24": [entry()], "10.0.2.0/24": [entry(protocol="local")]})
    (record,) = read(source_of(text))
    assert [kind for kind, _ in table(record).values()] == ["discard", "forward", "local"]


@pytest.mark.parametrize("key", ["blackhole", "reject", "adminProhibited", "unreachable"])
def test_blackholes(key: str) -> None:
    assert told(entry({"fib": True, "unreachable": True, key: True, "active": True}, protocol="static")) == ("discard", ())


def test_local_connected_and_interface_routes() -> None:
    direct = {"fib": True, "directlyConnected": True, "interfaceName": "swp1", "active": True}
    assert told(entry(direct, protocol="connected")) == ("connected", ("@swp1",))
    assert told(entry(direct, protocol="static")) == ("connected", ("@swp1",))
    assert told(entry(direct, protocol="local"), prefix="10.0.0.1/32") == ("local", ("@swp1",))


def test_next_hops_of_the_other_family_and_weights() -> None:
    hops = [
        {**HOP, "ip": "fe80::4638:39ff:fe00:1", "afi": "ipv6", "weight": 3},
        {**HOP, "interfaceName": "swp2", "weight": 255},
    ]
    assert told(entry(*hops)) == ("forward", ("fe80::4638:39ff:fe00:1@swp1*3", "10.1.1.5@swp2*255"))
    assert told(entry({"fib": True, "ip": "10.0.0.9"})) == ("forward", ("10.0.0.9@",))


def test_evpn_next_hops_are_tunnels_and_labels_are_refused() -> None:
    assert told(entry({**HOP, "interfaceName": "vlan9", "onLink": True, "labels": [9]})) == (
        "forward",
        ("10.1.1.5@vlan9>10.1.1.5",),
    )
    assert told(entry({**HOP, "labels": [3]})) == ("forward", ("10.1.1.5@swp1",))
    for change in ({"labels": [16]}, {"seg6": {"segs": "::1"}}):
        assert "not modelled" in refused(entry({**HOP, **change}))


def test_ipv6_and_prefixes_that_no_router_forwards() -> None:
    dump = {prefix: [entry({**HOP, "ip": "fe80::1"})] for prefix in ("::/0", "2001:db8::/64", "fe80::/64", "ff00::/8")}
    (record,) = read(source_of(dumped(dump)))
    assert set(table(record)) == {"::/0", "2001:db8::/64"}


def test_all_vrfs() -> None:
    dump = {
        "default": {"10.0.0.0/24": [entry(vrfName="default")]},
        "red": {"10.0.0.0/24": [entry({**HOP, "ip": "10.7.7.7"}, vrfName="red")]},
        "mgmt": {},
    }
    found = tables(read(source_of(dumped(dump), "s")))
    assert found == {
        ("s", "default"): {"10.0.0.0/24": ("forward", ("10.1.1.5@swp1",))},
        ("s", "red"): {"10.0.0.0/24": ("forward", ("10.7.7.7@swp1",))},
        ("s", "mgmt"): {},
    }


@pytest.mark.parametrize("lay_out", [dumped, lambda value: json.dumps(value) + "\n"])
def test_documents_one_after_another(lay_out: Callable[[Any], str]) -> None:
    parts = [
        {"10.0.0.0/24": [entry()]},
        {},
        {"10.0.0.0/24": [entry(vrfName="red")]},
        {"::/0": [entry({**HOP, "ip": "fe80::1"})]},
    ]
    text = "\n".join(map(lay_out, parts))
    assert matches(text.encode())
    records = {record.vrf: record for record in read(source_of(text))}
    assert {vrf: list(table(record)) for vrf, record in records.items()} == {
        "default": ["10.0.0.0/24", "::/0"],
        "red": ["10.0.0.0/24"],
    }
    lines = text.split("\n")
    assert all('"10.0.0.0/24"' in lines[record.line[0] - 1] for record in records.values())
    assert '"::/0"' in lines[records["default"].line[1] - 1]


def test_a_second_document_that_is_cut_off_is_told_with_its_line() -> None:
    whole = dumped({"10.0.0.0/24": [entry()]})
    text = (whole + whole[: len(whole) // 2]).rstrip()
    (said,) = refusal(read, text)
    assert said.startswith(f"{text.count(chr(10)) + 1}: is cut off here")


def test_a_second_document_must_not_contradict_the_first() -> None:
    one, other = (dumped({"10.0.0.0/24": [entry({**HOP, "ip": address})]}) for address in ("10.1.1.5", "10.1.1.6"))
    assert read(source_of(one + one))
    (said,) = refusal(read, one + other)
    assert said.startswith(f"{one.count(chr(10)) + 2}: another route for the prefix of line 2")


def test_lines_within_vrfs() -> None:
    text = dumped({"mgmt": {}, "red": {"10.0.0.0/24": [entry()], "10.0.1.0/24": [entry()]}})
    records = {record.vrf: record for record in read(source_of(text))}
    lines = text.split("\n")
    assert [lines[n - 1].strip() for n in records["red"].line.tolist()] == ['"10.0.0.0/24":[', '"10.0.1.0/24":[']


def test_one_vrf_by_its_name_in_the_entries() -> None:
    assert list(tables(read(source_of(dumped({"10.0.0.0/24": [entry(vrfName="red")]}), "s")))) == [("s", "red")]


def test_slashes_may_be_escaped() -> None:
    text = FRR_ROUTES.replace("/", "\\/")
    assert matches(text.encode())
    assert tables(read(source_of(text))) == tables(read(source_of(FRR_ROUTES)))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (entry({**HOP, "ip": "10.1.1.256"}), "the next hop '10.1.1.256' is no IP address"),
        (entry({"fib": True}), "a next hop has neither an address nor an interface"),
        (entry({**HOP, "ip": 7}), "a next hop has neither an address nor an interface"),
        (entry({**HOP, "weight": 0}), "0 is no weight"),
        (entry({**HOP, "weight": "3"}), "'3' is no weight"),
        (entry({**HOP, "weight": True}), "True is no weight"),
        (entry(nexthops=None), "an entry has no list of next hops"),
        (entry(nexthops={}), "an entry has no list of next hops"),
        (entry(7), "an entry has no list of next hops"),
        (entry(prefix="10.0.1.0/24"), "an entry is for '10.0.1.0/24'"),
        (entry(prefixLen=25), "of length 25"),
        (entry(vrfName=7), "an entry is of VRF 7"),
        ("x", "an entry is a string"),
        (7, "an entry is a number"),
    ],
)
def test_bad_entries(bad: Any, said: str) -> None:
    assert said in refused(bad)


def test_bad_entries_that_are_not_installed_still_need_their_form() -> None:
    assert told(entry({**HOP, "ip": "nonsense"}, selected=None), entry()) == ("forward", ("10.1.1.5@swp1",))
    assert "an entry has no list of next hops" in refused(entry(selected=None, nexthops="x"))


def test_two_installed_entries_contradict_unless_they_agree() -> None:
    assert told(entry(), entry()) == ("forward", ("10.1.1.5@swp1",))
    assert (
        "another route for the prefix of line 2"
        in refusal(read, dumped({"10.0.0.0/24": [entry(), entry({**HOP, "ip": "10.1.1.6"})]}))[0]
    )


def test_all_bad_prefixes_are_told_at_once() -> None:
    dump = {prefix: [entry()] for prefix in ("10.0.0.1/24", "10.0.0.0/33", "10.0.0.0/24")}
    said = refusal(read, dumped(dump))
    assert len(said) == 2
    assert "'10.0.0.1/24' has bits set behind its length" in said[0] and said[0].startswith("2: ")
    assert "is longer than the 32 bits" in said[1]


def test_a_vrf_that_is_no_table_or_has_entries_of_another() -> None:
    assert "the table of VRF red is null" in refusal(read, dumped({"default": {"10.0.0.0/8": [entry()]}, "red": None}))[0]
    assert "is of VRF 'blue'" in refusal(read, dumped({"red": {"10.0.0.0/8": [entry(vrfName="blue")]}}))[0]


def test_a_key_twice_is_refused() -> None:
    text = FRR_ROUTES.replace("10.10.2.0/24", "10.10.4.0/24")
    assert "35: the key '10.10.4.0/24' is there twice in one object, first in line 2" in refusal(read, text)
    twice_in_hop = FRR_ROUTES.replace('"active":true', '"flags":3', 1)
    assert "the key 'flags' is there twice" in refusal(read, twice_in_hop)[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"vrfId": 0, "vrfName": "default", "tableVersion": 20, "routes": {"10.0.0.1/32": [{"valid": true}]}}',
        '{"10.0.0.0/24": {"nexthops": []}}',
        '{"10.0.0.0/24": []}',
        '[{"dst":"10.0.0.0/24","protocol":"bgp"}]',
        '{"10.0.0.0/24": [{"valid": true}]}',
    ],
)
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())


def test_all_vrfs_are_recognised() -> None:
    assert matches(dumped({"mgmt": {}, "default": {"10.0.0.0/24": [entry()]}}).encode())


SNAPSHOTS = ("healthy", "two_failures")
EXPECTED = {  # of leaf2, from its show ip route in text
    "healthy": ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
    "two_failures": ("forward", ("10.1.1.5@swp1",)),
}


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_real_dumps(snapshot: str) -> None:
    folder = shared_case(f"frr/clos4x2_distinct_as/{snapshot}")
    (record,) = read(open_source(folder / "leaf2.show_ip_route.json"))
    found = table(record)
    assert len(found) == 12
    assert found["10.10.1.0/24"] == EXPECTED[snapshot]
    assert found["10.10.2.0/24"] == ("connected", ("@swp31",))
    assert found == text_table(folder / "leaf2.show_ip_route.txt")


def text_table(path: Path) -> dict[str, Told]:
    """The same from ``show ip route`` as text."""
    out: dict[str, Told] = {}
    prefix = ""
    for line in path.read_text().splitlines():
        words = line.replace(",", "").split()
        if "*" not in line[:4] or not ("via" in words or "connected" in words):
            continue
        prefix = words[1] if line[0] != " " else prefix
        via = words.index("via") if "via" in words else 0
        hop = f"{words[via + 1]}@{words[via + 2]}" if via else "@" + words[words.index("connected") + 1]
        kind = "forward" if via else "connected"
        out[prefix] = kind, (*out.get(prefix, (kind, ()))[1], hop)
    return out


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_json_and_text_agree_on_every_switch(snapshot: str) -> None:
    folder = shared_case(f"frr/clos4x2_distinct_as/{snapshot}")
    for path in sorted(folder.glob("*.show_ip_route.json")):
        (record,) = read(open_source(path))
        assert table(record) == text_table(path.with_suffix(".txt"))
        assert not record.remarks


def test_a_real_sonic_dump_of_an_old_version() -> None:
    (record,) = sonic()
    found = table(record)
    assert found["0.0.0.0/0"] == ("forward", ("10.0.0.1@PortChannel0002", "10.0.0.5@PortChannel0005"))
    assert found["10.0.0.0/31"] == ("connected", ("@PortChannel0002",))
    assert len(found) == 38
    assert record.line.tolist()[:3] == [2, 82, 109]
    assert not record.remarks


def sonic() -> tuple[RouteRecords, ...]:
    source = open_source(shared_case("sonic/mock_ip_route.json"))
    plain = Source(source.path, b"", json.dumps(json.loads(bytes(source.data))).encode())
    assert tables(read(source)) == tables(read(plain))
    return read(source)
