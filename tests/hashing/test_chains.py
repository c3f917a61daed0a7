"""Chains against a naive walk of every path, and the chains of fabrics that anyone can draw."""

from pathlib import Path

import pytest
from hypothesis import given

from examples import on_many
from pauseproof.hashing.chains import chains_of
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from strategies import Case, PlainCase, plain, sane

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
Sizes = tuple[int, ...]  # of the groups on a path, in their order


def naive(network: Network, hashes: FabricHashes, s: int, d: int, met: tuple[tuple[int, int], ...] = ()) -> set[Sizes] | None:
    """The group sizes on every path from ``s`` that ends at a member; None where some path goes round."""
    if (s, d) in met:
        return None
    route = network.routes.route(s, d)
    links = tuple(dict.fromkeys(route.links))
    members = network.destinations.members(d)
    if route.kind is ChoiceKind.DELIVER:
        nodes = {network.fabric.link(link).dst for link in links}
        return {(len(links),)} if len(links) > 1 and len(nodes) == 1 else {()}
    if route.kind not in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE):
        return set()
    first = (len(links),) if len(links) > 1 else ()
    after = d if route.column < 0 else route.column
    out: set[Sizes] = set()
    for link in links:
        to = network.fabric.link(link).dst
        if to >= network.fabric.n_switches:
            rest: set[Sizes] | None = {()} if int(network.fabric.host_of_link[link]) in members else set()
        else:
            rest = naive(network, hashes, to, after, (*met, (s, d)))
        if rest is None:
            return None
        out |= {first + sizes for sizes in rest}
    return out


def hold(network: Network, case: Case | PlainCase) -> None:
    hashes = hashes_of(network)
    found = chains_of(network, hashes, case.traffic)
    mets = found.mets
    expected: dict[Sizes, int] = {}
    firsts = {network.fabric.link(h.up).dst for h in network.fabric.hosts() if case.traffic.host_sends[h.id]}
    for s in sorted(s for s in firsts if s < network.fabric.n_switches):
        for d in range(len(network.destinations)):
            if case.traffic.destination_on[d] and network.destinations.kind[d] == DestinationKind.HOST:
                chains = naive(network, hashes, s, d)
                engine = int(found.after[s, d])
                assert (engine < 0) == (chains is None)
                if chains is not None:
                    assert {tuple(mets[i].size for i in chain) for chain in found.sets[engine]} == chains
                    for chain in found.sets[engine]:
                        expected[chain] = expected.get(chain, 0) + 1
    told = {chain.met: chain for chain in found.every(case.traffic)}
    assert {met: chain.pairs for met, chain in told.items()} == {
        tuple(mets[i] for i in chain): n for chain, n in expected.items() if chain
    }
    for one in told.values():
        assert sum(len(part) for part in steps(network, one.switches, one.column)) >= len(one.met)


def steps(network: Network, switches: tuple[int, ...], d: int) -> list[tuple[int, ...]]:
    """The groups of several links at these switches, which follow each other by their entries."""
    out: list[tuple[int, ...]] = []
    for s, to in zip(switches, (*switches[1:], None), strict=True):
        route = network.routes.route(s, d)
        assert to is None or to in {network.fabric.link(link).dst for link in route.links}
        d = d if route.column < 0 else route.column
        out.append((s,) if len(set(route.links)) > 1 else ())
    return out


@on_many
@given(sane())
def test_chains_are_those_of_every_path(case: Case) -> None:
    hold(case.network, case)


@on_many
@given(plain())
def test_chains_of_bit_rows_are_those_of_every_path(case: PlainCase) -> None:
    hold(case.rows, case)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fat-tree: {k: 4}", {((0, 2), (1, 2)): 48, ((0, 2),): 8}),
        ("leaf-spine: {leaves: 3, spines: 4}", {((0, 4),): 6}),
        ("leaf-spine: {leaves: 2, spines: 2, cables: 2}\nparallel-cables: bundle", {((0, 2), (0, 2), (1, 2)): 2}),
        ("ring: {switches: 4}", {((0, 2),): 4}),
    ],
)
def test_chains_by_tier_and_size(tmp_path: Path, text: str, expected: dict[tuple[tuple[int, int], ...], int]) -> None:
    (tmp_path / "fabric.yaml").write_text(f"{text}\nrouting: ecmp\nhashing: {{algorithm: crc16}}\n")
    network = load_native(tmp_path / "fabric.yaml")
    traffic = network.traffics["hosts"]
    found = chains_of(network, hashes_of(network), traffic).every(traffic)
    assert {tuple((met.tier, met.size) for met in chain.met): chain.pairs for chain in found} == expected
