import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.config_db import matches, read
from pauseproof.readers.roce_records import AddressRecords, CableRecords, ConfigDb
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of

TEXT = """\
{
 "DEVICE_METADATA": {"localhost": {"hostname": "leaf-1", "type": "ToRRouter"}},
 "PORT": {"Ethernet0": {"alias": "Eth1/1", "speed": "100000", "mtu": "9100"}},
 "PORT_QOS_MAP": {
  "Ethernet0,Ethernet4": {"dscp_to_tc_map": "[DSCP_TO_TC_MAP|AZURE]", "pfc_enable": "3,4"}
 },
 "BUFFER_PG": {
  "Ethernet0,Ethernet4|3-4": {"profile": "NULL"}
 },
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
 "DEVICE_NEIGHBOR": {
  "Ethernet0": {"name": "spine-1", "port": "Ethernet8"},
  "Ethernet4": {"name": "server-1", "port": "NIC.0"}
 },
 "DEVICE_NEIGHBOR_METADATA": {"spine-1": {"type": "LeafRouter"}, "server-1": {"type": "Server"}},
 "INTERFACE": {
  "Ethernet0": {"vrf_name": "Vrf-red"},
  "Ethernet0|10.0.0.1/31": {}
 },
 "LOOPBACK_INTERFACE": {"Loopback0|fc00::1/128": {}}
}
"""


def config_of(text: str, path: str = "a/leaf1.config_db.json") -> ConfigDb:
    return next(one for one in read(source_of(text, path)) if isinstance(one, ConfigDb))


def test_rows_for_several_ports_and_groups_become_a_row_for_each() -> None:
    config = config_of(TEXT)
    assert config.device == "leaf-1"
    assert set(config.tables["PORT_QOS_MAP"]) == {"Ethernet0", "Ethernet4"}
    assert config.tables["PORT_QOS_MAP"]["Ethernet4"] == {"dscp_to_tc_map": "AZURE", "pfc_enable": "3,4"}
    assert set(config.tables["BUFFER_PG"]) == {"Ethernet0|3", "Ethernet0|4", "Ethernet4|3", "Ethernet4|4"}
    assert config.lines["BUFFER_PG", "Ethernet4|4"] == 8 and config.lines["PORT_QOS_MAP", "Ethernet0"] == 5


def test_the_neighbours_are_declared_cables() -> None:
    cables = next(one for one in read(source_of(TEXT)) if isinstance(one, CableRecords))
    ends = list(zip(cables.a_device, cables.a_port, cables.b_device, cables.b_port, strict=True))
    assert ends == [("leaf-1", "Ethernet0", "spine-1", "Ethernet8"), ("leaf-1", "Ethernet4", "server-1", "NIC.0")]
    assert cables.declared and cables.roles == {"leaf-1": "switch", "spine-1": "switch", "server-1": "host"}
    assert cables.speed[0] == 100 and cables.length[0] == 40 and np.isnan([cables.speed[1], cables.length[1]]).all()
    assert cables.line.tolist() == [12, 13]


def test_the_addresses_are_those_of_the_interface_tables() -> None:
    addresses = next(one for one in read(source_of(TEXT)) if isinstance(one, AddressRecords))
    assert list(addresses.interface) == ["Ethernet0", "Loopback0"] and list(addresses.vrf) == ["Vrf-red", "default"]
    assert addresses.family.tolist() == [4, 6] and addresses.length.tolist() == [31, 128]
    assert addresses.low.tolist() == [0x0A000001, 1] and addresses.high.tolist() == [0, 0xFC00 << 48]
    assert addresses.line.tolist() == [18, 20]


def test_without_a_hostname_the_file_names_the_device() -> None:
    assert config_of('{"VLAN": {"Vlan1": {"vlanid": "1"}}}', "dumps/leaf7.config_db.json.gz").device == "leaf7"


def test_a_dump_of_the_database_has_the_same_rows() -> None:
    flat: dict[str, Any] = {}
    for table, rows in json.loads(TEXT).items():
        flat |= {f"{table}|{key}": {"type": "hash", "ttl": -1, "value": row} for key, row in rows.items()}
    assert config_of(json.dumps(flat)).tables == config_of(TEXT).tables
    bare = {name: row["value"] for name, row in flat.items()}
    assert config_of(json.dumps(bare)).tables == config_of(TEXT).tables
    assert matches(json.dumps(flat).encode())


def test_lists_and_numbers_are_text() -> None:
    config = config_of('{"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["DST_IP", "SRC_IP"], "seed": 10}}}')
    assert config.tables["SWITCH_HASH"]["GLOBAL"] == {"ecmp_hash": "DST_IP,SRC_IP", "seed": "10"}


def test_no_cut_of_a_file_passes() -> None:
    assert not cuts_that_pass(read, TEXT.rstrip("\n"))


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("[]", ["1: must be an object of tables; found a list or a single value"]),
        ('{"PORT": []}', ["1: table 'PORT' must be an object of rows"]),
        ('{"PORT": {\n"a": 1}}', ["2: PORT|a must be an object of fields"]),
        ('{"PORT": {"a": {"x": null}}}', ["1: field 'x' of PORT|a must be text, or a list of texts"]),
        ('{"BUFFER_PG": {"a|4-3": {}}}', ["1: BUFFER_PG key 'a|4-3' is not understood; expected PORT|3 or PORT|3-4"]),
        (
            '{"BUFFER_PG": {"a|3-4": {"profile": "x"},\n"a|4": {"profile": "y"}}}',
            ["2: BUFFER_PG|a|4 is there with other fields in line 1"],
        ),
        ('{"INTERFACE": {"a|10.0.0": {}}}', ["1: '10.0.0' is no address of an interface; expected one as 10.0.0.1/31"]),
        ('{"DEVICE_NEIGHBOR": {"a": {"name": "b"}}}', ["1: DEVICE_NEIGHBOR|a needs the fields 'name' and 'port'"]),
        (
            '{"PORT": {"a": {"speed": "fast"}},\n"DEVICE_NEIGHBOR": {"a": {"name": "b", "port": "c"}},\n'
            '"CABLE_LENGTH": {"AZURE": {"a": "40"}}}',
            ["1: speed 'fast' of a must be a number of Mb/s", "3: cable length '40' of a must be metres, as 40m"],
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, problems: list[str]) -> None:
    assert refusal(read, text) == problems


@given(
    st.recursive(st.none() | st.text(max_size=3), lambda x: st.dictionaries(st.text(max_size=9), x, max_size=3) | st.lists(x))
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    text = json.dumps({"PORT": value, "BUFFER_PG": value, "INTERFACE": value, "DEVICE_NEIGHBOR": value})
    try:
        read(source_of(text))
    except ValueError as error:
        assert str(error).startswith("in:")


@pytest.mark.parametrize("name", ["qos-arista7260-dualtor", "qos-mellanox4600c-d48c40-t0", "buffers-mellanox4600c-t0"])
def test_rendered_samples_are_read(name: str) -> None:
    source = open_source(shared_case(f"sonic/{name}.json"))
    assert matches(source.head)
    config = read(source)[0]
    assert isinstance(config, ConfigDb) and config.device == name
    assert config.lines.keys() == {(table, key) for table, rows in config.tables.items() for key in rows}
