from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.hashing.used_groups import _patterns, used_groups
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
