"""The jobs of the catalogue: all are read, and those whose names begin with a fabric have known answers on it."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

import pauseproof
from pauseproof.loads.job_files import placed_job, read_job
from pauseproof.loads.jobs import PlacedJob

ROOT = Path(__file__).resolve().parents[2]
TOPOLOGIES = ROOT / "topologies"
FABRICS = {"ring5": "opensm/ring5_minhop", "fat-tree-k4": "fat-tree-k4.yaml", "leaf-spine": "leaf-spine.yaml"}
MIB = 1 << 20


def job(name: str) -> PlacedJob:
    fabric = next(path for start, path in FABRICS.items() if name.startswith(start))
    placed = placed_job([TOPOLOGIES / "jobs" / f"{name}.yaml"], pauseproof.load(TOPOLOGIES / fabric))
    assert isinstance(placed, PlacedJob)
    return placed


def bytes_by_phase(placed: PlacedJob) -> dict[str, float]:
    total = dict.fromkeys(placed.phases, 0.0)
    for block in placed.blocks():
        for phase, amount in zip(block.phase.tolist(), block.bytes.tolist(), strict=True):
            total[placed.phases[phase]] += amount
    return total


@pytest.mark.parametrize("path", sorted((TOPOLOGIES / "jobs").iterdir()), ids=lambda path: path.stem)
def test_every_job_is_read_and_fits_the_schema(path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "schema" / "job.schema.json").read_text())
    jsonschema.validate(yaml.safe_load(path.read_text()), schema)
    assert read_job(path).collectives


def test_ring5() -> None:
    found = bytes_by_phase(job("ring5-data-parallel"))
    assert found == pytest.approx({"gradients": 10 * 2 * 9 / 10 * 1024 * MIB, "tree": 2 * 2 * 9 * 512 * MIB})


def test_experts() -> None:
    placed = job("fat-tree-k4-experts")
    each = 2 * 256 / 8 * MIB  # twice, an eighth for each other rank of the group
    gathered = 8 * 2 * 15 / 16 * 512 / 2 * MIB  # eight nodes, two channels
    assert bytes_by_phase(placed) == pytest.approx({"tokens": 16 * 6 * each, "gradients and weights": 2 * gathered})
    assert {len(block) % 4 for block in placed.blocks()} == {0}


def test_pipeline() -> None:
    placed = job("leaf-spine-pipeline")
    forth_and_back = 2 * 2 * 3 * 8 * 64 * MIB  # two pipelines of three cuts between stages
    steps = {f"data all-reduce, step {i} of 2": 8 * 64 * MIB for i in (1, 2)}
    assert bytes_by_phase(placed) == pytest.approx({"pipeline send-recv": forth_and_back, **steps})
