import json
from typing import Any

import pytest

from pauseproof.readers import frr_routes
from pauseproof.readers.linux_routes import matches, read
from pauseproof.readers.source import open_source
from route_facts import Told, table, tables, unordered
from route_files import LINUX_ADDRESSES, LINUX_NEXTHOPS, LINUX_ROUTES
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of


def told(*rows: Any) -> dict[str, Told]:
    """The table of the default VRF."""
    return tables(read(source_of(json.dumps(rows), "s.json")))["s", "default"]


def refused(row: Any) -> str:
    (said,) = refusal(read, json.dumps([{"dst": "10.9.9.0/24", "dev": "e"}, row], indent=0).replace("},\n{", "},{"))
    return said


def via(address: str, dev: str = "swp1", **more: Any) -> dict[str, Any]:
    return {"dst": "10.0.0.0/24", "gateway": address, "dev": dev, **more}


def test_a_small_dump() -> None:
    (record,) = read(source_of(LINUX_ROUTES, "leaf2.ip_j_route.json"))
    assert (record.device, record.vrf, record.format) == ("leaf2", "default", "ip-route")
    assert table(record) == {
        "10.10.4.0/24": ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
        "10.10.2.0/24": ("connected", ("@swp31",)),
    }
    assert record.line.tolist() == [1, 4] and not record.awaited


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, LINUX_ROUTES) == [len(LINUX_ROUTES) - 1]


def test_host_and_default_routes() -> None:
    found = told(
        {"dst": "10.0.0.1", "gateway": "10.1.1.5", "dev": "swp1"},
        {"dst": "2001:db8::1", "gateway": "fe80::1", "dev": "swp1"},
        {"dst": "default", "gateway": "10.1.1.5", "dev": "swp1"},
        {"dst": "default", "gateway": "fe80::1", "dev": "swp1", "metric": 1024, "pref": "medium"},
    )
    assert list(found) == ["10.0.0.1/32", "2001:db8::1/128", "0.0.0.0/0", "::/0"]


@pytest.mark.parametrize(
    ("row", "prefix"),
    [
        ({"dev": "swp1"}, "0.0.0.0/0"),
        ({"dev": "swp1", "pref": "medium"}, "::/0"),
        ({"via": {"family": "inet6", "host": "fe80::1"}, "dev": "swp1"}, "0.0.0.0/0"),
        ({"nexthops": [{"gateway": "fe80::1", "dev": "swp1"}]}, "::/0"),
        ({"nexthops": [{"gateway": "10.0.0.1", "dev": "swp1"}]}, "0.0.0.0/0"),
        ({"type": "unreachable", "dev": "lo", "metric": 4294967295, "pref": "medium"}, "::/0"),
    ],
)
def test_the_family_of_a_default_route(row: dict[str, Any], prefix: str) -> None:
    assert list(told({"dst": "default", **row})) == [prefix]


def test_next_hops_of_the_other_family_and_weights() -> None:
    hops = [{"via": {"family": "inet6", "host": "fe80::1"}, "dev": "swp1", "weight": 2}, {"gateway": "10.1.1.5", "dev": "swp2"}]
    assert told({"dst": "10.0.0.0/24", "nexthops": hops}) == {"10.0.0.0/24": ("forward", ("fe80::1@swp1*2", "10.1.1.5@swp2"))}


@pytest.mark.parametrize("kind", ["blackhole", "unreachable", "prohibit"])
def test_routes_that_drop(kind: str) -> None:
    text = json.dumps([{"type": kind, "dst": "10.0.0.0/24", "dev": "lo"}])
    assert matches(text.encode())
    assert told(json.loads(text)[0]) == {"10.0.0.0/24": ("discard", ())}


def test_the_local_table_comes_first() -> None:
    rows = [
        {"dst": "10.0.0.1", "gateway": "10.1.1.5", "dev": "swp1"},
        {"type": "local", "dst": "10.0.0.1", "dev": "lo", "table": "local", "metric": 5},
        {"type": "broadcast", "dst": "10.0.0.255", "dev": "swp1", "table": "local"},
        {"type": "multicast", "dst": "ff00::/8", "dev": "swp1", "table": "local"},
        {"dst": "fe80::/64", "dev": "swp1", "metric": 256},
    ]
    assert told(*rows) == {"10.0.0.1/32": ("local", ("@lo",)), "10.0.0.255/32": ("local", ("@swp1",))}
    assert told(*reversed(rows)) == told(*rows)


def test_tables_of_vrfs() -> None:
    rows = [via("10.1.1.5"), via("10.1.1.6", table="1001"), via("10.1.1.7", table="red"), via("10.1.1.8", table="default")]
    found = tables(read(source_of(json.dumps(rows), "s")))
    assert {vrf: hops["10.0.0.0/24"][1] for (_, vrf), hops in found.items()} == {
        "default": ("10.1.1.5@swp1",),
        "1001": ("10.1.1.6@swp1",),
        "red": ("10.1.1.7@swp1",),
    }


def test_the_least_metric_wins() -> None:
    rows = [via("10.1.1.5", metric=20), via("10.1.1.6", metric=10), via("10.1.1.7", metric=30)]
    assert told(*rows) == {"10.0.0.0/24": ("forward", ("10.1.1.6@swp1",))}
    assert told(*rows, via("10.1.1.8")) == {"10.0.0.0/24": ("forward", ("10.1.1.8@swp1",))}


