import json
from typing import Any

import pytest

from pauseproof.readers.eos_routes import matches, read
from route_facts import Told, table, tables
from route_files import EOS_ROUTES
from texts import cuts_that_pass, refusal, source_of

VIA = {"nexthopAddr": "10.1.1.5", "interface": "Ethernet1"}


def route(*vias: Any, **changes: Any) -> dict[str, Any]:
    return {"routeType": "eBGP", "routeAction": "forward", "vias": list(vias) or [VIA], **changes}


def dump(routes: Any, vrf: str = "default") -> str:
    return json.dumps({"vrfs": {vrf: {"routes": routes}}}, indent=1)


def told(one: Any, prefix: str = "10.0.0.0/24") -> Told:
    return tables(read(source_of(dump({prefix: one}), "s")))["s", "default"][prefix]


def test_a_small_dump() -> None:
    (record,) = read(source_of(EOS_ROUTES, "leaf2.json"))
    assert (record.device, record.vrf, record.format) == ("leaf2", "default", "eos-routes")
    assert table(record) == {
        "10.10.4.0/24": ("forward", ("10.1.1.5@Ethernet1", "10.1.2.5@Ethernet2")),
        "10.10.2.0/24": ("connected", ("@Ethernet31",)),
    }
    assert record.line.tolist() == [7, 12]


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, EOS_ROUTES) == [len(EOS_ROUTES) - 1]


def test_routes_that_drop() -> None:
    assert told({"routeType": "static", "routeAction": "drop", "vias": [{"interface": "Null0"}]}) == ("discard", ())
    assert told(route({"interface": "Null0"}, routeType="static")) == ("discard", ())
    assert told({"routeAction": "drop"}) == ("discard", ())


def test_tunnels_weights_ipv6_and_local_routes() -> None:
    assert told(route({"vtepAddr": "10.9.0.1", "vni": 5, "interface": "Vxlan1"})) == ("forward", ("@Vxlan1>10.9.0.1",))
    assert told(route({**VIA, "weight": 3})) == ("forward", ("10.1.1.5@Ethernet1*3",))
    assert told(route({**VIA, "nexthopAddr": "fe80::1"}), "2001:db8::/64") == ("forward", ("fe80::1@Ethernet1",))
    assert told(route({"interface": "Loopback0"}, routeType="receive"), "10.0.0.1/32") == ("local", ("@Loopback0",))


def test_a_route_that_the_hardware_lacks_is_kept_with_a_remark() -> None:
    (record,) = read(source_of(dump({"10.0.0.0/24": route(hardwareProgrammed=False), "10.0.1.0/24": route()}), "s"))
    assert len(table(record)) == 2
    assert [remark.message for remark in record.remarks] == ["s chose a route that is not installed: 10.0.0.0/24"]
    assert not read(source_of(EOS_ROUTES))[0].remarks


def test_all_vrfs() -> None:
    text = json.dumps({"vrfs": {"default": {"routes": {}}, "red": {"routes": {"10.0.0.0/24": route()}}}})
    assert tables(read(source_of(text, "s"))) == {
        ("s", "default"): {},
        ("s", "red"): {"10.0.0.0/24": ("forward", ("10.1.1.5@Ethernet1",))},
    }


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (7, "is no route"),
        (route(routeAction="trap"), "action 'trap'"),
        (route(vias=None), "action 'forward'; expected \"forward\" with a list"),
        (route(vias=[7]), "action 'forward'; expected \"forward\" with a list"),
        (route(vias=[]), "is forwarded without any via"),
        (route({}), "a via has neither an address nor an interface"),
        (route({"interface": 7}), "a via has neither an address nor an interface"),
        (route({**VIA, "nexthopAddr": "10.1.1"}), "'10.1.1' is no IP address"),
        (route({"vtepAddr": "x"}), "'x' is no IP address"),
        (route({**VIA, "weight": 0}), "0 is no weight"),
        (route({**VIA, "labelStack": [16]}), "pushes MPLS labels"),
    ],
)
def test_bad_routes(bad: Any, said: str) -> None:
    (problem,) = refusal(read, dump({"10.0.0.0/24": bad}))
    assert problem.startswith("5: the route to 10.0.0.0/24: ") and said in problem


def test_bad_prefixes_and_vrfs() -> None:
    assert "'10.0.0.1/24' has bits set behind" in refusal(read, dump({"10.0.0.1/24": route()}))[0]
    assert refusal(read, dump([])) == ['3: VRF default has no routes; expected {"routes": {..}}']
    assert "vrfs" in refusal(read, '{"vrfs": []}')[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"vrfs": {"default": {"routerId": "10.0.0.1", "peers": {}}}}',
        '{"vrfs": {"default": {"maskLen": {"8": 2}, "totalRoutes": 2}}}',
        '{"vrfs": {"default": {"vrf": "default", "routerId": "1.1.1.1", "asn": "65001", "routes": {}}}}',
        '{"routes": {}}',
    ],
)
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())
