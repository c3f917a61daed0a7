"""Samples against a fabric: the FRR Clos with hashes of Linux, one packet at a time by the reference."""

from pathlib import Path

import pytest

import pauseproof
from hashing import reference
from hashing.reference import Packet
from pauseproof.hashing.measured import NO_GROUP, NO_PORT, NO_SWITCH, Held, given_fields, held
from pauseproof.readers import hash_samples
from pauseproof.readers.hash_samples import SampleRecords
from pauseproof.routing.network import Network
from texts import source_of

ROOT = Path(__file__).resolve().parents[2] / "topologies"
FRR = (ROOT / "frr/healthy", ROOT / "frr/clos4x2.clab.yml")


@pytest.fixture(scope="module")
def network() -> Network:
    return pauseproof.load(*FRR, ROOT / "measured/pauseproof.yaml")


def samples(*rows: str, header: str = "device,sip,dip,sport,egress") -> SampleRecords:
    return hash_samples.read(source_of("\n".join([header, *rows]) + "\n", "s.csv"))


def one(network: Network, *rows: str, header: str = "device,sip,dip,sport,egress") -> Held:
    (found,) = held(network, samples(*rows, header=header))
    return found


def port(sport: int) -> str:
    """By which port leaf1 sends a packet from 10.10.1.9 to 10.10.3.7."""
    return f"swp{1 + (reference.linux(Packet(4, 0x0A0A0109, 0x0A0A0307, sport=sport), 1, 12345) >= 1 << 30)}"


def test_samples_that_agree_and_one_that_does_not(network: Network) -> None:
    rows = [f"leaf1,10.10.1.9,10.10.3.7,{sport},{port(sport)}" for sport in range(50000, 50020)]
    assert one(network, *rows) == Held("leaf1", (one(network, rows[0]).settings[0],), 20, (), ())
    wrong = "swp1" if port(50007) == "swp2" else "swp2"
    rows[7] = f"leaf1,10.10.1.9,10.10.3.7,50007,{wrong}"
    found = one(network, *rows)
    assert (found.agree, found.refuted, found.undecided) == (19, ((7, (port(50007),)),), 0)


def test_a_port_that_no_hash_leads_to(network: Network) -> None:
    assert one(network, "leaf1,10.10.1.9,10.10.3.7,50000,swp31").refuted == ((0, (port(50000),)),)
    unset = pauseproof.load(*FRR)
    assert one(unset, "leaf1,10.10.1.9,10.10.3.7,50000,swp31").refuted == ((0, ("swp1", "swp2")),)
    assert one(unset, "leaf1,10.10.1.9,10.10.3.7,50000,swp1").open == (("ecmp algorithm: nothing tells it", 1),)


def test_pinned_rows_and_deliveries_are_held_too(network: Network) -> None:
    assert one(network, "spine1,10.10.1.9,10.10.3.7,1,swp3", "spine1,10.10.1.9,10.10.3.7,1,swp1").refuted == ((1, ("swp3",)),)
    assert one(network, "leaf3,10.10.1.9,10.10.3.7,1,swp31").agree == 1


def test_what_cannot_be_told(network: Network) -> None:
    assert one(network, "leaf9,10.10.1.9,10.10.3.7,1,swp1").open == ((NO_SWITCH, 1),)
    assert one(network, "leaf1,10.10.1.9,10.10.3.7,1,Ethernet0").open == ((NO_PORT, 1),)
    assert one(network, "leaf1,10.10.1.9,10.99.3.7,1,swp1").open == (("no host has the address 10.99.3.7", 1),)
    (found,) = held(network, samples("leaf1,fd00::9,fd00::7,1,swp1"))
    assert found.undecided == 1


def test_a_table_without_a_row() -> None:
    hole = pauseproof.load(ROOT / "black-hole.yaml")
    assert one(hole, "s1,10.0.0.1,10.0.2.1,1,2").open == ((NO_GROUP, 1),)


def test_fields_that_a_file_does_not_have_are_not_given() -> None:
    plain = given_fields(samples("leaf1,10.0.0.1,10.0.0.2,1,a"), 4)
    assert plain == {"src-ip", "dst-ip", "proto", "l4-src-port", "l4-dst-port", "flow-label"}
    more = samples("leaf1,fd00::1,fd00::2,1,a,7,3", header="device,sip,dip,sport,egress,qp,in_port")
    assert given_fields(more, 6) == (plain - {"flow-label"}) | {"dest-qp", "in-port"}
