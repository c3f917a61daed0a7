"""Flows that are said one by one."""

from typing import Any

import pytest

from pauseproof.fabric.places import BadInput
from placed_jobs import all_flows, end, placed, servers

NETWORK = servers(3, 2)


def rows(text: str, network: Any = NETWORK) -> list[tuple[str, str, float, int, int, int, str]]:
    job = placed(text, network)
    return [
        (end(job, int(a)), end(job, int(b)), float(n), int(port), int(s), int(d), job.phases[int(p)])
        for f in all_flows(job)
        for a, b, n, port, s, d, p in zip(f.src, f.dst, f.bytes, f.sport, f.sqpn, f.dqpn, f.phase, strict=True)
    ]


def test_queue_pairs_give_the_source_port_of_the_known_answers() -> None:
    ends = ("{from: 'gpu1:1', to: 'gpu2:1'", "{from: 'gpu2:2', to: 'gpu1:2'")
    text = f"flows: [{ends[0]}, bytes: 5, qpns: [0x11, 34]}}, {ends[1]}, bytes: 6, qpns: [677, 0x31B]}}]"
    assert rows(text) == [
        ("gpu1:1", "gpu2:1", 5.0, 49730, 17, 34, "flows"),
        ("gpu2:2", "gpu1:2", 6.0, 63047, 677, 795, "flows"),
    ]
    assert placed(text, NETWORK).assumptions == ()


def test_a_source_port_is_taken_as_it_is_said() -> None:
    (row,) = rows("flows: [{from: 'gpu1:1', to: 'gpu2:1', bytes: 5, sport: 50000}]")
    assert row[3] == 50000


def test_others_have_as_many_queue_pairs_as_a_connection_and_numbers_of_their_own() -> None:
    text = """
nodes: gpu*
qps: 2
collectives: [{kind: all-to-all, bytes: 12}]
flows:
  - {from: 'gpu1:1', to: 'gpu2:1', bytes: 4}
  - {from: 'gpu1:1', to: 'gpu3:1', bytes: 4}
"""
    found = rows(text)
    single = [row for row in found if row[-1] == "flows"]
    assert [row[:3] for row in single] == [("gpu1:1", f"gpu{i}:1", 2.0) for i in (2, 2, 3, 3)]
    peers: dict[tuple[str, int], tuple[str, int]] = {}
    for a, b, _, _, sqpn, dqpn, _ in found:
        assert peers.setdefault((a, sqpn), (b, dqpn)) == (b, dqpn) and peers.setdefault((b, dqpn), (a, sqpn)) == (a, sqpn)
    assert placed(text, NETWORK).assumptions


def test_what_comes_back() -> None:
    found = rows("returns: {ack: 0.5}\nflows: [{from: 'gpu1:1', to: 'gpu2:1', bytes: 4, qpns: [1, 2]}]")
    assert [row[:3] for row in found] == [("gpu1:1", "gpu2:1", 4.0), ("gpu2:1", "gpu1:1", 2.0)]


@pytest.mark.parametrize(
    ("flow", "problem"),
    [
        ("from: gpu9, to: 'gpu2:1'", "job.yaml:1:16: 'gpu9' is no host of the fabric; did you mean 'gpu"),
        ("from: gpu1, to: 'gpu2:1'", "'gpu1' may be 2 hosts: gpu1:1, gpu1:2; name one of them"),
        ("from: 'gpu1:1', to: 10.0.0.1", "no host of the fabric is known to have the address '10.0.0.1'"),
    ],
)
def test_hosts_that_are_not_there(flow: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        placed(f"flows: [{{{flow}, bytes: 1}}]", NETWORK)
    assert problem in str(caught.value)


def test_infiniband_has_no_source_ports() -> None:
    (row,) = rows("flows: [{from: 'gpu1:1', to: 'gpu2:1', bytes: 5, qpns: [17, 34]}]", servers(2, 1, "infiniband"))
    assert row[3] == -1
