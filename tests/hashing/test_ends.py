"""Hosts by the words that users have for them."""

from pathlib import Path

import pytest

import pauseproof
from pauseproof.hashing.ends import Ends
from pauseproof.routing.native import load_native

ROOT = Path(__file__).resolve().parents[2] / "topologies"


def frr() -> Ends:
    return Ends(pauseproof.load(ROOT / "frr/healthy", ROOT / "frr/clos4x2.clab.yml"), 4)


def test_infiniband() -> None:
    network = pauseproof.load(ROOT / "opensm/ring5_dfsssp_lmc1")
    ends = Ends(network, 4)
    by_name = ends.end("h3")
    assert network.destinations.names[by_name.column] == "14"
    assert by_name.address is None
    second = ends.end("lid:0xf")
    assert (second.host, network.destinations.names[second.column]) == (by_name.host, "15")
    assert ends.end(f"0x{network.fabric.host(by_name.host).guid:x}") == by_name == ends.end("h3:1")
    for word, message in (
        ("lid:1", "no host has the LID 1"),
        ("lid:x", "'lid:x' is no LID; expected lid:12 or lid:0xc"),
        ("h33", "no host is called 'h33'; did you mean 'h3'?"),
        ("0x99", "no host is called '0x99'"),
        ("h3/2", "no host is called 'h3/2'"),
        ("10.0.0.1", "10.0.0.1 is no address of a host here"),
    ):
        with pytest.raises(ValueError, match=message.replace("?", r"\?")):
            ends.end(word)


def test_addresses_that_were_read() -> None:
    ends = frr()
    named, given = ends.end("leaf3:swp31"), ends.end("10.10.3.77")
    assert named.host == given.host and named.column == given.column
    assert named.any_of == 8 and given.any_of == 0
    assert given.address is not None and given.address.number == 0x0A0A034D
    with pytest.raises(ValueError, match=r"no host has the address 10\.99\.0\.1"):
        ends.end("10.99.0.1")
    with pytest.raises(ValueError, match="fd00::1 is no address of a host here; expected IPv4"):
        ends.end("fd00::1")
    with pytest.raises(ValueError, match="is an InfiniBand LID, and this fabric has none"):
        ends.end("lid:4")


def test_addresses_by_the_rule() -> None:
    ends = Ends(load_native(ROOT / "leaf-spine.yaml"), 4)
    end = ends.end("leaf1-h0")
    assert end.address is not None and end.any_of == 0
    assert ends.end("10.0.1.1") == end


def test_a_node_with_two_ports() -> None:
    ends = Ends(load_native(ROOT / "dual-port-host.yaml"), 4)
    twice = next(name for name, hosts in ends.network.fabric.hosts_by_name.items() if len(hosts) == 2)
    with pytest.raises(ValueError, match=f"'{twice}' has 2 ports; expected one of {twice}:1, {twice}:2"):
        ends.end(twice)
    assert ends.end(f"{twice}:2").host == ends.network.fabric.hosts_by_name[twice][1]