def test_ipv6_rows_of_one_metric_are_one_route() -> None:
    rows = [{"dst": "2001:db8::/64", "gateway": f"fe80::{i}", "dev": f"swp{i}", "metric": 20} for i in (1, 2)]
    worse = {"dst": "2001:db8::/64", "gateway": "fe80::3", "dev": "swp3", "metric": 21}
    assert told(rows[0], worse, rows[1]) == {"2001:db8::/64": ("forward", ("fe80::1@swp1", "fe80::2@swp2"))}


def test_ipv4_rows_of_one_metric_are_used_in_their_order() -> None:
    assert told(via("10.1.1.5"), via("10.1.1.6")) == {"10.0.0.0/24": ("forward", ("10.1.1.5@swp1",))}


def test_dead_next_hops_are_not_used() -> None:
    hops = [{"gateway": "10.1.1.5", "dev": "swp1", "flags": ["dead", "linkdown"]}, {"gateway": "10.1.1.6", "dev": "swp2"}]
    assert told({"dst": "10.0.0.0/24", "nexthops": hops}) == {"10.0.0.0/24": ("forward", ("10.1.1.6@swp2",))}
    assert told(via("10.1.1.5", flags=["dead"]), via("10.1.1.6", metric=9)) == {"10.0.0.0/24": ("forward", ("10.1.1.6@swp1",))}
    assert told(via("10.1.1.5", flags=["dead", "linkdown"])) == {}


def test_tunnels() -> None:
    row = {"dst": "10.0.0.0/24", "nexthops": [{"encap": "ip", "dst": "10.9.0.1", "dev": "vx"}]}
    assert told(row) == {"10.0.0.0/24": ("forward", ("@vx>10.9.0.1",))}


def test_a_route_that_awaits_its_next_hops() -> None:
    (record,) = read(source_of('[{"dst":"10.0.0.0/24","nhid":21},\n{"dst":"10.0.1.0/24","nhid":7,"dev":"swp1"}]'))
    assert record.awaited == {0: 21}
    assert table(record)["10.0.1.0/24"] == ("connected", ("@swp1",))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"dst": "10.0.0.1/24", "dev": "e"}, "the route to 10.0.0.1/24: '10.0.0.1/24' has bits set behind its length"),
        ({"dst": 7, "dev": "e"}, "this entry: a route without a destination"),
        ({"dev": "e"}, "this entry: a route without a destination"),
        ({"dst": "10.0.0.0/24"}, "neither an address nor an interface"),
        ({"dst": "10.0.0.0/24", "gateway": "x"}, "the next hop 'x' is no IP address"),
        ({"dst": "10.0.0.0/24", "via": {"family": "inet6"}}, "None is no address of a next hop"),
        ({"dst": "10.0.0.0/24", "dev": 3}, "neither an address nor an interface"),
        ({"dst": "10.0.0.0/24", "nexthops": []}, '"nexthops" is no list of next hops'),
        ({"dst": "10.0.0.0/24", "nexthops": [3]}, '"nexthops" is no list of next hops'),
        ({"dst": "10.0.0.0/24", "nexthops": [{"dev": "e", "weight": 0}]}, "0 is no weight"),
        ({"dst": "10.0.0.0/24", "dev": "e", "tos": "0x10"}, "routes by 'tos' are not modelled"),
        ({"dst": "::/0", "dev": "e", "from": "2001:db8::/64"}, "routes by 'from' are not modelled"),
        ({"dst": "10.0.0.0/24", "type": "throw"}, "routes of type 'throw' are not modelled"),
        ({"dst": "10.0.0.0/24", "dev": "e", "encap": "mpls"}, "encapsulation 'mpls' is not modelled"),
        ({"dst": "10.0.0.0/24", "dev": "e", "metric": "x"}, "'x' is no metric"),
        ({"dst": "10.0.0.0/24", "nhid": "x"}, "'x' is no id of a next-hop object"),
        ("text", "this entry: is no route"),
    ],
)
def test_bad_rows(row: Any, said: str) -> None:
    assert said in refused(row)


def test_all_bad_rows_are_told_with_their_lines() -> None:
    said = refusal(read, '[{"dst":"10.0.0.0/24"},\n{"dst":"10.0.1.0/24"}]')
    assert [one[:2] for one in said] == ["1:", "2:"]


@pytest.mark.parametrize("text", [LINUX_ADDRESSES, LINUX_NEXTHOPS, "[]", "[{}]", '{"dst": "10.0.0.0/24"}', '[{"dst": 7}]'])
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())


@pytest.mark.parametrize("snapshot", ["healthy", "two_failures"])
def test_frr_and_the_kernel_agree_on_every_real_switch(snapshot: str) -> None:
    """But for the loopback's own address, which the kernel keeps in its table ``local``."""
    folder = shared_case(f"frr/clos4x2_distinct_as/{snapshot}")
    paths = sorted(folder.glob("*.ip_j_route.json"))
    assert len(paths) == 6
    for path in paths:
        (kernel,) = read(open_source(path))
        (frr,) = frr_routes.read(open_source(path.with_name(path.name.replace("ip_j_route", "show_ip_route"))))
        routed = {prefix: said for prefix, said in unordered(table(frr)).items() if said != ("connected", ("@lo",))}
        assert unordered(table(kernel)) == routed
        assert (kernel.device, kernel.vrf) == (frr.device, frr.vrf)
