import json
from typing import Any

import pytest

from pauseproof.readers.appl_db import matches
from pauseproof.readers.appl_db import read as read_all
from pauseproof.readers.roce_records import AddressRecords, ConfigDb, RouteRecords
from pauseproof.readers.source import Source, open_source
from route_facts import Told, addresses, table, tables
from route_files import APPL_DB
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of


def read(source: Source) -> tuple[RouteRecords | AddressRecords, ...]:
    """Without what is no forwarding."""
    return tuple(one for one in read_all(source) if not isinstance(one, ConfigDb))


def told(fields: Any, key: str = "10.0.0.0/24", **others: Any) -> dict[tuple[str, str], dict[str, Told]]:
    return tables(read(source_of(json.dumps({f"ROUTE_TABLE:{key}": fields, **others}), "s")))


def said_of(fields: Any, **others: Any) -> Told:
    return told(fields, **others)["s", "default"]["10.0.0.0/24"]


def test_a_small_dump() -> None:
    routes, found = read(source_of(APPL_DB, "leaf2.json"))
    assert isinstance(routes, RouteRecords) and isinstance(found, AddressRecords)
    assert (routes.device, routes.vrf, routes.format) == ("leaf2", "default", "sonic-appl-db")
    assert table(routes) == {
        "10.10.4.0/24": ("forward", ("10.1.1.5@Ethernet0", "10.1.2.5@Ethernet4")),
        "10.10.2.0/24": ("connected", ("@Ethernet120",)),
    }
    assert routes.line.tolist() == [2, 3]
    assert addresses(found) == ["Ethernet0 10.1.1.4/31"] and found.line.tolist() == [5]


def test_every_cut_is_noticed() -> None:
    assert cuts_that_pass(read, APPL_DB) == [len(APPL_DB) - 1]


def test_fields_within_a_value() -> None:
    value = {"type": "hash", "ttl": -0.001, "expireat": 1.5, "value": {"nexthop": "10.1.1.5", "ifname": "Ethernet0"}}
    assert said_of(value) == ("forward", ("10.1.1.5@Ethernet0",))


def test_forms_of_keys() -> None:
    fields = {"nexthop": "fc00::72", "ifname": "PortChannel1"}
    hops = ("forward", ("fc00::72@PortChannel1",))
    assert told(fields, "10.1.0.32") == {("s", "default"): {"10.1.0.32/32": hops}}
    assert told(fields, "2001:db8::/64") == {("s", "default"): {"2001:db8::/64": hops}}
    assert told(fields, "Vrf_red:10.0.0.0/8") == {("s", "Vrf_red"): {"10.0.0.0/8": hops}}
    assert told(fields, "Vrf_red:2001:db8::/64") == {("s", "Vrf_red"): {"2001:db8::/64": hops}}
    assert told(fields, "::/0") == {("s", "default"): {"::/0": hops}}
    assert told(fields, "192.168.0.4/24") == {("s", "default"): {"192.168.0.0/24": hops}}


def test_lists_go_together_by_position() -> None:
    fields = {"nexthop": "10.1.1.5,0.0.0.0,::", "ifname": "e1,e2,e3", "weight": "2,1,1"}
    assert said_of(fields) == ("forward", ("10.1.1.5@e1*2", "@e2", "@e3"))
    assert said_of({"nexthop": "", "ifname": "e1,e2"}) == ("connected", ("@e1", "@e2"))
    assert said_of({"nexthop": "10.1.1.5,10.1.1.6"}) == ("forward", ("10.1.1.5@", "10.1.1.6@"))
    assert said_of({"nexthop": "10.1.1.5", "ifname": "e1", "weight": ""}) == ("forward", ("10.1.1.5@e1",))


def test_blackholes() -> None:
    assert said_of({"blackhole": "true"}) == ("discard", ())
    assert said_of({"blackhole": "false", "nexthop": "10.1.1.5", "ifname": "e1"}) == ("forward", ("10.1.1.5@e1",))


def test_tunnels() -> None:
    fields = {"nexthop": "10.9.0.1", "ifname": "Vlan7", "vni_label": "7", "router_mac": "00:11:22:33:44:55"}
    assert said_of(fields) == ("forward", ("10.9.0.1@Vlan7>10.9.0.1",))
    assert said_of({**fields, "vni_label": "0", "router_mac": ""}) == ("forward", ("10.9.0.1@Vlan7",))


def test_next_hop_groups() -> None:
    groups = {
        "NEXTHOP_GROUP_TABLE:a": {"nexthop": "10.1.1.5,10.1.1.6", "ifname": "e1,e2", "weight": "3,1"},
        "NEXTHOP_GROUP_TABLE:b": {"nexthop": "10.1.1.6", "ifname": "e2"},
        "CLASS_BASED_NEXT_HOP_GROUP_TABLE:c": {"members": "a,b", "selection_map": "x"},
    }
    assert said_of({"nexthop_group": "a"}, **groups) == ("forward", ("10.1.1.5@e1*3", "10.1.1.6@e2"))
    assert said_of({"nexthop_group": "c"}, **groups) == ("forward", ("10.1.1.5@e1*3", "10.1.1.6@e2"))


