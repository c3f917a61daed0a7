"""The dumps that benchmarks/make_frr_dump.py makes are what FRR prints, and say what a fat tree's switches know."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from pauseproof.readers.snapshot import Snapshot, read_snapshot
from route_facts import table

HALF = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dumps")
    maker().write(out, 2 * HALF)
    return out


def maker() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "make_frr_dump.py"
    spec = importlib.util.spec_from_file_location("make_frr_dump", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def snapshot(folder: Path) -> Snapshot:
    return read_snapshot([folder])


def test_every_switch_has_a_table_with_every_prefix(snapshot: Snapshot) -> None:
    assert len(snapshot.routes) == 5 * HALF**2
    for record in snapshot.routes:
        leaves = [prefix for prefix in table(record) if prefix.endswith("/24")]
        assert len(leaves) == 2 * HALF * HALF
        assert len(record.line) == len(leaves) + {"edge": HALF, "agg": 2 * HALF, "core": 2 * HALF}[record.device.split("-")[0]]


def test_edge_and_aggregation_switches_spread_over_all_uplinks(snapshot: Snapshot) -> None:
    found = {record.device: table(record) for record in snapshot.routes}
    assert found["edge-0-0"]["10.0.0.0/24"] == ("connected", ("@swp1",))
    for device, prefix, count in (
        ("edge-0-0", "10.0.1.0/24", HALF),
        ("agg-0-0", "10.1.0.0/24", HALF),
        ("agg-0-0", "10.0.1.0/24", 1),
    ):
        kind, hops = found[device][prefix]
        assert kind == "forward" and len(set(hops)) == count


def test_next_hops_are_the_other_ends_of_cables(folder: Path, snapshot: Snapshot) -> None:
    """A next hop's address is in the subnet that the switch at the other end has connected on its own interface."""
    found = {record.device: table(record) for record in snapshot.routes}
    cables = json.loads((folder / "layer1_topology.json").read_text())["edges"]
    ends = {}
    for cable in cables:
        a, b = ((cable[node]["hostname"], cable[node]["interfaceName"]) for node in ("node1", "node2"))
        ends[a], ends[b] = b, a
    assert len(ends) == 2 * len(cables) == 8 * HALF**3
    for (device, port), (peer, peer_port) in ends.items():
        ours, theirs = (subnets(found[name], interface) for name, interface in ((device, port), (peer, peer_port)))
        assert len(ours) == 1 and ours == theirs


def subnets(routes: dict[str, tuple[str, tuple[str, ...]]], interface: str) -> list[str]:
    return [prefix for prefix, said in routes.items() if said == ("connected", (f"@{interface}",)) and prefix.endswith("/31")]


def test_files_are_laid_out_as_frr_does(folder: Path) -> None:
    for path in folder.glob("agg-*.json"):
        text = path.read_text()
        assert text == json.dumps(json.loads(text), indent=2, separators=(",", ":")) + "\n"
