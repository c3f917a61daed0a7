"""Members that no packet reaches: by following every source port of every pair, and proved by z3."""

from pathlib import Path

import numpy as np
import pytest

from pauseproof.hashing.addresses import host_addresses
from pauseproof.hashing.chains import chains_of
from pauseproof.hashing.headers import roce
from pauseproof.hashing.paths import follow
from pauseproof.hashing.polarization import polarization
from pauseproof.hashing.prove_unreached import Prover
from pauseproof.hashing.settings import hashes_of
from pauseproof.hashing.unreached import Space, Unreached, arrivals, unreached
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network

FOUR_TIERS = """
switches: {t0: , t1: , "a0": , "a1": , b0: , b1: , c0: , c1: }
hosts: {h0: , h1: , h2: , h3: }
cables: [[t0, h0], [t0, h1], [t1, h2], [t1, h3], [t0, a0], [t0, a1], [a0, b0], [a0, b1], [a1, b0], [a1, b1],
         [b0, c0], [b0, c1], [b1, c0], [b1, c1], [c0, t1], [c1, t1]]
routing: ecmp
"""
CASES = {
    "one CRC": ("fat-tree: {k: 4, hosts: 1}", "{algorithm: crc16}"),
    "seeds": ("fat-tree: {k: 4, hosts: 1}", "{algorithm: ccitt, tiers: {0: {seed: 1}, 1: {seed: 2}}}"),
    "offsets": ("fat-tree: {k: 4, hosts: 1}", "{algorithm: crc16, tiers: {1: {offset: 3}}}"),
    "addresses": ("fat-tree: {k: 4, hosts: 1}", "{algorithm: xor16, fields: [src-ip, dst-ip]}"),
    "one port": ("fat-tree: {k: 4, hosts: 1}", "{algorithm: crc16, source-port: 49152, tiers: {1: {offset: 3}}}"),
    "two in four": (FOUR_TIERS, "{algorithm: crc16, tiers: {1: {offset: 10}}}"),
    "bundles": (
        "leaf-spine: {leaves: 2, spines: 2, cables: 2, hosts: 2}\nparallel-cables: bundle",
        "{algorithm: crc16, lag: {algorithm: crc16}}",
    ),
    "destination alone": ("leaf-spine: {leaves: 3, spines: 4, hosts: 2}", "{algorithm: crc16, fields: [dst-ip]}"),
}


def network_of(tmp_path: Path, topology: str, hashing: str) -> Network:
    (tmp_path / "fabric.yaml").write_text(f"{topology}\nhashing: {hashing}\n")
    return load_native(tmp_path / "fabric.yaml")


def links_taken(network: Network) -> set[int]:
    """By every source port between every two hosts."""
    book, hosts = host_addresses(network), network.fabric.n_hosts
    sport = network.hashes.sport
    ports = np.arange(0xC000, 0x10000) if sport < 0 else np.array([sport])
    column = {g: d for d in range(len(network.destinations)) for g in network.destinations.members(d)}
    taken: set[int] = set()
    for src in range(hosts):
        for dst in set(range(hosts)) - {src}:
            n = len(ports)
            h = roce(4, (book.high[src], book.low[src]), (book.high[dst], book.low[dst]), ports)
            ends = (np.full(n, x, np.int32) for x in (src, dst, column[dst], 0))
            taken |= set(np.unique(follow(network, hashes_of(network), h, *ends).links).tolist())
    return taken


@pytest.mark.parametrize("name", CASES)
def test_they_are_the_links_that_no_packet_takes(tmp_path: Path, name: str) -> None:
    network = network_of(tmp_path, *CASES[name])
    traffic = network.traffics["hosts"]
    chains = chains_of(network, hashes_of(network), traffic)
    found = unreached(chains, traffic)
    taken = links_taken(network)
    grouped = {link for decision in arrivals(chains, traffic) for link in decision.group}
    assert {one.link for one in found} == grouped - taken
    assert not any(one.unseen for one in found)


@pytest.mark.parametrize("name", CASES)
def test_z3_proves_each_of_them_and_refutes_it_of_the_others(tmp_path: Path, name: str) -> None:
    network = network_of(tmp_path, *CASES[name])
    traffic = network.traffics["hosts"]
    chains = chains_of(network, hashes_of(network), traffic)
    dead = {(one.decision, one.link) for one in unreached(chains, traffic)}
    prover = Prover(Space(chains, traffic), 20)
    for decision, found in arrivals(chains, traffic).items():
        for link in decision.group:
            proof = prover.prove(Unreached(decision, link, False), found)
            assert proof == ("proved" if (decision, link) in dead else "refuted"), (decision, link)


def test_what_is_not_linear_is_unseen_and_z3_may_still_decide(tmp_path: Path) -> None:
    network = network_of(tmp_path, "fat-tree: {k: 6, hosts: 1}", "{algorithm: crc16}")
    found = polarization(network, network.traffics["hosts"], seconds=20)
    assert found.unreached and all(one.unseen for one in found.unreached)
    assert {one.count.method for one in found.chains} == {"enumeration"}
    assert set(found.proofs) == {"proved"}


def wide(tmp_path: Path, n: int) -> Network:
    """Host, leaf, n switches, n switches, leaf, host."""
    spines = ", ".join(f"b{i}" for i in range(n))
    cables = [f"[t, a{i}]" for i in range(n)] + [f"[a{i}, b{j}]" for i in range(n) for j in range(n)]
    cables += [f"[b{j}, u]" for j in range(n)] + ["[t, h]", "[u, g]"]
    switches = ", ".join(f"a{i}" for i in range(n))
    text = f"switches: [t, u, {switches}, {spines}]\nhosts: [h, g]\ncables: [{', '.join(cables)}]"
    return network_of(tmp_path, text, "{algorithm: crc16, tiers: {1: {seed: 5}}}")


@pytest.mark.parametrize(("n", "seconds"), [(16, None), (8, 20.0)])
def test_many_ways_then_as_many(n: int, seconds: float | None, tmp_path: Path) -> None:
    """A wide fabric: its traffic takes n of n * n ways, and at the second switches all members but one are dead."""
    network = wide(tmp_path, n)
    found = polarization(network, network.traffics["hosts"], seconds=seconds)
    up = next(one for one in found.chains if [met.size for met in one.chain.met] == [n, n])
    assert (up.count.combinations, up.count.possible) == (n, n * n)
    assert len(found.unreached) >= n * (n - 1)
    if seconds is not None:
        assert set(found.proofs) == {"proved"} and len(found.proofs) == len(found.unreached)
