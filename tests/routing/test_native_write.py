"""Written topology files say what was asked for."""

import pytest

from pauseproof.fabric.generators import GENERATORS
from pauseproof.readers.native import read
from pauseproof.readers.source import Source
from pauseproof.routing.native import network_of
from pauseproof.routing.native_write import write_generated
from pauseproof.routing.network import Network

SMALL: dict[str, dict[str, int | tuple[int, ...]]] = {
    "fat-tree": {"k": 4},
    "leaf-spine": {"leaves": 3, "spines": 2},
    "ring": {"switches": 12},
    "mesh": {"size": (3, 2)},
    "torus": {"size": (3, 4)},
    "hyperx": {"size": (3, 2)},
    "dragonfly": {"a": 2, "h": 1},
    "jellyfish": {"switches": 8, "ports": 4, "hosts": 1, "seed": 2},
}


def network(text: str) -> Network:
    data = text.encode()
    return network_of(read(Source("t.yaml", data, data)))


@pytest.mark.parametrize("family", GENERATORS)
def test_the_expanded_form_is_the_same_fabric_with_the_same_routes(family: str) -> None:
    short, full = (network(write_generated(family, SMALL[family], expanded=expanded)) for expanded in (False, True))
    for name in ("node_ports", "node_kind", "link_src", "link_src_port", "link_dst", "link_dst_port"):
        assert (getattr(short.fabric, name) == getattr(full.fabric, name)).all()
    assert list(short.fabric.node_name) == list(full.fabric.node_name)
    n, m = short.fabric.n_switches, len(short.destinations)
    assert all(short.routes.route(s, d) == full.routes.route(s, d) for s in range(n) for d in range(m))


def test_tiers_are_written() -> None:
    text = write_generated("leaf-spine", {"leaves": 2, "spines": 1}, routing="valley-free", expanded=True)
    assert "spine0: {ports: 2, tier: 1}" in text
    assert network(text).notes["routing"] == "valley-free"


def test_engine_and_kind_are_written() -> None:
    text = write_generated("ring", {"switches": 4}, routing="updown", roots=["s0"], fabric_kind="infiniband")
    assert text == "kind: infiniband\nring: {switches: 4}\nrouting: {engine: updown, roots: [s0]}\n"


@pytest.mark.parametrize(
    ("family", "parameters", "more", "said"),
    [
        ("rnig", {"switches": 4}, {}, "did you mean 'ring'"),
        ("ring", {"switchs": 4}, {}, "did you mean 'switches'"),
        ("ring", {"switches": 0}, {}, "at least 1"),
        ("ring", {"switches": (4,)}, {}, "must be a whole number"),
        ("mesh", {"size": 4}, {}, "must be a list"),
        ("ring", {}, {}, "ring needs switches"),
        ("ring", {"switches": 4}, {"routing": "ecpm"}, "did you mean 'ecmp'"),
        ("ring", {"switches": 4}, {"routing": "updown"}, "needs roots"),
        ("ring", {"switches": 4}, {"routing": "dimension-order", "expanded": True}, "do not expand"),
        ("fat-tree", {"k": 5}, {"expanded": True}, "k must be even"),
    ],
)
def test_what_cannot_be_written_is_refused(
    family: str, parameters: dict[str, int | tuple[int, ...]], more: dict[str, str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        write_generated(family, parameters, **more)  # type: ignore[arg-type]
