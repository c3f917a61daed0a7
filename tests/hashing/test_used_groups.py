from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.hashing.used_groups import _patterns, hashed_at_both, used_groups
from pauseproof.routing.native import load_native
from pauseproof.routing.tables import ChoiceKind


@given(st.integers(1, 140), st.integers(0, 6), st.integers(0, 2**32))
def test_patterns_are_the_different_columns(links: int, columns: int, seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2, (links, columns), np.uint8)
    bits = bits[:, bits.any(axis=0)]
    assert {tuple(found.tolist()) for found in _patterns(bits)} == {tuple(np.flatnonzero(c).tolist()) for c in bits.T}


@pytest.mark.parametrize(
    "text", ["fat-tree: {k: 4}", "ring: {switches: 6}\nrouting: minimal-adaptive", "dragonfly: {a: 3, h: 1}"]
)
def test_groups_are_those_of_the_entries(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(text)
    network = load_native(path)
    for s in range(network.fabric.n_switches):
        routes = [network.routes.route(s, d) for d in range(len(network.destinations))]
        kinds = (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)
        assert used_groups(network, s) == sorted({(r.links, 0) for r in routes if r.kind in kinds and len(r.links) > 1})


TURNS = """\
leaf-spine: {leaves: 3, spines: 2}
tables:
  - {switch: spine0, destination: leaf0, out: [leaf1, leaf2]}
  - {switch: [leaf1, leaf2], destination: leaf0, out: spine1}
"""


@pytest.mark.parametrize("text", ["fat-tree: {k: 4}", "fat-tree: {k: 4}\nkind: infiniband", "torus: {size: [3, 3]}", TURNS])
def test_some_destination_is_hashed_at_both(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(text)
    network = load_native(path)
    dst, n = network.fabric.link_dst, network.fabric.n_switches
    for s in range(n):
        for t in range(n):
            pairs = [[network.routes.route(x, d) for x in (s, t)] for d in range(len(network.destinations))]
            both = [a for a, b in pairs if all(r.kind is ChoiceKind.HASHED and len(r.links) > 1 for r in (a, b))]
            assert hashed_at_both(network, s, t) == any(dst[link] == t for route in both for link in route.links)
