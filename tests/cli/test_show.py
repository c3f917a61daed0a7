from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]
LASH = "topologies/opensm/ring5_lash"


def test_files_and_numbers(run: Run) -> None:
    done = run("show", LASH)
    assert done.code == 0
    rows = [" ".join(row.split()) for row in done.out.splitlines()]
    assert f"{LASH}/opensm.fdbs read as opensm.fdbs" in rows
    assert any(row.startswith(f"{LASH}/expected.yaml skipped: ") for row in rows)
    for row in (
        "Fabric ring5_lash, infiniband",
        "5 switches, 10 host ports, 15 cables",
        "tier 0: 5 switches",
        "tables of 5 of 5 switches, 15 destinations",
    ):
        assert row in rows


def test_what_was_odd_is_told_with_its_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / LASH / "opensm.fdbs"
    path.write_text(path.read_text().rsplit("dump_ucast_routes", 1)[0])
    out = run("show", LASH).out
    assert "\n  PP206 table-missing: " in out
    assert "tables of 4 of 5 switches" in out


def test_what_cannot_be_read_is_refused(run: Run) -> None:
    done = run("show", "none")
    assert (done.code, done.out) == (2, "") and done.err.startswith("none: cannot be read")
