from dataclasses import replace

import numpy as np
import pytest

from lane_samples import FABRIC, HOST_OF, IDENTITY, every_turn, lanes_of, records, rules
from pauseproof.fabric.places import BadInput
from pauseproof.readers.lane_maps import lanes_from_records
from pauseproof.readers.records import LaneMapRecords


def test_rows_beyond_the_fabric_are_refused_at_once() -> None:
    bad = records({(0, 5, 1): IDENTITY, (0, 1, 9): IDENTITY, (1, 1, 5): IDENTITY}, {})
    no_guid, no_vl, no_line = np.empty(0, np.uint64), np.empty((0, 16), np.uint8), np.empty(0, np.int32)
    guid, port, line = np.full(2, 0xCC, np.uint64), np.ones(2, np.int32), np.array([7, 8], np.int32)
    alien = LaneMapRecords("g", guid, port, port, np.zeros((2, 16), np.uint8), line, no_guid, no_vl, no_line)
    with pytest.raises(BadInput) as caught:
        lanes_of([bad, alien])
    assert sorted(map(str, caught.value.problems)) == [
        "f:1: port 5 of s0 is beyond its radix; expected 0..4",
        "f:3: port 5 of s1 is beyond its radix; expected 0..4",
        "g:7: switch 0x00000000000000cc is not in the topology; expected tables of the switches that are cabled",
    ]


def test_rows_of_uncabled_hosts_are_left_out() -> None:
    one = records(every_turn(IDENTITY), dict.fromkeys(range(3), IDENTITY))
    read = lanes_from_records(FABRIC, [one], {0xA1: 0, 0xA3: 1})
    assert rules(read) == ["sl2vl-missing", "sl2vl-missing"]
    assert read.remarks[0].about == "0x00000000000000a5"


def test_a_switch_may_be_named_by_its_port_guid() -> None:
    one = records(every_turn(IDENTITY), dict.fromkeys(range(3), IDENTITY))
    named = replace(one, switch_guid=one.switch_guid + np.uint64(0x1000))
    read = lanes_from_records(FABRIC, [named], HOST_OF, switch_of_port_guid={0x10B0: 0, 0x10B1: 1})
    assert not read.remarks
    with pytest.raises(BadInput):
        lanes_from_records(FABRIC, [named], HOST_OF)


def test_slvl_rows_may_name_a_host_by_node_and_port() -> None:
    one = records(every_turn(IDENTITY), {})
    more = replace(
        one,
        switch_guid=np.append(one.switch_guid, np.array([0xA0, 0xA2, 0xA4], np.uint64)),
        in_port=np.append(one.in_port, np.zeros(3, np.int32)),
        out_port=np.append(one.out_port, np.ones(3, np.int32)),
        vl=np.append(one.vl, np.full((3, 16), 2, np.uint8), axis=0),
        line=np.append(one.line, np.full(3, 90, np.int32)),
    )
    read = lanes_of([more])
    assert not read.assumptions and [read.lanes.after_host(h, 9) for h in range(3)] == [(9, 2)] * 3
