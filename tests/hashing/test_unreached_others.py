"""What is said of no member: groups that other packets come to than those between two hosts whose headers are known."""

from dataclasses import replace
from pathlib import Path

import pytest

from pauseproof.hashing.chains import chains_of
from pauseproof.hashing.prove_unreached import Prover
from pauseproof.hashing.settings import hashes_of
from pauseproof.hashing.unreached import Space, arrivals, unreached
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network

# Packets of h to g meet the same hash at t and at a0 or a1: of u and v one is left at each.
TWICE = """
switches: [t, a0, a1, u, v, w]
hosts: {h: , g: , other: }
cables: [[h, t], [t, a0], [t, a1], [a0, u], [a0, v], [a1, u], [a1, v], [u, w], [v, w], [w, g], [u, other]]
"""


def network_of(tmp_path: Path, more: str, fields: str = "src-ip, dst-ip, l4-src-port") -> Network:
    (tmp_path / "fabric.yaml").write_text(f"{TWICE}{more}\nhashing: {{algorithm: crc16, fields: [{fields}]}}\n")
    return load_native(tmp_path / "fabric.yaml")


def dead(network: Network) -> list[str]:
    """Which of the second switches have a member that no packet reaches."""
    traffic = network.traffics["hosts"]
    found = unreached(chains_of(network, hashes_of(network), traffic), traffic)
    assert not any(one.unseen for one in found)
    names = {network.fabric.node_name[one.decision.switch] for one in found}
    return sorted(names & {"a0", "a1"})


def test_without_others_the_second_hash_is_dead(tmp_path: Path) -> None:
    assert dead(network_of(tmp_path, "")) == ["a0", "a1"]


@pytest.mark.parametrize(
    "more",
    [
        'addresses: {h: "2001:db8::1"}',
        "tables: [{switch: w, destination: g, out: [u, v]}]",  # goes round
        "tables: [{switch: w, destination: g, kind: unknown}]",
        "tables: [{switch: w, destination: g, kind: drop}]",
    ],
)
def test_other_packets_may_reach_it(tmp_path: Path, more: str) -> None:
    assert dead(network_of(tmp_path, more)) == []


@pytest.mark.parametrize("field", ["in-port", "vlan"])
def test_what_differs_from_link_to_link_is_free_at_each(tmp_path: Path, field: str) -> None:
    network = network_of(tmp_path, "", f"src-ip, dst-ip, l4-src-port, {field}")
    assert dead(network) == []
    traffic = network.traffics["hosts"]
    chains = chains_of(network, hashes_of(network), traffic)
    prover = Prover(Space(chains, traffic), 20)
    certain = unreached(chains_of(network_of(tmp_path, ""), hashes_of(network), traffic), traffic)
    for decision, found in arrivals(chains, traffic).items():
        if network.fabric.node_name[decision.switch] != "t":
            some = [one for one in certain if one.decision.switch == decision.switch]
            assert all(prover.prove(replace(one, decision=decision), found) == "refuted" for one in some)