def test_the_vrf_of_an_address() -> None:
    text = json.dumps(
        {
            "INTF_TABLE:Ethernet8": {"vrf_name": "Vrf_red"},
            "INTF_TABLE:Ethernet8:2001:db8::1/64": {"scope": "global"},
            "INTF_TABLE:lo:127.0.0.1/16": {"scope": "global"},
            "PORT_TABLE:Ethernet8": {"lanes": ["not", "ours"]},
        }
    )
    assert matches(text.encode())
    (found,) = read(source_of(text))
    assert isinstance(found, AddressRecords)
    assert addresses(found) == ["Ethernet8 2001:db8::1/64 in Vrf_red"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"nexthop": "10.1.1.5,10.1.1.6", "ifname": "e1"}, "2 next hops on 1 interfaces"),
        ({"nexthop": "10.1.1.5,10.1.1.6", "ifname": "e1,e2", "weight": "1,2,3"}, "3 weights for 2 next hops"),
        ({"nexthop": "10.1.1.5", "ifname": "e1", "weight": "0"}, "'0' is no weight"),
        ({"nexthop": "10.1.1.x", "ifname": "e1"}, "'10.1.1.x' is no IP address"),
        ({}, "a next hop has neither an address nor an interface"),
        ({"nexthop_group": "z"}, "the next-hop group 'z' is not in the file"),
    ],
)
def test_bad_routes(fields: dict[str, str], said: str) -> None:
    text = json.dumps({"ROUTE_TABLE:10.0.0.0/24": fields}, indent=1)
    (problem,) = refusal(read, text)
    assert problem.startswith("2: the route 10.0.0.0/24: ") and said in problem


def test_a_group_of_groups_that_leads_to_itself_is_refused() -> None:
    table = {"CLASS_BASED_NEXT_HOP_GROUP_TABLE:c": {"members": "c"}, "ROUTE_TABLE:10.0.0.0/8": {"nexthop_group": "c"}}
    assert "the next-hop group 'c' is not in the file" in refusal(read, json.dumps(table))[0]


def test_bad_keys_and_entries() -> None:
    assert "is no IP prefix" in refusal(read, '{"ROUTE_TABLE:x": {"ifname": "e"}}')[0]
    assert "is no IP prefix" in refusal(read, '{"ROUTE_TABLE:Vrf1:x/8": {"ifname": "e"}}')[0]
    assert "is not fields with strings" in refusal(read, '{"ROUTE_TABLE:::/0": {"ifname": 7}}')[0]
    assert "the address of e: " in refusal(read, '{"INTF_TABLE:e:10.0.0.1/40": {}}')[0]


def test_seeds_and_members_of_bundles_are_told_as_a_configuration() -> None:
    rows = {
        "SWITCH_TABLE:switch": {"type": "hash", "value": {"ecmp_hash_seed": "10", "ordered_ecmp": "true"}},
        "LAG_MEMBER_TABLE:PortChannel1:Ethernet0": {"status": "enabled"},
        "LAG_MEMBER_TABLE:PortChannel1:Ethernet4": {},
    }
    (config,) = read_all(source_of(json.dumps(rows, indent=1), "leaf1.appl_db.json"))
    assert isinstance(config, ConfigDb) and config.device == "leaf1"
    assert config.tables == {
        "SWITCH_TABLE": {"switch": {"ecmp_hash_seed": "10", "ordered_ecmp": "true"}},
        "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}, "PortChannel1|Ethernet4": {}},
    }
    assert config.lines["SWITCH_TABLE", "switch"] == 2
    assert "is not fields with strings" in refusal(read_all, '{"SWITCH_TABLE:switch": {"ecmp_hash_seed": 7}}')[0]


def test_two_keys_for_one_prefix() -> None:
    one, other = {"nexthop": "10.1.1.5", "ifname": "e1"}, {"nexthop": "10.1.1.6", "ifname": "e1"}
    same, differing = ({"ROUTE_TABLE:10.0.0.0/24": one, "ROUTE_TABLE:10.0.0.9/24": second} for second in (one, other))
    assert len(tables(read(source_of(json.dumps(same), "s")))["s", "default"]) == 1
    assert "another route for the prefix of line 2" in refusal(read, json.dumps(differing, indent=1))[0]


@pytest.mark.parametrize("text", ['{"PORT": {"Ethernet0": {}}}', '{"PORT|Ethernet0": {}}', '{"ROUTE_TABLE": {}}', "[]"])
def test_what_is_no_such_dump(text: str) -> None:
    assert not matches(text.encode())


def test_a_real_dump() -> None:
    source = open_source(shared_case("sonic/dump_route_appl_db.json"))
    assert matches(source.head)
    (record,) = read(source)
    assert isinstance(record, RouteRecords)
    ports = tuple(f"fc00::7{end}@PortChannel000{i}" for i, end in enumerate("26ae", start=1))
    assert table(record) == {
        "1.1.1.0/24": ("connected", ("@Ethernet0",)),
        "10.1.0.32/32": ("connected", ("@Loopback0",)),
        "10.212.0.0/16": ("forward", ("1.1.1.2@Ethernet0",)),
        "20.0.0.0/24": ("forward", ("1.1.1.2@Ethernet0",)),
        "20c0:e6e0:0:80::/64": ("forward", ports),
        "192.168.0.0/24": ("forward", ports),
        "192.168.0.0/22": ("forward", ports),
        "10.0.0.0/16": ("forward", ("10.0.0.1@Ethernet0",)),
        "10.1.0.0/16": ("forward", ("10.0.0.1@Ethernet0",)),
    }
